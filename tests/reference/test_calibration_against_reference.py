"""Calibrators and calibration error equal their reference implementations."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.confidence import HistogramBinning, SplineCalibration
from tabcast.statistics import expected_calibration_error

from .reference_calibration import (
    reference_expected_calibration_error,
    reference_histogram_binning,
    reference_spline_calibration,
)

COUNTED = 1e-12
SOLVED = 1e-8  # two bases of the same splines, one of them ill-conditioned

every_size = pytest.mark.parametrize(("n_classes", "n_rows"), [(2, 10), (2, 150), (3, 10), (5, 150)])


def draw_rows(n_classes, n_rows, seed, decimals=None):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.7), size=n_rows)
    if decimals is not None:
        proba = rng.multinomial(10**decimals, proba) / 10**decimals
    return proba, rng.integers(n_classes, size=n_rows)


@every_size
@pytest.mark.parametrize("decimals", [None, 1, 2])  # rounded confidences lie on the edges of bins
@pytest.mark.parametrize("n_bins", [1, 5, 10])
def test_histogram_binning(n_classes, n_rows, decimals, n_bins):
    held_out, y = draw_rows(n_classes, n_rows, 0, decimals)
    proba, _ = draw_rows(n_classes, 40, 1, decimals)
    ours = HistogramBinning(n_bins).calibrate(held_out, y).adjust(proba)
    np.testing.assert_allclose(ours, reference_histogram_binning(held_out, y, proba, n_bins), atol=COUNTED)


@every_size
@pytest.mark.parametrize("n_knots", [2, 3, 6, 9])
def test_spline_calibration(n_classes, n_rows, n_knots):
    held_out, y = draw_rows(n_classes, n_rows, 0)
    proba, _ = draw_rows(n_classes, 40, 1)
    ours = SplineCalibration(n_knots).calibrate(held_out, y).adjust(proba)
    np.testing.assert_allclose(ours, reference_spline_calibration(held_out, y, proba, n_knots), atol=SOLVED)


@every_size
@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("n_bins", [1, 5, 10])
def test_expected_calibration_error(n_classes, n_rows, decimals, n_bins):
    proba, y = draw_rows(n_classes, n_rows, 0, decimals)
    expected = reference_expected_calibration_error(y, proba, n_bins)
    assert expected_calibration_error(y, proba, n_bins=n_bins) == pytest.approx(expected, abs=COUNTED)
