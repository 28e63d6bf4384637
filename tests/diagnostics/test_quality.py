"""How good the model is: counts, precision and recall, and their intervals."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, precision_score, recall_score

from tabcast.diagnostics import quality
from tabcast.statistics import wilson_interval

NAMES = ["a", "b", "c"]


def draw(seed, n=80, right=0.7):
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    return codes, *(np.where(rng.random(n) < right, codes, rng.integers(3, size=n)) for _ in range(2))


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_scikit_learn(seed):
    codes, labels, before = draw(seed)
    found = quality(codes, labels, before, NAMES)
    assert (found.confusion == confusion_matrix(codes, labels, labels=range(3))).all()
    assert found.accuracy == pytest.approx((codes == labels).mean())
    assert found.supervised_accuracy == pytest.approx((codes == before).mean())
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(codes, labels))
    assert found.supervised_balanced_accuracy == pytest.approx(balanced_accuracy_score(codes, before))
    per_class = found.per_class
    assert per_class["recall"].tolist() == pytest.approx(recall_score(codes, labels, average=None))
    assert per_class["precision"].tolist() == pytest.approx(precision_score(codes, labels, average=None))
    assert per_class["supervised_recall"].tolist() == pytest.approx(recall_score(codes, before, average=None))
    low, high = wilson_interval(per_class["recall"].to_numpy(), per_class["n"].to_numpy())
    assert per_class["recall_low"].tolist() == pytest.approx(low)
    assert per_class["recall_high"].tolist() == pytest.approx(high)


def test_a_class_that_is_never_held_out_or_never_predicted_has_no_number():
    found = quality(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([0, 1, 1]), NAMES)
    assert np.isnan(found.per_class["recall"].iloc[2])
    assert np.isnan(found.per_class["precision"].iloc[1:]).all()
    assert found.balanced_accuracy == 0.5
    assert found.to_dict()["per_class"][2]["recall"] is None


def test_the_interval_of_balanced_accuracy_covers_the_truth():
    rng, recall, inside = np.random.default_rng(0), np.array([0.9, 0.6]), 0
    codes = np.repeat([0, 1], [60, 12])
    for _ in range(400):
        labels = np.where(rng.random(72) < recall[codes], codes, 1 - codes)
        found = quality(codes, labels, labels, NAMES[:2])
        inside += found.balanced_accuracy_low <= 0.75 <= found.balanced_accuracy_high
    assert 0.92 <= inside / 400 <= 0.985


def test_perfect_predictions_of_few_rows_are_no_proof():
    codes = np.array([0, 1, 0, 1])
    found = quality(codes, codes, codes, NAMES[:2])
    assert (found.accuracy, found.accuracy_high, found.balanced_accuracy_high) == (1.0, 1.0, 1.0)
    assert found.accuracy_low < 0.6
    assert found.balanced_accuracy_low < 0.7
