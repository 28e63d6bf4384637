"""The critical-difference diagram draws what ranks and tests say."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis import indistinguishable_groups
from tabcast.study.figures.critical_difference import draw_critical_difference

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pytest.importorskip("scikit_posthocs")
from matplotlib import pyplot as plt  # noqa: E402

NAMES = ["baseline", "ts", "cast-d", "cast-l"]


@pytest.fixture
def ranks():
    return pd.Series([3.1, 3.4, 2.0, 1.5], index=NAMES, name="rank")


@pytest.fixture
def pvalues():
    """CAST differs from the others, and nothing else from anything."""
    matrix = pd.DataFrame(1.0, index=NAMES, columns=NAMES)
    for one, other in combinations(NAMES, 2):
        if one.startswith("cast") != other.startswith("cast"):
            matrix.loc[one, other] = matrix.loc[other, one] = 0.001
    return matrix


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def bars(ax):
    """Ranks of the methods under each bar: where its dots are."""
    return sorted(sorted(line.get_xdata()) for line in ax.lines if line.get_marker() == "o")


def texts(ax):
    return {text.get_text().strip(): text for text in ax.texts}


def test_a_bar_over_each_group(ranks, pvalues):
    ax = draw_critical_difference(ranks, pvalues)
    assert bars(ax) == [[1.5, 2.0], [3.1, 3.4]]
    groups = indistinguishable_groups(ranks, pvalues)
    assert bars(ax) == [sorted(ranks[list(group)]) for group in groups]


def test_significance_level_decides_the_bars(ranks, pvalues):
    assert bars(draw_critical_difference(ranks, pvalues, alpha=0.0005)) == [[1.5, 2.0, 3.1, 3.4]]


def test_no_bar_where_all_differ(ranks):
    pvalues = pd.DataFrame(np.eye(4), index=NAMES, columns=NAMES)
    assert bars(draw_critical_difference(ranks, pvalues)) == []


def test_every_method_by_its_name_and_rank_the_better_half_left(ranks, pvalues):
    labels = {"method": {"cast-l": "CAST-L", "cast-d": "CAST-D", "baseline": "Baseline", "ts": "TS"}}
    ax = draw_critical_difference(ranks, pvalues, labels=labels, title="FPL")
    shown = texts(ax)
    assert set(shown) == {"CAST-L  1.50", "CAST-D  2.00", "3.10  Baseline", "3.40  TS"}
    assert shown["CAST-L  1.50"].get_ha() == "right"
    assert shown["3.40  TS"].get_ha() == "left"
    assert shown["CAST-L  1.50"].get_position()[1] == shown["3.40  TS"].get_position()[1]
    assert ax.get_title() == "FPL"


def test_line_from_each_rank_to_its_name(ranks, pvalues):
    ax = draw_critical_difference(ranks, pvalues)
    ends = sorted(line.get_xdata()[-1] for line in ax.lines if line.get_marker() != "o")
    assert ends == sorted(ranks)


def test_takes_the_table_of_average_ranks(ranks, pvalues):
    table = pd.DataFrame({"rank": ranks, "rank_sd": 1.0, "n": 12})
    assert bars(draw_critical_difference(table, pvalues)) == bars(draw_critical_difference(ranks, pvalues))


def test_labels_do_not_overlap_and_stay_in_the_figure(pvalues):
    names = ["cast-l-permuted", "cast-d-permuted", "operating-point", "a_method_with_a_long_name"]
    ranks = pd.Series([1.0, 1.01, 1.02, 4.0], index=names)
    matrix = pd.DataFrame(1.0, index=names, columns=names)
    ax = draw_critical_difference(ranks, matrix)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    figure = ax.figure.bbox
    for box in boxes:
        assert figure.x0 <= box.x0
        assert box.x1 <= figure.x1
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_draws_on_given_axes_and_makes_no_figure(ranks, pvalues):
    figure, axes = plt.subplots(2, 1)
    assert draw_critical_difference(ranks, pvalues, axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("format_", ["png", "svg"])
def test_can_be_saved(ranks, pvalues, tmp_path, format_):
    path = tmp_path / f"ranks.{format_}"
    draw_critical_difference(ranks, pvalues).figure.savefig(path)
    assert path.stat().st_size > 1000


def test_bad_arguments(ranks, pvalues):
    with pytest.raises(ValueError, match=r"`alpha` of draw_critical_difference must be in \(0, 1\); got 5\."):
        draw_critical_difference(ranks, pvalues, alpha=5)
    with pytest.raises(ValueError, match=r"a row and a column for each method of `ranks`; it lacks ts\."):
        draw_critical_difference(ranks, pvalues.drop(columns="ts"))
    with pytest.raises(ValueError, match="the average rank of at least two methods"):
        draw_critical_difference(ranks.iloc[:1], pvalues)


def test_without_matplotlib(ranks, pvalues, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError,
        match=r"draw_critical_difference needs matplotlib\. Install it with: pip install 'tabcast\[plots\]'\.",
    ):
        draw_critical_difference(ranks, pvalues)
