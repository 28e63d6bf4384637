"""A classifier that predicts by a rule works wherever a classifier does."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, get_scorer, roc_auc_score
from sklearn.svm import SVC

from tabcast.decisions import Balanced, DecidedClassifier, MostProbable, Threshold, decide_with


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    return X[:, :2], np.array(["a", "b", "c"])[y]


def test_scorers_see_decided_classes_and_untouched_probabilities(data):
    X, y = data
    two = y != "a"
    model = LogisticRegression().fit(X[two], y[two])
    decided = DecidedClassifier(model, Threshold(0.8).fit(model.classes_, np.ones(2)), model.classes_)
    proba = model.predict_proba(X[two])
    expected = np.where(proba[:, 1] >= 0.8, "c", "b")
    assert np.array_equal(decided.predict(X[two]), expected)
    assert get_scorer("balanced_accuracy")(decided, X[two], y[two]) == balanced_accuracy_score(y[two], expected)
    assert decided.score(X[two], y[two]) == np.mean(expected == y[two])
    assert get_scorer("roc_auc")(decided, X[two], y[two]) == roc_auc_score(y[two], proba[:, 1])


def test_a_class_that_the_classifier_does_not_know_has_probability_0(data):
    X, y = data
    two = y != "b"
    model = LogisticRegression().fit(X[two], y[two])
    rule = Balanced().fit(np.array(["a", "b", "c"]), np.array([0.1, 0.2, 0.7]))
    got = DecidedClassifier(model, rule, np.array(["a", "b", "c"])).predict(X)
    proba = model.predict_proba(X)
    assert np.array_equal(got, np.where(proba[:, 0] / 0.1 >= proba[:, 1] / 0.7, "a", "c"))


def test_the_most_probable_class_is_the_classifier_itself(data):
    """SVC predicts by its decision function, not by its probabilities: that stays."""
    X, y = data
    model = SVC(random_state=0).fit(X, y)
    rule = MostProbable().fit(model.classes_, np.ones(3))
    assert decide_with(model, rule, model.classes_) is model
    decided = DecidedClassifier(model, rule, model.classes_)
    assert np.array_equal(decided.decision_function(X), model.decision_function(X))
