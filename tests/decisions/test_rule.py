"""A fitted decision: the class with the largest expected payoff, and a classifier that predicts by it."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, get_scorer, roc_auc_score
from sklearn.svm import SVC

from tabcast.decisions import Balanced, MostProbable, Threshold
from tabcast.decisions._rule import DecidedClassifier, DecisionRule, decide_with

PROBA = np.random.default_rng(0).dirichlet(np.ones(4), 500)


def test_the_largest_expected_payoff():
    payoffs = np.random.default_rng(1).normal(size=(4, 4))
    expected = [max(range(4), key=lambda k: sum(row[j] * payoffs[j, k] for j in range(4))) for row in PROBA]
    assert DecisionRule("costs", payoffs).decide(PROBA).tolist() == expected


def test_the_identity_is_the_most_probable_class_in_single_precision_too():
    rule = DecisionRule("accuracy", np.eye(4))
    assert rule.is_most_probable
    for proba in (PROBA, PROBA.astype(np.float32)):
        assert np.array_equal(rule.decide(proba), proba.argmax(axis=1))


def test_batches_change_nothing():
    rule = DecisionRule("costs", np.random.default_rng(1).normal(size=(4, 4)))
    proba = np.round(PROBA, 1)  # many ties
    whole = rule.decide(proba)
    for size in (1, 7, 64):
        parts = [rule.decide(proba[first : first + size]) for first in range(0, len(proba), size)]
        assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize(
    ("proba", "sentence"), [(np.ones((3, 2)), "3 classes; got an array of shape"), (None, "NaN in")]
)
def test_probabilities_that_cannot_be_decided(proba, sentence):
    proba = np.array([[0.5, np.nan, 0.5]]) if proba is None else proba
    with pytest.raises(ValueError, match=sentence):
        DecisionRule("accuracy", np.eye(3)).decide(proba)


def test_plain_data_and_back():
    rule = DecisionRule("balanced", np.diag([1 / 3, 1 / 0.7]), "as the classes are")
    again = DecisionRule.from_dict(json.loads(json.dumps(rule.to_dict())))
    assert np.array_equal(again.payoffs, rule.payoffs)
    assert (again.name, again.meaning) == (rule.name, rule.meaning)


@pytest.mark.parametrize(
    "payoffs", [[[1, 0]], [1, 2], [], [["a", "b"], ["c", "d"]], [[1, None], [0, 1]], [[1, np.inf]] * 2]
)
def test_data_that_is_no_rule(payoffs):
    with pytest.raises(ValueError, match="square matrix of payoffs"):
        DecisionRule.from_dict({"name": "x", "payoffs": payoffs, "meaning": ""})


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
