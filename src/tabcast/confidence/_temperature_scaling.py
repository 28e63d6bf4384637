"""One number against over-confidence: the classifier's log-probabilities divided by a temperature."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from tabcast.confidence._base import Confidence
from tabcast.confidence._probabilities import check_calibrated, check_held_out, check_proba, log_probabilities
from tabcast.table import Floats, Index

COLDEST, HOTTEST = 0.05, 20.0


def log_loss_slope(inverse_temperature: float, log_proba: Floats, y: Index) -> float:
    """Derivative of the log-loss of ``softmax(b * log_proba)`` with respect to b; it grows with b."""
    expected = (softmax(inverse_temperature * log_proba, axis=1) * log_proba).sum(axis=1)
    return float(np.mean(expected - log_proba[np.arange(len(y)), y]))


def best_temperature(log_proba: Floats, y: Index) -> float:
    """The temperature in [COLDEST, HOTTEST] with the smallest log-loss; 1 where no temperature changes anything."""
    if np.ptp(log_proba, axis=1).max() < 1e-12:
        return 1.0
    if log_loss_slope(1 / HOTTEST, log_proba, y) >= 0:
        return HOTTEST
    if log_loss_slope(1 / COLDEST, log_proba, y) <= 0:
        return COLDEST
    return float(1 / brentq(log_loss_slope, 1 / HOTTEST, 1 / COLDEST, args=(log_proba, y), xtol=1e-13, rtol=1e-13))


class TemperatureScaling(Confidence):
    """Confidence made more modest, or bolder, by one temperature for all rows and classes.

    Choose it first among the calibrators: a single number can be learned from few held-out rows, and the order of the
    classes in a row stays as it was. It cannot mend a confidence that is wrong in one direction for some rows and in
    the other for others.

    Attributes
    ----------
    temperature_ : above 1 the classifier was over-confident, below 1 it was too modest.
    n_classes_ : number of columns of the probabilities.

    Notes
    -----
    ``softmax(log(p) / T)``, with T the maximum of the likelihood of the held-out rows. The log-loss is convex in 1 / T,
    so T is the root of its derivative, found to machine precision. T is kept within 0.05 and 20: with held-out rows
    that are all predicted right the likelihood would ask for 0. Probabilities of 0 count as the machine epsilon.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    Ten held-out rows at 90 % of which seven are right:

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

    needs_held_out = True
    changes_labels = False

    def calibrate(self, proba: Floats, y: Index) -> TemperatureScaling:
        """Find the temperature under which the held-out rows are most likely."""
        proba, y = check_held_out(proba, y, "TemperatureScaling")
        self.n_classes_: int = proba.shape[1]
        self.temperature_ = best_temperature(log_probabilities(proba), y)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Probabilities at the learned temperature."""
        check_calibrated(self, "temperature_")
        proba = check_proba(proba, "TemperatureScaling", self.n_classes_)
        return softmax(log_probabilities(proba) / self.temperature_, axis=1)
