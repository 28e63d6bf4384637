"""Calibrators: probabilities from whatever they are given, and smaller errors. Their numbers: tests/reference."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from tabcast.confidence import GaussianProcessCalibration, HistogramBinning, SplineCalibration, TemperatureScaling
from tabcast.confidence._calibration import COLDEST, HOTTEST, fit_natural_spline
from tabcast.statistics import expected_calibration_error
from tests.conftest import read_dataset

CALIBRATORS = [
    pytest.param(TemperatureScaling(), id="temperature"),
    pytest.param(HistogramBinning(), id="histogram"),
    pytest.param(SplineCalibration(), id="spline"),
]
SLOW_PROCESS = pytest.param(
    GaussianProcessCalibration(random_state=0),
    id="gaussian_process",
    marks=[pytest.mark.slow, pytest.mark.skipif(find_spec("gpytorch") is None, reason="gpytorch is not installed")],
)
every_calibrator = pytest.mark.parametrize("calibrator", [*CALIBRATORS, SLOW_PROCESS])


def draw_rows(n_rows, n_classes, factor, seed=0):
    """Probabilities whose logits are `factor` times the true ones, and classes drawn from the true ones."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_rows, n_classes))
    y = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return softmax(factor * logits, axis=1), y


def two_columns(second):
    return np.column_stack([1 - second, second])


def zeros_and_ones():
    y = np.arange(40) % 3
    return np.eye(3)[np.where(np.arange(40) % 5 == 0, (y + 1) % 3, y)], y


AWKWARD = {
    "one class missing": (lambda proba, y: (proba[y != 2], y[y != 2]))(*draw_rows(60, 4, 2.0)),
    "one class only": (lambda proba, y: (proba[y == 0], y[y == 0]))(*draw_rows(60, 2, 2.0)),
    "all confidences equal": (np.tile([0.5, 0.3, 0.2], (30, 1)), np.arange(30) % 3),
    "all classes equal": (np.full((20, 4), 0.25), np.arange(20) % 4),
    "ten rows of five classes": draw_rows(10, 5, 2.0),
    "one row": draw_rows(1, 3, 2.0),
    "zeros and ones, some wrong": zeros_and_ones(),
    "zeros and ones, all right": (np.eye(2)[np.arange(20) % 2], np.arange(20) % 2),
    "zeros and ones, all wrong": (np.eye(2)[np.arange(20) % 2], (np.arange(20) + 1) % 2),
    "single precision": (draw_rows(50, 3, 2.0)[0].astype(np.float32), draw_rows(50, 3, 2.0)[1]),
}


@every_calibrator
@pytest.mark.parametrize("case", AWKWARD)
def test_gives_probabilities_whatever_the_held_out_rows(calibrator, case):
    proba, y = AWKWARD[case]
    n_classes = proba.shape[1]
    new = np.vstack([proba, draw_rows(20, n_classes, 1.0)[0], np.eye(n_classes), np.full(n_classes, 1 / n_classes)])
    adjusted = clone(calibrator).calibrate(proba, y).adjust(new)
    assert adjusted.shape == new.shape
    assert (adjusted >= 0).all()
    np.testing.assert_allclose(adjusted.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("calibrator", CALIBRATORS)
@pytest.mark.parametrize(
    ("proba", "y", "message"),
    [
        (np.empty((0, 2)), [], "needs at least one held-out row to calibrate; `proba` has none."),
        ([0.5, 0.5], [0, 1], r"must have shape \(n_rows, n_classes\); got \(2,\)."),
        ([[0.5, 0.5]], [0, 1], r"must hold one class index for each of 1 rows; got \(2,\)."),
        ([[0.5, 0.5]], [2], "must hold class indices, integers from 0 to 1; got 2."),
        ([[0.5, 0.5]], ["yes"], "must hold class indices, integers from 0 to 1; got 'yes'."),
        ([[0.5, 0.5]], [1.0], "must hold class indices, integers from 0 to 1; got 'float64'."),
        ([[0.5, np.nan]], [0], r"must hold numbers in \[0, 1\]; got nan."),
        ([[-0.5, 1.5]], [0], r"must hold numbers in \[0, 1\]; got -0.5."),
    ],
)
def test_what_is_no_held_out_row_is_refused(calibrator, proba, y, message):
    with pytest.raises(ValueError, match=f"{type(calibrator).__name__} {message}"):
        clone(calibrator).calibrate(np.array(proba), np.array(y))


@pytest.mark.parametrize("calibrator", CALIBRATORS)
def test_before_calibration_and_with_another_number_of_classes(calibrator):
    name, row = type(calibrator).__name__, np.array([[0.5, 0.5]])
    with pytest.raises(NotFittedError, match=f"{name} is not calibrated yet: call `calibrate` on held-out rows first."):
        clone(calibrator).adjust(row)
    with pytest.raises(ValueError, match=f"`proba` of {name} must have the 3 columns it was calibrated with; got 2."):
        clone(calibrator).calibrate(*draw_rows(20, 3, 1.0)).adjust(row)


@pytest.mark.parametrize(
    ("calibrator", "message"),
    [
        (HistogramBinning(0), "`n_bins` of HistogramBinning must be an integer of at least 1; got 0"),
        (SplineCalibration(1), "`n_knots` of SplineCalibration must be an integer of at least 2; got 1"),
        (GaussianProcessCalibration(0), "`n_inducing_points` of Gauss.* must be an integer of at least 1; got 0"),
        (GaussianProcessCalibration(max_iter=0), "`max_iter` of Gauss.* must be an integer of at least 1; got 0"),
    ],
)
def test_bad_parameters_are_refused(calibrator, message):
    with pytest.raises(ValueError, match=message):
        calibrator.calibrate(np.array([[0.5, 0.5]]), np.array([0]))


@pytest.fixture(scope="module")
def over_confident():
    """Held-out and test probabilities of a deep XGBoost fitted to 150 rows of each dataset."""
    xgboost = pytest.importorskip("xgboost")
    results = {}
    for name in ["car", "cmc", "credit-g", "diabetes", "vehicle"]:
        X, labels = read_dataset(name)
        y, _ = pd.factorize(labels.astype(str), sort=True)
        X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=150, stratify=y, random_state=0)
        model = xgboost.XGBClassifier(
            n_estimators=100, max_depth=8, min_child_weight=0, reg_lambda=0.1, enable_categorical=True, n_jobs=1
        ).fit(X_train, y_train)
        results[name] = train_test_split(
            model.predict_proba(X_rest), y_rest, train_size=300, stratify=y_rest, random_state=0
        )
    return results


@every_calibrator
def test_lowers_the_error_of_an_over_confident_xgboost(calibrator, over_confident):
    """On at least four of five tables: the ECE, and for the Gaussian process the log-loss, on rows nobody has seen."""
    measure = log_loss if isinstance(calibrator, GaussianProcessCalibration) else expected_calibration_error
    errors = []
    for held_out, proba, y_held, y in over_confident.values():
        adjusted = clone(calibrator).calibrate(held_out, y_held).adjust(proba)
        errors.append([measure(y, proba.astype(float)), measure(y, adjusted)])
    before, after = np.array(errors).T
    assert (after < before).sum() >= 4, errors
    assert after.mean() < before.mean() / 1.5, errors


class TestTemperature:
    @pytest.mark.parametrize("n_classes", [2, 5])
    @pytest.mark.parametrize("factor", [0.5, 3.0])
    def test_finds_the_temperature_that_undoes_the_exaggeration(self, n_classes, factor):
        proba, y = draw_rows(20_000, n_classes, factor)
        assert TemperatureScaling().calibrate(proba, y).temperature_ == pytest.approx(factor, rel=0.05)

    def test_no_other_temperature_has_a_smaller_log_loss(self):
        proba, y = draw_rows(200, 5, 2.5)
        part = TemperatureScaling().calibrate(proba, y)
        best = log_loss(y, part.adjust(proba))
        for factor in (0.9, 0.999, 1.001, 1.1):
            assert log_loss(y, softmax(np.log(proba) / (part.temperature_ * factor), axis=1)) > best

    @pytest.mark.parametrize(
        ("proba", "y", "temperature"),
        [
            ([[0.8, 0.2], [0.3, 0.7]], [0, 1], COLDEST),  # all right: the likelihood asks for 0
            ([[0.8, 0.2], [0.3, 0.7]], [1, 0], HOTTEST),  # all wrong: it asks for more than infinity
            ([[0.5, 0.5], [0.5, 0.5]], [0, 0], 1.0),  # nothing to tell temperatures apart
        ],
    )
    def test_limits(self, proba, y, temperature):
        assert TemperatureScaling().calibrate(np.array(proba), np.array(y)).temperature_ == temperature


class TestHistogram:
    def test_the_upper_edge_belongs_to_a_bin_and_an_empty_bin_gives_its_middle(self):
        quarters = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
        part = HistogramBinning(n_bins=4).calibrate(two_columns(quarters), np.array([1, 1, 0, 1, 0]))
        np.testing.assert_allclose(part.adjust(two_columns(quarters))[:, 1], [1, 1, 0, 1, 0], rtol=1e-12)
        just_above = np.nextafter(quarters[:4], 1)
        np.testing.assert_allclose(part.adjust(two_columns(just_above))[:, 1], [1, 0, 1, 0])
        part = HistogramBinning(n_bins=5).calibrate(np.array([[0.9, 0.1]]), np.array([0]))
        np.testing.assert_allclose(part.adjust(np.array([[0.32, 0.68]])), [[0.3, 0.7]], rtol=1e-12)

    def test_three_classes_are_divided_by_their_sum(self):
        proba = np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.3, 0.1, 0.6], [0.1, 0.6, 0.3]])
        part = HistogramBinning(n_bins=2).calibrate(proba, np.array([0, 1, 2, 1]))
        adjusted = part.adjust(np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]]))
        np.testing.assert_allclose(adjusted, [[0.6, 0.4, 0], [0, 1, 0]], rtol=1e-12)

    def test_a_row_that_no_class_claims_keeps_its_probabilities(self):
        proba = np.array([[0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [0.2, 0.4, 0.4]])
        part = HistogramBinning(n_bins=4).calibrate(proba, np.array([2, 1, 0]))
        row = np.array([[0.34, 0.35, 0.31]])
        np.testing.assert_allclose(part.adjust(row), row, rtol=1e-12)


class TestSpline:
    def test_a_natural_spline_is_found_again(self):
        truth = CubicSpline(np.linspace(0, 1, 6), [0.0, 0.1, 0.15, 0.4, 0.5, 0.9], bc_type="natural")
        x = np.linspace(0, 1, 101)
        np.testing.assert_allclose(fit_natural_spline(x, truth(x), 6)(x), truth(x), atol=1e-12)

    def test_finds_a_smooth_true_probability(self):
        rng = np.random.default_rng(0)
        claimed = rng.random(20_000)
        truth = 0.2 + 0.5 * claimed**2
        part = SplineCalibration().calibrate(two_columns(claimed), (rng.random(20_000) < truth).astype(int))
        grid = np.linspace(0.02, 0.9, 30)  # at the upper end a natural spline is straight, and the truth is not
        np.testing.assert_allclose(part.adjust(two_columns(grid))[:, 1], 0.2 + 0.5 * grid**2, atol=0.02)

    def test_the_order_of_rows_and_classes_does_not_matter_even_for_equal_confidences(self):
        rng = np.random.default_rng(0)
        proba = two_columns(np.round(rng.random(90), 1))
        y, order = rng.integers(2, size=90), rng.permutation(90)
        expected = SplineCalibration().calibrate(proba, y).adjust(proba)
        shuffled = SplineCalibration().calibrate(proba[order], y[order]).adjust(proba)
        np.testing.assert_allclose(shuffled, expected, atol=1e-10)
        swapped = SplineCalibration().calibrate(proba[:, ::-1], 1 - y).adjust(proba[:, ::-1])
        np.testing.assert_allclose(swapped[:, ::-1], expected, atol=1e-10)

    def test_outside_the_held_out_range_the_nearest_counts(self):
        rng = np.random.default_rng(0)
        second = rng.uniform(0.3, 0.7, size=100)
        part = SplineCalibration().calibrate(two_columns(second), (rng.random(100) < second).astype(int))
        low, zero, high, one = part.adjust(two_columns(np.array([second.min(), 0.0, second.max(), 1.0])))[:, 1]
        assert (zero, one) == (low, high)
