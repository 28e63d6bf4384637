"""A fitted decision: the class with the largest expected payoff."""

import json

import numpy as np
import pytest

from tabcast.decisions import DecisionRule

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


def test_of_equal_payoffs_the_first():
    assert DecisionRule("accuracy", np.eye(3)).decide([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]).tolist() == [0, 1]


def test_no_rows():
    assert DecisionRule("accuracy", np.eye(2)).decide(np.empty((0, 2))).shape == (0,)


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
