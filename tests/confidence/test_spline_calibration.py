"""SplineCalibration: what the curve gets right, and what must not change it. Its numbers: tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from sklearn.base import clone

from tabcast.confidence import SplineCalibration
from tabcast.confidence._spline_calibration import fit_natural_spline


def two_columns(second):
    return np.column_stack([1 - second, second])


class TestSpline:
    def test_a_natural_spline_is_found_again(self):
        knots = np.linspace(0, 1, 6)
        truth = CubicSpline(knots, [0.0, 0.1, 0.15, 0.4, 0.5, 0.9], bc_type="natural")
        x = np.linspace(0, 1, 101)
        fitted = fit_natural_spline(x, truth(x), 6)
        np.testing.assert_allclose(fitted(x), truth(x), atol=1e-12)
        np.testing.assert_allclose(fitted([0, 1], 2), [0, 0], atol=1e-9)

    def test_no_other_spline_is_nearer(self):
        rng = np.random.default_rng(0)
        x = np.linspace(0, 1, 60)
        values = rng.normal(size=60)
        fitted = fit_natural_spline(x, values, 5)
        least = ((fitted(x) - values) ** 2).sum()
        for knot in range(5):
            moved = fitted(np.linspace(0, 1, 5)) + 0.01 * (np.arange(5) == knot)
            other = CubicSpline(np.linspace(0, 1, 5), moved, bc_type="natural")
            assert ((other(x) - values) ** 2).sum() > least


def test_finds_a_smooth_true_probability():
    rng = np.random.default_rng(0)
    claimed = rng.random(20_000)
    truth = 0.2 + 0.5 * claimed**2
    part = SplineCalibration().calibrate(two_columns(claimed), (rng.random(20_000) < truth).astype(int))
    grid = np.linspace(0.02, 0.9, 30)  # at the upper end a natural spline is straight, and the truth is not
    np.testing.assert_allclose(part.adjust(two_columns(grid))[:, 1], 0.2 + 0.5 * grid**2, atol=0.02)


def test_equal_confidences_become_their_accuracy():
    part = SplineCalibration().calibrate(np.tile([0.1, 0.9], (10, 1)), np.array([1] * 7 + [0] * 3))
    np.testing.assert_allclose(part.adjust(np.array([[0.1, 0.9], [0.6, 0.4]])), [[0.3, 0.7]] * 2, atol=1e-10)


def test_the_order_of_held_out_rows_does_not_matter_even_for_equal_confidences():
    rng = np.random.default_rng(0)
    proba = np.round(rng.dirichlet(np.ones(3), size=80), 1)
    proba /= proba.sum(axis=1, keepdims=True)
    y, order = rng.integers(3, size=80), rng.permutation(80)
    one, other = SplineCalibration().calibrate(proba, y), SplineCalibration().calibrate(proba[order], y[order])
    np.testing.assert_allclose(one.adjust(proba), other.adjust(proba), atol=1e-10)


def test_the_order_of_classes_does_not_matter():
    rng = np.random.default_rng(0)
    second = np.round(rng.random(90), 2)
    proba, y = two_columns(second), rng.integers(2, size=90)
    adjusted = SplineCalibration().calibrate(proba, y).adjust(proba)
    swapped = SplineCalibration().calibrate(proba[:, ::-1], 1 - y).adjust(proba[:, ::-1])
    np.testing.assert_allclose(adjusted, swapped[:, ::-1], atol=1e-10)


def test_only_ranks_of_held_out_confidences_count():
    rng = np.random.default_rng(0)
    second = rng.random(100)
    y = (rng.random(100) < second).astype(int)
    plain = SplineCalibration().calibrate(two_columns(second), y).adjust(two_columns(second))
    cubed = SplineCalibration().calibrate(two_columns(second**3), y).adjust(two_columns(second**3))
    np.testing.assert_allclose(plain, cubed, atol=1e-10)


def test_outside_the_held_out_range_the_nearest_counts():
    rng = np.random.default_rng(0)
    second = rng.uniform(0.3, 0.7, size=100)
    part = SplineCalibration().calibrate(two_columns(second), (rng.random(100) < second).astype(int))
    ends = np.array([second.min(), 0.0, second.max(), 1.0])
    low, zero, high, one = part.adjust(two_columns(ends))[:, 1]
    assert (zero, one) == (low, high)
    assert low < high


def test_more_knots_follow_the_held_out_rows_closer():
    rng = np.random.default_rng(0)
    second = rng.random(200)
    proba, y = two_columns(second), (rng.random(200) < np.where(second % 0.4 < 0.2, 0.9, 0.1)).astype(int)
    errors = [np.mean((SplineCalibration(n).calibrate(proba, y).adjust(proba)[:, 1] - y) ** 2) for n in (2, 6, 20)]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("n_knots", [1, 0, 6.0, True, "six"])
def test_number_of_knots(n_knots):
    part = clone(SplineCalibration(n_knots))
    with pytest.raises(ValueError, match=r"`n_knots` of SplineCalibration must be an integer of at least 2; got"):
        part.calibrate(np.array([[0.5, 0.5]]), np.array([0]))
