"""Winners are counted where alpha was searched, and the interval holds 90 % of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tabcast.plots.alpha_winners import PAPER_GRID, AlphaShares, alpha_shares, draw_alpha_winners

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


def make_results(alphas, method="cast-l", status="done"):
    return pd.DataFrame({"method": method, "status": status, "alpha": alphas})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_papers_grid():
    np.testing.assert_allclose(PAPER_GRID, np.linspace(0.2, 0.75, 8), atol=1e-6)


def test_shares_by_hand():
    # 20 winners: 10 at the first step, 8 at the second, 1 at the seventh, 1 at the last.
    alphas = np.repeat(np.linspace(0.2, 0.75, 8)[[0, 1, 6, 7]], [10, 8, 1, 1])
    shares = alpha_shares(make_results(alphas))
    assert shares.table["count"].tolist() == [10, 8, 0, 0, 0, 0, 1, 1]
    np.testing.assert_allclose(shares.table["share"], [0.5, 0.4, 0, 0, 0, 0, 0.05, 0.05])
    assert shares.n_trials == 20
    assert shares.low == 0.2
    assert shares.high == pytest.approx(0.671429)  # 19 of 20 at or below it: exactly 95 %


@pytest.mark.parametrize("seed", range(5))
def test_interval_is_made_of_quantiles(seed):
    rng = np.random.default_rng(seed)
    alphas = rng.choice(PAPER_GRID, size=237, p=rng.dirichlet(np.ones(8)))
    shares = alpha_shares(make_results(alphas))
    expected = np.quantile(alphas, [0.05, 0.95], method="inverted_cdf")
    np.testing.assert_allclose([shares.low, shares.high], expected)
    inside = shares.table["alpha"].between(shares.low, shares.high)
    assert shares.table["share"][inside].sum() >= 0.9


def test_only_done_searches_count():
    others = ["cast-l-permuted", "cast-l-no-alpha", "baseline", "supervised"]
    results = pd.concat(
        [
            make_results([0.2, 0.2]),
            make_results([0.75], method="cast-d"),
            make_results([0.436], status="failed").assign(alpha=0.75),
            make_results([None]),
            *(make_results([0.75], method=method) for method in others),
        ],
        ignore_index=True,
    )
    shares = alpha_shares(results)
    assert shares.table["count"].tolist() == [2, 0, 0, 0, 0, 0, 0, 1]


def test_another_grid_in_any_order():
    shares = alpha_shares(make_results([0.0, 0.5, 0.5]), grid=[1.0, 0.5, 0.0])
    assert shares.table[["alpha", "count"]].values.tolist() == [[0.0, 1], [0.5, 2], [1.0, 0]]


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (make_results([0.2]).drop(columns="alpha"), "`results` of alpha_shares lacks the columns alpha"),
        (make_results([]), "`results` of alpha_shares has no rows"),
        (make_results([0.2], method="baseline"), r"no done trial of cast-l or cast-d with an alpha; its methods are"),
        (
            make_results([0.2, 0.0, 0.3]),
            r"`grid` of alpha_shares must hold every alpha .*; \[0\.0, 0\.3\] is not in it",
        ),
    ],
)
def test_says_what_is_missing(results, message):
    with pytest.raises(ValueError, match=message):
        alpha_shares(results)


def test_draws_bars_and_the_interval():
    shares = alpha_shares(make_results(np.repeat(PAPER_GRID, [12, 8, 6, 5, 4, 3, 3, 1])))
    ax = draw_alpha_winners(shares, title="both")
    bars = ax.containers[0]
    np.testing.assert_allclose([bar.get_height() for bar in bars], 100 * shares.table["share"])
    np.testing.assert_allclose([bar.get_x() + bar.get_width() / 2 for bar in bars], PAPER_GRID)
    assert ax.get_title("left") == "both"
    assert ax.get_title("right") == "shaded: 90 % of the winners, 0.20 to 0.67"
    assert ax.get_ylabel() == "share of 42 trials (%)"
    band = next(patch for patch in ax.patches if patch not in bars.patches)
    step = PAPER_GRID[1] - PAPER_GRID[0]
    assert band.get_x() == pytest.approx(0.2 - step / 2, abs=1e-5)
    assert band.get_x() + band.get_width() == pytest.approx(0.671429 + step / 2, abs=1e-5)
    ax.figure.canvas.draw()


def test_draws_on_given_axes_and_a_single_step():
    figure, axes = plt.subplots(1, 2)
    shares = AlphaShares(pd.DataFrame({"alpha": [0.5], "count": [3], "share": [1.0]}), 0.5, 0.5, 3)
    assert draw_alpha_winners(shares, axes[1]) is axes[1]
    assert plt.get_fignums() == [figure.number]
    figure.canvas.draw()
