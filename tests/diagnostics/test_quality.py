"""How good the model is on held-out rows, against scikit-learn's numbers."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.metrics import confusion_matrix as count_pairs

from tabcast.decisions import Balanced, Costs, MostProbable, Threshold
from tabcast.decisions._rule import DecisionRule
from tabcast.diagnostics import curves, quality, reliability, thresholds
from tabcast.statistics import expected_calibration_error, wilson_interval

NAMES = ["a", "b", "c"]
CLASSES, PRIOR = np.array(["no", "yes"]), np.array([0.8, 0.2])


def test_quality_has_the_numbers_of_scikit_learn():
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 80, p=[0.6, 0.3, 0.1])
    labels, before = (np.where(rng.random(80) < 0.7, codes, rng.integers(3, size=80)) for _ in range(2))
    found = quality(codes, labels, before, NAMES)
    assert (found.confusion == count_pairs(codes, labels, labels=range(3))).all()
    assert found.accuracy == pytest.approx((codes == labels).mean())
    assert found.supervised_accuracy == pytest.approx((codes == before).mean())
    assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(codes, labels))
    assert found.supervised_balanced_accuracy == pytest.approx(balanced_accuracy_score(codes, before))
    per_class = found.per_class
    assert per_class["recall"].tolist() == pytest.approx(recall_score(codes, labels, average=None))
    assert per_class["precision"].tolist() == pytest.approx(precision_score(codes, labels, average=None))
    assert per_class["supervised_recall"].tolist() == pytest.approx(recall_score(codes, before, average=None))
    low, high = wilson_interval(per_class["recall"].to_numpy(), per_class["n"].to_numpy() / 2)
    assert per_class[["recall_low", "recall_high"]].to_numpy() == pytest.approx(np.column_stack([low, high]))


def test_a_class_that_is_never_held_out_or_never_predicted_has_no_number():
    found = quality(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([0, 1, 1]), NAMES)
    assert np.isnan(found.per_class["recall"].iloc[2])
    assert np.isnan(found.per_class["precision"].iloc[1:]).all()
    assert found.balanced_accuracy == 0.5
    assert found.to_dict()["per_class"][2]["recall"] is None


def test_the_interval_of_balanced_accuracy_covers_the_truth():
    rng, recall, inside = np.random.default_rng(0), np.array([0.9, 0.6]), 0
    codes = np.repeat([0, 1], [60, 12])
    for _ in range(200):
        labels = np.where(rng.random(72) < recall[codes], codes, 1 - codes)
        found = quality(codes, labels, labels, NAMES[:2])
        inside += found.balanced_accuracy_low <= 0.75 <= found.balanced_accuracy_high
    assert 0.95 <= inside / 200 <= 1  # wider, because cross-validated rows are not independent of each other


def draw(n, k, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(1, k + 1).sum())
    proba = rng.dirichlet(np.ones(k), n) + 0.4 * np.eye(k)[codes]
    return codes, proba / proba.sum(axis=1, keepdims=True)


def test_curves_have_the_areas_of_scikit_learn():
    codes, proba = draw(60, 2)
    [area] = curves(codes, proba, CLASSES).areas.to_dict("records")
    assert area["class"] == "yes"
    assert area["auc"] == pytest.approx(roc_auc_score(codes, proba[:, 1]))
    assert area["average_precision"] == pytest.approx(average_precision_score(codes, proba[:, 1]))
    assert area["low"] < area["auc"] < area["high"]
    assert (area["n"], area["proportion"]) == ((codes == 1).sum(), pytest.approx((codes == 1).mean()))


def test_curves_of_many_rows_and_classes_stay_small():
    found = curves(*draw(3_000, 9), list("abcdefghi"))
    assert found.areas["class"].tolist() == list("abcdef")
    assert found.roc.groupby("class").size().max() <= 101
    for _, line in found.roc.groupby("class"):
        assert line.iloc[[0, -1], 1:].to_numpy().tolist() == [[0, 0], [1, 1]]
        assert line["recall"].is_monotonic_increasing


def test_one_class_alone_has_no_curve():
    assert curves(np.zeros(5, dtype=int), np.tile([0.6, 0.4], (5, 1)), CLASSES) is None
    found = curves(np.array([0, 0, 1]), np.array([[0.8, 0.1, 0.1]] * 2 + [[0.1, 0.8, 0.1]]), NAMES)
    assert found.areas["class"].tolist() == ["a", "b"]  # no row of c


def test_thresholds_count_each_row():
    rng = np.random.default_rng(0)
    codes, p = rng.integers(2, size=200), rng.random(200).round(2)  # many exactly at a threshold
    proba = np.column_stack([1 - p, p]).astype(np.float32)
    found = thresholds(codes, proba, CLASSES, MostProbable().fit(CLASSES, PRIOR))
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
def test_the_threshold_in_use_is_where_the_rule_changes_its_decision(decision, expected):
    rule = decision.fit(CLASSES, PRIOR)
    at = thresholds(np.array([0, 1]), np.eye(2), CLASSES, rule).in_use
    assert at == pytest.approx(expected, abs=1e-6)
    assert rule.decide([[1 - at + 1e-6, at - 1e-6], [1 - at - 1e-6, at + 1e-6]]).tolist() == [0, 1]


def test_more_than_two_classes_have_no_threshold():
    assert thresholds(np.array([0, 1, 2]), np.eye(3), NAMES, DecisionRule("accuracy", np.eye(3))) is None


def calibrated(n, boldness=1.0):
    """Classes drawn from probabilities, the probabilities, and bolder ones twice."""
    random = np.random.default_rng(0)
    proba = random.dirichlet([1, 1, 1], n)
    codes = (random.random(n)[:, None] > proba.cumsum(axis=1)).sum(axis=1)
    bold = proba**boldness / (proba**boldness).sum(axis=1, keepdims=True)
    return codes, proba, bold, bold


def test_reliability_equals_scikit_learn():
    codes, proba, bold, _ = calibrated(400, boldness=3.0)
    found = reliability(codes, proba, bold, bold)
    for model, said in ((found.supervised, proba), (found.self_trained, bold), (found.kept, bold)):
        right = said.argmax(axis=1) == codes
        accuracy, confidence = calibration_curve(right, said.max(axis=1), n_bins=10, strategy="quantile")
        assert model.bins["accuracy"].to_numpy() == pytest.approx(accuracy)
        assert model.bins["confidence"].to_numpy() == pytest.approx(confidence)
        assert model.log_loss == pytest.approx(log_loss(codes, said))
        assert model.ece == pytest.approx(expected_calibration_error(codes, said, binning="equal_mass"))
        low, high = wilson_interval(model.bins["accuracy"].to_numpy(), model.bins["n"].to_numpy())
        assert model.bins[["low", "high"]].to_numpy() == pytest.approx(np.column_stack([low, high]))


def test_true_probabilities_are_more_reliable_than_bold_ones():
    found = reliability(*calibrated(3000, boldness=4.0))
    assert found.supervised.ece < 0.05 < 0.15 < found.self_trained.ece
    assert found.supervised.log_loss < found.self_trained.log_loss


@pytest.mark.parametrize(("n_rows", "n_bins"), [(3, 1), (12, 2), (45, 4), (1000, 10)])
def test_few_rows_make_few_bins(n_rows, n_bins):
    found = reliability(*calibrated(n_rows))
    assert len(found.supervised.bins) == n_bins
    assert found.supervised.bins["n"].sum() == n_rows


def test_single_precision_and_certain_probabilities(recwarn):
    codes = np.array([0, 1, 1, 0])
    proba = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [0.7000001, 0.3]], dtype=np.float32)
    assert np.isfinite(reliability(codes, proba, proba, proba).supervised.log_loss)
    assert not recwarn.list
