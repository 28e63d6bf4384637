"""Parts of confidence, one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from tabcast.confidence import Chain, ClusterAware, Confidence, Raw, TemperatureScaling
from tabcast.density import EmpiricalLikelihood


class Power(Confidence):
    """Learns the share of right predictions and raises probabilities to it; not commutative with `Shift`."""

    needs_held_out = True

    def calibrate(self, proba, y):
        self.seen_ = proba.copy()
        self.exponent_ = 1 + (proba.argmax(axis=1) == y).mean()
        return self

    def adjust(self, proba):
        return proba**self.exponent_


class Shift(Confidence):
    """Halves what it gets and adds a constant."""

    def __init__(self, by=0.25):
        self.by = by

    def adjust(self, proba):
        return proba / 2 + self.by


PROBA = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
Y = np.array([0, 0, 1])
ROWS = (np.array([[0.0], [0.2], [1.0]]), np.array([0, 0, 1]), np.array([[0.1], [0.5], [0.9]]))


def prepare(parts):
    return Chain(parts).prepare(*ROWS, n_classes=2)


def test_parts_are_applied_in_order():
    chain = prepare([Shift(0.25), Shift(0.0)])
    np.testing.assert_allclose(chain.adjust(PROBA), (PROBA / 2 + 0.25) / 2)
    chain = prepare([Shift(0.0), Shift(0.25)])
    np.testing.assert_allclose(chain.adjust(PROBA), PROBA / 4 + 0.25)


def test_a_part_is_calibrated_on_what_the_parts_before_it_make():
    chain = prepare([Shift(0.1), Power()]).calibrate(PROBA, Y)
    np.testing.assert_array_equal(chain.parts_[1].seen_, PROBA / 2 + 0.1)
    np.testing.assert_allclose(chain.adjust(PROBA), (PROBA / 2 + 0.1) ** (1 + 2 / 3))
    chain = prepare([Power(), Shift(0.1)]).calibrate(PROBA, Y)
    np.testing.assert_array_equal(chain.parts_[0].seen_, PROBA)
    np.testing.assert_allclose(chain.adjust(PROBA), PROBA ** (1 + 2 / 3) / 2 + 0.1)


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
def test_calibrator_then_density():
    aware = ClusterAware(EmpiricalLikelihood(), alpha=0.5)
    chain = prepare([Power(), aware])
    held_out = np.random.default_rng(0).dirichlet([1, 1], 7)  # another number of rows than the pool has
    chain.calibrate(held_out, np.zeros(7, dtype=int))
    alone = clone(aware).prepare(*ROWS, n_classes=2)
    np.testing.assert_array_equal(chain.gamma, alone.gamma)
    np.testing.assert_allclose(chain.adjust(PROBA), alone.adjust(PROBA ** chain.parts_[0].exponent_))


def test_density_has_to_come_last():
    aware = ClusterAware(EmpiricalLikelihood())
    with pytest.raises(ValueError, match=r"ClusterAware must be the last part of a Chain, .*; it is number 1 of 2\."):
        prepare([aware, Raw()])
    with pytest.raises(ValueError, match=r"Chain must be the last part of a Chain"):
        prepare([Chain([Raw(), aware]), Raw()])


@pytest.mark.parametrize(
    ("parts", "needs_held_out", "knows_only_pool"),
    [
        ([], False, False),
        ([Raw(), Shift()], False, False),
        ([Raw(), Power()], True, False),
        ([Chain([Power()]), ClusterAware(EmpiricalLikelihood())], True, True),
    ],
)
def test_needs_what_any_part_needs(parts, needs_held_out, knows_only_pool):
    assert Chain(parts).needs_held_out is needs_held_out
    assert Chain(parts).knows_only_pool is knows_only_pool


def test_given_parts_are_left_alone():
    given = [Power(), Raw()]
    chain = prepare(given).calibrate(PROBA, Y)
    assert not hasattr(given[0], "exponent_")
    assert chain.parts_[0] is not given[0]
    twin = clone(chain)
    assert not hasattr(twin, "parts_")
    assert [type(part) for part in twin.parts] == [Power, Raw]


def test_no_parts_do_nothing():
    chain = prepare([])
    np.testing.assert_array_equal(chain.adjust(PROBA), PROBA)
    assert chain.gamma is None


def test_the_density_part_is_the_one_inside():
    cast = ClusterAware(EmpiricalLikelihood(), min_samples=1)
    chain = Chain([TemperatureScaling(), cast])
    assert chain.density_part is cast
    assert Chain([TemperatureScaling(), Raw()]).density_part is None
    X, y = np.array([[0.0], [0.1], [0.9], [1.0]]), np.array([0, 0, 1, 1])
    chain.prepare(X, y, X[::3], n_classes=2)
    assert chain.density_part is chain.parts_[-1]
    assert chain.gamma is chain.parts_[-1].gamma_


def test_a_chain_changes_labels_if_a_part_does():
    assert not Chain([Raw(), TemperatureScaling()]).changes_labels
    assert Chain([TemperatureScaling(), ClusterAware(EmpiricalLikelihood())]).changes_labels
