"""TemperatureScaling: the temperature it finds, its limits, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.metrics import log_loss

from tabcast.confidence import TemperatureScaling
from tabcast.confidence._temperature_scaling import COLDEST, HOTTEST


def draw_rows(n_rows, n_classes, factor, seed=0):
    """Probabilities whose logits are `factor` times the true ones, and classes drawn from the true ones."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_rows, n_classes))
    y = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return softmax(factor * logits, axis=1), y


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_finds_the_temperature_that_undoes_the_exaggeration(n_classes, factor):
    proba, y = draw_rows(20_000, n_classes, factor)
    assert TemperatureScaling().calibrate(proba, y).temperature_ == pytest.approx(factor, rel=0.05)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_no_other_temperature_has_a_smaller_log_loss(n_classes):
    proba, y = draw_rows(200, n_classes, 2.5)
    part = TemperatureScaling().calibrate(proba, y)
    best = log_loss(y, part.adjust(proba))
    for factor in (0.9, 0.999, 1.001, 1.1):
        assert log_loss(y, softmax(np.log(proba) / (part.temperature_ * factor), axis=1)) > best


def test_a_share_seen_becomes_the_confidence():
    proba, y = np.tile([0.9, 0.06, 0.04], (10, 1)), np.array([0] * 7 + [1] * 2 + [2])
    part = TemperatureScaling().calibrate(np.tile([0.9, 0.1], (10, 1)), np.minimum(y, 1))
    np.testing.assert_allclose(part.adjust(np.array([[0.9, 0.1]])), [[0.7, 0.3]], rtol=1e-10)
    assert TemperatureScaling().calibrate(proba, y).adjust(proba)[0, 0] == pytest.approx(0.7, abs=0.02)


def test_the_order_of_classes_and_of_rows_stays():
    proba, y = draw_rows(300, 4, 3.0)
    adjusted = TemperatureScaling().calibrate(proba, y).adjust(proba)
    np.testing.assert_array_equal(adjusted.argsort(axis=1), proba.argsort(axis=1))
    two, y = draw_rows(300, 2, 3.0)
    adjusted = TemperatureScaling().calibrate(two, y).adjust(two)
    np.testing.assert_array_equal(adjusted[:, 1].argsort(), two[:, 1].argsort())


@pytest.mark.parametrize(
    ("proba", "y", "temperature"),
    [
        ([[0.8, 0.2], [0.3, 0.7]], [0, 1], COLDEST),  # all right: the likelihood asks for 0
        ([[0.8, 0.2], [0.3, 0.7]], [1, 0], HOTTEST),  # all wrong: it asks for more than infinity
        ([[0.5, 0.5], [0.5, 0.5]], [0, 0], 1.0),  # nothing to tell temperatures apart
        ([[1.0], [1.0]], [0, 0], 1.0),
    ],
)
def test_limits(proba, y, temperature):
    assert TemperatureScaling().calibrate(np.array(proba), np.array(y)).temperature_ == temperature


def test_single_precision_is_as_good_as_the_same_numbers_in_double_precision():
    proba, y = draw_rows(100, 3, 2.0)
    single = proba.astype(np.float32)
    part, again = TemperatureScaling().calibrate(single, y), TemperatureScaling().calibrate(single.astype(float), y)
    assert part.temperature_ == again.temperature_
    assert part.adjust(single).dtype == np.float64


def test_the_row_order_does_not_matter():
    proba, y = draw_rows(100, 3, 2.0)
    order = np.random.default_rng(1).permutation(100)
    shuffled = clone(TemperatureScaling()).calibrate(proba[order], y[order])
    assert shuffled.temperature_ == pytest.approx(TemperatureScaling().calibrate(proba, y).temperature_, rel=1e-10)
