"""Numbers about all rows do not depend on how rows are partitioned, and are those of the slow reference."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from tabcast.confidence import align
from tabcast.confidence._scaling import min_max
from tabcast.partitions._numbers import (
    alignment_terms,
    count_digit,
    find_alignment,
    find_kth_largest,
    find_range,
    join_ranges,
    mean_of,
    order_bits,
    scale_to_range,
    whole_sum,
)

RANDOM = np.random.default_rng(0)
VALUES = {
    "confidences": RANDOM.random(500),
    "ties": RANDOM.integers(0, 4, 500) / 4,
    "all equal": np.full(500, 0.3),
    "every kind": np.concatenate([RANDOM.normal(size=494) * 1e3, [0.0, -0.0, np.inf, -np.inf, 5e-324, 1e308]]),
}


def cut_up(values, n_parts, seed=1):
    cuts = np.sort(np.random.default_rng(seed).choice(np.arange(1, len(values)), n_parts - 1, replace=False))
    return np.split(values, cuts)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("n_parts", [1, 2, 7])
def test_the_kth_largest_is_that_of_sorting(name, n_parts):
    values = VALUES[name]
    parts = cut_up(values, n_parts)

    def count(step, prefix):
        return sum(count_digit(part, step, prefix) for part in parts)

    expected = np.sort(values)[::-1]
    for k in (1, 2, 100, 250, 499, 500):
        assert find_kth_largest(k, count) == expected[k - 1]


def test_order_bits_compare_as_floats():
    values = np.sort(VALUES["every kind"])
    bits = order_bits(values)
    assert (np.diff(values) > 0).tolist() == (bits[1:] > bits[:-1]).tolist()


@pytest.mark.parametrize("n_parts", [2, 3, 7])
def test_sums_are_exactly_equal_for_all_partitions(n_parts):
    values = RANDOM.normal(size=(40_000, 3)) * [1, 1e-6, 50]
    whole = whole_sum(values)
    assert (reduce(add, map(whole_sum, cut_up(values, n_parts))) == whole).all()
    np.testing.assert_allclose(mean_of(whole, len(values)), values.mean(axis=0), atol=1e-12)


def test_ranges_scale_as_in_memory():
    values = np.column_stack([RANDOM.normal(size=100), np.full(100, 2.0)])
    ends = reduce(join_ranges, map(find_range, cut_up(values, 5)))
    assert np.array_equal(scale_to_range(values, ends), min_max(values))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_alignment_is_that_of_memory_and_the_same_for_all_partitions(n_classes):
    proba = RANDOM.dirichlet(np.ones(n_classes), size=3_000)
    shares = RANDOM.dirichlet(np.ones(n_classes))
    found = []
    for n_parts in (1, 2, 7):
        parts = cut_up(np.log(proba), n_parts)
        found.append(
            find_alignment(
                shares, len(proba), lambda v, parts=parts: reduce(add, (alignment_terms(part, v) for part in parts))
            )
        )
    assert all(np.array_equal(one, found[0]) for one in found)
    aligned = proba * np.exp(found[0])
    aligned /= aligned.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(aligned, align(proba, shares), atol=1e-7)
    np.testing.assert_allclose(aligned.mean(axis=0), shares, atol=1e-8)
