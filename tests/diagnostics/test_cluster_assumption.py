"""Accuracy by density: what it says of problems whose answer is known."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from tabcast.diagnostics import cluster_assumption
from tabcast.statistics import wilson_interval


def draw(seed, n, slope):
    """Density uniform; the chance of being right is 0.7 in the middle and changes with density by `slope`."""
    random = np.random.default_rng(seed)
    density = random.random(n)
    return density, random.random(n) < 0.7 + slope * (density - 0.5)


def test_a_problem_where_dense_rows_are_right_more_often():
    answers = [cluster_assumption(*draw(seed, 200, 0.6)).holds for seed in range(50)]
    assert answers.count("yes") >= 48


def test_a_problem_where_dense_rows_are_wrong_more_often():
    answers = [cluster_assumption(*draw(seed, 200, -0.6)).holds for seed in range(50)]
    assert answers.count("no") >= 48


def test_density_that_says_nothing_is_seldom_taken_for_the_assumption():
    answers = [cluster_assumption(*draw(seed, 200, 0.0)).holds for seed in range(200)]
    assert answers.count("yes") <= 200 * 0.05 + 3 * np.sqrt(200 * 0.05 * 0.95)
    many = [cluster_assumption(*draw(seed, 5000, 0.0)).holds for seed in range(20)]
    assert many.count("no") >= 18  # with many rows it can be said that there is nothing


def test_numbers_are_those_of_scikit_learn_and_scipy():
    density, right = draw(3, 150, 0.4)
    density = density.round(1)  # with ties
    found = cluster_assumption(density, right)
    assert found.correlation == pytest.approx(2 * roc_auc_score(right, density) - 1, abs=1e-12)
    expected = mannwhitneyu(density[right], density[~right], alternative="greater", method="asymptotic").pvalue
    assert found.p_value == pytest.approx(expected, rel=1e-12)


def test_bins_are_sparse_first_hold_every_row_once_and_keep_equal_densities_together():
    density, right = draw(1, 230, 0.5)
    density = density.round(2)
    bins = cluster_assumption(density, right).deciles
    assert bins["decile"].tolist() == list(range(1, 11))
    assert bins["n"].sum() == 230
    assert (bins["density_high"].to_numpy()[:-1] < bins["density_low"].to_numpy()[1:]).all()
    for row in bins.itertuples():
        inside = (density >= row.density_low) & (density <= row.density_high)
        assert row.n == inside.sum()
        assert row.accuracy == pytest.approx(right[inside].mean())
        low, high = wilson_interval(np.array([row.accuracy]), np.array([row.n]))
        assert (row.low, row.high) == pytest.approx((low[0], high[0]))


@pytest.mark.parametrize(("n_rows", "n_bins"), [(1, 1), (3, 1), (4, 2), (19, 2), (35, 3), (100, 10), (5000, 10)])
def test_few_rows_make_few_bins(n_rows, n_bins):
    density = np.linspace(0, 1, n_rows)
    assert len(cluster_assumption(density, np.arange(n_rows) % 2 == 0).deciles) == n_bins


def test_constant_density_is_one_bin_and_unclear():
    found = cluster_assumption(np.ones(40), np.arange(40) % 3 > 0)
    assert len(found.deciles) == 1
    assert (found.correlation, found.holds) == (0.0, "unclear")


@pytest.mark.parametrize("right", [True, False])
def test_nothing_is_concluded_where_all_are_right_or_all_wrong(right):
    found = cluster_assumption(np.linspace(0, 1, 50), np.full(50, right))
    assert found.holds == "unclear"
    assert found.to_dict()["correlation"] is None
    assert found.to_dict()["p_value"] is None


def test_nothing_is_concluded_from_four_wrong_rows():
    right = np.arange(100) >= 4  # the four sparsest are wrong
    assert cluster_assumption(np.linspace(0, 1, 100), right).holds == "unclear"
    assert cluster_assumption(np.linspace(0, 1, 100), np.arange(100) >= 5).holds == "yes"


def test_the_scale_of_density_does_not_matter():
    density, right = draw(5, 120, 0.5)
    one, other = cluster_assumption(density, right), cluster_assumption(np.exp(5 * density), right)
    assert one.correlation == other.correlation
    assert one.deciles["accuracy"].tolist() == other.deciles["accuracy"].tolist()
