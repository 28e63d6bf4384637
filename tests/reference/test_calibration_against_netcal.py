"""Temperature scaling, histogram binning and calibration errors give the numbers of netcal, which the paper used.

netcal's conventions, from its source: with two classes it uses the second column only, for calibration and for
errors (so its ECE of two classes is that of the second class and not of the predicted one); histogram binning takes
each class against all others and divides by the sum; it fills empty bins with their middle. It fits [a, b) and applies
(a, b], which differs from ours only for confidences on an edge: random ones have none.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from tabcast.confidence import HistogramBinning, TemperatureScaling
from tabcast.statistics import expected_calibration_error

scaling = pytest.importorskip("netcal.scaling", exc_type=ImportError)
binning = pytest.importorskip("netcal.binning", exc_type=ImportError)
metrics = pytest.importorskip("netcal.metrics", exc_type=ImportError)

# Deprecations inside netcal, pyro and torch are not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.parametrize("n_classes", [2, 5]),
    pytest.mark.parametrize("seed", [0, 1]),
]

PROMISED = 1e-6
CONVERGED = 1e-9
ROUNDED = 1e-12


def draw_rows(n_classes, seed, n_rows=1004):
    """Over-confident probabilities. 1,003 has no factor 2, 3, 5 or 7, so no row lies on an edge of equal mass."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_rows, n_classes))
    y = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return softmax(2.5 * logits, axis=1), y


def whole_rows(theirs):
    """netcal returns one column for two classes."""
    return np.column_stack([1 - theirs, theirs]) if theirs.ndim == 1 else theirs


def netcal_temperature(proba, y, new):
    peer = scaling.TemperatureScaling()
    peer.fit(proba, y, tensorboard=False)
    return whole_rows(peer.transform(new))


def test_temperature_scaling_as_netcal_comes(n_classes, seed):
    """Its optimizer stops at a relative change of 2e-9 with numerical gradients, near enough for the promise."""
    proba, y = draw_rows(n_classes, seed)
    new, _ = draw_rows(n_classes, seed + 100)
    ours = TemperatureScaling().calibrate(proba, y).adjust(new)
    np.testing.assert_allclose(ours, netcal_temperature(proba, y, new), atol=PROMISED, rtol=0)
    assert np.abs(ours - new).max() > 0.1


def test_temperature_scaling_with_the_optimizer_of_netcal_run_to_its_end(n_classes, seed, monkeypatch):
    patient = partial(minimize, jac="3-point", options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 1000})
    monkeypatch.setattr(import_module("netcal.scaling.AbstractLogisticRegression"), "minimize", patient)
    proba, y = draw_rows(n_classes, seed)
    new, _ = draw_rows(n_classes, seed + 100)
    ours = TemperatureScaling().calibrate(proba, y).adjust(new)
    np.testing.assert_allclose(ours, netcal_temperature(proba, y, new), atol=CONVERGED, rtol=0)


@pytest.mark.parametrize("n_bins", [7, 10])
def test_histogram_binning(n_classes, seed, n_bins):
    proba, y = draw_rows(n_classes, seed)
    new, _ = draw_rows(n_classes, seed + 100)
    peer = binning.HistogramBinning(n_bins)
    peer.fit(proba, y)
    ours = HistogramBinning(n_bins).calibrate(proba, y).adjust(new)
    np.testing.assert_allclose(ours, whole_rows(peer.transform(new)), atol=ROUNDED, rtol=0)


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")
def test_histogram_binning_with_empty_bins(n_classes, seed):
    proba, y = draw_rows(n_classes, seed, n_rows=25)
    new, _ = draw_rows(n_classes, seed + 100)
    peer = binning.HistogramBinning(20)
    peer.fit(proba, y)
    theirs = whole_rows(peer.transform(new))
    ours = HistogramBinning(20).calibrate(proba, y).adjust(new)
    known = np.isfinite(theirs).all(axis=1)  # netcal divides 0 by 0 where no class has a share; we keep the row
    np.testing.assert_allclose(ours[known], theirs[known], atol=ROUNDED, rtol=0)
    np.testing.assert_allclose(ours[~known], new[~known], atol=ROUNDED, rtol=0)
    assert known.mean() > 0.5


@pytest.mark.parametrize("n_bins", [7, 10])
@pytest.mark.parametrize("equal_mass", [False, True])
def test_calibration_errors_of_the_predicted_class(n_classes, seed, n_bins, equal_mass):
    proba, y = draw_rows(n_classes, seed)
    # Two classes are given to netcal as "confidence and whether it was right", or it would measure the second class.
    rows = (proba, y) if n_classes > 2 else (proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int))
    options = {"n_bins": n_bins, "binning": "equal_mass" if equal_mass else "equal_width"}
    peer = {"bins": n_bins, "equal_intervals": not equal_mass}
    ours = expected_calibration_error(y, proba, **options)
    assert ours == pytest.approx(metrics.ECE(**peer).measure(*rows), abs=ROUNDED)
    assert ours > 0.05
