"""Confidence replaced by how often it was right: one number a bin."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_integer
from tabcast.confidence._base import Confidence
from tabcast.confidence._probabilities import check_calibrated, check_held_out, check_proba, normalize_rows
from tabcast.table import Floats, Index, Mask


def find_bins(values: Floats, n_bins: int) -> Index:
    """Which of `n_bins` equal-width intervals (a, b] of [0, 1] holds each value; 0 itself lies in the first."""
    return np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], values, side="left")


def bin_shares(values: Floats, is_class: Mask, n_bins: int) -> Floats:
    """Share of rows of the class in each bin; the middle of the bin where there is no row."""
    bins = find_bins(values, n_bins)
    counts = np.bincount(bins, minlength=n_bins)
    hits = np.bincount(bins, weights=is_class, minlength=n_bins)
    middles = (np.arange(n_bins) + 0.5) / n_bins
    return np.where(counts > 0, hits / np.maximum(counts, 1), middles)


class HistogramBinning(Confidence):
    """Confidence replaced by the share of held-out rows of that class in the same bin of confidence.

    Choose it with some hundred held-out rows and a confidence that no smooth curve would mend. All rows of a bin get
    the same confidence, so strategies that rank rows see many ties.

    Parameters
    ----------
    n_bins : number of equal-width bins of [0, 1].

    Attributes
    ----------
    shares_ : (n_classes, n_bins), what a probability in a bin becomes before rows are made to sum to 1.
    n_classes_ : number of columns of the probabilities.

    Notes
    -----
    Each class by itself against all others, then rows are divided by their sum. Two classes need one histogram: that of
    class 1, and class 0 is what remains. Bins are half-open, (a, b], the first with 0. A bin without held-out rows
    gives its middle. A row whose classes all fall in bins with a share of 0 keeps its probabilities. In these
    conventions the result equals netcal's, which the paper used; netcal gives NaN where no class has a share.

    References
    ----------
    Zadrozny, Elkan (2001). Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers. ICML. For more than two classes: Zadrozny, Elkan (2002). Transforming classifier scores into accurate
    multiclass probability estimates. KDD.

    Examples
    --------
    Ten held-out rows at 90 % of which seven are right; no row says 0.3, so it becomes the middle of (0, 0.5]:

    >>> import numpy as np
    >>> from tabcast.confidence import HistogramBinning
    >>> proba, y = np.tile([0.1, 0.9], (10, 1)), np.array([1] * 7 + [0] * 3)
    >>> binning = HistogramBinning(n_bins=2).calibrate(proba, y)
    >>> binning.adjust(np.array([[0.4, 0.6], [0.7, 0.3]])).round(3)
    array([[0.3 , 0.7 ],
           [0.75, 0.25]])
    """

    needs_held_out = True

    def __init__(self, n_bins: int = 10) -> None:
        self.n_bins = n_bins

    def calibrate(self, proba: Floats, y: Index) -> HistogramBinning:
        """Count the held-out rows of each class in each bin."""
        check_integer(self.n_bins, "n_bins", "HistogramBinning", 1)
        proba, y = check_held_out(proba, y, "HistogramBinning")
        self.n_classes_: int = proba.shape[1]
        shares = [bin_shares(column, y == j, self.n_bins) for j, column in enumerate(proba.T)]
        if self.n_classes_ == 2:
            # The edges of class 0's bins are closed on the other side: mirrored, they are those of class 1.
            shares[0] = 1 - shares[1][::-1]
        self.shares_: Floats = np.array(shares)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Shares of the bins, made to sum to 1."""
        check_calibrated(self, "shares_")
        proba = check_proba(proba, "HistogramBinning", self.n_classes_)
        n_bins = self.shares_.shape[1]
        if self.n_classes_ == 2:
            second = self.shares_[1, find_bins(proba[:, 1], n_bins)]
            return np.column_stack([1 - second, second])
        values = np.column_stack(
            [share[find_bins(column, n_bins)] for share, column in zip(self.shares_, proba.T, strict=True)]
        )
        return normalize_rows(values, proba)
