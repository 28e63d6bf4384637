"""What every calibrator owes its users: probabilities from whatever it is given, and smaller errors on real tables."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from tabcast.confidence import (
    Chain,
    ClusterAware,
    GaussianProcessCalibration,
    HistogramBinning,
    SplineCalibration,
    TemperatureScaling,
)
from tabcast.density import EmpiricalLikelihood
from tabcast.statistics import expected_calibration_error
from tests.conftest import read_dataset

NAMES = ["car", "cmc", "credit-g", "diabetes", "vehicle"]

needs_gpytorch = pytest.mark.skipif(find_spec("gpytorch") is None, reason="gpytorch is not installed")
CALIBRATORS = [
    pytest.param(TemperatureScaling(), id="temperature"),
    pytest.param(HistogramBinning(), id="histogram"),
    pytest.param(SplineCalibration(), id="spline"),
    pytest.param(GaussianProcessCalibration(random_state=0), id="gaussian_process", marks=needs_gpytorch),
]
every_calibrator = pytest.mark.parametrize("calibrator", CALIBRATORS)
slow_process = pytest.param(
    GaussianProcessCalibration(random_state=0), id="gaussian_process", marks=[needs_gpytorch, pytest.mark.slow]
)
every_calibrator_at_length = pytest.mark.parametrize("calibrator", [*CALIBRATORS[:3], slow_process])


def held_out_rows(n_rows, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.5), size=n_rows)
    return proba, (proba.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)


def one_class_missing():
    proba, y = held_out_rows(60, 4)
    return proba[y != 2], y[y != 2]


def one_class_only():
    proba, y = held_out_rows(60, 2)
    return proba[y == 0], y[y == 0]


def zeros_and_ones():
    y = np.arange(40) % 3
    return np.eye(3)[np.where(np.arange(40) % 5 == 0, (y + 1) % 3, y)], y


AWKWARD = {
    "one class missing": one_class_missing(),
    "one class only": one_class_only(),
    "all confidences equal": (np.tile([0.5, 0.3, 0.2], (30, 1)), np.arange(30) % 3),
    "all classes equal": (np.full((20, 4), 0.25), np.arange(20) % 4),
    "ten rows of two classes": held_out_rows(10, 2),
    "ten rows of five classes": held_out_rows(10, 5),
    "one row": held_out_rows(1, 3),
    "zeros and ones, some wrong": zeros_and_ones(),
    "zeros and ones, all right": (np.eye(2)[np.arange(20) % 2], np.arange(20) % 2),
    "zeros and ones, all wrong": (np.eye(2)[np.arange(20) % 2], (np.arange(20) + 1) % 2),
    "single precision": (held_out_rows(50, 3)[0].astype(np.float32), held_out_rows(50, 3)[1]),
}


@every_calibrator_at_length
@pytest.mark.parametrize("case", AWKWARD)
def test_gives_probabilities_whatever_the_held_out_rows(calibrator, case):
    check_probabilities(calibrator, *AWKWARD[case])


@needs_gpytorch
@pytest.mark.parametrize("case", ["one class only", "all classes equal", "one row", "zeros and ones, all wrong"])
def test_a_process_gives_probabilities_whatever_the_held_out_rows(case):
    check_probabilities(GaussianProcessCalibration(random_state=0), *AWKWARD[case])


def check_probabilities(calibrator, proba, y):
    n_classes = proba.shape[1]
    new = np.vstack(
        [proba, held_out_rows(20, n_classes, seed=1)[0], np.eye(n_classes), np.full(n_classes, 1 / n_classes)]
    )
    adjusted = clone(calibrator).calibrate(proba, y).adjust(new)
    assert adjusted.shape == new.shape
    assert np.isfinite(adjusted).all()
    assert (adjusted >= 0).all()
    np.testing.assert_allclose(adjusted.sum(axis=1), 1, rtol=1e-12)


@every_calibrator
def test_adjusts_each_row_by_itself(calibrator):
    proba, y = held_out_rows(40, 3)
    part = clone(calibrator).calibrate(proba, y)
    new, _ = held_out_rows(9, 3, seed=1)
    whole = part.adjust(new)
    np.testing.assert_allclose(np.vstack([part.adjust(row[None]) for row in new]), whole, rtol=1e-12)
    assert part.adjust(new[:0]).shape == (0, 3)


@every_calibrator
def test_forgets_what_it_learned_before(calibrator):
    first, second, new = held_out_rows(40, 3), held_out_rows(25, 5, seed=1), held_out_rows(10, 5, seed=2)[0]
    again = clone(calibrator).calibrate(*first).calibrate(*second)
    np.testing.assert_array_equal(again.adjust(new), clone(calibrator).calibrate(*second).adjust(new))


@every_calibrator
def test_changes_neither_its_parameters_nor_its_input(calibrator):
    proba, y = held_out_rows(40, 3)
    copies, part = (proba.copy(), y.copy()), clone(calibrator)
    part.calibrate(proba, y).adjust(proba)
    np.testing.assert_array_equal(proba, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    assert part.get_params() == calibrator.get_params()


@every_calibrator
def test_asks_for_held_out_rows_and_works_on_any_rows(calibrator):
    assert calibrator.needs_held_out
    assert not calibrator.knows_only_pool


@every_calibrator
def test_before_calibration(calibrator):
    name = type(calibrator).__name__
    with pytest.raises(NotFittedError, match=f"{name} is not calibrated yet: call `calibrate` on held-out rows first."):
        clone(calibrator).adjust(np.array([[0.5, 0.5]]))


@every_calibrator
@pytest.mark.parametrize(
    ("proba", "y", "message"),
    [
        (np.empty((0, 2)), [], "needs at least one held-out row to calibrate; `proba` has none."),
        ([0.5, 0.5], [0, 1], r"must have shape \(n_rows, n_classes\); got \(2,\)."),
        ([[0.5, 0.5]], [0, 1], r"must hold one class index for each of 1 rows; got \(2,\)."),
        ([[0.5, 0.5]], [2], "must hold class indices, integers from 0 to 1; got 2."),
        ([[0.5, 0.5]], [-1], "must hold class indices, integers from 0 to 1; got -1."),
        ([[0.5, 0.5]], ["yes"], "must hold class indices, integers from 0 to 1; got 'yes'."),
        ([[0.5, 0.5]], [1.0], "must hold class indices, integers from 0 to 1; got 'float64'."),
        ([[0.5, np.nan]], [0], r"must hold numbers in \[0, 1\]; got nan."),
        ([[-0.5, 1.5]], [0], r"must hold numbers in \[0, 1\]; got -0.5."),
    ],
)
def test_what_is_no_held_out_row(calibrator, proba, y, message):
    with pytest.raises(ValueError, match=f"{type(calibrator).__name__} {message}"):
        clone(calibrator).calibrate(np.array(proba), np.array(y))


@every_calibrator
def test_another_number_of_classes(calibrator):
    part = clone(calibrator).calibrate(*held_out_rows(20, 3))
    name = type(calibrator).__name__
    with pytest.raises(ValueError, match=f"`proba` of {name} must have the 3 columns it was calibrated with; got 2."):
        part.adjust(np.array([[0.5, 0.5]]))


@every_calibrator
def test_in_a_chain_before_the_cluster_aware_part(calibrator):
    rng = np.random.default_rng(0)
    X, pool, y = rng.normal(size=(40, 2)), rng.normal(size=(15, 2)), np.arange(40) % 2
    held_out, proba = held_out_rows(30, 2), held_out_rows(15, 2, seed=1)[0]
    chain = Chain([clone(calibrator), ClusterAware(EmpiricalLikelihood(), alpha=0.4)])
    assert chain.needs_held_out
    chain.prepare(X, y, pool, n_classes=2).calibrate(*held_out)
    calibrated = clone(calibrator).calibrate(*held_out).adjust(proba)
    np.testing.assert_allclose(chain.adjust(proba), calibrated * (0.4 * chain.gamma + 0.6), rtol=1e-12)


@pytest.fixture(scope="module")
def over_confident():
    """Held-out and test probabilities of a deep XGBoost fitted to 150 rows of each dataset."""
    xgboost = pytest.importorskip("xgboost")
    results = {}
    for name in NAMES:
        X, labels = read_dataset(name)
        y, _ = pd.factorize(labels.astype(str), sort=True)
        X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=150, stratify=y, random_state=0)
        X_held, X_test, y_held, y_test = train_test_split(
            X_rest, y_rest, train_size=300, stratify=y_rest, random_state=0
        )
        model = xgboost.XGBClassifier(
            n_estimators=300, max_depth=8, min_child_weight=0, reg_lambda=0.1, enable_categorical=True, n_jobs=1
        ).fit(X_train, y_train)
        results[name] = (model.predict_proba(X_held), y_held, model.predict_proba(X_test), y_test)
    return results


@every_calibrator_at_length
def test_lowers_the_error_of_an_over_confident_xgboost(calibrator, over_confident):
    """On at least four of five tables: the ECE, and for the Gaussian process the log-loss, on rows nobody has seen."""
    rows = {}
    for name, (held_out, y_held, proba, y) in over_confident.items():
        adjusted = clone(calibrator).calibrate(held_out, y_held).adjust(proba)
        for stage, values in (("before", proba.astype(float)), ("after", adjusted)):
            # A bin without a row of the class gives 0, of which one such row would make an infinite log-loss.
            values = np.clip(values, 1e-6, None) / np.clip(values, 1e-6, None).sum(axis=1, keepdims=True)
            rows[name, stage] = {"ECE": expected_calibration_error(y, values), "log-loss": log_loss(y, values)}
    errors = pd.DataFrame(rows).T.unstack()
    print(f"\n{calibrator}\n{errors.round(3)}\naverages\n{errors.mean().round(3).to_string()}")  # seen with pytest -s
    measure = "log-loss" if isinstance(calibrator, GaussianProcessCalibration) else "ECE"
    assert (errors[measure, "after"] < errors[measure, "before"]).sum() >= 4, errors
    assert errors[measure, "after"].mean() < errors[measure, "before"].mean() / 1.5, errors
