"""The power of probabilities that calibrates them."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from tabcast.self_training._soft import calibrate_power
from tests.reference.reference_soft import calibrate


@pytest.mark.parametrize("true_power", [0.4, 1.0, 2.5])
def test_finds_the_power_that_was_taken_away(true_power):
    random = np.random.default_rng(0)
    truth = random.dirichlet([1, 1, 1], 20_000)
    y = (truth.cumsum(axis=1) > random.random((len(truth), 1))).argmax(axis=1)
    shown = truth ** (1 / true_power)
    shown /= shown.sum(axis=1, keepdims=True)
    assert calibrate_power(shown, y) == pytest.approx(true_power, rel=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_reference(seed):
    random = np.random.default_rng(seed)
    proba = random.dirichlet([0.5] * 3, 25)
    y = random.integers(0, 3, 25)
    assert calibrate_power(proba, y) == pytest.approx(calibrate(proba.tolist(), y.tolist()), rel=1e-4)


def test_few_rows_say_little():
    surely_right = np.array([[0.7, 0.3]])
    assert 1 < calibrate_power(surely_right, np.array([0])) < 1.2
    assert calibrate_power(np.empty((0, 2)), np.empty(0, dtype=np.intp)) == 1.0


def test_rows_that_were_impossible_count_but_do_not_break():
    proba = np.array([[1.0, 0.0]] * 20)
    y = np.array([0] * 19 + [1])
    power = calibrate_power(proba, y)
    assert 0 < power < 1
    softened = np.maximum(proba, 1e-12) ** power
    assert log_loss(y, softened / softened.sum(axis=1, keepdims=True)) < log_loss(y, proba)
