"""Reliability bins against scikit-learn's numbers."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import log_loss

from tabcast.diagnostics import reliability
from tabcast.statistics import expected_calibration_error, wilson_interval


def draw(n, seed=0, boldness=1.0):
    """True probabilities of three classes, classes drawn from them, and bolder probabilities."""
    random = np.random.default_rng(seed)
    proba = random.dirichlet([1, 1, 1], n)
    codes = (random.random(n)[:, None] > proba.cumsum(axis=1)).sum(axis=1)
    bold = proba**boldness
    return codes, proba, bold / bold.sum(axis=1, keepdims=True)


def test_equals_scikit_learn():
    codes, proba, bold = draw(400, boldness=3.0)
    found = reliability(codes, proba, bold)
    for model, said in ((found.supervised, proba), (found.self_trained, bold)):
        right = said.argmax(axis=1) == codes
        accuracy, confidence = calibration_curve(right, said.max(axis=1), n_bins=10, strategy="quantile")
        assert model.bins["accuracy"].to_numpy() == pytest.approx(accuracy)
        assert model.bins["confidence"].to_numpy() == pytest.approx(confidence)
        assert model.log_loss == pytest.approx(log_loss(codes, said))
        assert model.ece == pytest.approx(expected_calibration_error(codes, said, binning="equal_mass"))
        gaps = (model.bins["accuracy"] - model.bins["confidence"]).abs()
        assert model.ece == pytest.approx(np.average(gaps, weights=model.bins["n"]))  # the picture and the number agree
        low, high = wilson_interval(model.bins["accuracy"].to_numpy(), model.bins["n"].to_numpy())
        assert model.bins["low"].to_numpy() == pytest.approx(low)
        assert model.bins["high"].to_numpy() == pytest.approx(high)


def test_true_probabilities_are_more_reliable_than_bold_ones():
    found = reliability(*draw(3000, boldness=4.0))
    assert found.supervised.ece < 0.05 < 0.15 < found.self_trained.ece
    assert found.supervised.log_loss < found.self_trained.log_loss
    inside = found.supervised.bins.eval("low <= confidence <= high")
    assert inside.mean() >= 0.7


@pytest.mark.parametrize(("n_rows", "n_bins"), [(3, 1), (12, 2), (45, 4), (1000, 10)])
def test_few_rows_make_few_bins(n_rows, n_bins):
    found = reliability(*draw(n_rows))
    assert len(found.supervised.bins) == n_bins
    assert found.supervised.bins["n"].sum() == n_rows


def test_single_precision_and_certain_probabilities(recwarn):
    codes = np.array([0, 1, 1, 0])
    proba = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [0.7000001, 0.3]], dtype=np.float32)
    found = reliability(codes, proba, proba).to_dict()
    assert np.isfinite(found["supervised"]["log_loss"])
    assert not recwarn.list
