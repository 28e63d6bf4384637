"""The CAST step: confidence counts where labeled rows of that class are dense."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.confidence import ClusterAware
from tabcast.confidence._cluster_aware import regularize
from tabcast.confidence._scaling import min_max, scale_density, scale_log, scale_robust
from tabcast.density import EmpiricalLikelihood, KernelDensity, Uniform

SCALINGS = {"log": scale_log, "density": scale_density, "robust": scale_robust}


@pytest.fixture
def rows():
    """Two clusters on a line, a pool over the whole of it, and probabilities for the pool."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 0.5, (15, 2)), rng.normal(2, 0.5, (15, 2))])
    y = np.repeat([0, 1], 15)
    pool = np.linspace(-3, 3, 41)[:, None].repeat(2, axis=1)
    return X, y, pool, rng.dirichlet([1, 1], 41)


def prepare(rows, density=None, **settings):
    X, y, pool, _ = rows
    return ClusterAware(density or KernelDensity(), **settings).prepare(X, y, pool, n_classes=2)


@pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()])
@pytest.mark.parametrize("scaling", ["log", "density", "robust"])
def test_gamma_goes_from_0_to_1_for_each_class(rows, density, scaling):
    part = prepare(rows, density, scaling=scaling)
    assert part.gamma.shape == (41, 2)
    np.testing.assert_array_equal(part.gamma.min(axis=0), 0)
    np.testing.assert_array_equal(part.gamma.max(axis=0), 1)


@pytest.mark.parametrize("scaling", ["log", "density", "robust"])
def test_gamma_is_largest_where_the_class_is(rows, scaling):
    gamma = prepare(rows, scaling=scaling).gamma
    line = rows[2][:, 0]
    assert line[gamma[:, 0].argmax()] == pytest.approx(-2, abs=0.5)
    assert line[gamma[:, 1].argmax()] == pytest.approx(2, abs=0.5)


def test_log_and_density_scaling_order_rows_alike(rows):
    log, plain = (prepare(rows, scaling=scaling).gamma for scaling in ("log", "density"))
    np.testing.assert_array_equal(log.argsort(axis=0), plain.argsort(axis=0))
    assert (plain <= log + 1e-12).all()  # the density is convex in its logarithm: a few rows near 1, most near 0


def test_adjusting(rows):
    proba = rows[3]
    for alpha in (0.0, 0.3, 1.0):
        part = prepare(rows, alpha=alpha)
        expected = proba * (1 - alpha * (1 - part.gamma))
        np.testing.assert_allclose(part.adjust(proba), expected, rtol=1e-14)
        assert (part.adjust(proba) <= proba + 1e-15).all()
        assert (part.adjust(proba) >= 0).all()
    np.testing.assert_array_equal(prepare(rows, alpha=0.0).adjust(proba), proba)  # not a digit changes
    assert (regularize(proba, part.gamma, 0.9) <= regularize(proba, part.gamma, 0.2) + 1e-15).all()


def test_row_changes_sides():
    part = ClusterAware(EmpiricalLikelihood(n_bins=2), alpha=0.9, min_samples=1)
    part.prepare([[0.0], [0.1], [0.9], [1.0]], np.array([0, 0, 1, 1]), [[0.0], [1.0]], n_classes=2)
    confident_in_0 = np.array([[0.7, 0.3], [0.7, 0.3]])
    assert part.adjust(confident_in_0).argmax(axis=1).tolist() == [0, 1]


def test_density_that_knows_nothing_changes_nothing(rows):
    proba = rows[3]
    part = prepare(rows, Uniform(), alpha=0.7)
    np.testing.assert_array_equal(part.gamma, 1.0)
    np.testing.assert_allclose(part.adjust(proba), proba, rtol=1e-14)


def test_scaling_of_ones_own(rows):
    part = prepare(rows, scaling=lambda log_density: np.full(log_density.shape, 0.25))
    np.testing.assert_array_equal(part.gamma, 0.25)


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
def test_class_without_rows_still_has_a_column(rows):
    X, y, pool, _ = rows
    part = ClusterAware(EmpiricalLikelihood()).prepare(X, y, pool, n_classes=3)
    assert part.gamma.shape == (41, 3)
    assert np.isfinite(part.gamma).all()


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaling_survives_any_log_density(scaling):
    scale = SCALINGS[scaling]
    extreme = np.array([[-1e308, 0.0, -5000.0], [1e308, 0.0, -6000.0], [0.0, 0.0, -5500.0]])
    gamma = scale(extreme)
    assert ((gamma >= 0) & (gamma <= 1)).all()
    np.testing.assert_array_equal(gamma[:, 1], 1)  # no spread: changes no confidence
    assert gamma[0, 2] == 1
    assert gamma[1, 2] == 0
    assert scale(np.empty((0, 3))).shape == (0, 3)
    np.testing.assert_array_equal(scale(np.array([[-3.0, 4.0]])), [[1, 1]])


def test_scaling_does_not_depend_on_units():
    log_density = np.random.default_rng(0).normal(size=(30, 2))
    for scale in (scale_log, scale_robust):
        np.testing.assert_allclose(scale(log_density * 7 - 100), scale(log_density), atol=1e-12)
    np.testing.assert_allclose(scale_density(log_density + 800), scale_density(log_density), atol=1e-12)
    plain = np.exp(log_density)
    expected = (plain - plain.min(axis=0)) / np.ptp(plain, axis=0)
    np.testing.assert_allclose(scale_density(log_density), expected, atol=1e-12)
    np.testing.assert_allclose(min_max(plain), expected, atol=1e-12)


def test_robust_scaling_is_not_set_by_an_outlier():
    log_density = np.append(np.linspace(-10, 0, 100), -1e6)[:, None]
    assert scale_log(log_density)[0, 0] > 0.99
    assert scale_robust(log_density)[0, 0] < 0.01


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan, "0.5", None, True])
def test_alpha_that_is_none(rows, alpha):
    with pytest.raises(ValueError, match=rf"`alpha` of ClusterAware must be a number in \[0, 1\]; got {alpha!r}\."):
        prepare(rows, alpha=alpha)


def test_scaling_that_is_none(rows):
    with pytest.raises(
        ValueError, match=r"`scaling` of ClusterAware must be one of 'log', .* or a function; got 'lin'"
    ):
        prepare(rows, scaling="lin")


def test_not_prepared():
    assert ClusterAware(EmpiricalLikelihood()).gamma is None
    assert ClusterAware(EmpiricalLikelihood()).knows_only_pool
    assert not ClusterAware(EmpiricalLikelihood()).needs_held_out
