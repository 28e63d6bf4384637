"""How many rows pass, and who never can."""

import numpy as np
import pytest

from tabcast.confidence._cluster_aware import regularize
from tabcast.diagnostics import selection_curve
from tabcast.diagnostics._selection_curve import ALPHAS, THRESHOLDS, best_possible


@pytest.fixture
def pool():
    random = np.random.default_rng(0)
    return random.dirichlet([1, 1, 1], 300), random.random((300, 3))


def test_counts_are_those_of_a_loop_over_rows(pool):
    proba, gamma = pool
    confidence = regularize(proba, gamma, 0.4).max(axis=1)
    curve = selection_curve(confidence, threshold=0.55, proba=proba, gamma=gamma)
    for row in curve.thresholds.itertuples():
        assert row.n == sum(one >= row.threshold for one in confidence)
        assert row.share == pytest.approx(row.n / 300)
    for row in curve.alphas.itertuples():
        a, passed = row.alpha, 0
        for i in range(300):
            passed += max(a * gamma[i, k] * proba[i, k] + (1 - a) * proba[i, k] for k in range(3)) >= 0.55
        assert row.n == passed
    assert curve.thresholds["threshold"].tolist() == THRESHOLDS.tolist()
    assert curve.alphas["alpha"].tolist() == ALPHAS.tolist()


def test_fewer_rows_pass_as_threshold_or_alpha_grow(pool):
    proba, gamma = pool
    curve = selection_curve(proba.max(axis=1), threshold=0.5, proba=proba, gamma=gamma)
    assert (np.diff(curve.thresholds["n"]) <= 0).all()
    assert (np.diff(curve.alphas["n"]) <= 0).all()
    at_zero = int((proba.max(axis=1) >= 0.5).sum())
    assert curve.alphas["n"].iloc[0] == at_zero


def test_a_row_that_no_classifier_could_get_over_the_threshold():
    gamma = np.array([[0.0, 0.0], [0.3, 0.1], [1.0, 0.0]])
    possible = best_possible(gamma, 0.6)
    assert possible == pytest.approx([0.4, 0.58, 1.0])
    curve = selection_curve(np.array([0.3, 0.5, 0.9]), threshold=0.6, possible=possible, required=0.6)
    assert (curve.never_n, curve.never_share) == (2, pytest.approx(2 / 3))
    # However sure: no probabilities get the first two there.
    for one in np.linspace(0, 1, 21):
        best = regularize(np.tile([one, 1 - one], (3, 1)), gamma, 0.6).max(axis=1)
        assert (best[:2] < 0.6).all()


def test_a_strategy_that_takes_the_best_however_good_leaves_out_only_rows_that_are_refused():
    curve = selection_curve(np.array([0.3, 0.5]), threshold=0.3, possible=np.array([0.0, 0.2]))
    assert curve.never_n == 1


def test_without_density_or_threshold_there_is_no_curve_over_alpha(pool):
    proba, gamma = pool
    assert selection_curve(proba.max(axis=1), threshold=0.5).alphas is None
    assert selection_curve(proba.max(axis=1), proba=proba, gamma=gamma).to_dict()["alphas"] is None
