"""Weights that fade below the mean confidence, as in SoftMatch."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import TakeAll, TruncatedGaussian

CONFIDENCE = np.random.default_rng(0).dirichlet([2, 1, 0.5], 200)
LABELS = CONFIDENCE.argmax(axis=1)


def weigh_slowly(values, n_sigma, max_weight):
    """SoftMatch's equation, a row at a time."""
    mu = sum(values) / len(values)
    variance = sum((value - mu) ** 2 for value in values) / len(values)
    return [
        max_weight * (1.0 if value >= mu else exp(-((value - mu) ** 2) / (2 * variance / n_sigma**2)))
        for value in values
    ]


@pytest.mark.parametrize("n_sigma", [1, 2.0, 3.5])
@pytest.mark.parametrize("max_weight", [1.0, 0.3])
def test_equals_the_published_equation(n_sigma, max_weight):
    weights = TruncatedGaussian(n_sigma, max_weight=max_weight).weigh(CONFIDENCE, LABELS)
    np.testing.assert_allclose(weights, weigh_slowly(CONFIDENCE.max(axis=1), n_sigma, max_weight), rtol=1e-12)


def test_per_class_equals_one_weighting_for_each_class():
    weights = TruncatedGaussian(per_class=True).weigh(CONFIDENCE, LABELS)
    for one in range(3):
        [rows] = np.nonzero(np.equal(LABELS, one))
        alone = weigh_slowly(CONFIDENCE[rows].max(axis=1), 2, 1)
        np.testing.assert_allclose(weights[rows], alone, rtol=1e-12)


def test_weights_grow_with_confidence_and_end_at_the_full_weight():
    best = CONFIDENCE.max(axis=1)
    weights = TruncatedGaussian(max_weight=0.7).weigh(CONFIDENCE, LABELS)
    assert (np.diff(weights[np.argsort(best)]) >= 0).all()
    assert (weights[best >= best.mean()] == 0.7).all()
    assert (weights[best < best.mean()] < 0.7).all()
    assert (weights > 0).all()


def test_at_one_standard_deviation():
    best = np.array([0.9, 0.9, 0.7, 0.7])  # mean 0.8, standard deviation 0.1
    confidence = np.column_stack([best, 1 - best])
    weights = TruncatedGaussian(2).weigh(confidence, np.zeros(4, dtype=int))
    np.testing.assert_allclose(weights, [1, 1, exp(-2), exp(-2)])


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1.0])
def test_equal_rows_have_the_full_weight(value):
    """Their standard deviation may come out as 1e-17 instead of 0."""
    confidence = np.tile([value, 0.0], (11, 1))
    assert (TruncatedGaussian().weigh(confidence, np.zeros(11, dtype=int)) == 1).all()


def test_what_counts_is_the_confidence_in_the_label_that_is_given():
    """With relabel=False a row may keep a label that is no longer its most confident one."""
    confidence = np.array([[0.9, 0.1]] * 9 + [[0.8, 0.2]])
    labels = np.zeros(10, dtype=int)
    weights = TruncatedGaussian().weigh(confidence, labels)
    labels[-1] = 1
    assert TruncatedGaussian().weigh(confidence, labels)[-1] == pytest.approx(weights[-1])  # both the only outlier
    confidence[-2] = [0.8, 0.2]
    assert TruncatedGaussian().weigh(confidence, labels)[-1] < TruncatedGaussian().weigh(confidence, labels)[-2]


@pytest.mark.parametrize("name", ["n_sigma", "max_weight"])
@pytest.mark.parametrize("value", [0, -1, np.inf, np.nan, "2", None, True])
def test_numbers_that_are_none(name, value):
    with pytest.raises(ValueError, match=rf"`{name}` of TruncatedGaussian must be a positive number; got {value!r}\."):
        TruncatedGaussian(**{name: value}).check()


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(300, n_features=5, class_sep=0.6, flip_y=0.1, random_state=1)
    return X, np.where(np.arange(300) % 6 == 0, truth, -1)


@pytest.mark.parametrize("loop", [SelfTrainingClassifier, CASTClassifier])
def test_the_classifier_is_trained_with_these_weights(table, loop):
    X, y = table
    settings = {"alpha": 0.0} if loop is CASTClassifier else {}
    model = loop(
        LogisticRegression(),
        strategy=TakeAll(),
        pseudo_weight=TruncatedGaussian(),
        validation=None,
        max_rounds=1,
        **settings,
    ).fit(X, y)
    labeled = y != -1
    first = LogisticRegression().fit(X[labeled], y[labeled])
    proba = first.predict_proba(X[~labeled])
    weight, classes = np.ones(len(y)), y.copy()
    weight[~labeled] = TruncatedGaussian().weigh(proba, proba.argmax(axis=1))
    classes[~labeled] = proba.argmax(axis=1)
    by_hand = LogisticRegression().fit(X, classes, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(X), rtol=1e-9)
    unweighted = LogisticRegression().fit(X, classes)
    assert not np.allclose(model.predict_proba(X), unweighted.predict_proba(X), rtol=1e-3)


def test_a_classifier_without_weights_is_refused(table):
    with pytest.raises(ValueError, match=r"`pseudo_weight` \(TruncatedGaussian\(\)\) needs an estimator whose fit"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight=TruncatedGaussian()).fit(*table)


def test_bad_numbers_are_refused_before_any_fit(table):
    with pytest.raises(ValueError, match=r"`n_sigma` of TruncatedGaussian must be a positive number; got -1\."):
        SelfTrainingClassifier(LogisticRegression(), pseudo_weight=TruncatedGaussian(-1)).fit(*table)
