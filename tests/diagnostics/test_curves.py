"""ROC and precision-recall curves of held-out rows."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from sklearn.metrics import average_precision_score, roc_auc_score

from tabcast.diagnostics import curves


def draw(n, k, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(1, k + 1).sum())
    proba = rng.dirichlet(np.ones(k), n) + 0.4 * np.eye(k)[codes]
    return codes, proba / proba.sum(axis=1, keepdims=True)


def test_areas_are_those_of_scikit_learn_and_belong_to_the_curve():
    codes, proba = draw(60, 2)
    found = curves(codes, proba, ["no", "yes"])
    [area] = found.areas.to_dict("records")
    assert area["class"] == "yes"
    assert area["auc"] == pytest.approx(roc_auc_score(codes, proba[:, 1]))
    assert area["average_precision"] == pytest.approx(average_precision_score(codes, proba[:, 1]))
    assert trapezoid(found.roc["recall"], found.roc["false_positive_rate"]) == pytest.approx(area["auc"])
    assert area["low"] < area["auc"] < area["high"]
    assert (area["n"], area["proportion"]) == ((codes == 1).sum(), pytest.approx((codes == 1).mean()))


def test_many_rows_and_classes_stay_small():
    codes, proba = draw(3_000, 9)
    found = curves(codes, proba, list("abcdefghi"))
    assert found.areas["class"].tolist() == list("abcdef")
    assert found.roc.groupby("class").size().max() <= 101
    for _, line in found.roc.groupby("class"):
        assert (line.iloc[0, 1:] == 0).all()
        assert (line.iloc[-1, 1:] == 1).all()
        assert line["recall"].is_monotonic_increasing
    for _, line in found.precision_recall.groupby("class"):
        assert line["recall"].is_monotonic_increasing


def test_one_class_alone_has_no_curve():
    assert curves(np.zeros(5, dtype=int), np.tile([0.6, 0.4], (5, 1)), ["no", "yes"]) is None
    found = curves(np.array([0, 0, 1]), np.array([[0.8, 0.1, 0.1]] * 2 + [[0.1, 0.8, 0.1]]), list("abc"))
    assert found.areas["class"].tolist() == ["a", "b"]  # no row of c
