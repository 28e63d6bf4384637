"""The pictures: valid SVG, inside their frame, from whatever numbers come."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tabcast.report import _charts as charts
from tabcast.report._figures import color_curves, name_models
from tabcast.report._forms import MAX_BARS, Bar, draw_bars
from tabcast.report._phrases import MINUS
from tabcast.report._scales import LABEL_SIZE, TICK_SIZE, Scale, text_width, tick_texts, widen
from tests.report.conftest import HOSTILE
from tests.report.sample import make_curve, make_summary, make_verdict

SUMMARY = make_summary()
DIAGNOSTICS, TRAINING = SUMMARY["diagnostics"], SUMMARY["training"]
CALIBRATION = name_models(DIAGNOSTICS["reliability"], "self-trained")
TWO = make_summary(classes=("stays", "leaves"))["diagnostics"]
POINTS = [charts.Point(k / 50, 1 - k / 70, k % 3, k % 2 == 0, k) for k in range(50)]
PICTURES = {
    "gain": lambda width: charts.draw_verdict(SUMMARY["verdict"], width),
    "steps": lambda width: charts.draw_verdict(make_verdict(np.random.default_rng(0), committee=0.02), width),
    "confusion": lambda width: charts.draw_confusion(DIAGNOSTICS["quality"], width),
    "per_class": lambda width: charts.draw_per_class({**DIAGNOSTICS["quality"], "supervised": False}, width),
    "threshold": lambda width: charts.draw_threshold(TWO["thresholds"], width),
    "importance": lambda width: charts.draw_importance(DIAGNOSTICS["importance"], width),
    "curves": lambda width: charts.draw_curves(color_curves(DIAGNOSTICS["curves"], ["stays", "leaves"]), width),
    "class_prior": lambda width: charts.draw_class_prior(DIAGNOSTICS["class_prior"], width),
    "classes": lambda width: charts.draw_classes(SUMMARY["table"], width),
    "density_accuracy": lambda width: charts.draw_density_accuracy(DIAGNOSTICS["cluster_assumption"], width),
    "overlap": lambda width: charts.draw_overlap(DIAGNOSTICS["class_overlap"], width),
    "information": lambda width: charts.draw_information(DIAGNOSTICS["fisher_information"], width),
    "shift": lambda width: charts.draw_shift(DIAGNOSTICS["covariate_shift"], width),
    "selection": lambda width: charts.draw_selection(DIAGNOSTICS["selection_curve"], width),
    "alphas": lambda width: charts.draw_selection_by_alpha({**DIAGNOSTICS["selection_curve"], "alpha": 0.43}, width),
    "class_mix": lambda width: charts.draw_class_mix(DIAGNOSTICS["class_mix"], width),
    "flipped": lambda width: charts.draw_flipped(DIAGNOSTICS["flipped_labels"], width),
    "reliability": lambda width: charts.draw_reliability(
        name_models(DIAGNOSTICS["reliability"], "self-trained"), width
    ),
    "history": lambda width: charts.draw_history(TRAINING, width),
    "alpha": lambda width: charts.draw_alpha(TRAINING, width),
    "seconds": lambda width: charts.draw_seconds(TRAINING, width),
    "pool_curve": lambda width: charts.draw_pool_curve(make_curve(), width),
    "pool_curve of nothing": lambda width: charts.draw_pool_curve(
        make_curve(points=[{"n_rows": 20_000, "score": None, "gain": None, "std_error": None}], supervised=None), width
    ),
    "map": lambda width: charts.draw_map(POINTS, width, x_label="the classifier's own confidence in that label"),
}
SIZES = {"tick": TICK_SIZE, "on": TICK_SIZE, "axis-label": 12.0, "side": 12.0, "gain-text": 16.0}  # as in report.css
SENTENCES = (
    "the classifier's own confidence in that label",
    "Доля строк",
    "Größe (m²)",
    "BANK MARKETING",
    "in use: 0.43",
)
BOLD = {"strong", "on", "gain-text"}
MARKS = {"rect": ("x", "y"), "circle": ("cx", "cy"), "line": ("x1", "y1", "x2", "y2"), "text": ("x", "y")}


def marks(svg: str, tag: str, css: str = "") -> list[dict[str, str]]:
    found = [one.attrib for one in ElementTree.fromstring(svg).iter(tag)]
    return [one for one in found if css in one.get("class", "").split()] if css else found


def check_inside(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for tag, names in MARKS.items():
        for one in root.iter(tag):
            for name in names:
                value, most = float(one.attrib.get(name, 0)), width if "x" in name else height
                assert -0.01 <= value <= most + 0.01, (tag, name, one.attrib)
    assert "nan" not in svg
    assert "inf" not in re.sub("information", "", svg)


@pytest.mark.parametrize("width", [340, 580, 700, 820])
@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_svg_that_stays_in_its_frame(picture, width):
    check_inside(PICTURES[picture](float(width)))


def text_places(svg: str) -> list[tuple[str, float, float, float]]:
    """Each text of a drawing with its left end, right end and baseline in the widest common font."""
    found = []
    for one in ElementTree.fromstring(svg).iter("text"):
        words = [one.text or "", *(child.tail or "" for child in one)]
        css = one.attrib["class"].split()
        size = next((SIZES[name] for name in css if name in SIZES), LABEL_SIZE)
        width = text_width("".join(words), size, bold=not BOLD.isdisjoint(css))
        x = float(one.attrib["x"])
        left = x - {"middle": width / 2, "end": width}.get(one.get("text-anchor", ""), 0.0)
        found.append(("".join(words), left, left + width, float(one.attrib["y"])))
    return found


@pytest.mark.parametrize("width", [340, 580, 700, 820])
@pytest.mark.parametrize("picture", PICTURES)
def test_texts_have_room_in_the_widest_common_font(picture, width):
    places = text_places(PICTURES[picture](float(width)))
    assert [one for one in places if one[1] < -1 or one[2] > width + 1] == []
    together = [
        (one[0], other[0])
        for k, one in enumerate(places)
        for other in places[:k]
        if abs(one[3] - other[3]) < 9 and one[1] < other[2] and other[1] < one[2]
    ]
    assert together == []


@pytest.mark.parametrize(("face", "bold"), [("DejaVuSans.ttf", False), ("DejaVuSans-Bold.ttf", True)])
def test_estimated_widths_suffice_for_a_wide_font(face, bold):
    """DejaVu Sans, which matplotlib brings, is as wide as Verdana."""
    matplotlib = pytest.importorskip("matplotlib")
    from fontTools.ttLib import TTFont

    font = TTFont(f"{matplotlib.get_data_path()}/fonts/ttf/{face}")
    glyphs, advances, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
    for words in ("100%", "0.625", f"{MINUS}0.05", "20,000", "+3.4 points", "monthly_fee_in_euro", "WOMM", *SENTENCES):
        measured = sum(advances[glyphs[ord(one)]][0] for one in words) / em
        assert measured <= text_width(words, 1.0, bold=bold) <= 1.25 * measured, words


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_carry_no_style_of_their_own(picture):
    """Styles inside would be stopped by the page's policy, and would not follow dark mode."""
    svg = PICTURES[picture](700.0)
    assert "style=" not in svg
    assert not re.search(r"#[0-9a-fA-F]{3,6}\b", svg)


def test_gain_is_where_its_axis_says():
    verdict = make_verdict(np.random.default_rng(0), gain=0.0)
    verdict.update(gain=0.0, low=-0.02, high=0.02, scores=[])
    svg = charts.draw_gain(verdict, 700.0)
    [zero], [dot] = marks(svg, "line", "zero"), marks(svg, "circle", "gain-dot")
    [bar] = marks(svg, "line", "interval")
    assert float(zero["x1"]) == float(dot["cx"])
    assert float(bar["x1"]) + float(bar["x2"]) == pytest.approx(2 * float(dot["cx"]), abs=0.05)


@pytest.mark.parametrize("metric", ["neg_log_loss", "balanced_accuracy"])
@pytest.mark.parametrize(("low", "gain", "high"), [(0, 0, 0), (-9, -5, -1), (1e-6, 2e-6, 3e-6), (-0.4, 0.1, 0.6)])
def test_gain_of_any_size_is_drawn(metric, low, gain, high):
    verdict = {**make_verdict(np.random.default_rng(0)), "metric": metric, "low": low, "gain": gain, "high": high}
    verdict["scores"] = [{"supervised": None, "self_trained": None}, {"supervised": 0.1, "self_trained": 0.1 + gain}]
    for width in (340.0, 820.0):
        check_inside(charts.draw_gain(verdict, width))


@pytest.mark.parametrize("committee", [-0.3, 0.0, 0.02, 0.4])
@pytest.mark.parametrize("metric", ["neg_log_loss", "balanced_accuracy"])
def test_steps_of_any_size_are_drawn(metric, committee):
    verdict = {**make_verdict(np.random.default_rng(0), committee=committee), "metric": metric}
    for width in (340.0, 820.0):
        check_inside(charts.draw_verdict(verdict, width))


def test_steps_are_where_their_axis_says():
    """The interval of the total gain is seen against the user's model, that of the credit against the committee."""
    svg = charts.draw_verdict(make_verdict(np.random.default_rng(0), gain=0.05, committee=0.03), 700.0)
    [zero], [reference] = marks(svg, "line", "zero"), marks(svg, "line", "reference")
    own, committee = (float(one["cx"]) for one in marks(svg, "circle", "step-dot"))
    student = float(marks(svg, "circle", "gain-dot")[0]["cx"])
    assert own == float(zero["x1"]) < committee == float(reference["x1"]) < student
    for interval in marks(svg, "line", "interval"):
        assert float(interval["x1"]) + float(interval["x2"]) == pytest.approx(2 * student, abs=0.05)


def test_lengths_of_bars_are_in_proportion():
    bars = [Bar("a", 10, "10"), Bar("b", 5, "5"), Bar("c", 0, "0")]
    long, half, nothing = (float(one["width"]) for one in marks(draw_bars(bars, 700.0, "bars"), "rect", "bar"))
    assert half == pytest.approx(long / 2, abs=0.01)
    assert nothing < 2


def test_shares_of_a_class_mix_fill_the_bar():
    svg = charts.draw_class_mix(DIAGNOSTICS["class_mix"], 700.0)
    rows: dict[str, float] = {}
    for one in marks(svg, "rect", "bar"):
        rows[one["y"]] = rows.get(one["y"], 0) + float(one["width"]) + 1.5
    assert len(rows) == 1 + len(DIAGNOSTICS["class_mix"]["rounds"])
    assert max(rows.values()) - min(rows.values()) < 0.1


def test_what_is_missing_is_left_out():
    groups = [
        {**one, "accuracy": None, "low": None, "high": None} for one in DIAGNOSTICS["cluster_assumption"]["deciles"]
    ]
    groups[3] = DIAGNOSTICS["cluster_assumption"]["deciles"][3]
    assert len(marks(charts.draw_density_accuracy({"deciles": groups}, 700.0), "circle", "dot")) == 1
    nothing = {"classes": ["a", "b"], "matrix": [[None, 0.5], [math.nan, 1.0]]}
    check_inside(charts.draw_overlap(nothing, 340.0))
    check_inside(charts.draw_reliability({"other": {"bins": []}, "model": {"bins": []}}, 340.0))
    unscored = [
        {"round": k, "n_selected": 0, "n_changed": 0, "score": None, "score_std_error": None} for k in range(40)
    ]
    check_inside(charts.draw_history({"history": unscored, "best_round": 0}, 340.0))
    check_inside(charts.draw_alpha({"alpha_scores": []}, 340.0))
    check_inside(charts.draw_selection({"thresholds": [], "threshold": 0.5}, 340.0))
    check_inside(charts.draw_information({"regions": []}, 340.0))


def test_many_classes_are_drawn_as_their_worst_pairs():
    n = 30
    matrix = np.full((n, n), 0.01)
    matrix[3, 7] = 0.4
    svg = charts.draw_overlap({"classes": [f"class {k}" for k in range(n)], "matrix": matrix.tolist()}, 700.0)
    assert len(marks(svg, "rect", "bar")) == MAX_BARS
    texts = [one.text for one in ElementTree.fromstring(svg).iter("text")]
    assert "class 3" in texts[0]
    assert "class 7" in texts[0]


@pytest.mark.parametrize("width", [340.0, 700.0])
def test_hostile_names_are_text_in_pictures(width):
    n = len(HOSTILE)
    table = {"classes": [{"name": one, "n_labeled": 5} for one in HOSTILE]}
    square = {"classes": list(HOSTILE), "matrix": np.full((n, n), 1 / n).tolist()}
    pairs = {"pairs": [{"from": one, "to": one, "n": 2} for one in HOSTILE]}
    for svg in (
        charts.draw_classes(table, width),
        charts.draw_overlap(square, width),
        charts.draw_flipped(pairs, width),
    ):
        check_inside(svg)
        tags = {one.tag for one in ElementTree.fromstring(svg).iter()}
        assert tags <= {"svg", "g", "title", "text", "rect", "line", "path", "circle"}
        said = "".join(ElementTree.fromstring(svg).itertext())
        assert all(one.split()[0] in said for one in HOSTILE)


def test_long_names_are_shortened_with_the_whole_in_a_title():
    long = "a_very_long_name_" * 20
    svg = charts.draw_classes({"classes": [{"name": long, "n_labeled": 5}]}, 340.0)
    [text] = [one for one in ElementTree.fromstring(svg).iter("text") if one.attrib["class"] == "label"]
    title = text.find("title")
    assert title is not None
    assert title.text == long
    assert title.tail is not None
    assert len(title.tail) < 30
    assert "…" in title.tail


@pytest.mark.parametrize("seed", range(20))
def test_axes_have_round_ticks_that_cover_the_values(seed):
    rng = np.random.default_rng(seed)
    low, high = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-6, 7))
    scale = Scale(*widen(low, high), 0, 100)
    ticks = scale.ticks(5)
    assert 3 <= len(ticks) <= 7
    assert scale.low <= low
    assert scale.high >= high
    assert (ticks[0], ticks[-1]) == pytest.approx((scale.low, scale.high))
    assert len(set(tick_texts(ticks))) == len(ticks)
