"""Whether two samples of vectors have the same mean."""

from __future__ import annotations

import numpy as np
from scipy.stats import f as f_distribution

from tabcast.table import MANY_ROWS, Floats, row_blocks

RIDGE = 1e-9  # added to the variances, against coordinates that never vary


def hotelling_p_value(
    first: Floats, second: Floats, *, n_free: int | None = None, extra_covariance: Floats | float = 0.0
) -> float:
    """Compute the p-value of Hotelling's two-sample T² test with a pooled covariance.

    Parameters
    ----------
    first : ndarray of shape (n_first, n_coordinates)
        The first sample.
    second : ndarray of shape (n_second, n_coordinates)
        The second sample.
    n_free : int or None, default=None
        Number of coordinates to compare, where the others follow from the first ones. None compares all.
    extra_covariance : ndarray of shape (n_free, n_free) or float, default=0.0
        Added to the covariance of a row, which makes the test more cautious.

    Returns
    -------
    float
        The p-value; 1 where there are too few rows to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import hotelling_p_value
    >>> random = np.random.default_rng(0)
    >>> bool(hotelling_p_value(random.normal(size=(50, 2)), random.normal(size=(80, 2))) > 0.05)
    True
    >>> bool(hotelling_p_value(random.normal(size=(50, 2)), random.normal(1, size=(80, 2))) < 0.001)
    True
    """
    n_free = first.shape[1] if n_free is None else n_free
    n_first, n_second = len(first), len(second)
    n_spare = n_first + n_second - 1 - n_free
    if n_first < 2 or n_spare < 1:
        return 1.0
    means = first.mean(axis=0), second.mean(axis=0)
    scatter = find_scatter(first, second, means, n_free)
    spread = scatter / (n_first + n_second - 2) + RIDGE * np.eye(n_free) + extra_covariance
    difference = (means[0] - means[1])[:n_free]
    squared = difference @ np.linalg.solve(spread * (1 / n_first + 1 / n_second), difference)
    ratio = float(squared) * n_spare / (n_free * (n_first + n_second - 2))
    return float(f_distribution.sf(ratio, n_free, n_spare))


def find_scatter(first: Floats, second: Floats, means: tuple[Floats, Floats], n_free: int) -> Floats:
    """Sums of products of deviations from the means of both samples; those of many rows block by block."""
    if len(first) + len(second) <= MANY_ROWS:
        about = np.vstack([first - means[0], second - means[1]])[:, :n_free]
        return np.asarray(about.T @ about)
    total = np.zeros((n_free, n_free))
    for sample, mean in zip((first, second), means, strict=True):
        for rows in row_blocks(len(sample)):
            about = (sample[rows] - mean)[:, :n_free]
            total += about.T @ about
    return total
