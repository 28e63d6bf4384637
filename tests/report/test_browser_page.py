"""The page in a real browser. Every test here also checks, at its end, that nothing was requested or complained of."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tabcast.report import render_report
from tests.report.conftest import HOSTILE
from tests.report.sample import CLASSES, make_predictions, make_pseudo_labels, make_summary, make_table, make_verdict

DESKTOP = {"width": 1280, "height": 900}
PAGES = ["cast_page", "two_classes_page"]
PHONE = {"width": 390, "height": 844, "phone": True}
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def shown_rows(page):
    return page.texts("#rows tr[data-i] th")


def unfold(page):
    """Show what is folded away."""
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    return page


# What is there


def test_the_result_comes_first_and_is_big(visit, cast_page, font):
    page = visit(cast_page, **DESKTOP, font=font)
    assert page.text("h1").startswith("3,588 rows predicted; about ")
    assert page.run("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)") >= 40
    # What was predicted and how often each class is found are on the first screen; the verdict is the first section.
    assert page.run("document.querySelector('.recalls').getBoundingClientRect().bottom") <= 900
    assert page.text(".answer") == "The unlabeled rows helped."
    assert page.run("document.querySelector('main section').id") == "verdict"


def test_headings_are_in_order(visit, cast_page):
    page = visit(cast_page)
    levels = [int(one[1]) for one in page.run("[...document.querySelectorAll('h1,h2,h3,h4')].map(one => one.tagName)")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_drawing_has_a_name_and_every_figure_a_caption(visit, cast_page):
    page = visit(cast_page)
    assert page.count("svg") == page.count("svg[role=img][aria-label]")
    assert page.count("figure") == page.count("figure > figcaption")
    assert page.run("[...document.querySelectorAll('figcaption')].every(one => one.textContent.length > 60)")


def test_every_control_has_a_name(visit, cast_page):
    page = visit(cast_page)
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "combobox", "searchbox", "slider", "checkbox", "link"}
    controls = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
    assert len(controls) > 30
    assert all(node["name"]["value"].strip() for node in controls)


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("look", [DESKTOP, {**DESKTOP, "dark": True}, {"width": 700, "height": 900}, PHONE])
def test_one_drawing_of_each_picture_is_shown_and_nothing_scrolls_sideways(visit, request, which, look, font):
    page = unfold(visit(request.getfixturevalue(which), **look, font=font))
    assert page.run(FITS)
    assert page.run(
        "[...document.querySelectorAll('.drawing')].every(one => "
        "[...one.children].filter(svg => getComputedStyle(svg).display !== 'none').length === 1)"
    )


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("look", [DESKTOP, PHONE])
def test_no_text_of_a_drawing_is_cut_or_outside_of_it(visit, request, which, look, font):
    """Letters have at least nine pixels, and lie within the drawing's sides."""
    page = unfold(visit(request.getfixturevalue(which), **look, font=font))
    wrong = page.run(
        "[...document.querySelectorAll('.drawing > svg')].filter(svg => getComputedStyle(svg).display !== 'none')"
        ".flatMap(svg => { const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;"
        " return [...svg.querySelectorAll('text')].filter(text => { const one = text.getBoundingClientRect();"
        " return one.left < box.left - 2 || one.right > box.right + 2 || one.top < box.top - 2 ||"
        " one.bottom > box.bottom + 2 || parseFloat(getComputedStyle(text).fontSize) * scale < 9; })"
        ".map(text => text.textContent); })"
    )
    assert wrong == []


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("look", [DESKTOP, PHONE])
def test_texts_of_a_drawing_do_not_lie_on_each_other(visit, request, which, look, font):
    page = unfold(visit(request.getfixturevalue(which), **look, font=font))
    wrong = page.run(
        "[...document.querySelectorAll('.drawing > svg')].filter(svg => getComputedStyle(svg).display !== 'none')"
        ".flatMap(svg => { const box = one => [one, one.getBoundingClientRect()];"
        " const all = [...svg.querySelectorAll('text')].map(box);"
        " return all.flatMap(([a, p], i) => all.slice(i + 1).filter(([b, q]) => p.left < q.right - 1 &&"
        " q.left < p.right - 1 && p.top < q.bottom - 4 && q.top < p.bottom - 4)"
        ".map(([b]) => a.textContent + ' | ' + b.textContent)); })"
    )
    assert wrong == []


def test_dark_mode_is_dark(visit, cast_page):
    look = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b) / 3"
    assert visit(cast_page).run(look) > 240
    assert visit(cast_page, dark=True).run(look) < 40


# The threshold


def test_the_slider_shows_what_a_threshold_means(visit, two_classes_page):
    page = visit(two_classes_page)
    data = make_summary(classes=("stays", "leaves"), method="soft")["diagnostics"]["thresholds"]
    proba = make_predictions(classes=("stays", "leaves"), method="soft")["probability_leaves"].to_numpy()
    assert page.text("#threshold-shown") == "0.50"
    for step in (50, 20, 100, 0):
        page.run(
            f"(() => {{ const one = document.querySelector('#threshold-at'); one.value = {step};"
            " one.dispatchEvent(new Event('input')); })()"
        )
        one = data["counts"][step]
        found, missed, wrong, left = (
            one[key] for key in ("true_positives", "false_negatives", "false_positives", "true_negatives")
        )
        assert page.text("#threshold-shown") == f"{step / 100:.2f}"
        assert page.text("#t-found") == f"{found} of {found + missed}"
        assert page.text("#t-missed") == str(missed)
        assert page.text("#t-false") == f"{wrong} of {wrong + left}"
        assert page.text("#t-precision") == ("—" if found + wrong == 0 else f"{100 * found / (found + wrong):.0f}%")
        assert page.text("#t-pool") == f"{(proba >= step / 100 - 1e-7).sum():,} of 3,588"
    assert not page.run("document.querySelector('.few-thresholds').open")


def test_without_script_there_is_a_table_of_thresholds(visit, two_classes_page):
    page = visit(two_classes_page, script=False)
    root = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
    table = page.call("DOM.querySelector", nodeId=root, selector=".few-thresholds table")["nodeId"]
    assert page.call("DOM.getBoxModel", nodeId=table)["model"]["height"] > 100
    slider = page.call("DOM.querySelector", nodeId=root, selector=".threshold")["nodeId"]
    with pytest.raises(Exception, match="box model"):
        page.call("DOM.getBoxModel", nodeId=slider)


@pytest.mark.parametrize("look", [DESKTOP, PHONE])
def test_cells_of_tables_are_not_broken_inside_a_word(visit, two_classes_page, look, font):
    page = visit(two_classes_page, **look, font=font)
    lines = (
        "[...document.querySelectorAll('.recalls tbody th bdi, .predictions tbody bdi')]"
        ".map(one => one.getClientRects().length)"
    )
    assert set(page.run(lines)) == {1}


# The table


def test_table_shows_a_page_of_rows_and_turns(visit, cast_page):
    page = visit(cast_page)
    assert shown_rows(page) == [str(412 + k) for k in range(25)]
    assert page.text("#found") == "1–25 of 3,588 rows"  # noqa: RUF001
    page.click("#page-after")
    page.wait("document.querySelector('#rows th').textContent === '437'")
    page.click("#page-last")
    page.wait("document.querySelector('#page-number').textContent === 'page 144 of 144'")
    assert len(shown_rows(page)) == 3588 - 143 * 25
    assert page.run("document.querySelector('#page-after').disabled")


def test_table_filters_by_text_label_use_confidence_and_change(visit, cast_page):
    page, labels, table = visit(cast_page), make_pseudo_labels(), make_table()

    def found() -> int:
        return int(page.text("#found").split(" of ")[-1].split()[0].replace(",", ""))

    def choose(selector: str, value: str, event: str = "input") -> None:
        page.run(
            f"(() => {{ const one = document.querySelector('{selector}'); one.value = '{value}';"
            f" one.dispatchEvent(new Event('{event}', {{bubbles: true}})); }})()"
        )

    passing = np.ones(len(labels), dtype=bool)
    choose("#f-label", "1")
    passing &= labels["label"].to_numpy() == CLASSES[1]
    assert found() == passing.sum()
    choose("#f-used", "0")
    passing &= ~labels["selected"].to_numpy()
    assert found() == passing.sum()
    choose("#f-least", "0.4")
    passing &= labels["confidence"].to_numpy() >= 0.4
    assert found() == passing.sum()
    assert page.text("#f-least-shown") == "0.40"
    page.type("#f-text", "TWO years")
    passing &= table["contract"].to_numpy() == "two years"
    assert found() == passing.sum()
    page.click("#f-changed")
    passing &= (labels["label"] != labels["raw_label"]).to_numpy()
    assert found() == passing.sum()
    assert shown_rows(page) == [str(row) for row in labels["row"][passing][:25]]
    page.type("#f-text", " nothing has this")
    page.wait("document.querySelector('#rows').textContent.includes('No row matches')")
    page.click("#f-clear")
    page.wait("document.querySelector('#found').textContent.includes('3,588')")


def test_table_sorts_both_ways(visit, cast_page):
    page, labels = visit(cast_page), make_pseudo_labels()
    order = np.argsort(-np.round(labels["confidence"].to_numpy() * 10_000), kind="stable")
    page.click("#pseudo-labels-table th[data-key=confidence] button")
    assert shown_rows(page) == [str(row) for row in labels["row"].to_numpy()[order[:25]]]
    assert page.run("document.querySelector('th[data-key=confidence]').ariaSort") == "descending"
    page.click("#pseudo-labels-table th[data-key=confidence] button")
    assert page.run("document.querySelector('th[data-key=confidence]').ariaSort") == "ascending"
    values = [float(one) for one in page.texts("#rows tr[data-i] td:nth-child(4)")]
    assert values == sorted(values)
    assert values[0] == pytest.approx(labels["confidence"].min(), abs=0.001)


def test_a_row_opens_and_shows_its_values(visit, cast_page):
    page, table = visit(cast_page), make_table()
    page.click("#rows button.open")
    page.wait("document.querySelector('#rows tr.detail')")
    said = page.text("#rows tr.detail")
    assert "monthly_fee" in said
    assert f"{table['monthly_fee'][0]:g}" in said
    assert table["contract"][0] in said
    assert page.run("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.press("Enter")
    page.wait("!document.querySelector('#rows tr.detail')")


# The map


def a_dot(page, svg: str) -> tuple[int, float, float]:
    """A dot with no other near it."""
    return page.run(
        f"(() => {{ const svg = document.querySelector('{svg}');"
        " svg.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const dots = [...svg.querySelectorAll('circle[data-i]')].map(one => {"
        " const box = one.getBoundingClientRect();"
        " return [Number(one.dataset.i), box.left + box.width / 2, box.top + box.height / 2]; });"
        " return dots.find(([i, x, y]) => dots.every(([j, a, b]) => i === j || Math.hypot(a - x, b - y) > 9)); })()"
    )


@pytest.mark.parametrize("method", ["cast-l", "soft"])
def test_pointing_at_a_dot_shows_its_row(visit, cast_page, soft_page, method, font):
    page = visit(cast_page if method == "cast-l" else soft_page, font=font)
    labels, table = make_pseudo_labels(method=method), make_table()
    position, x, y = a_dot(page, "#map svg.wide")
    page.mouse("mouseMoved", x + 2, y)
    page.wait("!document.querySelector('#card').hidden")
    said, row = page.text("#card"), labels.iloc[position]
    assert f"Row {row['row']}" in said
    assert row["label"] in said
    assert f"{row['confidence']:.3f}" in said
    assert ("density" in said) == (method == "cast-l")
    assert f"{table['age'][position]:g}" in said
    assert page.run("document.querySelector('#map svg.wide .halo').classList.contains('on')")
    inside = (
        "(() => { const a = document.querySelector('#card').getBoundingClientRect(), b = document.querySelector('#map')"
    )
    assert page.run(inside + ".getBoundingClientRect(); return a.left >= b.left - 1 && a.right <= b.right + 1; })()")
    page.mouse("mouseMoved", 5, 5)
    page.wait("document.querySelector('#card').hidden")


def test_a_finger_on_a_dot_shows_its_row(visit, cast_page, font):
    page = visit(cast_page, **PHONE, font=font)
    position, x, y = a_dot(page, "#map svg.narrow")
    for kind, places in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=places)
    page.wait("!document.querySelector('#card').hidden")
    assert f"Row {412 + position}" in page.text("#card")
    assert page.run(FITS)


def test_keys_walk_through_the_map(visit, cast_page):
    page, labels = visit(cast_page), make_pseudo_labels()
    page.run("document.querySelector('#map svg.wide').focus()")
    seen = []
    for _ in range(3):
        page.press("ArrowRight")
        seen.append(int(page.run("document.querySelector('#card').dataset.i")))
    density = labels["density"].to_numpy()[seen]
    assert len(set(seen)) == 3
    assert list(density) == sorted(density)
    page.press("Escape")
    assert page.run("document.querySelector('#card').hidden")


def test_filters_dim_the_map(visit, cast_page):
    page = visit(cast_page)
    page.click("#f-changed")
    page.wait("document.querySelectorAll('#map svg.wide circle.off').length > 0")
    labels = make_pseudo_labels()
    same = (labels["label"] == labels["raw_label"]).to_numpy()
    dimmed = page.run("[...document.querySelectorAll('#map svg.wide circle.off')].map(one => Number(one.dataset.i))")
    bright = page.run(
        "[...document.querySelectorAll('#map svg.wide circle[data-i]:not(.off)')].map(one => Number(one.dataset.i))"
    )
    assert same[dimmed].all()
    assert not same[bright].any()


def test_rows_to_label_are_copied_as_csv(visit, cast_page):
    page = visit(cast_page)
    # The clipboard itself belongs to the machine; what the page hands to it is caught.
    page.run("navigator.clipboard.writeText = async text => { window.handed = text; }")
    page.click("#copy-csv")
    page.wait("document.querySelector('#copied').textContent === 'Copied.'")
    lines = page.run("window.handed").splitlines()
    assert lines[0].startswith("row,outcome,likely,probability,why,age,")
    assert lines[1].startswith("412,,stays,0.460,")
    assert len(lines) == 13


# Hostile text


def test_hostile_text_is_shown_as_text(visit, hostile_page):
    page = visit(hostile_page)
    for one in HOSTILE:
        assert one.replace("\u2028", "").split()[0] in page.text("body")
    assert "49" not in page.text("h2#table-title + figure .legend, .about")
    assert page.count("img, iframe, object, embed, b i, [onerror], [onmouseover], [onclick], [onload]") == 0
    assert page.count("script") == 2
    assert page.count("style") == 1
    legend = page.texts("#labels .legend bdi")
    assert legend[:4] == list(HOSTILE[:4])


def test_hostile_text_in_the_table_and_the_card_is_text(visit, hostile_page):
    page = visit(hostile_page)
    before = page.count("*")
    assert before
    page.click("#rows button.open")
    page.wait("document.querySelector('#rows tr.detail')")
    said = page.text("#rows tr.detail")
    assert all(one in said for one in HOSTILE[:4])
    _, x, y = a_dot(page, "#map svg.wide")
    page.mouse("mouseMoved", x, y)
    page.wait("!document.querySelector('#card').hidden")
    assert all(one in page.text("#card") for one in HOSTILE[:4])
    assert page.texts("#f-label option")[1:5] == list(HOSTILE[:4])
    page.type("#f-text", "<script>alert(1)</script>")
    page.wait("!document.querySelector('#found').textContent.includes('3,588')")
    assert page.count("img, iframe") == 0
    assert page.count("script") == 2


@pytest.mark.parametrize("look", [DESKTOP, PHONE])
def test_hostile_and_long_names_do_not_break_the_layout(visit, hostile_page, look, font):
    page = visit(hostile_page, **look, font=font)
    assert page.run(FITS)


def test_the_policy_stops_what_should_ever_get_through(browser, tmp_path, cast_page):
    """Were a string not escaped, it could neither run nor load: an attack is planted into the finished page."""
    file = tmp_path / "planted.html"
    attack = '<img src="http://127.0.0.1:9/x.png" onerror="window.ran = 1"><script>window.ran = 2</script>'
    file.write_text(cast_page.replace("<main>", f"<main>{attack}"), encoding="utf-8")
    with browser.open(file) as page:
        assert page.run("window.ran === undefined")
        assert page.run("document.querySelector('main img').naturalWidth") == 0
        assert any("Content Security Policy" in one for one in page.complaints())
        assert page.text("#found").endswith("3,588 rows")


# Without script, on paper, large


def test_without_script_everything_but_the_table_is_there(visit, cast_page):
    page = visit(cast_page, script=False)
    # With scripts off the page is asked through the DOM of the browser, not by running anything in it.
    root = page.call("DOM.getDocument", depth=0)["root"]["nodeId"]
    html = page.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]
    assert "The table needs JavaScript" in html
    assert html.count("<circle") > 4_000
    assert re.search(r'<div class="js-only" hidden', html)
    hidden = page.call("DOM.querySelector", nodeId=root, selector=".js-only")["nodeId"]
    with pytest.raises(Exception, match="box model"):
        page.call("DOM.getBoxModel", nodeId=hidden)
    next_rows = page.call("DOM.querySelector", nodeId=root, selector=".next li")["nodeId"]
    assert page.call("DOM.getBoxModel", nodeId=next_rows)["model"]["height"] > 20


def test_on_paper_the_verdict_is_on_page_one(visit, cast_page, font):
    page = visit(cast_page, dark=True, font=font)
    pdf = page.print()
    assert pdf.startswith(b"%PDF")
    places = read_outline(pdf)
    assert places[next(one for one in places if one.startswith("3,588 rows predicted"))] == 1
    assert 1 <= places["Did the unlabeled rows help?"] <= 2
    assert places["Rows worth labeling next"] > places["The table"] > places["Predictions"]
    assert len(re.findall(rb"/Type /Page\b(?!s)", pdf)) <= 20


def test_on_paper_there_is_no_dark_ground_and_the_table_is_cut(visit, cast_page):
    page = visit(cast_page, dark=True)
    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.querySelector('.filters')).display") == "none"
    assert page.run("getComputedStyle(document.querySelector('#pseudo-labels-table .print-only')).display") == "block"
    assert len(shown_rows(page)) == 25


def read_outline(pdf: bytes) -> dict[str, int]:
    """Headings of a PDF and the pages they are on, as its outline tells."""
    order: list[bytes] = []
    for kids in re.findall(rb"/Type /Pages\s.*?/Kids \[(.*?)\]", pdf, re.DOTALL):
        order += [one for one in re.findall(rb"(\d+) 0 R", kids)]
    pages = set(re.findall(rb"(\d+) 0 obj\s<</Type /Page\s", pdf))
    numbered = {one: k + 1 for k, one in enumerate(one for one in order if one in pages)}
    entries = re.findall(rb"<</Title \((.*?)\)\s.*?/Dest \[(\d+) 0 R", pdf, re.DOTALL)
    return {title.decode("latin-1"): numbered[target] for title, target in entries}


def test_fifty_thousand_rows(visit):
    n = 50_000
    rng = np.random.default_rng(0)
    table = make_table(n_unlabeled=n)
    for j in range(8):
        table[f"measured_{j}"] = rng.normal(size=n)
        table[f"words_{j}"] = [f"text {k}" for k in rng.integers(0, 10**9, n)]
    html = render_report(make_summary(n_unlabeled=n), make_pseudo_labels(n_unlabeled=n), table)
    assert len(html.encode()) < 6_000_000
    page = visit(html)
    assert page.text("#found").endswith("50,000 rows")
    page.click("#f-changed")
    page.wait("!document.querySelector('#found').textContent.includes('50,000')")


# Other runs


@pytest.mark.parametrize(
    ("gain", "word", "head"),
    [
        (0.012, "probably helped", "The unlabeled rows probably helped."),
        (0.0, "no difference seen", "No difference was seen"),
        (-0.05, "hurt", "The unlabeled rows hurt."),
    ],
)
@pytest.mark.parametrize("look", [DESKTOP, PHONE])
def test_other_verdicts(visit, gain, word, head, look):
    summary = make_summary(method="soft")
    summary["verdict"] = {**make_verdict(np.random.default_rng(1), gain=gain, word=word), "gain": gain}
    page = visit(render_report(summary, make_pseudo_labels(method="soft"), None), **look)
    assert page.text(".answer").startswith(head)
    assert page.run(FITS)


def test_many_classes_and_columns(visit, font):
    classes = tuple(f"class number {k}" for k in range(40))
    summary = make_summary(classes=classes)
    summary["table"]["columns"] = [
        {"name": f"column_{k}", "kind": "number", "used": k % 3 > 0, "why": "a reason"} for k in range(1_000)
    ]
    table = make_table()
    table = table[[table.columns[k % table.shape[1]] for k in range(60)]]
    page = visit(render_report(summary, make_pseudo_labels(classes=classes), table), **PHONE, font=font)
    assert page.run(FITS)
    assert "33 others" in page.text("#labels .legend")


def test_bare_summary(visit):
    """Only what every run has: no diagnostics, no pseudo-labels, no verdict."""
    summary = make_summary()
    summary["diagnostics"] = {key: None for key in summary["diagnostics"]}
    summary.update(verdict=None, warnings=[], created=None)
    summary["training"] = {"n_fits": 1, "seconds": {"training": 0.5}}
    page = visit(render_report(summary, pd.DataFrame({name: [] for name in make_pseudo_labels().columns})))
    assert page.text("h1") == "3,588 rows predicted."
    assert "A supervised model." in page.text(".said")
    assert page.count("#verdict, #quality, #curves, #why, #labels, #pseudo-labels, #next, .warnings") == 0
    assert page.count("#table, #training") == 2
