"""Thresholds that fall for classes which lag behind, as in FlexMatch."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from tabcast import SelfTrainingClassifier
from tabcast.pseudo_labels import FixedThreshold, FlexThreshold
from tabcast.pseudo_labels._flex_threshold import flex_thresholds


def select_slowly(confidence, tau, warm_up):
    """FlexMatch's equations, row by row."""
    sigma = [0] * confidence.shape[1]
    unused = 0
    for row in confidence:
        if max(row) >= tau:
            sigma[int(np.argmax(row))] += 1
        else:
            unused += 1
    denominator = max(*sigma, unused) if warm_up else max(sigma)
    chosen = []
    for row in confidence:
        beta = sigma[int(np.argmax(row))] / denominator if denominator else 1.0
        chosen.append(max(row) >= beta / (2 - beta) * tau)
    return chosen


@pytest.mark.parametrize("warm_up", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("tau", [0.5, 0.8, 0.95, 1.0])
def test_equals_the_published_equations(warm_up, n_classes, tau):
    for seed in range(10):
        confidence = np.random.default_rng(seed).dirichlet(np.linspace(0.2, 1, n_classes), 150)
        chosen = FlexThreshold(tau, warm_up=warm_up).select(confidence, 1)
        assert chosen.tolist() == select_slowly(confidence, tau, warm_up)


def test_thresholds():
    thresholds = flex_thresholds(np.array([100, 50, 10, 0]), 0.9, 100)
    np.testing.assert_allclose(thresholds, [0.9, 0.3, 0.9 * 0.1 / 1.9, 0])
    np.testing.assert_array_equal(flex_thresholds(np.array([0, 0]), 0.9, 0), [0.9, 0.9])
    np.testing.assert_allclose(flex_thresholds(np.array([10, 5]), 0.9, 40), [0.9 * 0.25 / 1.75, 0.9 * 0.125 / 1.875])


def test_takes_what_a_fixed_threshold_takes_and_more_of_classes_that_lag():
    confidence = np.random.default_rng(0).dirichlet([3, 1, 0.6], 400)
    labels = confidence.argmax(axis=1)
    fixed, flex = FixedThreshold(0.8).select(confidence, 1), FlexThreshold(0.8).select(confidence, 1)
    assert (flex >= fixed).all()
    leader = np.bincount(labels[fixed]).argmax()
    np.testing.assert_array_equal(flex[labels == leader], fixed[labels == leader])
    assert flex[labels != leader].sum() > fixed[labels != leader].sum()


def test_where_no_row_is_sure():
    confidence = np.random.default_rng(0).uniform(0.3, 0.5, (20, 2))
    assert not FlexThreshold(0.9).select(confidence, 1).any()
    assert FlexThreshold(0.9, warm_up=True).select(confidence, 1).all()


def test_the_round_does_not_matter():
    confidence, strategy = np.random.default_rng(0).dirichlet([1, 1], 50), FlexThreshold()
    np.testing.assert_array_equal(strategy.select(confidence, 1), strategy.select(confidence, 7))


def test_rows_that_keep_their_label_count_as_sure():
    confidence = np.array([[0.95, 0.05], [0.92, 0.08], [0.4, 0.6], [0.0, np.inf], [0.0, np.inf], [0.45, 0.55]])
    # Two sure rows in each class: both have to reach 0.9.
    assert FlexThreshold(0.9).select(confidence, 2).tolist() == [True, True, False, True, True, False]


@pytest.mark.parametrize("threshold", [0, -0.1, 1.1, np.nan, "0.9", None, True])
def test_threshold_that_is_none(threshold):
    with pytest.raises(
        ValueError, match=rf"`threshold` of FlexThreshold must be a number in \(0, 1\]; got {threshold!r}\."
    ):
        FlexThreshold(threshold).check()


@pytest.mark.parametrize("relabel", [True, False])
def test_a_rare_class_gets_more_pseudo_labels_than_with_a_fixed_threshold(relabel):
    X, truth = make_classification(
        1000, n_features=6, n_informative=3, n_redundant=0, weights=[0.95], class_sep=0.8, flip_y=0, random_state=0
    )
    y = np.where(np.arange(1000) % 5 == 0, truth, -1)

    def rare(strategy):
        model = SelfTrainingClassifier(LogisticRegression(), strategy=strategy, validation=None, relabel=relabel)
        pseudo = model.fit(X, y).pseudo_labels_
        return (pseudo["selected"] & (pseudo["label"] == 1)).sum()

    assert rare(FlexThreshold(0.9)) > rare(FixedThreshold(0.9))


def test_the_required_confidence_is_that_of_the_latest_round():
    strategy = FlexThreshold(0.9)
    assert strategy.required_confidence(2) is None
    strategy.select(np.array([[0.95, 0.05], [0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.4, 0.6]]), round_number=1)
    assert strategy.required_confidence(2) == pytest.approx([0.9, 0.9 * 0.5 / 1.5])
    strategy.select(np.array([[0.95, 0.05], [0.1, 0.9]]), round_number=2)
    assert strategy.required_confidence(2) == pytest.approx([0.9, 0.9])
