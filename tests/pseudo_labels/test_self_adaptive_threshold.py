"""Thresholds read off the classifier's own confidence, as in FreeMatch."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import SelfAdaptiveThreshold
from tabcast.pseudo_labels._self_adaptive_threshold import adaptive_thresholds


def rounds(n_rounds=5, n_classes=3, n_rows=120):
    """Confidence that grows from round to round."""
    return [
        np.random.default_rng(k).dirichlet(np.linspace(0.4, 2, n_classes) / (k + 1), n_rows) for k in range(n_rounds)
    ]


def select_slowly(confidences, momentum):
    """FreeMatch's equations, round by round and row by row, averages starting with the first round."""
    overall = by_class = None
    masks = []
    for confidence in confidences:
        mean_best = sum(max(row) for row in confidence) / len(confidence)
        means = [sum(column) / len(confidence) for column in confidence.T]
        if overall is None:
            overall, by_class = mean_best, means
        else:
            overall = momentum * overall + (1 - momentum) * mean_best
            by_class = [momentum * old + (1 - momentum) * new for old, new in zip(by_class, means, strict=True)]
        mask = [max(row) >= overall * by_class[int(np.argmax(row))] / max(by_class) for row in confidence]
        masks.append(mask)
    return masks


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_equals_the_published_equations(momentum, n_classes):
    confidences = rounds(n_classes=n_classes)
    strategy = SelfAdaptiveThreshold(momentum)
    ours = [strategy.select(confidence, k).tolist() for k, confidence in enumerate(confidences, start=1)]
    assert ours == select_slowly(confidences, momentum)


def test_momentum_matters_and_round_1_forgets():
    first, second, *_ = rounds()
    remembers, forgets = SelfAdaptiveThreshold(0.9), SelfAdaptiveThreshold(0.0)
    remembers.select(first, 1)
    forgets.select(first, 1)
    assert remembers.select(second, 2).sum() > forgets.select(second, 2).sum()  # the bar has risen less
    np.testing.assert_array_equal(remembers.select(second, 1), forgets.select(second, 2))
    np.testing.assert_array_equal(clone(remembers).select(second, 2), forgets.select(second, 2))


def test_thresholds():
    np.testing.assert_allclose(adaptive_thresholds(0.8, np.array([0.9, 0.09, 0.01])), [0.8, 0.08, 0.8 / 90])
    np.testing.assert_array_equal(adaptive_thresholds(0.5, np.zeros(2)), [0.5, 0.5])


def test_the_most_frequent_class_has_to_be_above_average_and_rare_ones_do_not():
    confidence = np.array([[0.95, 0.05], [0.9, 0.1], [0.85, 0.15], [0.8, 0.2], [0.45, 0.55]])
    assert confidence.max(axis=1).mean() == pytest.approx(0.81)
    assert SelfAdaptiveThreshold().select(confidence, 1).tolist() == [True, True, True, False, True]


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3])
@pytest.mark.parametrize("n_rows", [1, 3, 10, 49])
def test_equal_rows_are_all_average(value, n_rows):
    """A mean of equal numbers may come out above each of them by rounding."""
    confidence = np.tile([value, value / 3], (n_rows, 1))
    strategy = SelfAdaptiveThreshold(0.3)
    for round_number in range(1, 5):
        assert strategy.select(confidence, round_number).all()


def test_a_row_that_keeps_its_label_counts_as_certain():
    certain = np.array([[1.0, 0.0], [0.8, 0.2], [0.7, 0.3], [0.0, 1.0]])
    pinned = np.where(certain == 1, np.inf, certain)
    np.testing.assert_array_equal(SelfAdaptiveThreshold().select(pinned, 1), SelfAdaptiveThreshold().select(certain, 1))


@pytest.mark.parametrize("momentum", [1, 1.5, -0.1, np.nan, "0.5", None, True])
def test_momentum_that_is_none(momentum):
    with pytest.raises(
        ValueError, match=rf"`momentum` of SelfAdaptiveThreshold must be a number in \[0, 1\); got {momentum!r}\."
    ):
        SelfAdaptiveThreshold(momentum).check()


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(400, n_features=6, weights=[0.85], class_sep=0.8, random_state=1)
    return X, np.where(np.arange(400) % 5 == 0, truth, -1)


@pytest.mark.parametrize("relabel", [True, False])
def test_the_loop_gives_each_run_averages_of_its_own(table, relabel):
    """The run after cross-validation selects what it would have selected without."""
    X, y = table
    strategy = SelfAdaptiveThreshold(0.8)
    settings = {"strategy": strategy, "relabel": relabel, "random_state": 0}
    judged = SelfTrainingClassifier(LogisticRegression(), max_rounds=4, patience=4, **settings).fit(X, y)
    assert judged.best_round_ == 3
    alone = SelfTrainingClassifier(LogisticRegression(), max_rounds=3, validation=None, **settings).fit(X, y)
    assert judged.pseudo_labels_.equals(alone.pseudo_labels_)
    assert not hasattr(strategy, "_averages")  # the user's own object stays as it was


def test_with_cast(table):
    X, y = table
    model = CASTClassifier(LogisticRegression(), alpha=0.5, strategy=SelfAdaptiveThreshold(), random_state=0).fit(X, y)
    assert model.n_rounds_ >= 1
    assert 0 < model.history_["n_selected"].max() < (y == -1).sum()


def test_the_required_confidence_is_that_of_the_latest_round():
    strategy = SelfAdaptiveThreshold(0.0)
    assert strategy.required_confidence(2) is None
    strategy.select(np.array([[0.95, 0.05], [0.85, 0.15], [0.75, 0.25], [0.25, 0.75], [0.7, 0.3]]), round_number=1)
    assert strategy.required_confidence(2) == pytest.approx([0.8, 0.8 * 0.3 / 0.7])
