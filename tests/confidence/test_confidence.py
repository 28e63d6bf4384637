"""The CAST step, its scalings, and parts in sequence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from tabcast.confidence import Chain, ClusterAware, Confidence, Raw, TemperatureScaling
from tabcast.confidence._confidence import SCALINGS, regularize
from tabcast.density import EmpiricalLikelihood, KernelDensity, Uniform


@pytest.fixture
def rows():
    """Two clusters on a line, a pool over the whole of it, and probabilities for the pool."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 0.5, (15, 2)), rng.normal(2, 0.5, (15, 2))])
    pool = np.linspace(-3, 3, 41)[:, None].repeat(2, axis=1)
    return X, np.repeat([0, 1], 15), pool, rng.dirichlet([1, 1], 41)


def prepare(rows, density=None, **settings):
    X, y, pool, _ = rows
    return ClusterAware(density or KernelDensity(), **settings).prepare(X, y, pool, n_classes=2)


class TestClusterAware:
    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()])
    @pytest.mark.parametrize("scaling", SCALINGS)
    def test_gamma_goes_from_0_to_1_and_is_largest_where_the_class_is(self, rows, density, scaling):
        gamma = prepare(rows, density, scaling=scaling).gamma
        np.testing.assert_array_equal(gamma.min(axis=0), 0)
        np.testing.assert_array_equal(gamma.max(axis=0), 1)
        line = rows[2][:, 0]
        assert line[gamma[:, 0].argmax()] == pytest.approx(-2, abs=1)
        assert line[gamma[:, 1].argmax()] == pytest.approx(2, abs=1)

    @pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
    def test_equation_4(self, rows, alpha):
        proba, part = rows[3], prepare(rows, alpha=alpha)
        np.testing.assert_allclose(part.adjust(proba), alpha * (part.gamma * proba) + (1 - alpha) * proba, rtol=1e-14)
        if alpha == 0:
            np.testing.assert_array_equal(part.adjust(proba), proba)  # not a digit changes
        assert (regularize(proba, part.gamma, 0.9) <= regularize(proba, part.gamma, 0.2) + 1e-15).all()

    def test_a_density_that_knows_nothing_changes_nothing(self, rows):
        part = prepare(rows, Uniform(), alpha=0.7)
        np.testing.assert_allclose(part.adjust(rows[3]), rows[3], rtol=1e-14)

    @pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
    def test_a_class_without_rows_still_has_a_column(self, rows):
        part = ClusterAware(EmpiricalLikelihood()).prepare(*rows[:3], n_classes=3)
        assert part.gamma.shape == (41, 3)
        assert np.isfinite(part.gamma).all()

    def test_a_scaling_of_ones_own(self, rows):
        part = prepare(rows, scaling=lambda log_density: np.full(log_density.shape, 0.25))
        np.testing.assert_array_equal(part.gamma, 0.25)

    def test_bad_parameters_are_refused(self, rows):
        with pytest.raises(ValueError, match=r"`alpha` of ClusterAware must be a number in \[0, 1\]; got 1\.1\."):
            prepare(rows, alpha=1.1)
        with pytest.raises(ValueError, match=r"`scaling` of ClusterAware must be one of 'log', .* got 'lin'"):
            prepare(rows, scaling="lin")


class TestScaling:
    @pytest.mark.parametrize("scale", SCALINGS.values())
    def test_any_log_density_gives_numbers_from_0_to_1(self, scale):
        gamma = scale(np.array([[-1e308, 0.0, -5000.0], [1e308, 0.0, -6000.0], [0.0, 0.0, -5500.0]]))
        assert ((gamma >= 0) & (gamma <= 1)).all()
        np.testing.assert_array_equal(gamma[:, 1], 1)  # no spread: changes no confidence
        assert gamma[:2, 2].tolist() == [1, 0]
        assert scale(np.empty((0, 3))).shape == (0, 3)
        np.testing.assert_array_equal(scale(np.array([[-3.0, 4.0]])), [[1, 1]])

    def test_density_scaling_is_that_of_the_density(self):
        log_density = np.random.default_rng(0).normal(size=(30, 2))
        plain = np.exp(log_density)
        expected = (plain - plain.min(axis=0)) / np.ptp(plain, axis=0)
        np.testing.assert_allclose(SCALINGS["density"](log_density + 800), expected, atol=1e-12)

    def test_robust_scaling_is_not_set_by_an_outlier(self):
        log_density = np.append(np.linspace(-10, 0, 100), -1e6)[:, None]
        assert SCALINGS["log"](log_density)[0, 0] > 0.99
        assert SCALINGS["robust"](log_density)[0, 0] < 0.01


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


class TestChain:
    proba, y = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]), np.array([0, 0, 1])
    rows = (np.array([[0.0], [0.2], [1.0]]), np.array([0, 0, 1]), np.array([[0.1], [0.5], [0.9]]))

    def prepare(self, parts):
        return Chain(parts).prepare(*self.rows, n_classes=2)

    def test_a_part_is_calibrated_on_what_the_parts_before_it_make(self):
        chain = self.prepare([Shift(0.1), Power()]).calibrate(self.proba, self.y)
        np.testing.assert_array_equal(chain.parts_[1].seen_, self.proba / 2 + 0.1)
        np.testing.assert_allclose(chain.adjust(self.proba), (self.proba / 2 + 0.1) ** (1 + 2 / 3))
        chain = self.prepare([Power(), Shift(0.1)]).calibrate(self.proba, self.y)
        np.testing.assert_allclose(chain.adjust(self.proba), self.proba ** (1 + 2 / 3) / 2 + 0.1)

    @pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
    def test_calibrator_then_density(self):
        aware = ClusterAware(EmpiricalLikelihood(), alpha=0.5)
        chain = self.prepare([Power(), aware])
        held_out = np.random.default_rng(0).dirichlet([1, 1], 7)  # another number of rows than the pool has
        chain.calibrate(held_out, np.zeros(7, dtype=int))
        alone = clone(aware).prepare(*self.rows, n_classes=2)
        np.testing.assert_array_equal(chain.gamma, alone.gamma)
        np.testing.assert_allclose(chain.adjust(self.proba), alone.adjust(self.proba ** chain.parts_[0].exponent_))

    def test_density_has_to_come_last(self):
        aware = ClusterAware(EmpiricalLikelihood())
        with pytest.raises(ValueError, match=r"ClusterAware must be the last part of a Chain, .*it is number 1 of 2\."):
            self.prepare([aware, Raw()])
        with pytest.raises(ValueError, match=r"Chain must be the last part of a Chain"):
            self.prepare([Chain([Raw(), aware]), Raw()])

    @pytest.mark.parametrize(
        ("parts", "needs_held_out", "knows_only_pool"),
        [
            ([], False, False),
            ([Raw(), TemperatureScaling()], True, False),
            ([Chain([Power()]), ClusterAware(EmpiricalLikelihood())], True, True),
        ],
    )
    def test_needs_what_any_part_needs(self, parts, needs_held_out, knows_only_pool):
        chain = Chain(parts)
        assert (chain.needs_held_out, chain.knows_only_pool) == (needs_held_out, knows_only_pool)

    def test_given_parts_are_left_alone(self):
        given = [Power(), Raw()]
        self.prepare(given).calibrate(self.proba, self.y)
        assert not hasattr(given[0], "exponent_")
