"""What paired scores of cross-validation say about a gain: its interval, a word for it, labels that would settle it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

LEVEL = 0.9  # of the interval: a gain whose interval lies above 0 is seen by chance in one of twenty nulls
PROBABLE = 0.8  # confidence, on one side, for "probably": four to one
MOST_TIMES_THE_LABELS = 10  # more labels than so many times those there are is not realistic advice

HELPED, PROBABLY, NOTHING, HURT = "helped", "probably helped", "no difference seen", "hurt"


class Interval(NamedTuple):
    """A mean difference, its interval, and how sure it is that the difference is above 0 (on one side)."""

    gain: float
    low: float
    high: float
    confidence: float


def corrected_interval(
    differences: ArrayLike, test_share: float, level: float = LEVEL, *, resolution: float = 0.0
) -> Interval:
    """Mean and interval of paired differences over splits whose training sets overlap.

    Parameters
    ----------
    differences : (n_splits,) score of one model minus that of the other, on the same held-out rows.
    test_share : held-out rows divided by training rows.
    level : of the interval.
    resolution : what one held-out row of a split can change. Splits that agree by chance, as few rows often do, are not
        taken for certainty: the variance is at least that of one row in one split.

    Notes
    -----
    With J splits the variance of the mean is not s^2 / J, because the splits share most of their training rows, but
    about ``(1 / J + n_test / n_train) * s^2``; the quantiles are Student's with J - 1 degrees of freedom.

    References
    ----------
    Nadeau, Bengio: "Inference for the generalization error", Machine Learning 52 (2003).

    Examples
    --------
    >>> from tabcast.guard._interval import corrected_interval
    >>> [round(value, 3) for value in corrected_interval([0.1, 0.0, 0.2, 0.1], test_share=0.25)]
    [0.1, -0.036, 0.236, 0.909]
    """
    values = np.asarray(differences, dtype=float)
    n_splits = len(values)
    gain = math.fsum(values) / n_splits
    variance = max(float(values.var(ddof=1)), resolution**2 / n_splits)
    error = math.sqrt((1 / n_splits + test_share) * variance)
    half = float(student.ppf(0.5 + level / 2, n_splits - 1)) * error
    confidence = float(student.cdf(gain / error, n_splits - 1)) if error > 0 else (1 + float(np.sign(gain))) / 2
    return Interval(gain, gain - half, gain + half, confidence)


def find_word(interval: Interval) -> str:
    """What the evidence supports.

    "helped" and "hurt" where the whole interval lies on one side of 0; "probably helped" where the gain is above 0
    with four to one; else "no difference seen".
    """
    if interval.low > 0:
        return HELPED
    if interval.high < 0:
        return HURT
    return PROBABLY if interval.gain > 0 and interval.confidence >= PROBABLE else NOTHING


def labels_to_settle(interval: Interval, n_labeled: int) -> int | None:
    """About how many more labels would move the interval off 0, if the gain stays; None: no realistic number.

    The interval narrows like 1 / sqrt(n), so ``n * (half width / gain)^2`` labels are needed; rounded up to two digits.
    0 where the interval lies on one side already.
    """
    if interval.low > 0 or interval.high < 0:
        return 0
    half = interval.high - interval.gain
    if interval.gain == 0 or half > abs(interval.gain) * math.sqrt(1 + MOST_TIMES_THE_LABELS):
        return None
    more = max(1, math.ceil(n_labeled * ((half / interval.gain) ** 2 - 1)))
    step = 10 ** max(0, len(str(more)) - 2)
    return math.ceil(more / step) * step
