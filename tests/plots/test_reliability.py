"""The reliability diagram shows the numbers of the curve."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tabcast.plots import draw_reliability
from tabcast.statistics import expected_calibration_error, reliability_curve

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), size=400)
    return rng.integers(3, size=400), proba


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_draws_a_point_for_each_bin_with_rows(rows):
    curve = reliability_curve(*rows)
    ax = draw_reliability(curve, title="three classes")
    seen = curve.dropna()
    points = next(line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(points.get_xdata(), seen["confidence"])
    np.testing.assert_allclose(points.get_ydata(), seen["accuracy"])
    assert len(seen) < len(curve)
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("three classes", "confidence", "accuracy")


def test_shows_error_rows_and_both_sides(rows):
    y, proba = rows
    legend = draw_reliability(reliability_curve(y, proba, of_class=1)).get_legend()
    texts = {text.get_text() for text in legend.get_texts()}
    assert {"overconfident", "underconfident"} <= texts
    top = draw_reliability(reliability_curve(y, proba)).get_legend()
    assert top.get_title().get_text() == f"ECE {expected_calibration_error(y, proba):.3f}, 400 rows"


def test_draws_on_given_axes_and_makes_no_figure(rows):
    figure, axes = plt.subplots(1, 2)
    assert draw_reliability(reliability_curve(*rows, binning="equal_mass"), axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("format_", ["png", "svg"])
def test_can_be_saved(rows, tmp_path, format_):
    ax = draw_reliability(reliability_curve(*rows))
    path = tmp_path / f"reliability.{format_}"
    ax.figure.savefig(path)
    assert path.stat().st_size > 1000


def test_a_single_row():
    ax = draw_reliability(reliability_curve([1], [[0.0, 1.0]]))
    ax.figure.canvas.draw()
    assert ax.get_legend().get_title().get_text() == "ECE 0.000, 1 rows"


def test_without_matplotlib(rows, monkeypatch):
    curve = reliability_curve(*rows)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r"draw_reliability needs matplotlib\. Install it with: pip install 'tabcast\[plots\]'\."
    ):
        draw_reliability(curve)
