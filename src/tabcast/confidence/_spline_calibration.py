"""Confidence as the slope of a curve: how fast right answers add up along held-out rows sorted by confidence."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from tabcast.checks import check_integer
from tabcast.confidence._base import Confidence
from tabcast.confidence._probabilities import check_calibrated, check_held_out, check_proba, normalize_rows
from tabcast.table import Floats, Index, Mask


def fit_natural_spline(x: Floats, values: Floats, n_knots: int) -> CubicSpline:
    """Natural cubic spline with evenly spaced knots on [0, 1], nearest to the points in the sense of least squares."""
    knots = np.linspace(0, 1, n_knots)
    basis = CubicSpline(knots, np.eye(n_knots), bc_type="natural")
    heights, *_ = np.linalg.lstsq(basis(x), values, rcond=None)
    return CubicSpline(knots, heights, bc_type="natural")


def recalibrate(values: Floats, is_class: Mask, n_knots: int) -> tuple[Floats, Floats]:
    """The distinct confidences, rising, and what each becomes: the slope of the spline where its rows lie.

    The spline follows ``h(i / n)``, the number of rows of the class among the i least confident, divided by n. Rows of
    equal confidence have no order: each counts as their mean, and they take the mean slope of their stretch.
    """
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=is_class) / counts
    along = np.linspace(0, 1, len(values) + 1)
    curve = np.concatenate([[0.0], np.cumsum(np.repeat(means, counts))]) / len(values)
    spline = fit_natural_spline(along, curve, min(n_knots, len(along)))
    ends = np.concatenate([[0], np.cumsum(counts)])
    slopes = np.diff(spline(along[ends])) / np.diff(along[ends])
    return distinct, np.clip(slopes, 0.0, 1.0)


class SplineCalibration(Confidence):
    """Confidence read off a smooth curve through the cumulative share of right answers, without bins.

    Choose it with some hundred held-out rows when temperature scaling is too stiff. The curve needs no bins and no
    iterations, but nothing keeps it from falling where confidence grows.

    Parameters
    ----------
    n_knots : number of evenly spaced knots, at least 2; six in the paper. Never more than held-out rows plus one.

    Attributes
    ----------
    confidences_ : for each class the distinct probabilities of the held-out rows, rising.
    recalibrated_ : for each class what these become before rows are made to sum to 1.
    n_classes_ : number of columns of the probabilities.

    Notes
    -----
    For one class, let the n held-out rows be sorted by its probability and let ``h(i / n)`` be the number of rows of
    the class among the first i, divided by n. The slope of h at t is the probability of the class at the confidence
    found a share t of the way through the sorted rows. h is made differentiable by a natural cubic spline fitted by
    least squares, and a held-out confidence becomes the slope of the spline over the stretch that its rows take, cut to
    [0, 1]. A natural spline is straight at both ends, so the slopes level off there. A new confidence lies between two
    held-out ones and is interpolated; outside their range it gets what the nearest has.

    The original calibrates the probability of the largest class, of the r-th largest, or of each class. Here each class
    is calibrated by itself and rows are divided by their sum, since whole rows of probabilities are wanted; two classes
    need no division, their curves mirror each other. A row whose slopes are all 0 keeps its probabilities.

    References
    ----------
    Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley (2021). Calibration of neural networks using splines. ICLR.

    Examples
    --------
    A classifier that says 0 % or 100 % and is right in three of four cases; a smooth curve comes near to that:

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

    needs_held_out = True

    def __init__(self, n_knots: int = 6) -> None:
        self.n_knots = n_knots

    def calibrate(self, proba: Floats, y: Index) -> SplineCalibration:
        """Fit a curve for each class."""
        check_integer(self.n_knots, "n_knots", "SplineCalibration", 2)
        proba, y = check_held_out(proba, y, "SplineCalibration")
        self.n_classes_: int = proba.shape[1]
        learned = [recalibrate(column, y == j, self.n_knots) for j, column in enumerate(proba.T)]
        self.confidences_: list[Floats] = [confidences for confidences, _ in learned]
        self.recalibrated_: list[Floats] = [recalibrated for _, recalibrated in learned]
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Slopes of the curves, made to sum to 1."""
        check_calibrated(self, "recalibrated_")
        proba = check_proba(proba, "SplineCalibration", self.n_classes_)
        learned = zip(proba.T, self.confidences_, self.recalibrated_, strict=True)
        return normalize_rows(np.column_stack([np.interp(*of_class) for of_class in learned]), proba)
