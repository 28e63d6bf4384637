"""The page as text: its sections, that nothing in it is raw, and that a browser accepts it."""

from __future__ import annotations

import base64
import copy
import hashlib
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from jinja2 import UndefinedError

from tabcast.guard._verdict import say_verdict
from tabcast.plots._figure import clean
from tabcast.report import render_report
from tabcast.report._page import link, make_environment
from tabcast.report._words import percent
from tests.report.sample import make_run

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><!-- ]]>",
    "{{7*7}}${7*7}$\\frac{1}{",
    "zero\u200bwidth\u2060\ufeff",
    "\u202eright to left\u202c \u05d0\u05d1\u05d2",
    "' onmouseover='alert(1)",
    "&lt;b&gt; &amp; \u2028 line",
)
FILES = ("model.skops", "predictions.csv")
VOID = {"meta", "img"}


class Reader(HTMLParser):
    """Elements and text of a page; complains of tags that do not close."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def render(run, **changes):
    """The page of a run whose summary is changed."""
    summary = copy.deepcopy(run.summary) | changes
    return render_report(summary, run.pseudo_labels, run.predictions)


def find_section(page, key):
    found = re.search(rf'<section id="{key}".*?</section>', page, re.DOTALL)
    return found and found[0]


@pytest.fixture(scope="module")
def page():
    return render(make_run())


@pytest.fixture(scope="module")
def hostile_page():
    """Every string that can come from a user's table is an attack."""
    run = make_run(HOSTILE, HOSTILE[:3])
    summary, everywhere = copy.deepcopy(run.summary), " ".join(HOSTILE)
    summary["title"] = everywhere
    summary["table"]["target"] = HOSTILE[1]
    for column in summary["table"]["columns"]:
        column.update(why=everywhere, kind=HOSTILE[0], leak=everywhere)
    summary["warnings"] = list(HOSTILE)
    summary["method"].update(settings={one: one for one in HOSTILE}, model=everywhere, title=everywhere)
    summary["files"] = {one: one for one in HOSTILE}
    summary["verdict"]["metric"] = HOSTILE[1]
    for column in summary["diagnostics"]["covariate_shift"]["columns"]:
        column.update(labeled=HOSTILE[0], unlabeled=HOSTILE[1])
    predictions = run.predictions.assign(id=[HOSTILE[k % len(HOSTILE)] for k in range(len(run.predictions))])
    return render_report(summary, run.pseudo_labels, predictions.rename(columns={"id": HOSTILE[0]}))


def test_it_is_short(page):
    assert page.count("<img") <= 12
    assert len(" ".join(read(page).words).split()) <= 900
    assert "<svg" not in page


def test_the_verdict_comes_first_and_sections_follow_in_the_order_of_a_reader(page):
    text = "\n".join(read(page).words)
    places = [text.index(sentence) for sentence in say_verdict(make_run().summary["verdict"])[:2]]
    assert places == sorted(places)
    assert places[-1] < text.index("How good is the model?")
    keys = ["result", "verdict", "quality", "predictions", "importance", "table", "training", "next", "use"]
    assert [one["id"] for tag, one in read(page).tags if tag in ("header", "section")] == keys


def test_pictures_have_a_name_and_no_text_of_the_user_outside_of_them(page):
    names = [one["alt"] for tag, one in read(page).tags if tag == "img"]
    assert all(names)
    assert len(set(names)) == len(names) >= 6


@pytest.mark.parametrize("which", ["page", "hostile_page"])
def test_nothing_is_loaded_and_nothing_runs(request, which):
    html = request.getfixturevalue(which)
    reader = read(html)
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in reader.tags:
        assert tag not in ("script", "iframe", "link", "form", "svg", "object")
        assert not {"srcset", "action", "style", "background", "formaction"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("src") or "data:image/svg+xml;base64,").startswith("data:image/svg+xml;base64,")
        target = attributes.get("href") or "#result"
        assert target[1:] in ids or target in FILES
    assert "@import" not in html
    assert "url(" not in html


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_nowhere_raw_and_is_shown(hostile_page, hostile):
    if set(hostile) & set("<>\"'"):
        assert hostile not in hostile_page
    assert hostile.split()[0].strip("\u2028") in "".join(read(hostile_page).words)


def test_policy_allows_just_this_style(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "script" not in policy
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert f"style-src 'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" in policy


def test_text_that_no_file_can_hold_is_replaced():
    run = make_run()
    summary = copy.deepcopy(run.summary)
    for place, name in enumerate(("fine", "broken \udc80", "null \x00 byte")):
        summary["table"]["classes"][place]["name"] = name
        summary["diagnostics"]["quality"]["classes"][place] = name
        summary["diagnostics"]["quality"]["per_class"][place]["class"] = name
    html = render_report(summary, run.pseudo_labels)
    assert "broken \ufffd" in html
    assert "\x00" not in html
    html.encode("utf-8")


def test_same_input_same_page(page):
    assert render(make_run()) == page


def test_the_preview_shows_the_predictions_and_links_the_files():
    run = make_run()
    names = [one["name"] for one in run.summary["table"]["classes"]]
    predictions = run.predictions.assign(prediction=[names[k % 3] for k in range(80)])  # not the most probable ones
    section = find_section(render_report(run.summary, run.pseudo_labels, predictions), "predictions")
    lines = re.findall(r"<tr><th scope=\"row\">.*?</tr>", section, re.DOTALL)
    for line, one in zip(lines, predictions.itertuples(index=False), strict=False):
        probability = one[3 + names.index(one[2])]
        assert " ".join(" ".join(read(line).words).split()) == f"{one[0]} {one[1]} {one[2]} {probability:.3f}"
    assert [one["href"] for tag, one in read(section).tags if tag == "a"] == list(FILES)
    for name, n in predictions["prediction"].value_counts().items():
        assert re.search(rf">{name}</bdi> for {n} row", section)


@pytest.mark.parametrize("classes", [(1.0, 2.0), (False, True)])
def test_classes_that_are_not_text(classes):
    run = make_run(classes)
    summary = copy.deepcopy(run.summary)
    for one in summary["table"]["classes"]:
        one["name"] = str(one["name"])  # as a run has it
    section = find_section(render_report(summary, run.pseudo_labels, run.predictions), "predictions")
    assert f"<td>{run.predictions.iloc[0, -2:].max():.3f}</td>" in section


def test_what_is_not_there_is_left_out(page):
    run = make_run()
    html = render_report(
        run.summary | dict(diagnostics={}, training={}, warnings=[], suggested_rows=[]), run.pseudo_labels[:0]
    )
    assert [one["id"] for tag, one in read(html).tags if tag == "section"] == ["verdict", "table", "training", "use"]
    assert html.count("<img") == 1
    for key, text in {"quality": "How good is", "curves": "rank rows"}.items():
        without = render(run, diagnostics=run.summary["diagnostics"] | {key: None})
        assert text in page
        assert text not in without


def test_rows_to_label_next_with_their_values(page):
    section = find_section(page, "next")
    assert "<td>chosen</td>" in section
    assert "cell 2" in section
    assert "Rows to label next" not in render(make_run(), suggested_rows=[])


def test_two_classes_have_thresholds():
    html = render(make_run(("no", "yes")))
    assert "the threshold in use is 0.50" in find_section(html, "quality")
    assert "Recall and precision by threshold" in html


def test_what_another_decision_would_do(page):
    run = make_run()
    section = find_section(page, "quality")
    assert "accuracy (in use)" in section
    accuracy, balanced, _ = run.summary["diagnostics"]["decisions"]
    assert accuracy["accuracy"] == run.summary["diagnostics"]["quality"]["accuracy"]
    assert f"<td>{percent(balanced['accuracy'])}</td>" in section
    assert f"<td>{percent(balanced['recall'][2])}</td>" in section


def test_the_first_screen_has_the_kind_of_model_and_what_a_constant_answer_would_reach(page):
    first, quality = page[: page.index("<nav")], make_run().summary["diagnostics"]["quality"]
    assert "a model" in first
    assert f"{100 * quality['accuracy']:.1f}%" in first
    assert f"{100 * quality['constant_accuracy']:.1f}%" in first


def test_leaks_and_shift_are_caveats(page):
    run = make_run()
    assert "may leak" not in page
    table = copy.deepcopy(run.summary["table"])
    table["columns"][0]["leak"] = "alone it predicts the target"
    verdict = run.summary["verdict"] | {"chosen": "self-trained"}
    html = render(run, table=table, verdict=verdict)
    assert "alone it predicts the target" in find_section(html, "importance")
    caveats = re.search("<aside.*?</aside>", html, re.DOTALL)[0]
    assert run.summary["diagnostics"]["covariate_shift"]["strength"] == "strong"
    assert "Labeled and unlabeled rows differ strongly" in caveats
    assert "One class is small." in caveats
    assert "fee" in find_section(html, "table")


def test_names_with_invisible_characters_are_named(hostile_page):
    assert "invisible characters: U+200B, U+2060, U+FEFF" in hostile_page


def test_a_filled_table():
    filled = {
        "n_filled": 48, "n_review": 32, "share": 0.6, "n_held_out": 80, "n_given": 80, "precision": 0.9,
        "confidence": 0.9, "n_unlabeled": 80, "n_rows": 40, "threshold": 0.9, "n_right": 39,
        "constant": "stays", "constant_precision": 0.4, "per_class": [{"name": "stays", "n_filled": 30, "n": 40}],
    }  # fmt: skip
    section = find_section(render(make_run(), filled=filled), "filled")
    assert "At least 90% of the filled labels are right" in section
    assert "32 rows are left for review" in section
    assert "would be right in 40% of those held-out rows" in section
    assert "stays 75%" in section


def test_columns_used_and_left_out_are_named_with_the_reason(page):
    section = find_section(page, "table")
    assert "3 columns used, 1 left out" in section
    for column in make_run().summary["table"]["columns"]:
        assert column["name"] in section
        assert column["why"] in section


def test_a_page_does_not_grow_with_the_rows():
    run, n = make_run(), 200_000
    predictions = pd.concat([run.predictions] * (n // 80), ignore_index=True)
    labels = pd.concat([run.pseudo_labels] * (n // 80), ignore_index=True)
    assert len(render_report(run.summary, labels, predictions)) < 400_000


def test_no_template_can_switch_escaping_off_and_a_name_that_nobody_defined_is_an_error():
    environment = make_environment()
    assert environment.autoescape is True
    for name in environment.list_templates():
        source = environment.loader.get_source(environment, name)[0]
        assert not re.search(r"\|\s*safe\b|autoescape|\bMarkup\b", source), name
    with pytest.raises(UndefinedError, match="'nowhere' is undefined"):
        environment.from_string("{{ nowhere }}").render()
    for hostile in HOSTILE:
        poured = environment.from_string('<p title="{{ one }}">{{ one }}</p>').render(one=hostile)
        assert read(poured).words == [clean(hostile)]


@pytest.mark.parametrize("name", ["../secret", "javascript:alert(1)", "http://x", "a b", "", "x/y", *HOSTILE])
def test_only_a_plain_file_name_becomes_a_link(name):
    assert link(name) is None
    assert link("predictions.csv") == "predictions.csv"


def test_a_browser_shows_the_pictures_and_has_nothing_to_complain_of(hostile_page, tmp_path):
    browser = os.environ.get("TABCAST_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        # .ci/run sets the variable where .ci/install_browser claimed that a browser is there.
        (pytest.fail if os.environ.get("TABCAST_REQUIRE_BROWSER") else pytest.skip)("no Chromium: .ci/install_browser")
    file, shot = tmp_path / "report.html", tmp_path / "report.png"
    file.write_text(hostile_page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={tmp_path}"]
    found = subprocess.run(
        [browser, *options, "--window-size=900,6000", f"--screenshot={shot}", file.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in found.stderr  # what the policy refuses is reported there
    image = pytest.importorskip("PIL.Image").open(shot).convert("RGB")
    blue = (np.abs(np.asarray(image).astype(int) - (31, 95, 191)).sum(axis=2) < 12).sum()
    assert blue > 200  # dots and intervals of the importance
