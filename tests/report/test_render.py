"""The page as text: its elements, its sections, and that nothing in it is raw."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from jinja2 import UndefinedError

from tabcast.guard import say_verdict
from tabcast.report import render_report
from tabcast.report._page import link, make_environment
from tabcast.report._quality_words import say_result
from tabcast.report._svg import element
from tabcast.report._text import clean
from tests.report.conftest import HOSTILE
from tests.report.sample import make_curve, make_predictions, make_pseudo_labels, make_summary, make_table

TITLES = {
    "cluster_assumption": "Are predictions right where rows are dense?",
    "class_overlap": "Do the classes overlap?",
    "fisher_information": "Where do unlabeled rows carry information?",
    "covariate_shift": "Do labeled and unlabeled rows look alike?",
    "selection_curve": "How many rows are confident enough?",
    "class_mix": "Does one class take over?",
    "flipped_labels": "Which labels were changed?",
    "reliability": "Can its probabilities be trusted?",
    "quality": "Which classes are confused?",
    "importance": "What if a column were shuffled?",
    "curves": "How well do the probabilities rank rows?",
    "rows_to_label": "Rows worth labeling next",
}
FILES = ("model.skops", "predictions.csv", "pseudo_labels.csv")
VOID = {"meta", "link", "br", "input", "img"}


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

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("which", ["cast_page", "soft_page", "hostile_page"])
def test_elements_close_and_ids_are_there_once(request, which):
    reader = read(request.getfixturevalue(which))
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in reader.tags if tag == "a" and attributes.get("class") != "file"]
    assert links
    assert all(one[1:] in ids for one in links)


@pytest.mark.parametrize("which", ["cast_page", "hostile_page"])
def test_nothing_is_loaded_and_nothing_inline_runs(request, which):
    reader = read(request.getfixturevalue(which))
    for _, attributes in reader.tags:
        assert not {"src", "srcset", "action", "style", "background", "formaction"} & set(attributes)
        assert not [key for key in attributes if key.startswith("on")]
        link = attributes.get("href") or "#"
        assert link.startswith(("#", "data:image/svg+xml")) or link in FILES
    assert "@import" not in request.getfixturevalue(which)
    assert "url(" not in request.getfixturevalue(which)


def test_policy_allows_just_this_style_and_this_script(cast_page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', cast_page)[1]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", cast_page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_result_comes_first_then_the_verdict_in_the_words_of_the_guard(cast_page):
    text = "\n".join(read(cast_page).words)
    sentences = [say_result(make_summary())[0], *say_verdict(make_summary()["verdict"])]
    places = [text.index(one) for one in sentences]
    assert places == sorted(places)
    assert places[-1] < text.index("Which classes are confused?")


def test_sections_are_in_the_order_of_a_reader(two_classes_page):
    wanted = [
        "result", "verdict", "quality", "predictions", "threshold", "importance", "curves", "table", "why", "labels",
        "training", "pseudo-labels", "next",
    ]  # fmt: skip
    tags = read(two_classes_page).tags
    assert [one["id"] for tag, one in tags if tag in ("header", "section")] == wanted


def test_what_few_need_is_folded_away(cast_page):
    folded = re.findall(r'<details class="fold">\s*<summary>(.*?)</summary>', cast_page)
    for title in (
        TITLES["fisher_information"],
        TITLES["cluster_assumption"],
        TITLES["class_overlap"],
        "Round by round",
    ):
        assert title in folded


def test_the_preview_shows_the_predictions_of_the_model_and_links_the_files(cast_page):
    """Page and predictions.csv agree; pseudo-labels are called that."""
    predictions, labels = make_predictions(), make_pseudo_labels()
    section = re.search(r'<section id="predictions".*?</section>', cast_page, re.DOTALL)[0]
    lines = re.findall(r"<tr><th scope=\"row\">.*?</tr>", section, re.DOTALL)
    assert len(lines) == 12
    for line, one in zip(lines, predictions.itertuples(), strict=False):
        said = " ".join(" ".join(read(line).words).split())
        proba = predictions.loc[one.Index, f"probability_{one.prediction}"]
        assert said == f"{one.row} {one.customer_id} {one.prediction} {proba:.3f}"
    links = [attributes["href"] for tag, attributes in read(section).tags if tag == "a"]
    assert links == list(FILES)
    differ = int((predictions["prediction"].to_numpy() != labels["label"].to_numpy()).sum())
    assert differ > 0
    assert f"Pseudo-labels are not the predictions: {differ} rows are predicted otherwise" in cast_page
    total = predictions["prediction"].value_counts()
    assert f"”\u2069 for {total['stays']:,} rows" in section or f"for {total['stays']:,} rows" in section


def test_without_predictions_there_is_no_preview(cast_page):
    page = render_report(make_summary(), make_pseudo_labels(), make_table())
    assert 'id="predictions"' in cast_page
    assert 'id="predictions"' not in page
    with pytest.raises(ValueError, match="one probability for each of 3 classes; it has the columns row, prediction"):
        render_report(make_summary(), make_pseudo_labels(), None, make_predictions()[["row", "prediction"]])


def test_leaks_are_flagged_beside_their_column(two_classes_page, cast_page):
    section = re.search(r'<section id="importance".*?</section>', two_classes_page, re.DOTALL)[0]
    assert "⚠ may leak" in section
    assert "alone it predicts the target" in section
    assert "may leak the label; see the caveats" in section
    assert "may leak" not in cast_page


@pytest.mark.parametrize("key", TITLES)
def test_a_missing_diagnostic_leaves_its_section_out(cast_page, key):
    summary = make_summary()
    summary["diagnostics"][key] = None
    page = render_report(summary, make_pseudo_labels(), None)
    assert TITLES[key] in cast_page
    assert TITLES[key] not in page


def test_diagnostics_may_be_missing_altogether():
    summary = make_summary()
    del summary["diagnostics"]
    page = render_report(summary, make_pseudo_labels(), make_table())
    assert not [title for title in TITLES.values() if title in page]
    read(page)


def test_soft_page_warns_about_the_class_shares_and_has_no_density(soft_page, cast_page):
    assert "Soft self-training aligned" in soft_page
    assert "Soft self-training aligned" not in cast_page
    assert 'data-key="density"' not in soft_page
    assert 'data-key="density"' in cast_page
    assert "The weight of density" not in soft_page


def test_columns_used_and_left_out_are_named_with_the_reason(cast_page):
    text = " ".join(read(cast_page).words)
    for column in make_summary()["table"]["columns"]:
        assert column["name"] in text
        assert column["why"] in text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_nowhere_raw(hostile_page, hostile):
    outside = re.sub(r'<script type="application/json".*?</script>', "", hostile_page, flags=re.DOTALL)
    if set(hostile) & set("<>\"'"):
        assert hostile not in outside
    if set(hostile) & set("<>"):
        assert hostile not in hostile_page
    assert hostile.split()[0].strip("\u2028") in "".join(read(hostile_page).words)


def test_text_that_no_file_can_hold_is_replaced():
    classes = ("fine", "broken \udc80", "null \x00 byte")
    summary, labels = make_summary(classes=classes), make_pseudo_labels(n_unlabeled=3)
    labels["label"] = labels["raw_label"] = pd.Series(classes, dtype=object)
    page = render_report(summary, labels, None)
    assert "broken \ufffd" in page
    assert "\x00" not in page
    page.encode("utf-8")


def test_same_input_same_page(cast_page):
    assert render_report(make_summary(), make_pseudo_labels(), make_table(), make_predictions()) == cast_page


def test_rows_to_label_are_there_as_csv_with_an_empty_column_for_labels(cast_page):
    csv = re.search(r'<pre id="csv"[^>]*>(.*?)</pre>', cast_page, re.DOTALL)[1].splitlines()
    assert csv[0].split(",")[:2] == ["row", "outcome"]
    assert csv[1].split(",")[:2] == ["412", ""]


def test_no_template_can_switch_escaping_off():
    environment = make_environment()
    assert environment.autoescape is True
    for name in environment.list_templates():
        source = environment.loader.get_source(environment, name)[0]
        assert not re.search(r"\|\s*safe\b|autoescape|\bMarkup\b", source), name


def test_a_name_that_nobody_defined_is_an_error():
    with pytest.raises(UndefinedError, match="'nowhere' is undefined"):
        make_environment().from_string("{{ nowhere }}").render()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_whatever_is_poured_into_a_template_or_a_drawing_is_escaped(hostile):
    poured = make_environment().from_string('<p title="{{ one }}">{{ one }}</p>').render(one=hostile)
    drawn = element("text", hostile, aria_label=hostile)
    for markup, tag in ((poured, "p"), (drawn, "text")):
        [(seen, attributes)] = read(markup).tags
        assert (seen, set(attributes)) == (tag, {"title"} if tag == "p" else {"aria-label"})
        assert read(markup).words == [clean(hostile)]


@pytest.mark.parametrize("name", ["../secret", "javascript:alert(1)", "http://x", "a b", "", "x/y", *HOSTILE])
def test_only_a_plain_file_name_becomes_a_link(name):
    assert link(name) is None
    assert link("predictions.csv") == "predictions.csv"


def test_a_large_pool_has_its_curve_below_the_verdict_and_says_what_was_looked_at():
    summary = make_summary(n_unlabeled=999_500)
    pool = {"n_unlabeled": 999_500, "n_judged": 20_000, "n_trained": 80_000, "n_diagnosed": 20_000}
    summary["training"]["pool"] = {**pool, "curve": make_curve()}
    summary["verdict"] |= {"n_unlabeled": 999_500, "n_judged": 20_000}
    html = render_report(summary, make_pseudo_labels(n_unlabeled=500), None)
    verdict, rest = html.split('<section id="verdict"')[1].split("</section>", 1)
    assert "How many unlabeled rows are enough?" in verdict
    assert "with 20,000 of the 999,500 unlabeled rows" in verdict
    assert "How many unlabeled rows are enough?" not in rest
    assert rest.count("At most 20,000 of the 999,500 unlabeled rows are looked at here") == 3
    assert "80,000 of 999,500, drawn at random" in rest


def test_a_page_does_not_grow_with_the_rows_that_were_predicted():
    n = 300_000
    predictions = pd.DataFrame({"row": np.arange(n), "prediction": "stays"})
    predictions = predictions.assign(**dict.fromkeys(["stays", "leaves", "downgrades"], 1 / 3))
    predictions.loc[predictions["row"] % 3 == 0, "prediction"] = "leaves"
    pseudo_labels = make_pseudo_labels(n_unlabeled=500)
    html = render_report(make_summary(n_unlabeled=n), pseudo_labels, None, predictions)
    assert len(html) < 700_000
    assert "200,000" in html
    assert "100,000" in html
    n_differ = sum(predictions["prediction"][row] != label for row, label in pseudo_labels[["row", "label"]].to_numpy())
    assert f"{n_differ:,} rows are predicted otherwise" in html
