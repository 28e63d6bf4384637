"""From which confidence on predictions are right often enough: a bound that holds although thresholds were searched."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, binom

from tabcast.table import Floats, Index

STEPS = 50  # thresholds that are tried at most
APART = 4  # a further start has this many times as many rows as the one before
MOST_ROWS = 10**7
CANDIDATES = np.round(np.arange(0.995, 0.5, -0.005), 3)  # precisions, to find one that the rows support


class SupportedThreshold(NamedTuple):
    """A threshold of confidence, the rows above it, those that are right, and the lower bound of the precision."""

    threshold: float
    n_rows: int
    n_right: int
    bound: float


def precision_bound(n_right: int, n_rows: int, level: float = 0.9) -> float:
    """The exact one-sided lower bound of a proportion (Clopper, Pearson, 1934); 0 if no prediction is correct."""
    return float(beta.ppf(1 - level, n_right, n_rows - n_right + 1)) if n_right else 0.0


def fewest_rows(precision: float, level: float = 0.9) -> int:
    """Rows without an error that it takes to support a precision: the smallest n with ``precision^n <= 1 - level``."""
    return max(math.ceil(math.log(1 - level) / math.log(precision) - 1e-9), 1)


def threshold_grid(confidence: ArrayLike) -> Floats:
    """Thresholds at equal steps of the proportion of rows above them: at most 50 values, the highest first."""
    values = np.sort(np.asarray(confidence, dtype=float))[::-1]
    if not len(values):
        return values
    places = np.ceil(np.arange(1, STEPS + 1) / STEPS * len(values)).astype(int) - 1
    return np.unique(values[places])[::-1]


def supported_threshold(
    confidence: ArrayLike, right: ArrayLike, thresholds: ArrayLike, precision: float, level: float = 0.9
) -> SupportedThreshold | None:
    """Find the lowest threshold above which predictions are shown to be right often enough.

    Parameters
    ----------
    confidence : array-like of shape (n_rows,)
        Confidence in the prediction of each row, from a model that was not trained on it.
    right : array-like of bool of shape (n_rows,)
        Whether the prediction is correct.
    thresholds : array-like of shape (n_thresholds,)
        Thresholds to try. They must not depend on `right`; quantiles of the confidence in other rows do not.
    precision : float
        Proportion of correct predictions among rows at or above the threshold, to be reached.
    level : float, default=0.9
        Confidence that the precision is reached, whatever threshold is chosen.

    Returns
    -------
    SupportedThreshold or None
        A named tuple of `threshold`, `n_rows` (at or above it), `n_right` (correct ones among them) and `bound` (lower
        bound of the precision). None if no threshold is supported.

    Notes
    -----
    For each threshold t, the hypothesis that the precision above t is smaller than required is tested by the exact
    binomial test; it is rejected at level a if the one-sided bound of Clopper and Pearson with confidence 1 - a is at
    least `precision`. The tests go from the highest threshold to the lowest by the fallback procedure: with J starting
    points, each has a level of ``(1 - level) / J``; the level of a rejected hypothesis is passed on to the next, and
    lost at one that is not rejected. The probability of rejecting any true hypothesis is then at most ``1 - level``,
    which is what makes the chosen threshold valid; with one starting point this is fixed-sequence testing, as in
    learn-then-test. The first starting point is where enough rows lie above the threshold for a rejection without
    errors, the next where there are four times as many. They depend on numbers of rows only, not on `right`.

    The proof needs rows that are independent of the model and a random sample of those that are predicted, and
    thresholds that do not depend on `right`. It needs no calibrated confidence.

    References
    ----------
    Clopper, Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
    Wiens (2003). A fixed sequence Bonferroni procedure for testing multiple endpoints. Pharmaceutical Statistics 2.
    Angelopoulos, Bates, Candes, Jordan, Lei (2021). Learn then test: calibrating predictive algorithms to achieve risk
    control. arXiv 2110.01052.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import supported_threshold
    >>> confidence = np.linspace(0.5, 1, 200)
    >>> right = (np.arange(200) >= 80) | (np.arange(200) % 2 == 0)  # every second one of the lowest 80 is wrong
    >>> found = supported_threshold(confidence, right, np.linspace(1, 0.5, 51), 0.95)
    >>> round(found.threshold, 2), found.n_rows, found.n_right, round(found.bound, 3)
    (0.69, 124, 122, 0.958)
    >>> supported_threshold(confidence[:40], right[:40], [0.5], 0.95) is None
    True
    """
    thresholds, n_rows, n_right = _count(confidence, right, thresholds)
    levels = _assign_levels(n_rows, precision, 1 - level)
    p_values = binom.sf(n_right - 1, n_rows, precision)
    found, carried = None, 0.0
    for place, p_value in enumerate(p_values):
        carried += levels[place]
        if p_value <= carried:
            found = (place, carried)
        else:
            carried = 0.0
    if found is None:
        return None
    place, spent = found
    bound = precision_bound(int(n_right[place]), int(n_rows[place]), 1 - spent)
    return SupportedThreshold(float(thresholds[place]), int(n_rows[place]), int(n_right[place]), bound)


def supported_precision(
    confidence: ArrayLike, right: ArrayLike, thresholds: ArrayLike, level: float = 0.9
) -> float | None:
    """The highest precision, in steps of half a point, for which some threshold is supported; None below 50.5%.

    It is chosen after looking at the rows, so it tells what to aim at and promises nothing.
    """
    for precision in CANDIDATES:
        if supported_threshold(confidence, right, thresholds, float(precision), level) is not None:
            return float(precision)
    return None


def labels_to_support(
    confidence: ArrayLike, right: ArrayLike, thresholds: ArrayLike, precision: float, level: float = 0.9
) -> int | None:
    """About how many more rows would support a precision, if predictions stay as good as they are; None if none would.

    Above each threshold the proportion of correct predictions is estimated by ``(n_right + 1/2) / (n_rows + 1)``. Where
    it exceeds `precision`, the number of rows for a significant test is found and scaled by the proportion of rows
    above the threshold. The smallest number counts.
    """
    total = len(np.asarray(right))
    _, n_rows, n_right = _count(confidence, right, thresholds)
    needed = []
    for n, k in zip(n_rows.tolist(), n_right.tolist(), strict=True):
        rate = (k + 0.5) / (n + 1)
        if n and rate > precision:
            needed.append(_rows_to_show(rate, precision, level) * total / n)
    if not needed:
        return None
    return max(math.ceil(min(needed)) - total, 1)


def _rows_to_show(rate: float, precision: float, level: float) -> int:
    """Smallest number of rows, found by bisection, at which a proportion is significantly above a precision."""

    def shows(n: int) -> bool:
        return bool(binom.sf(math.floor(rate * n + 0.5) - 1, n, precision) <= 1 - level)

    low, high = 0, fewest_rows(precision, level)
    while not shows(high) and high < MOST_ROWS:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def _count(confidence: ArrayLike, right: ArrayLike, thresholds: ArrayLike) -> tuple[Floats, Index, Index]:
    """The thresholds from the highest to the lowest, the rows at or above each, and the correct ones among them."""
    given, correct = np.asarray(confidence, dtype=float), np.asarray(right, dtype=bool)
    order = np.argsort(-given, kind="stable")
    tried = np.unique(np.asarray(thresholds, dtype=float))[::-1]
    n_rows: Index = np.searchsorted(-given[order], -tried, side="right").astype(np.intp)
    n_right: NDArray[np.intp] = np.append(0, np.cumsum(correct[order])).astype(np.intp)[n_rows]
    return tried, n_rows, n_right


def _assign_levels(n_rows: Index, precision: float, alpha: float) -> Floats:
    """The level that each threshold has of its own: equal shares at the starting points, 0 elsewhere."""
    levels = np.zeros(len(n_rows))
    most = int(n_rows.max(initial=0))
    n_starts = 0
    while fewest_rows(precision, 1 - alpha / (n_starts + 1)) * APART**n_starts <= most:
        n_starts += 1
    if n_starts:
        fewest = fewest_rows(precision, 1 - alpha / n_starts)
        starts = np.searchsorted(n_rows, [fewest * APART**start for start in range(n_starts)])
        np.add.at(levels, starts, alpha / n_starts)
    return levels
