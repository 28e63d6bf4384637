"""Decisions that need no tuning, and decisions for held-out rows, by rules that have not seen them."""

import numpy as np
import pytest

from tabcast.checks import resolve_part
from tabcast.decisions import DECISIONS, Balanced, BestF1, Costs, Decision, MostProbable, Threshold
from tabcast.decisions._decisions import Evidence, cross_fit
from tests.decisions.test_best_f1 import draw

TWO, SHARES = np.arange(2), np.array([0.7, 0.3])
TUNED = BestF1(min_rows=5)
CLASSES, PRIOR = np.array(["ill", "well"]), np.array([0.2, 0.8])
THREE = np.array(["a", "b", "c"])


def draw_proba(n_rows, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rows)


def test_balanced_maximizes_expected_balanced_accuracy():
    """Against every other assignment of classes to six rows."""
    proba = draw_proba(6, 3)
    prior = np.array([0.6, 0.3, 0.1])

    def expected_score(codes):
        return (proba[np.arange(6), codes] / prior[codes]).sum()

    best = max(np.ndindex(*[3] * 6), key=lambda codes: expected_score(np.array(codes)))
    assert Balanced().fit(THREE, prior).decide(proba).tolist() == list(best)


@pytest.mark.parametrize("value", [1e-9, 0.3, 0.7])
def test_a_threshold_is_reached_by_its_own_value(value):
    p = np.concatenate([np.round(np.linspace(0, 1, 1001), 3), [value]])
    proba = np.column_stack([1 - p, p])
    rule = Threshold(value).fit(CLASSES, PRIOR)
    assert np.array_equal(rule.decide(proba) == 1, p >= value)
    single = proba.astype(np.float32)
    assert np.array_equal(rule.decide(single) == 1, single[:, 1] >= np.float32(value))


def test_a_threshold_is_a_probability_and_for_two_classes():
    with pytest.raises(ValueError, match=r"`value` of Threshold must be a number in \(0, 1\); got 1\."):
        Threshold(1).check()
    with pytest.raises(ValueError, match=r"Threshold\(value=0\.3\) is a decision between two classes; there are 3"):
        Threshold(0.3).check_classes(THREE)


def test_costs_minimize_the_expected_cost():
    costs = np.random.default_rng(3).uniform(0, 5, (3, 3))
    proba = draw_proba(300, 3)
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
    assert isinstance(resolve_part("accuracy", DECISIONS, Decision, "decision", "X"), MostProbable)
    given = Threshold(0.2)
    assert resolve_part(given, DECISIONS, Decision, "decision", "X") is given
    with pytest.raises(ValueError, match=r"`decision` of X must be 'accuracy', 'balanced', 'f1' or .* mean 'balanced'"):
        resolve_part("balance", DECISIONS, Decision, "decision", "X")
    with pytest.raises(ValueError, match=r"`decision` of X must be .* got 0\.3"):
        resolve_part(0.3, DECISIONS, Decision, "decision", "X")


def test_each_group_by_a_rule_of_the_others():
    evidence = draw(120, [0.7, 0.3], seed=0)
    groups = np.arange(120) % 3
    got = cross_fit(TUNED, TWO, SHARES, evidence, groups)
    for group in range(3):
        rule = TUNED.fit(TWO, SHARES, evidence.take(groups != group))
        assert np.array_equal(got[groups == group], rule.decide(evidence.proba[groups == group]))


def test_rows_held_out_in_several_groups_do_not_help_themselves():
    """Two repeats of a cross-validation: a row's other probability must not tune its own rule."""
    first, second = draw(60, [0.7, 0.3], seed=0), draw(60, [0.7, 0.3], seed=1)
    y = first.y
    evidence = Evidence(np.concatenate([first.proba, second.proba]), np.tile(y, 2), np.tile(np.arange(60), 2))
    groups = np.concatenate([np.arange(60) % 2, 2 + np.arange(60) // 30])
    before = cross_fit(TUNED, TWO, SHARES, evidence, groups)
    for group in range(4):
        own = np.isin(evidence.rows, evidence.rows[groups == group])
        flipped = Evidence(evidence.proba, np.where(own, 1 - evidence.y, evidence.y), evidence.rows)
        after = cross_fit(TUNED, TWO, SHARES, flipped, groups)
        assert np.array_equal(before[groups == group], after[groups == group])


def test_one_group_is_divided():
    evidence = draw(100, [0.7, 0.3], seed=2)
    codes = cross_fit(TUNED, TWO, SHARES, evidence, np.zeros(100, dtype=int))
    assert codes.shape == (100,)
    in_sample = TUNED.fit(TWO, SHARES, evidence).decide(evidence.proba)
    assert not np.array_equal(codes, in_sample)  # several thresholds, none of them that of all rows


def test_a_prior_for_each_group():
    proba = np.full((4, 2), [0.6, 0.4])
    evidence = Evidence(proba, np.array([0, 1, 0, 1]), np.arange(4))
    prior = np.array([[0.5, 0.5], [0.9, 0.1]])
    assert cross_fit(Balanced(), TWO, prior, evidence, np.array([0, 0, 1, 1])).tolist() == [0, 0, 1, 1]
