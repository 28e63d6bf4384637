"""Means, proportions, differences and areas under the curve with their intervals, and a test of equal means."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import f as f_distribution
from scipy.stats import t as student

from tabcast.table import Floats, Index, Mask


def smoothed_shares(y: Index, n_classes: int) -> Floats:
    """The proportion of each class with one row added to each: ``(count + 1) / (n + n_classes)``."""
    return (np.bincount(y, minlength=n_classes) + 1) / (len(y) + n_classes)


def mean(values: Floats) -> float:
    """A mean that does not depend on the order of the values: equal scores in another order are no improvement."""
    return math.fsum(values) / len(values)


def standard_error(values: Floats) -> float:
    """The standard error of the mean of independent values; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


NORMAL_95 = 1.959963984540054  # 97.5% quantile of the normal distribution


def wilson_interval(proportion: Floats, count: Index | Floats) -> tuple[Floats, Floats]:
    """Compute the 95% interval of proportions (Wilson, 1927).

    Parameters
    ----------
    proportion : ndarray
        Observed proportions.
    count : ndarray
        Number of rows that each was observed in.

    Returns
    -------
    low : ndarray
        Lower ends.
    high : ndarray
        Upper ends.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import wilson_interval
    >>> low, high = wilson_interval(np.array([0.9]), np.array([50]))
    >>> low.round(3), high.round(3)
    (array([0.786]), array([0.957]))
    """
    z2 = NORMAL_95**2
    middle = (proportion + z2 / (2 * count)) / (1 + z2 / count)
    half = NORMAL_95 / (1 + z2 / count) * np.sqrt(proportion * (1 - proportion) / count + z2 / (4 * count**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


class Interval(NamedTuple):
    """A mean difference, its interval, and the one-sided confidence that the difference is above 0."""

    gain: float
    low: float
    high: float
    confidence: float


def corrected_error(differences: ArrayLike, test_share: float, *, resolution: float = 0.0) -> float:
    """Standard error of a mean of paired differences over J splits, ``sqrt((1 / J + test_share) * s^2)``."""
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


class Area(NamedTuple):
    """An area under the ROC curve and its interval."""

    auc: float
    low: float
    high: float


def placements(scores: Floats, others: Floats) -> Floats:
    """For each score the proportion of the others that are below it, ties counting half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    return (below + np.searchsorted(ordered, scores, side="right")) / (2 * len(others))


def area_under_curve(scores: Floats, positive: Mask, folds: Index | None = None, *, level: float = 0.95) -> Area:
    """Estimate the probability that a positive row scores above a negative one, with an interval.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Score of each row.
    positive : ndarray of bool of shape (n_rows,)
        Which rows are positive; both kinds must occur in every fold.
    folds : ndarray of int of shape (n_rows,), default=None
        Fold of each row, where the scores of a fold come from a model of the other folds: rows are then compared within
        their fold only. None means one fold.
    level : float, default=0.95
        Level of the interval.

    Returns
    -------
    Area
        The area and its interval.

    Notes
    -----
    The mean of the positive rows' placements among the negative ones. Its variance is that of DeLong, DeLong and
    Clarke-Pearson (1988), ``var(placements of positives) / m + var(placements of negatives) / n``, where neither of the
    two variances is taken to be smaller than that with one more row at the far end: perfectly separated rows have no
    observed variance, and still an interval of positive width. With folds it is doubled: where two folds differ from a
    third by the same chance, each predicts the other, so that every chance is counted twice. (Without doubling, random
    samples of one population were found to differ in 4 of 20 draws.) The interval uses Student's t with the degrees of
    freedom of the smaller class, and is clipped to [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import area_under_curve
    >>> area = area_under_curve(np.array([0.1, 0.4, 0.35, 0.8, 0.7, 0.2]), np.array([0, 0, 1, 1, 1, 0], dtype=bool))
    >>> round(area.auc, 3)
    0.889
    """
    counted = 1 if folds is None else 2
    folds = np.zeros(len(scores), dtype=np.intp) if folds is None else folds
    of_positive, of_negative = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    for fold in np.unique(folds):
        above, under = (folds == fold) & positive, (folds == fold) & ~positive
        of_positive[above] = placements(scores[above], scores[under])
        of_negative[under] = 1 - placements(scores[under], scores[above])
    m, n = int(positive.sum()), int((~positive).sum())
    auc = float(of_positive[positive].mean())
    variance = _spread(of_positive[positive]) / m + _spread(of_negative[~positive]) / n
    half = float(student.ppf((1 + level) / 2, max(1, min(m, n) - 1)) * np.sqrt(counted * variance))
    return Area(auc, max(0.0, auc - half), min(1.0, auc + half))


def _spread(values: Floats) -> float:
    """Variance of placements, at least that with one more at the end that is farther away."""
    far = 0.0 if values.mean() > 0.5 else 1.0
    least = float(np.append(np.full(len(values), values.mean()), far).var(ddof=1))
    return max(float(values.var(ddof=1)) if len(values) > 1 else 0.0, least)


RIDGE = 1e-9  # added to the variances, against coordinates that never vary


def hotelling_p_value(
    first: Floats, second: Floats, *, n_free: int | None = None, extra_covariance: Floats | float = 0.0
) -> float:
    """P-value of Hotelling's two-sample T² test with a pooled covariance; 1 where there are too few rows to tell.

    Compares the first `n_free` coordinates, from which the others follow. `extra_covariance` is added to the covariance
    of a row, which makes the test more cautious.
    """
    n_free = first.shape[1] if n_free is None else n_free
    n_first, n_second = len(first), len(second)
    n_spare = n_first + n_second - 1 - n_free
    if n_first < 2 or n_spare < 1:
        return 1.0
    means = first.mean(axis=0), second.mean(axis=0)
    about = np.vstack([first - means[0], second - means[1]])[:, :n_free]
    spread = about.T @ about / (n_first + n_second - 2) + RIDGE * np.eye(n_free) + extra_covariance
    difference = (means[0] - means[1])[:n_free]
    squared = difference @ np.linalg.solve(spread * (1 / n_first + 1 / n_second), difference)
    ratio = float(squared) * n_spare / (n_free * (n_first + n_second - 2))
    return float(f_distribution.sf(ratio, n_free, n_spare))
