"""Numbers about all rows as sums and counts of partitions, equal whatever the partitions are.

Sums of floats depend on their order. Here they are sums of whole numbers: every term is rounded to a multiple of 2**-40
first, and whole numbers may be added in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from tabcast.table import Floats

UNIT = 2.0**-40  # what terms of sums are rounded to
BLOCK = 16_384  # terms of a partial sum; with terms below LARGEST it fits in 64 bits
LARGEST = 2.0**9
DIGIT = 13  # bits of a float that are counted at a time
N_DIGITS = 5  # of them in 64 bits
EXACT, MAX_STEPS = 1e-9, 100  # of the alignment, as in memory

Counts = NDArray[np.int64]


def whole_sum(values: NDArray[Any]) -> NDArray[Any]:
    """Sum the rows of an array in whole multiples of 2**-40.

    Parameters
    ----------
    values : ndarray of shape (n_rows, ...)
        Numbers between -512 and 512; larger ones count as these.

    Returns
    -------
    ndarray of object of shape (...)
        Python integers, which add up without error; see :func:`mean_of`.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.partitions._numbers import mean_of, whole_sum
    >>> values = np.random.default_rng(0).random((1000, 2))
    >>> parts = whole_sum(values[:300]) + whole_sum(values[300:])
    >>> bool((parts == whole_sum(values)).all()), bool(np.allclose(mean_of(parts, 1000), values.mean(axis=0)))
    (True, True)
    """
    total = np.zeros(values.shape[1:], dtype=object)
    for first in range(0, len(values), BLOCK):
        block = np.clip(values[first : first + BLOCK], -LARGEST, LARGEST)
        total = total + np.rint(block / UNIT).astype(np.int64).sum(axis=0).astype(object)
    return total


def mean_of(total: NDArray[Any], count: int) -> Floats:
    """Turn a sum of whole numbers into a mean.

    Parameters
    ----------
    total : ndarray of object
        From :func:`whole_sum`.
    count : int
        Number of rows.

    Returns
    -------
    ndarray
        Means.
    """
    return np.asarray(total / (count * (1 / UNIT)), dtype=float)


def order_bits(values: Floats) -> NDArray[np.uint64]:
    """Whole numbers in the same order as floats.

    Parameters
    ----------
    values : ndarray of float
        None missing.

    Returns
    -------
    ndarray of uint64
        The bits of each float, changed so that they compare as the floats do.
    """
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # -0.0 is 0.0
    return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))


def float_of(bits: int) -> float:
    """The float that :func:`order_bits` turned into a whole number."""
    plain = bits & ~(1 << 63) if bits >> 63 else ~bits & (2**64 - 1)
    return float(np.array([plain], dtype=np.uint64).view(np.float64)[0])


def count_digit(values: Floats, step: int, prefix: int) -> Counts:
    """Count the values of each next digit, among those that begin with a prefix.

    Parameters
    ----------
    values : ndarray of float
        Values of a partition, none missing.
    step : int
        Which digit: 0 is the highest.
    prefix : int
        The digits before it.

    Returns
    -------
    ndarray of int
        Counts per digit, lowest first.
    """
    bits = order_bits(values)
    shift = digit_shift(step)
    if step:
        bits = bits[(bits >> np.uint64(digit_shift(step - 1))) == np.uint64(prefix)]
    digits = (bits >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)
    return np.bincount(digits.astype(np.intp), minlength=1 << DIGIT)


def digit_shift(step: int) -> int:
    """How many bits are below a digit; the highest digit is short of one bit."""
    return max(0, 64 - DIGIT + 1 - DIGIT * step)


def find_kth_largest(k: int, count: Callable[[int, int], Counts]) -> float:
    """Find the k-th largest of all values, exactly, by counting their digits.

    Parameters
    ----------
    k : int
        1 for the largest.
    count : callable
        From a step and a prefix to the counts of all partitions; see :func:`count_digit`.

    Returns
    -------
    float
        The value.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.partitions._numbers import count_digit, find_kth_largest
    >>> parts = [np.array([0.3, 0.9]), np.array([0.1, 0.7, 0.9])]
    >>> find_kth_largest(3, lambda step, prefix: sum(count_digit(part, step, prefix) for part in parts))
    0.7
    """
    prefix = 0
    for step in range(N_DIGITS):
        counts = count(step, prefix)
        above = np.cumsum(counts[::-1])[::-1]  # values of this digit or a higher one
        digit = int(np.flatnonzero(above >= k)[-1])
        k -= int(above[digit] - counts[digit])
        prefix = prefix << DIGIT | digit
    return float_of(prefix)


def find_range(values: Floats) -> Floats:
    """Smallest and largest value of each column.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The rows of a partition, at least one.

    Returns
    -------
    ndarray of shape (2, n_columns)
        Both; see :func:`join_ranges`.
    """
    return np.stack([values.min(axis=0), values.max(axis=0)])


def join_ranges(first: Floats, second: Floats) -> Floats:
    """The range of two partitions together.

    Parameters
    ----------
    first : ndarray of shape (2, n_columns)
        From :func:`find_range`.
    second : ndarray of shape (2, n_columns)
        From another partition.

    Returns
    -------
    ndarray of shape (2, n_columns)
        The range of both.
    """
    return np.stack([np.minimum(first[0], second[0]), np.maximum(first[1], second[1])])


def scale_to_range(values: Floats, ends: Floats) -> Floats:
    """Scale columns to [0, 1] by the range of all rows, as `ClusterAware` does in memory.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Some rows.
    ends : ndarray of shape (2, n_columns)
        Smallest and largest values of all rows.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Numbers in [0, 1]; 1 in a column without spread.
    """
    low, high = ends
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        spread = high - low
        scaled = np.clip((values - low) / spread, 0.0, 1.0)
    return np.where(np.isfinite(spread) & (spread > 0), scaled, 1.0)


def alignment_terms(log_proba: Floats, log_factors: Floats) -> NDArray[Any]:
    """Sum what the alignment of class proportions needs to know about rows.

    Parameters
    ----------
    log_proba : ndarray of shape (n_rows, n_classes)
        Logarithms of probabilities.
    log_factors : ndarray of shape (n_classes,)
        Logarithms of the factors of the classes.

    Returns
    -------
    ndarray of object of shape (1 + n_classes + n_classes ** 2,)
        Whole sums of the log of the normalizing constant, of the aligned probabilities p, and of their products.
    """
    n_classes = len(log_factors)
    total = np.zeros(1 + n_classes + n_classes**2, dtype=object)
    for first in range(0, len(log_proba), BLOCK):
        scores = log_proba[first : first + BLOCK] + log_factors
        normalizer = logsumexp(scores, axis=1, keepdims=True)
        parts = np.exp(scores - normalizer)
        products = (parts[:, :, None] * parts[:, None, :]).reshape(len(parts), -1)
        total = total + whole_sum(np.hstack([normalizer, parts, products]))
    return total


def find_alignment(shares: Floats, n_rows: int, sum_terms: Callable[[Floats], NDArray[Any]]) -> Floats:
    """Find the factors with which the mean probabilities of all rows are the class proportions.

    Parameters
    ----------
    shares : ndarray of shape (n_classes,)
        The proportions.
    n_rows : int
        Number of all rows.
    sum_terms : callable
        From logarithms of factors to the sum of :func:`alignment_terms` over all partitions.

    Returns
    -------
    ndarray of shape (n_classes,)
        Logarithms of the factors; the first is 0.

    Notes
    -----
    The minimum of the convex function ``mean(logsumexp(log_proba + v)) - shares @ v``, by Newton's method with its
    gradient and Hessian, as :func:`tabcast.confidence.align` finds it in memory.
    """
    n_classes, known = len(shares), dict[bytes, Floats]()

    def terms(free: Floats) -> Floats:
        key = free.tobytes()
        if key not in known:
            known[key] = mean_of(sum_terms(np.append(0.0, free)), n_rows)
        return known[key]

    def objective(free: Floats) -> tuple[float, Floats]:
        means = terms(free)
        return float(means[0] - shares[1:] @ free), (means[1 : 1 + n_classes] - shares)[1:]

    def curvature(free: Floats) -> Floats:
        means = terms(free)
        products = means[1 + n_classes :].reshape(n_classes, n_classes)
        return (np.diag(means[1 : 1 + n_classes]) - products)[1:, 1:]

    options = {"gtol": EXACT, "maxiter": MAX_STEPS}
    found = minimize(
        objective, np.zeros(n_classes - 1), jac=True, hess=curvature, method="trust-exact", options=options
    )
    return np.append(0.0, found.x)
