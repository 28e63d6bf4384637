"""From which confidence on predictions are right often enough."""

import numpy as np
import pytest
from scipy.stats import binom

from tabcast.statistics import supported_threshold
from tabcast.statistics._precision import (
    fewest_rows,
    labels_to_support,
    precision_bound,
    supported_precision,
    threshold_grid,
)


class TestBound:
    @pytest.mark.parametrize(("n_right", "n_rows"), [(0, 5), (3, 5), (44, 45), (45, 45), (180, 200)])
    def test_it_is_the_precision_at_which_the_result_becomes_unlikely(self, n_right, n_rows):
        bound = precision_bound(n_right, n_rows, 0.9)
        if n_right == 0:
            assert bound == 0
        else:
            assert binom.sf(n_right - 1, n_rows, bound) == pytest.approx(0.1)

    @pytest.mark.parametrize("precision", [0.6, 0.95])
    def test_fewest_rows(self, precision):
        n = fewest_rows(precision, 0.9)
        assert precision_bound(n, n, 0.9) >= precision - 1e-12
        assert precision_bound(n - 1, n - 1, 0.9) < precision


WORLDS = [
    "calibrated",
    "overconfident",
    "underconfident",
    "uninformative",
    "wrong way round",
    "rounded",
    "too bad",
]


def draw_table(random, n_rows, world, precision=0.9):
    """Confidences, and the probability that each prediction is correct."""
    if world == "too bad":
        return random.random(n_rows), np.full(n_rows, precision - 0.001)
    truth = 1 / (1 + np.exp(-np.abs(random.normal(1.5, 2, n_rows))))
    confidence = {
        "calibrated": lambda: truth,
        "overconfident": lambda: truth**0.1,
        "underconfident": lambda: 0.5 + (truth - 0.5) / 3,
        "uninformative": lambda: random.random(n_rows),
        "wrong way round": lambda: 1 - truth,
        "rounded": lambda: truth.round(1),
    }[world]()
    return confidence, truth


@pytest.mark.parametrize("world", WORLDS)
def test_the_promise_is_kept_in_nine_of_ten_tables(world):
    """Whether confidences are calibrated or not: the true precision of what is filled reaches the one required."""
    random, precision = np.random.default_rng(0), 0.9
    n_tables, broken = 100, 0
    for _ in range(n_tables):
        confidence, truth = draw_table(random, int(random.choice([50, 120, 400])), world, precision)
        pool, pool_truth = draw_table(random, 4000, world, precision)
        right = random.random(len(truth)) < truth
        found = supported_threshold(confidence, right, threshold_grid(pool), precision, 0.9)
        broken += found is not None and pool_truth[pool >= found.threshold].mean() < precision
    assert broken <= binom.ppf(0.999, n_tables, 0.1)


def test_it_would_not_be_kept_without_the_correction():
    """The lowest threshold with a good bound, as if it had not been searched for: wrong far too often."""
    random = np.random.default_rng(0)
    n_tables, broken = 100, 0
    for _ in range(n_tables):
        confidence, right = random.random(200), random.random(200) < 0.899  # 0.9 is not reached by any threshold
        above = [right[confidence >= threshold] for threshold in np.arange(0, 0.95, 0.05)]
        broken += max(precision_bound(rows.sum(), len(rows)) for rows in above) >= 0.9
    assert broken > 0.2 * n_tables


def test_more_rows_give_lower_thresholds():
    random = np.random.default_rng(1)
    confidence, truth = draw_table(random, 4000, "calibrated")
    right = random.random(4000) < truth
    grid = threshold_grid(draw_table(random, 4000, "calibrated")[0])
    found = [supported_threshold(confidence[:n], right[:n], grid, 0.9) for n in (20, 200, 4000)]
    assert found[0] is None
    assert found[1].threshold > found[2].threshold
    assert min(one.bound for one in found[1:]) >= 0.9


def test_an_error_among_the_most_confident_is_not_the_end():
    """There are further starting points, as long as there are rows."""
    confidence, right = np.linspace(1, 0.5, 400), np.arange(400) != 0
    assert supported_threshold(confidence, right, threshold_grid(confidence), 0.95).n_rows == 400


def test_what_is_within_reach():
    confidence, right = np.linspace(1, 0.5, 30), np.ones(30, dtype=bool)
    grid = threshold_grid(confidence)
    assert supported_threshold(confidence, right, grid, 0.95) is None
    best = supported_precision(confidence, right, grid)
    assert best == pytest.approx(0.925)  # 0.926 ** 30 is 0.1
    assert supported_threshold(confidence, right, grid, best) is not None
    assert 15 <= labels_to_support(confidence, right, grid, 0.95) <= 100
    assert labels_to_support(confidence, ~right, grid, 0.95) is None
    assert supported_precision(confidence, ~right, grid) is None


def test_nothing_to_predict():
    assert len(threshold_grid([])) == 0
    assert supported_threshold([0.9], [True], [], 0.9) is None
