"""Intervals of areas under the curve and of mean differences, and a test of equal means."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tabcast.statistics import area_under_curve, corrected_interval
from tabcast.statistics._intervals import hotelling_p_value, mean, placements, standard_error


def delong_variance(scores, positive):
    """Slow twin: placements counted pair by pair."""
    first, second = scores[positive], scores[~positive]
    wins = np.array([[(a > b) + 0.5 * (a == b) for b in second] for a in first])
    return wins.mean(axis=1).var(ddof=1) / len(first) + wins.mean(axis=0).var(ddof=1) / len(second)


def test_equals_scikit_learn_and_the_slow_variance():
    from scipy.stats import t

    random = np.random.default_rng(0)
    positive = np.arange(90) < 40
    scores = (random.normal(size=90) + positive).round(1)
    area = area_under_curve(scores, positive)
    assert area.auc == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    half = t.ppf(0.975, 39) * np.sqrt(delong_variance(scores, positive))
    assert area.high - area.auc == pytest.approx(half, rel=1e-9)
    assert area.auc - area.low == pytest.approx(half, rel=1e-9)


def test_folds_are_compared_within_themselves():
    scores, positive = np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, True, False, True])
    assert area_under_curve(scores, positive, np.array([0, 0, 1, 1])).auc == 1.0
    assert area_under_curve(scores, positive).auc == 0.75


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    truth, covered = 0.7602, 0  # of two normal distributions one standard deviation apart
    for seed in range(300):
        random = np.random.default_rng(seed)
        positive = np.arange(130) < 30
        area = area_under_curve(random.normal(size=130) + positive, positive)
        covered += area.low <= truth <= area.high
    assert 0.91 <= covered / 300 <= 0.99


def test_separated_rows_have_an_interval_of_some_width():
    area = area_under_curve(np.arange(20.0), np.arange(20) >= 15)
    assert area.auc == 1.0
    assert 0.3 < area.low < 0.95


def test_placements_count_equal_ones_half():
    assert placements(np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 2.0, 4.0])).tolist() == [0.25, 0.625, 1.0]


def test_the_interval_of_a_mean_difference_is_wider_than_that_of_independent_splits():
    differences = np.array([0.1, 0.0, 0.2, 0.1])
    found = corrected_interval(differences, test_share=0.25)
    assert found.gain == mean(differences) == mean(differences[::-1])
    assert found.high - found.gain == pytest.approx(
        2.3534 * standard_error(differences) * np.sqrt(1 + 4 * 0.25), rel=1e-4
    )
    flat = corrected_interval(np.zeros(4), test_share=0.25, resolution=0.1)
    assert flat.low < 0 < flat.high  # splits that agree by chance are not taken for certainty


def test_hotelling_tells_shifted_samples_from_equal_ones():
    random = np.random.default_rng(0)
    first, second = random.normal(size=(50, 2)), random.normal(size=(80, 2))
    assert hotelling_p_value(first, second) > 0.05
    assert hotelling_p_value(first, second + 1) < 0.001
    assert hotelling_p_value(first[:1], second) == 1.0
