"""Calibrators: a temperature, bins, and a smooth curve through the cumulative accuracy."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.exceptions import NotFittedError

from tabcast.checks import check_integer
from tabcast.confidence._confidence import Confidence
from tabcast.table import Floats, Index, Mask

ROUNDING = 1e-6  # what single precision may add to a probability of 1


def log_probabilities(proba: Floats, floor: float = float(np.finfo(np.float64).eps)) -> Floats:
    """Logarithms that stay finite: a probability below `floor` counts as `floor`."""
    return np.log(np.clip(proba, floor, 1.0))


def normalize_rows(values: Floats, proba: Floats) -> Floats:
    """Rows that sum to 1; a row without any weight is replaced by its normalized row of `proba`."""
    empty = values.sum(axis=1) <= 0
    values = np.where(empty[:, None], np.where(proba.sum(axis=1, keepdims=True) > 0, proba, 1.0), values)
    return values / values.sum(axis=1, keepdims=True)


def check_proba(proba: Any, owner: str, n_classes: int | None = None) -> Floats:
    """Probabilities as a table of numbers from 0 to 1, with the number of columns seen in calibration."""
    table = np.asarray(proba, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"`proba` of {owner} must have shape (n_rows, n_classes); got {table.shape}.")
    if n_classes is not None and table.shape[1] != n_classes:
        raise ValueError(
            f"`proba` of {owner} must have the {n_classes} columns it was calibrated with; got {table.shape[1]}."
        )
    wrong = ~((table >= 0) & (table <= 1 + ROUNDING))
    if wrong.any():
        raise ValueError(f"`proba` of {owner} must hold numbers in [0, 1]; got {table[wrong][0]}.")
    return np.minimum(table, 1.0)


class Calibrator(Confidence):
    """A confidence that learns from held-out rows; members write `_learn` and `_apply` on checked probabilities."""

    needs_held_out = True
    n_classes_: int

    def calibrate(self, proba: Floats, y: Index) -> Self:
        """Learn from probabilities of held-out rows."""
        owner, index = type(self).__name__, np.asarray(y)
        table = check_proba(proba, owner)
        n_rows, n_classes = table.shape
        if n_rows == 0:
            raise ValueError(f"{owner} needs at least one held-out row to calibrate; `proba` has none.")
        if index.shape != (n_rows,):
            raise ValueError(f"`y` of {owner} must hold one class index for each of {n_rows} rows; got {index.shape}.")
        if index.dtype.kind not in "iu" or index.min() < 0 or index.max() >= n_classes:
            strange = [one for one in np.unique(index).tolist() if one not in range(n_classes)]
            raise ValueError(
                f"`y` of {owner} must hold class indices, integers from 0 to {n_classes - 1}; "
                f"got {strange[0] if strange else index.dtype.name!r}."
            )
        self._learn(table, index.astype(np.intp))
        self.n_classes_ = n_classes
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the calibrated probabilities."""
        owner = type(self).__name__
        if not hasattr(self, "n_classes_"):
            raise NotFittedError(f"{owner} is not calibrated yet: call `calibrate` on held-out rows first.")
        return self._apply(check_proba(proba, owner, self.n_classes_))

    @abstractmethod
    def _learn(self, proba: Floats, y: Index) -> None: ...

    @abstractmethod
    def _apply(self, proba: Floats) -> Floats: ...


COLDEST, HOTTEST = 0.05, 20.0


def log_loss_slope(inverse_temperature: float, log_proba: Floats, y: Index) -> float:
    """Derivative of the log-loss of ``softmax(b * log_proba)`` with respect to b; it grows with b."""
    expected = (softmax(inverse_temperature * log_proba, axis=1) * log_proba).sum(axis=1)
    return float(np.mean(expected - log_proba[np.arange(len(y)), y]))


def best_temperature(log_proba: Floats, y: Index) -> float:
    """The temperature in [COLDEST, HOTTEST] with the smallest log-loss; 1 where the temperature has no effect."""
    if np.ptp(log_proba, axis=1).max() < 1e-12:
        return 1.0
    if log_loss_slope(1 / HOTTEST, log_proba, y) >= 0:
        return HOTTEST
    if log_loss_slope(1 / COLDEST, log_proba, y) <= 0:
        return COLDEST
    return float(1 / brentq(log_loss_slope, 1 / HOTTEST, 1 / COLDEST, args=(log_proba, y), xtol=1e-13, rtol=1e-13))


class TemperatureScaling(Calibrator):
    """Divide log-probabilities by one temperature for all rows and classes.

    Choose it first among the calibrators: a single parameter can be learned from few held-out rows, and the order of
    the classes in a row stays as it was. It cannot correct a confidence that is too high for some rows and too low for
    others.

    Attributes
    ----------
    temperature_ : float
        Above 1 the classifier was overconfident, below 1 underconfident.
    n_classes_ : int
        Number of columns of the probabilities.

    See Also
    --------
    SplineCalibration : A more flexible curve, for more held-out rows.

    Notes
    -----
    ``softmax(log(p) / T)``, with T the maximum of the likelihood of the held-out rows. The log-loss is convex in 1 / T,
    so T is the root of its derivative, found to machine precision. T is kept within 0.05 and 20: if all held-out rows
    are predicted correctly, the likelihood would be largest at 0. Probabilities of 0 count as the machine epsilon.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    Ten held-out rows at 90%, of which seven are right:

    >>> import numpy as np
    >>> from tabcast.confidence import TemperatureScaling
    >>> proba, y = np.tile([0.9, 0.1], (10, 1)), np.array([0] * 7 + [1] * 3)
    >>> scaling = TemperatureScaling().calibrate(proba, y)
    >>> round(scaling.temperature_, 2)
    2.59
    >>> scaling.adjust(np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]])).round(3)
    array([[0.7, 0.3],
           [0.5, 0.5],
           [0. , 1. ]])
    """

    def _learn(self, proba: Floats, y: Index) -> None:
        self.temperature_ = best_temperature(log_probabilities(proba), y)

    def _apply(self, proba: Floats) -> Floats:
        return softmax(log_probabilities(proba) / self.temperature_, axis=1)


def find_bins(values: Floats, n_bins: int) -> Index:
    """Which of `n_bins` equal-width intervals (a, b] of [0, 1] holds each value; 0 itself is in the first."""
    return np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], values, side="left")


def bin_shares(values: Floats, is_class: Mask, n_bins: int) -> Floats:
    """Proportion of rows of the class in each bin; the middle of the bin where there is no row."""
    bins = find_bins(values, n_bins)
    counts = np.bincount(bins, minlength=n_bins)
    hits = np.bincount(bins, weights=is_class, minlength=n_bins)
    middles = (np.arange(n_bins) + 0.5) / n_bins
    return np.where(counts > 0, hits / np.maximum(counts, 1), middles)


class HistogramBinning(Calibrator):
    """Replace confidence by the proportion of held-out rows of that class in the same bin of confidence.

    Choose it with some hundred held-out rows and a confidence that no smooth curve can correct. All rows of a bin get
    the same confidence, so strategies that rank rows see many ties.

    Parameters
    ----------
    n_bins : int, default=10
        Number of equal-width bins of [0, 1].

    Attributes
    ----------
    shares_ : ndarray of shape (n_classes, n_bins)
        What a probability in a bin becomes before rows are normalized.
    n_classes_ : int
        Number of columns of the probabilities.

    See Also
    --------
    SplineCalibration : A smooth curve instead of bins.

    Notes
    -----
    Each class is binned against all others, then rows are divided by their sum. Two classes need one histogram: that of
    class 1, and class 0 is what remains. Bins are half-open, (a, b], the first with 0. A bin without held-out rows
    gives its middle. A row whose classes are all in bins with a proportion of 0 keeps its probabilities. With these
    conventions the result equals netcal's, which the paper used; netcal gives NaN where all proportions are 0.

    References
    ----------
    Zadrozny, Elkan (2001). Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers. ICML. For more than two classes: Zadrozny, Elkan (2002). Transforming classifier scores into accurate
    multiclass probability estimates. KDD.

    Examples
    --------
    Ten held-out rows at 90%, of which seven are right. There is none at 0.3, which becomes the middle of (0, 0.5]:

    >>> import numpy as np
    >>> from tabcast.confidence import HistogramBinning
    >>> proba, y = np.tile([0.1, 0.9], (10, 1)), np.array([1] * 7 + [0] * 3)
    >>> binning = HistogramBinning(n_bins=2).calibrate(proba, y)
    >>> binning.adjust(np.array([[0.4, 0.6], [0.7, 0.3]])).round(3)
    array([[0.3 , 0.7 ],
           [0.75, 0.25]])
    """

    def __init__(self, n_bins: int = 10) -> None:
        self.n_bins = n_bins

    def _learn(self, proba: Floats, y: Index) -> None:
        check_integer(self.n_bins, "n_bins", "HistogramBinning", 1)
        shares = [bin_shares(column, y == j, self.n_bins) for j, column in enumerate(proba.T)]
        if len(shares) == 2:
            # The edges of class 0's bins are closed on the other side: mirrored, they are those of class 1.
            shares[0] = 1 - shares[1][::-1]
        self.shares_: Floats = np.array(shares)

    def _apply(self, proba: Floats) -> Floats:
        n_bins = self.shares_.shape[1]
        if self.n_classes_ == 2:
            second = self.shares_[1, find_bins(proba[:, 1], n_bins)]
            return np.column_stack([1 - second, second])
        pairs = zip(self.shares_, proba.T, strict=True)
        return normalize_rows(np.column_stack([share[find_bins(column, n_bins)] for share, column in pairs]), proba)


def fit_natural_spline(x: Floats, values: Floats, n_knots: int) -> CubicSpline:
    """Natural cubic spline with evenly spaced knots on [0, 1], nearest to the points in the sense of least squares."""
    knots = np.linspace(0, 1, n_knots)
    basis = CubicSpline(knots, np.eye(n_knots), bc_type="natural")
    heights, *_ = np.linalg.lstsq(basis(x), values, rcond=None)
    return CubicSpline(knots, heights, bc_type="natural")


def recalibrate(values: Floats, is_class: Mask, n_knots: int) -> tuple[Floats, Floats]:
    """The distinct confidences, rising, and what each becomes: the slope of the spline where its rows are.

    The spline follows ``h(i / n)``, the number of rows of the class among the i least confident, divided by n. Rows of
    equal confidence have no order: each counts as their mean, and they take the mean slope over their interval.
    """
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=is_class) / counts
    along = np.linspace(0, 1, len(values) + 1)
    curve = np.concatenate([[0.0], np.cumsum(np.repeat(means, counts))]) / len(values)
    spline = fit_natural_spline(along, curve, min(n_knots, len(along)))
    ends = np.concatenate([[0], np.cumsum(counts)])
    slopes = np.diff(spline(along[ends])) / np.diff(along[ends])
    return distinct, np.clip(slopes, 0.0, 1.0)


class SplineCalibration(Calibrator):
    """Calibrate by a smooth curve through the cumulative accuracy, without bins.

    Choose it with some hundred held-out rows when temperature scaling is too stiff. The curve needs no bins and no
    iterations, but it is not forced to be monotonic.

    Parameters
    ----------
    n_knots : int, default=6
        Number of evenly spaced knots, at least 2. Never more than held-out rows plus one.

    Attributes
    ----------
    confidences_ : list of ndarray
        For each class the distinct probabilities of the held-out rows, rising.
    recalibrated_ : list of ndarray
        For each class what these become before rows are normalized.
    n_classes_ : int
        Number of columns of the probabilities.

    See Also
    --------
    TemperatureScaling : A single parameter, for few held-out rows.
    HistogramBinning : Bins instead of a curve.

    Notes
    -----
    For one class, let the n held-out rows be sorted by its probability and let ``h(i / n)`` be the number of rows of
    the class among the first i, divided by n. The slope of h at t is the probability of the class at the confidence
    found a proportion t of the way through the sorted rows. h is made differentiable by a natural cubic spline fitted
    by least squares, and a held-out confidence becomes the slope of the spline over the interval of its rows, clipped
    to [0, 1]. A natural spline is straight at both ends, so the slopes level off there. A new confidence between two
    held-out ones is interpolated; outside their range it gets the value of the closest.

    The original calibrates the probability of the largest class, of the r-th largest, or of each class. Here each class
    is calibrated by itself and rows are divided by their sum, since whole rows of probabilities are needed; two classes
    need no division, their curves mirror each other. A row whose slopes are all 0 keeps its probabilities.

    References
    ----------
    Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley (2021). Calibration of neural networks using splines. ICLR.

    Examples
    --------
    A classifier that predicts 0% or 100% and is right in three of four cases; a smooth curve comes close to that:

    >>> import numpy as np
    >>> from tabcast.confidence import SplineCalibration
    >>> proba = np.array([[1.0, 0.0]] * 40 + [[0.0, 1.0]] * 40)
    >>> y = np.array([0, 0, 0, 1] * 10 + [1, 1, 1, 0] * 10)
    >>> spline = SplineCalibration(n_knots=6).calibrate(proba, y)
    >>> spline.adjust(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])).round(2)
    array([[0.72, 0.28],
           [0.5 , 0.5 ],
           [0.28, 0.72]])
    """

    def __init__(self, n_knots: int = 6) -> None:
        self.n_knots = n_knots

    def _learn(self, proba: Floats, y: Index) -> None:
        check_integer(self.n_knots, "n_knots", "SplineCalibration", 2)
        learned = [recalibrate(column, y == j, self.n_knots) for j, column in enumerate(proba.T)]
        self.confidences_: list[Floats] = [confidences for confidences, _ in learned]
        self.recalibrated_: list[Floats] = [recalibrated for _, recalibrated in learned]

    def _apply(self, proba: Floats) -> Floats:
        learned = zip(proba.T, self.confidences_, self.recalibrated_, strict=True)
        return normalize_rows(np.column_stack([np.interp(*of_class) for of_class in learned]), proba)
