"""Bars are the proportions, and the band is the interval that holds 90% of the winners."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis import AlphaWinners, alpha_winners
from tabcast.study.figures import draw_alpha_winners

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

GRID = np.linspace(0.2, 0.75, 8).round(4)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_draws_bars_and_the_interval():
    alphas = np.repeat(GRID, [12, 8, 6, 5, 4, 3, 3, 1])
    results = pd.DataFrame({"method": "cast-l", "alpha": alphas, "seed": range(len(alphas))})
    winners = alpha_winners(results, grid=GRID)
    ax = draw_alpha_winners(winners, title="both")
    bars = ax.containers[0]
    np.testing.assert_allclose([bar.get_height() for bar in bars], 100 * winners.shares["share"])
    np.testing.assert_allclose([bar.get_x() + bar.get_width() / 2 for bar in bars], GRID)
    assert ax.get_title("left") == "both"
    assert ax.get_title("right") == "shaded: 90% of the winners, 0.20 to 0.67"
    assert ax.get_ylabel() == "proportion of 42 trials (%)"
    band = next(patch for patch in ax.patches if patch not in bars.patches)
    half = np.diff(GRID).min() / 2
    assert band.get_x() == pytest.approx(0.2 - half, abs=1e-4)
    assert band.get_x() + band.get_width() == pytest.approx(0.6714 + half, abs=1e-4)
    ax.figure.canvas.draw()


def test_draws_on_given_axes_and_a_single_step():
    figure, axes = plt.subplots(1, 2)
    winners = AlphaWinners(pd.DataFrame({"alpha": [0.5], "n": [3], "share": [1.0]}), 0.5, 0.5, "inverted_cdf", 3)
    assert draw_alpha_winners(winners, axes[1]) is axes[1]
    assert plt.get_fignums() == [figure.number]
    figure.canvas.draw()
