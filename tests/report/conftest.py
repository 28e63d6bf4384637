from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tabcast.report import render_report
from tests.report.browser import Browser, Page, find_browser
from tests.report.sample import make_predictions, make_pseudo_labels, make_summary, make_table

# A wide and a narrow font, with the packages of .ci/install_browser that bring them.
FONTS = {"DejaVu Sans": "fonts-dejavu-core", "Liberation Sans": "fonts-liberation"}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><!--",
    "{{7*7}}${7*7}",
    "zero\u200bwidth\u2060\ufeff",
    "\u202eright to left\u202c \u05d0\u05d1\u05d2",
    "' onmouseover='alert(1)",
    "&lt;b&gt; &amp; \u2028 line",
)


def give_up(missing: str) -> NoReturn:
    """Skip, or fail where .ci/install_browser claimed that everything is there (.ci/run sets the variable)."""
    (pytest.fail if os.environ.get("TABCAST_REQUIRE_BROWSER") else pytest.skip)(missing)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        give_up("no browser: install Chromium (.ci/install_browser) or name one in $TABCAST_BROWSER")
    with Browser(program) as running:
        yield running


@pytest.fixture(scope="session")
def cast_page() -> str:
    return render_report(make_summary(), make_pseudo_labels(), make_table(), make_predictions())


@pytest.fixture(scope="session")
def soft_page() -> str:
    predictions = make_predictions(method="soft")
    return render_report(make_summary(method="soft"), make_pseudo_labels(method="soft"), make_table(), predictions)


@pytest.fixture(scope="session")
def two_classes_page() -> str:
    """Two classes have a threshold; one column may leak."""
    classes = ("stays", "leaves")
    summary = make_summary(classes=classes, method="soft")
    summary["table"]["columns"][2]["leak"] = "alone it predicts the target"
    labels = make_pseudo_labels(classes=classes, method="soft")
    return render_report(summary, labels, make_table(), make_predictions(classes=classes, method="soft"))


@pytest.fixture(scope="session")
def hostile_page() -> str:
    """Every string that can come from a user's table is an attack."""
    summary, labels, table = make_summary(classes=HOSTILE), make_pseudo_labels(classes=HOSTILE), make_table()
    everywhere = " ".join(HOSTILE)
    summary["title"] = summary["table"]["file"] = everywhere
    summary["table"]["target"] = HOSTILE[1]
    for k, column in enumerate(summary["table"]["columns"]):
        column.update(name=f"{HOSTILE[k % len(HOSTILE)]}{k}", why=everywhere, kind=HOSTILE[0])
    summary["warnings"] = list(HOSTILE)
    summary["method"]["settings"] = {one: one for one in HOSTILE}
    summary["method"]["model"] = everywhere
    summary["files"] = {one: one for one in HOSTILE}
    summary["training"]["seconds"] = {one: 1.0 for one in HOSTILE}
    summary["verdict"]["metric"] = HOSTILE[1]
    diagnostics = summary["diagnostics"]
    for k, column in enumerate(diagnostics["covariate_shift"]["columns"]):
        column.update(name=HOSTILE[k], labeled=HOSTILE[k + 1], unlabeled=HOSTILE[k + 2])
    for region in diagnostics["fisher_information"]["regions"]:
        region["region"] = HOSTILE[0]
    for row in diagnostics["rows_to_label"]["rows"]:
        row["why"] = everywhere
    table = table.rename(columns=dict(zip(table.columns, HOSTILE, strict=True)))
    table[HOSTILE[4]] = [HOSTILE[k % len(HOSTILE)] for k in range(len(table))]
    for column in diagnostics["importance"]["columns"]:
        column["name"] = summary["table"]["columns"][1]["name"]
    summary["table"]["columns"][1]["leak"] = everywhere
    predictions = make_predictions(classes=HOSTILE).rename(columns={"customer_id": HOSTILE[0]})
    predictions[HOSTILE[0]] = [HOSTILE[k % len(HOSTILE)] for k in range(len(predictions))]
    return render_report(summary, labels, table, predictions)


@pytest.fixture(params=FONTS)
def font(request: pytest.FixtureRequest, browser: Browser) -> str:
    """A family in which a page is laid out, `visit(html, font=font)`."""
    family = str(request.param)
    if not browser.has_font(family):
        give_up(f"the font {family} is not installed: apt-get install {FONTS[family]} (.ci/install_browser does)")
    return family


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open a page of HTML; whatever happened to it, it made no request and the browser had nothing to complain of."""
    opened = []

    def open_page(html: str, *, font: str = "", **look: Any) -> Page:
        file = tmp_path / f"report{len(opened)}.html"
        file.write_text(html, encoding="utf-8")
        opened.append((browser.open(file, **look), file))
        if font:
            opened[-1][0].set_font(font)
        return opened[-1][0]

    yield open_page
    for page, file in opened:
        with page:
            assert page.complaints() == []
            assert [one for one in page.requests() if not one.startswith("data:")] == [file.resolve().as_uri()]
