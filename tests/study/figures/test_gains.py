"""The forest plot sorts, sums up at the bottom, and colors by what the interval says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tabcast.study.figures.gains import GAIN, LOSS, OPEN, arrange_gains, count_decimals, draw_gains, line_places

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402


def make_differences(values, half=0.02, group=None):
    table = pd.DataFrame({"label": list(values), "difference": list(values.values())}).astype({"difference": float})
    table = table.assign(low=table["difference"] - half, high=table["difference"] + half)
    return table if group is None else table.assign(group=group)


@pytest.fixture
def differences():
    return make_differences({"overall": 0.03, "cmc": -0.05, "diabetes": 0.1, "ozone": 0.01, "pc3": -0.01})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_largest_first_and_overall_last(differences):
    gains = arrange_gains(differences)
    assert gains["label"].tolist() == ["diabetes", "ozone", "pc3", "cmc", "overall"]
    assert gains["is_overall"].tolist() == [False, False, False, False, True]
    assert gains["line"].tolist() == [0, 1, 2, 3, 4]
    assert (gains["group"] == "").all()
    np.testing.assert_allclose(gains["low"], gains["difference"] - 0.02)


def test_another_name_for_the_sum(differences):
    gains = arrange_gains(differences, overall="cmc")
    assert gains["label"].tolist() == ["diabetes", "overall", "ozone", "pc3", "cmc"]


def test_groups_keep_their_order_and_have_their_own_sums():
    blocks = [
        make_differences({"overall": 0.5, "a": 0.1, "b": 0.2}, group="permuted"),
        make_differences({"c": 0.4, "overall": 0.0}, group="budget"),
        make_differences({"overall": 0.25}, group=None).assign(group=None),
    ]
    gains = arrange_gains(pd.concat(blocks))
    assert gains[["group", "label", "line"]].values.tolist() == [
        ["permuted", "b", 1],
        ["permuted", "a", 2],
        ["permuted", "overall", 3],
        ["budget", "c", 5],
        ["budget", "overall", 6],
        ["", "overall", 8],
    ]


def test_missing_differences_stand_below(differences):
    differences.loc[differences["label"] == "diabetes", ["difference", "low", "high"]] = np.nan
    assert arrange_gains(differences)["label"].tolist() == ["ozone", "pc3", "cmc", "diabetes", "overall"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda table: table.drop(columns=["low", "high"]),
            "`differences` of arrange_gains lacks the columns low, high",
        ),
        (lambda table: table.head(0), "`differences` of arrange_gains has no rows"),
        (lambda table: table.assign(low=0.05), "must enclose `difference`; they do not for overall, cmc, ozone, pc3"),
    ],
)
def test_says_what_is_wrong(differences, change, message):
    with pytest.raises(ValueError, match=message):
        arrange_gains(change(differences))


@pytest.mark.parametrize(("half", "decimals"), [(0.004, 4), (0.012, 4), (0.05, 3), (1.2, 2), (40.0, 0)])
def test_decimals_suit_the_interval(half, decimals):
    assert count_decimals(make_differences({"a": 1.0, "b": 2.0}, half)) == decimals


def test_a_broken_label_pushes_the_rows_below_down():
    at, half = line_places(np.array([0, 1, 2]), np.array([1, 3, 1]))
    np.testing.assert_allclose(half, [0.5, 1.1, 0.5])
    np.testing.assert_allclose(at, [0.0, 1.6, 3.2])
    np.testing.assert_allclose((at + half)[:-1], (at - half)[1:])  # rows touch and do not overlap


def test_draws_points_intervals_and_numbers(differences):
    gains = arrange_gains(differences)
    ax = draw_gains(gains, xlabel="CAST-L minus baseline", title="gains")
    assert [tick.get_text() for tick in ax.get_yticklabels()] == gains["label"].tolist()
    assert ax.yaxis_inverted()
    dots = [(line.get_xdata()[0], to_hex(line.get_color())) for line in ax.lines if line.get_marker() == "o"]
    assert dots == [(0.1, GAIN), (0.01, OPEN), (-0.01, OPEN), (-0.05, LOSS)]
    ends = [collection.get_segments()[0][:, 0] for collection in ax.collections]
    np.testing.assert_allclose(ends, gains[["low", "high"]])
    words = [text.get_text() for text in ax.texts]
    assert words[0] == "+0.1000  [+0.0800, +0.1200]"
    assert words[3] == "\N{MINUS SIGN}0.0500  [\N{MINUS SIGN}0.0700, \N{MINUS SIGN}0.0300]"
    diamond = ax.patches[0].get_xy()
    assert (diamond[:, 0].min(), diamond[:, 0].max()) == pytest.approx((0.01, 0.05))
    assert (ax.get_xlabel(), ax.get_title()) == ("CAST-L minus baseline", "gains")
    ax.figure.canvas.draw()


def test_draws_groups_long_names_and_missing_results():
    long = "a_registry_of_heart_failure_with_a_name_nobody_can_read_aloud"
    blocks = [make_differences({long: 0.1, "b": 0.2, "c": 0.3, "overall": 0.2}, group=name) for name in ("one", "two")]
    table = pd.concat(blocks, ignore_index=True)
    table.loc[1, ["difference", "low", "high"]] = np.nan
    table.loc[2, ["low", "high"]] = np.nan
    ax = draw_gains(arrange_gains(table))
    ax.figure.canvas.draw()
    words = [text.get_text() for text in ax.texts]
    assert {"one", "two", "no result", "+0.3000"} <= set(words)
    labels = [tick.get_window_extent() for tick in ax.get_yticklabels()]
    assert all(above.y0 >= below.y1 for above, below in pairwise(labels))


def test_no_negative_zero():
    ax = draw_gains(arrange_gains(make_differences({"a": -1e-9}, half=0.02)))
    assert ax.texts[0].get_text().startswith("+0.0000 ")


def test_figure_grows_with_its_lines_and_given_axes_do_not():
    many = arrange_gains(make_differences({f"table-{i}": i / 100 for i in range(17)}))
    few = many.tail(1).assign(line=0)
    heights = [draw_gains(gains).figure.get_figheight() for gains in (few, many)]
    assert heights[1] - heights[0] == pytest.approx(16 * 0.24)
    figure, axes = plt.subplots(1, 2)
    before = len(plt.get_fignums())
    assert draw_gains(many, axes[0]) is axes[0]
    assert len(plt.get_fignums()) == before
    assert figure.get_figheight() == plt.rcParams["figure.figsize"][1]


def test_refuses_a_table_that_was_not_arranged(differences):
    with pytest.raises(ValueError, match=r"`gains` of draw_gains lacks the columns group, is_overall, line"):
        draw_gains(differences)
