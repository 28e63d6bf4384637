"""Weights of pseudo-labeled rows: SoftMatch's equation, and the training that uses them."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tabcast import SelfTrainingClassifier
from tabcast.pseudo_labels import Soft, TakeAll, TruncatedGaussian
from tabcast.pseudo_labels._weights import Constant, resolve_weighting

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


@pytest.mark.parametrize(("n_sigma", "max_weight"), [(1, 1.0), (2.0, 0.3), (3.5, 1.0)])
def test_equals_the_published_equation(n_sigma, max_weight):
    weights = TruncatedGaussian(n_sigma, max_weight=max_weight).weigh(CONFIDENCE, LABELS)
    np.testing.assert_allclose(weights, weigh_slowly(CONFIDENCE.max(axis=1), n_sigma, max_weight), rtol=1e-12)


def test_per_class_equals_one_weighting_for_each_class():
    weights = TruncatedGaussian(per_class=True).weigh(CONFIDENCE, LABELS)
    for one in range(3):
        [rows] = np.nonzero(np.equal(LABELS, one))
        np.testing.assert_allclose(weights[rows], weigh_slowly(CONFIDENCE[rows].max(axis=1), 2, 1), rtol=1e-12)


@pytest.mark.parametrize("value", [0.1, 0.7])
def test_equal_rows_have_the_full_weight(value):
    """Their standard deviation may come out as 1e-17 instead of 0."""
    confidence = np.tile([value, 0.0], (11, 1))
    assert (TruncatedGaussian().weigh(confidence, np.zeros(11, dtype=int)) == 1).all()


def test_what_counts_is_the_confidence_in_the_label_that_is_given():
    """With relabel=False a row may keep a label that is no longer its most confident one."""
    confidence = np.array([[0.9, 0.1]] * 8 + [[0.8, 0.2]] * 2)
    labels = np.array([0] * 9 + [1])
    weights = TruncatedGaussian().weigh(confidence, labels)
    assert weights[-1] < weights[-2]


@pytest.mark.parametrize("name", ["n_sigma", "max_weight"])
def test_bad_parameters_are_refused(name):
    with pytest.raises(ValueError, match=rf"`{name}` of TruncatedGaussian must be a positive number; got -1\."):
        TruncatedGaussian(**{name: -1}).check()
    with pytest.raises(ValueError, match=r"`smallest` of Soft must be a number in \[0, 0\.5\); got 0\.5\."):
        Soft(0.5).check()


def test_numbers_and_soft_stand_for_weightings():
    assert resolve_weighting(2, "f").get_params() == Constant(2.0).get_params()
    assert isinstance(resolve_weighting("soft", "f"), Soft)
    with pytest.raises(ValueError, match=r"`pseudo_weight` of f must be a positive number, 'soft' or a Weighting"):
        resolve_weighting("hard", "f")


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(300, n_features=5, class_sep=0.6, flip_y=0.1, random_state=1)
    return X, np.where(np.arange(300) % 6 == 0, truth, -1)


def test_the_classifier_is_trained_with_these_weights(table):
    X, y = table
    settings = {"strategy": TakeAll(), "pseudo_weight": TruncatedGaussian(), "validation": None, "max_rounds": 1}
    model = SelfTrainingClassifier(LogisticRegression(), **settings).fit(X, y)
    labeled = y != -1
    proba = LogisticRegression().fit(X[labeled], y[labeled]).predict_proba(X[~labeled])
    weight, classes = np.ones(len(y)), y.copy()
    weight[~labeled], classes[~labeled] = TruncatedGaussian().weigh(proba, proba.argmax(axis=1)), proba.argmax(axis=1)
    by_hand = LogisticRegression().fit(X, classes, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(X), rtol=1e-9)


def test_a_classifier_without_weights_is_refused(table):
    with pytest.raises(ValueError, match=r"`pseudo_weight` \(TruncatedGaussian\(\)\) needs an estimator whose fit"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight=TruncatedGaussian()).fit(*table)
