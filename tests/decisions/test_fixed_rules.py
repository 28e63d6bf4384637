"""Decisions that need no tuning: the most probable class, balanced, thresholds, costs."""

import numpy as np
import pytest

from tabcast.decisions import Balanced, Costs, MostProbable, Threshold, decision_for_metric, resolve_decision

CLASSES, PRIOR = np.array(["ill", "well"]), np.array([0.2, 0.8])
THREE = np.array(["a", "b", "c"])


def draw(n_rows, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rows)


def test_balanced_maximizes_expected_balanced_accuracy():
    """Against every other assignment of classes to eight rows."""
    proba = draw(8, 3)
    prior = np.array([0.6, 0.3, 0.1])

    def expected_score(codes):
        return (proba[np.arange(8), codes] / prior[codes]).sum()

    best = max(np.ndindex(*[3] * 8), key=lambda codes: expected_score(np.array(codes)))
    assert Balanced().fit(THREE, prior).decide(proba).tolist() == list(best)


def test_with_equal_proportions_balanced_is_the_most_probable():
    proba = draw(200, 3)
    equal = np.full(3, 1 / 3)
    assert np.array_equal(Balanced().fit(THREE, equal).decide(proba), MostProbable().fit(THREE, equal).decide(proba))


@pytest.mark.parametrize("value", [1e-9, 0.1, 0.3, 0.5, 0.7, 0.999999])
def test_a_threshold_is_reached_by_its_own_value(value):
    p = np.concatenate([np.round(np.linspace(0, 1, 1001), 3), [value]])
    proba = np.column_stack([1 - p, p])
    rule = Threshold(value).fit(CLASSES, PRIOR)
    assert np.array_equal(rule.decide(proba) == 1, p >= value)
    single = proba.astype(np.float32)
    assert np.array_equal(rule.decide(single) == 1, single[:, 1] >= np.float32(value))


def test_a_threshold_of_a_half_is_the_most_probable_class():
    proba = draw(500, 2)
    assert np.array_equal(Threshold().fit(CLASSES, PRIOR).decide(proba), proba.argmax(axis=1))


@pytest.mark.parametrize("value", [0, 1, -0.1, 2, "0.3", None, np.nan, True])
def test_a_threshold_that_is_no_probability(value):
    with pytest.raises(ValueError, match=r"`value` of Threshold must be a number in \(0, 1\)"):
        Threshold(value).check()


def test_a_threshold_is_for_two_classes():
    with pytest.raises(ValueError, match=r"Threshold\(value=0\.3\) is a decision between two classes; there are 3"):
        Threshold(0.3).check_classes(THREE)


def test_costs_minimize_the_expected_cost():
    costs = np.random.default_rng(3).uniform(0, 5, (3, 3))
    proba = draw(300, 3)
    expected = [min(range(3), key=lambda k: sum(row * costs[:, k])) for row in proba]
    assert Costs(costs).fit(THREE, np.full(3, 1 / 3)).decide(proba).tolist() == expected


def test_costs_by_name_other_errors_cost_one():
    by_name = Costs({("ill", "well"): 9}).fit(CLASSES, PRIOR)
    as_matrix = Costs([[0, 9], [1, 0]]).fit(CLASSES, PRIOR)
    assert np.array_equal(by_name.payoffs, as_matrix.payoffs)
    p_ill = np.array([0.05, 0.099, 0.101, 0.5])
    assert by_name.decide(np.column_stack([p_ill, 1 - p_ill])).tolist() == [1, 1, 0, 0]  # the threshold is 1 / 10


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ({("ill", "dead"): 2}, r"names 'dead', which is not among the classes \['ill', 'well'\]"),
        ({("ill", "well"): "much"}, r"must map \(true class, predicted class\) to a number; got .*'much'"),
        ({"ill": 2}, r"must map \(true class, predicted class\) to a number; got 'ill': 2"),
        ([[0, 1, 2], [1, 0, 2], [1, 1, 0]], r"one row and one column for each of the 2 classes .* shape \(3, 3\)"),
        ([[0, 1], [1]], "square matrix of numbers"),
        ([[0, np.nan], [1, 0]], "square matrix of numbers"),
        (5, "square matrix of numbers"),
        ([[1, 1], [2, 2]], "the same for every prediction"),
    ],
)
def test_costs_that_make_no_sense(costs, sentence):
    with pytest.raises(ValueError, match=sentence):
        Costs(costs).check_classes(CLASSES)


def test_short_names():
    assert isinstance(resolve_decision("accuracy", "X"), MostProbable)
    given = Threshold(0.2)
    assert resolve_decision(given, "X") is given
    with pytest.raises(ValueError, match=r"`decision` of X must be 'accuracy', 'balanced', 'f1' or .* mean 'balanced'"):
        resolve_decision("balance", "X")
    with pytest.raises(ValueError, match=r"`decision` of X must be .* got 0\.3"):
        resolve_decision(0.3, "X")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("accuracy", "MostProbable()"),
        ("balanced_accuracy", "Balanced()"),
        ("f1", "BestF1()"),
        ("f1_macro", "BestF1(average='macro')"),
        ("f1_weighted", "BestF1(average='weighted')"),
        ("f1_micro", "MostProbable()"),  # the same number as accuracy
        ("roc_auc", "MostProbable()"),
        ("neg_log_loss", "MostProbable()"),
        (len, "MostProbable()"),
    ],
)
def test_the_decision_of_a_metric(metric, expected):
    assert repr(decision_for_metric(metric)) == expected
