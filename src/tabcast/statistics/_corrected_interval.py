"""The interval of a mean difference over splits of a cross-validation."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student


class Interval(NamedTuple):
    """A mean difference and its interval.

    Parameters
    ----------
    gain : float
        The mean difference.
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.
    confidence : float
        One-sided confidence that the difference is above 0.

    See Also
    --------
    corrected_interval : Computes it.
    """

    gain: float
    low: float
    high: float
    confidence: float


def corrected_error(differences: ArrayLike, test_share: float, *, resolution: float = 0.0) -> float:
    """Compute the standard error of a mean of paired differences over splits whose training sets overlap.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        Differences of scores on the same held-out rows.
    test_share : float
        Number of held-out rows divided by number of training rows.
    resolution : float, default=0.0
        What one held-out row of a split can change; see :func:`corrected_interval`.

    Returns
    -------
    float
        The standard error, ``sqrt((1 / J + n_test / n_train) * s^2)`` with J splits.

    Examples
    --------
    >>> from tabcast.statistics import corrected_error
    >>> round(corrected_error([0.1, 0.0, 0.2, 0.1], test_share=0.25), 3)
    0.058
    """
    values = np.asarray(differences, dtype=float)
    variance = max(float(values.var(ddof=1)), resolution**2 / len(values))
    return math.sqrt((1 / len(values) + test_share) * variance)


def corrected_interval(
    differences: ArrayLike, test_share: float, level: float = 0.9, *, resolution: float = 0.0
) -> Interval:
    """Compute the mean and an interval of paired differences over splits whose training sets overlap.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        Score of one model minus that of the other, on the same held-out rows.
    test_share : float
        Number of held-out rows divided by number of training rows.
    level : float, default=0.9
        Level of the interval.
    resolution : float, default=0.0
        What one held-out row of a split can change. Splits that agree by chance, as few rows often do, are not
        taken for certainty: the variance is at least that of one row in one split.

    Returns
    -------
    Interval
        The mean, its interval and the confidence.

    Notes
    -----
    With J splits the variance of the mean is not s^2 / J, because the splits share most of their training rows, but
    about ``(1 / J + n_test / n_train) * s^2``; the quantiles are Student's with J - 1 degrees of freedom.

    References
    ----------
    Nadeau, Bengio: "Inference for the generalization error", Machine Learning 52 (2003).

    Examples
    --------
    >>> from tabcast.statistics import corrected_interval
    >>> [round(value, 3) for value in corrected_interval([0.1, 0.0, 0.2, 0.1], test_share=0.25)]
    [0.1, -0.036, 0.236, 0.909]
    """
    values = np.asarray(differences, dtype=float)
    n_splits = len(values)
    gain = math.fsum(values) / n_splits
    error = corrected_error(values, test_share, resolution=resolution)
    half = float(student.ppf(0.5 + level / 2, n_splits - 1)) * error
    confidence = float(student.cdf(gain / error, n_splits - 1)) if error > 0 else (1 + float(np.sign(gain))) / 2
    return Interval(gain, gain - half, gain + half, confidence)
