"""No rule has seen the rows that it decides for."""

import numpy as np

from tabcast.decisions import Balanced, BestF1, Evidence, cross_fit
from tests.decisions.test_best_f1 import draw

CLASSES, PRIOR = np.arange(2), np.array([0.7, 0.3])
TUNED = BestF1(min_rows=5)


def test_each_group_by_a_rule_of_the_others():
    evidence = draw(120, [0.7, 0.3], seed=0)
    groups = np.arange(120) % 3
    got = cross_fit(TUNED, CLASSES, PRIOR, evidence, groups)
    for group in range(3):
        rule = TUNED.fit(CLASSES, PRIOR, evidence.take(groups != group))
        assert np.array_equal(got[groups == group], rule.decide(evidence.proba[groups == group]))


def test_rows_held_out_in_several_groups_do_not_help_themselves():
    """Two repeats of a cross-validation: a row's other probability must not tune its own rule."""
    first, second = draw(60, [0.7, 0.3], seed=0), draw(60, [0.7, 0.3], seed=1)
    y = first.y
    evidence = Evidence(np.concatenate([first.proba, second.proba]), np.tile(y, 2), np.tile(np.arange(60), 2))
    groups = np.concatenate([np.arange(60) % 2, 2 + np.arange(60) // 30])
    before = cross_fit(TUNED, CLASSES, PRIOR, evidence, groups)
    for group in range(4):
        own = np.isin(evidence.rows, evidence.rows[groups == group])
        flipped = Evidence(evidence.proba, np.where(own, 1 - evidence.y, evidence.y), evidence.rows)
        after = cross_fit(TUNED, CLASSES, PRIOR, flipped, groups)
        assert np.array_equal(before[groups == group], after[groups == group])


def test_one_group_is_divided():
    evidence = draw(100, [0.7, 0.3], seed=2)
    codes = cross_fit(TUNED, CLASSES, PRIOR, evidence, np.zeros(100, dtype=int))
    assert codes.shape == (100,)
    in_sample = TUNED.fit(CLASSES, PRIOR, evidence).decide(evidence.proba)
    assert not np.array_equal(codes, in_sample)  # several thresholds, none of them that of all rows


def test_a_prior_for_each_group():
    proba = np.full((4, 2), [0.6, 0.4])
    evidence = Evidence(proba, np.array([0, 1, 0, 1]), np.arange(4))
    prior = np.array([[0.5, 0.5], [0.9, 0.1]])
    assert cross_fit(Balanced(), CLASSES, prior, evidence, np.array([0, 0, 1, 1])).tolist() == [0, 0, 1, 1]
