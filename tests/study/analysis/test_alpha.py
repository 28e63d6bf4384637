"""Which alpha won."""

import numpy as np
import pandas as pd
import pytest

from tabcast.study.analysis.findings import alpha_winners

GRID = np.linspace(0.2, 0.75, 8)


@pytest.fixture
def trials():
    alphas = np.repeat(GRID, [30, 20, 10, 10, 10, 10, 6, 4])
    rows = {"method": ["cast-l", "cast-d"] * 50, "seed": range(100), "status": "done", "alpha": alphas}
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


def test_shares_and_interval(trials):
    winners = alpha_winners(trials)
    np.testing.assert_allclose(winners.shares["alpha"], GRID.round(4))
    np.testing.assert_allclose(winners.shares["share"], [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.06, 0.04])
    assert winners.shares["n"].sum() == winners.n == 100
    assert winners.low == pytest.approx(0.2)
    assert winners.high == winners.high == pytest.approx(GRID[6])  # 96% chose this or less, 90% the one below


def test_at_least_ninety_percent_lie_in_the_interval(trials):
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = trials.assign(alpha=rng.choice(GRID, 100, p=rng.dirichlet(np.ones(8))))
        winners = alpha_winners(table)
        assert table["alpha"].between(winners.low, winners.high).mean() >= 0.9
        assert (table["alpha"] <= winners.high).mean() >= 0.95


def test_only_finished_trials_of_cast_count(trials):
    others = trials.assign(method="cast-l-permuted", alpha=0.75)
    failed = trials.assign(status="failed", seed=trials["seed"] + 100, alpha=0.75)
    pd.testing.assert_frame_equal(
        alpha_winners(pd.concat([trials, others, failed])).shares, alpha_winners(trials).shares
    )
    assert alpha_winners(pd.concat([trials, others]), methods=["cast-l-permuted"]).low == 0.75


def test_grid_shows_what_never_won(trials):
    part = trials[trials["alpha"] > 0.3]
    shares = alpha_winners(part, grid=GRID).shares
    assert shares["n"].tolist() == [0, 0, 10, 10, 10, 10, 6, 4]
    with pytest.raises(
        ValueError, match=r"`grid` of alpha_winners must hold every alpha that was chosen; 0\.75 is not"
    ):
        alpha_winners(part, grid=GRID[:-1])


def test_no_alpha(trials):
    with pytest.raises(
        ValueError, match=r"must hold finished trials of 'cast-d', 'cast-l' with an alpha; it has none among 100 rows\."
    ):
        alpha_winners(trials.assign(alpha=np.nan))
