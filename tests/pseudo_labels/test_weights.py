"""Weights of pseudo-labeled rows, and the training that uses them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tabcast import SelfTrainingClassifier
from tabcast.pseudo_labels import Soft, TakeAll, Weighting
from tabcast.pseudo_labels._weights import Constant, resolve_weighting


class InItsLabel(Weighting):
    """A weighting of a user's own: each row counts as much as the classifier is sure of its label."""

    def weigh(self, confidence, labels):
        return confidence[np.arange(len(labels)), labels]


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match=r"`weight` of Constant must be a positive number; got -1\."):
        Constant(-1).check()
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
    settings = {"strategy": TakeAll(), "pseudo_weight": InItsLabel(), "validation": None, "max_rounds": 1}
    model = SelfTrainingClassifier(LogisticRegression(), **settings).fit(X, y)
    labeled = y != -1
    proba = LogisticRegression().fit(X[labeled], y[labeled]).predict_proba(X[~labeled])
    weight, classes = np.ones(len(y)), y.copy()
    weight[~labeled], classes[~labeled] = InItsLabel().weigh(proba, proba.argmax(axis=1)), proba.argmax(axis=1)
    by_hand = LogisticRegression().fit(X, classes, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(X), rtol=1e-9)


def test_a_classifier_without_weights_is_refused(table):
    with pytest.raises(ValueError, match=r"`pseudo_weight` \(InItsLabel\(\)\) needs an estimator whose fit"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight=InItsLabel()).fit(*table)
