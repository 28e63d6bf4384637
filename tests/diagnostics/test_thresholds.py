"""What a threshold means, counted on held-out rows."""

import numpy as np
import pytest

from tabcast.decisions import Balanced, Costs, DecisionRule, MostProbable, Threshold
from tabcast.diagnostics import thresholds
from tabcast.diagnostics._thresholds import threshold_of

CLASSES = np.array(["no", "yes"])
PRIOR = np.array([0.8, 0.2])


def test_counts_are_those_of_comparing_each_row():
    rng = np.random.default_rng(0)
    codes, p = rng.integers(2, size=200), rng.random(200).round(2)  # many exactly at a threshold
    found = thresholds(
        codes, np.column_stack([1 - p, p]).astype(np.float32), CLASSES, MostProbable().fit(CLASSES, PRIOR)
    )
    for row in found.counts.to_dict("records"):
        predicted = p >= row["threshold"] - 1e-9
        assert row["true_positives"] == (predicted & (codes == 1)).sum()
        assert row["false_positives"] == (predicted & (codes == 0)).sum()
        assert row["false_negatives"] == (~predicted & (codes == 1)).sum()
        assert row["true_negatives"] == (~predicted & (codes == 0)).sum()
    assert (found.positive, found.negative, found.n_rows) == ("yes", "no", 200)


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (MostProbable(), 0.5),
        (Threshold(0.3), 0.3),
        (Balanced(), 0.2),
        (Costs({("yes", "no"): 9, ("no", "yes"): 1}), 0.1),
    ],
)
def test_the_threshold_of_a_rule_is_where_it_changes_its_mind(decision, expected):
    rule = decision.fit(CLASSES, PRIOR)
    at = threshold_of(rule)
    assert at == pytest.approx(expected, abs=1e-6)
    assert rule.decide([[1 - at + 1e-6, at - 1e-6], [1 - at - 1e-6, at + 1e-6]]).tolist() == [0, 1]


def test_a_rule_that_never_changes_and_more_classes():
    assert threshold_of(DecisionRule("odd", np.zeros((2, 2)))) == 0.5
    assert thresholds(np.array([0, 1, 2]), np.eye(3), ["a", "b", "c"], DecisionRule("accuracy", np.eye(3))) is None
