"""Overlap of class densities against the integral it stands for."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from tabcast.diagnostics import class_overlap


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.5, 8.0])
@pytest.mark.parametrize("share", [0.5, 0.1])
def test_equals_the_integral_for_two_normal_densities_whatever_the_shares(distance, share):
    random = np.random.default_rng(0)
    codes = (random.random(40_000) < share).astype(np.intp)
    x = random.normal(size=40_000) + distance * codes
    log_density = np.column_stack([norm.logpdf(x), norm.logpdf(x, distance)])

    def integrand(point):
        one, other = norm.pdf(point), norm.pdf(point, distance)
        return 2 * one * other / (one + other) if one + other > 0 else 0.0

    expected = quad(integrand, -10, 10 + distance, limit=200)[0]
    assert class_overlap(log_density, codes, ["a", "b"]).overlap == pytest.approx(expected, abs=0.02)


def test_rows_of_the_matrix_sum_to_one_and_say_who_is_taken_for_whom():
    random = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], 500)
    x = random.normal(size=1500) + np.array([0.0, 1.0, 20.0])[codes]
    log_density = np.column_stack([norm.logpdf(x, center) for center in (0.0, 1.0, 20.0)])
    found = class_overlap(log_density, codes, ["a", "b", "far"])
    assert found.matrix.sum(axis=1) == pytest.approx(np.ones(3))
    assert found.matrix[0, 1] > 0.2
    assert found.matrix[2] == pytest.approx([0, 0, 1])


def test_log_densities_of_many_columns_do_not_underflow():
    log_density = np.array([[-3000.0, -3010.0], [-2500.0, -2490.0]])
    assert class_overlap(log_density, np.array([0, 1]), [0, 1]).overlap == pytest.approx(0.0, abs=1e-3)


def test_a_class_without_rows_has_no_row():
    found = class_overlap(np.log([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3]]), np.array([0, 1]), ["a", "b", "c"])
    assert found.to_dict()["matrix"][2] == [None, None, None]
    assert 0 < found.overlap <= 1
