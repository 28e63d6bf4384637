"""Calibration errors and the reliability curve, which scikit-learn lacks.

All take the true classes first and the probabilities second, as scikit-learn's metrics do.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tabcast.checks import check_choice, check_integer
from tabcast.statistics._intervals import wilson_interval
from tabcast.table import Floats, Index

ROUNDING = 1e-6  # what single precision may add to a probability of 1


def equal_width_edges(confidence: Floats, n_bins: int) -> Floats:
    """Edges 0, 1 / n_bins, .., 1."""
    return np.linspace(0.0, 1.0, n_bins + 1)


def equal_mass_edges(confidence: Floats, n_bins: int) -> Floats:
    """Edges from 0 to 1 with about the same number of rows between them; fewer bins where confidences repeat."""
    edges = np.quantile(confidence, np.linspace(0.0, 1.0, n_bins + 1))
    edges[0], edges[-1] = 0.0, 1.0
    return np.unique(edges)


BINNINGS = {"equal_width": equal_width_edges, "equal_mass": equal_mass_edges}


def expected_gap(curve: pd.DataFrame) -> float:
    """Mean distance between accuracy and confidence over the bins of a reliability curve, weighted by their rows."""
    gaps = (curve["accuracy"] - curve["confidence"]).abs()
    return float((gaps * curve["count"]).sum() / curve["count"].sum())


def reliability_curve(
    y: ArrayLike,
    proba: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_bins: int = 10,
    binning: str = "equal_width",
) -> pd.DataFrame:
    """Compute the accuracy of predictions per bin of confidence.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True class of each row.
    proba : array-like of shape (n_rows, n_classes) or (n_rows,)
        Confidence in each class, or in the second of two.
    classes : array-like of shape (n_classes,), default=None
        Class of each column, for instance ``model.classes_``. None if `y` holds column indices.
    n_bins : int, default=10
        Number of bins.
    binning : "equal_width" or "equal_mass", default="equal_width"
        Whether bins have the same width or about the same number of rows.

    Returns
    -------
    DataFrame
        One row per bin, with columns `lower` and `upper` (the bin (lower, upper]; a confidence of 0 belongs to the
        first), `confidence` (mean over the bin), `accuracy` (proportion of rows that are right),
        `accuracy_low` and `accuracy_high` (its 95% interval, Wilson) and `count` (number of rows). Means are NaN in a
        bin without rows.

    See Also
    --------
    tabcast.plots.plot_calibration : Draws the calibration of a run.
    expected_calibration_error : Summarize it in one number.

    Examples
    --------
    >>> from tabcast.statistics import reliability_curve
    >>> proba = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]
    >>> curve = reliability_curve(["no", "yes", "yes", "yes"], proba, classes=["no", "yes"], n_bins=4)
    >>> curve[["lower", "upper", "confidence", "accuracy", "count"]]
       lower  upper  confidence  accuracy  count
    0   0.00   0.25         NaN       NaN      0
    1   0.25   0.50         NaN       NaN      0
    2   0.50   0.75        0.65       0.5      2
    3   0.75   1.00        0.85       1.0      2
    """
    check_integer(n_bins, "n_bins", "the reliability curve", 1)
    check_choice(binning, BINNINGS, "binning")
    index, table = _check_rows(y, proba, classes)
    confidence, right = table.max(axis=1), table.argmax(axis=1) == index
    edges = BINNINGS[binning](confidence, n_bins)
    bins = np.searchsorted(edges[1:-1], confidence, side="left")
    count = np.bincount(bins, minlength=len(edges) - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(bins, weights=confidence, minlength=len(count)) / count
        accuracy = np.bincount(bins, weights=right, minlength=len(count)) / count
        low, high = wilson_interval(accuracy, count)
    return pd.DataFrame(
        {
            "lower": edges[:-1],
            "upper": edges[1:],
            "confidence": mean,
            "accuracy": accuracy,
            "accuracy_low": low,
            "accuracy_high": high,
            "count": count,
        }
    )


def expected_calibration_error(
    y: ArrayLike,
    proba: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_bins: int = 10,
    binning: str = "equal_width",
) -> float:
    """Compute the mean distance between confidence and accuracy over bins of confidence (ECE).

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The true classes.
    proba : array-like of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of each class, or of the second of two.
    classes : array-like of shape (n_classes,), default=None
        The class of each column. None if `y` holds column indices.
    n_bins : int, default=10
        Number of bins.
    binning : "equal_width" or "equal_mass", default="equal_width"
        How bins are formed, as in :func:`reliability_curve`.

    Returns
    -------
    float
        0 is perfect, 1 the worst.

    See Also
    --------
    reliability_curve : The distances per bin.

    Notes
    -----
    ``ECE = sum_m |B_m| / n * |acc(B_m) - conf(B_m)|`` where B_m are the rows whose confidence lies in
    ``((m - 1) / M, m / M]`` (the paper's Appendix C). It is a biased estimate: with few rows in a bin a perfectly
    calibrated classifier has an ECE above 0, the more so the more bins. Compare only values with the same bins and the
    same rows.

    References
    ----------
    Naeini, Cooper, Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian binning. AAAI.

    Examples
    --------
    Ten rows at 90%, of which seven are right:

    >>> from tabcast.statistics import expected_calibration_error
    >>> proba, y = [[0.1, 0.9]] * 10, ["yes"] * 7 + ["no"] * 3
    >>> round(expected_calibration_error(y, proba, classes=["no", "yes"]), 3)
    0.2
    """
    return expected_gap(reliability_curve(y, proba, classes=classes, n_bins=n_bins, binning=binning))


def _check_rows(y: ArrayLike, proba: ArrayLike, classes: ArrayLike | None) -> tuple[Index, Floats]:
    """Column index of each row's class, and the probabilities as a table."""
    table = np.asarray(proba, dtype=np.float64)
    if table.ndim == 1:
        table = np.column_stack([1 - table, table])
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"`proba` must have shape (n_rows, n_classes) or (n_rows,) with at least one row; got {np.shape(proba)}."
        )
    wrong = ~((table >= 0) & (table <= 1 + ROUNDING))
    if wrong.any():
        raise ValueError(f"`proba` must hold numbers in [0, 1]; got {table[wrong][0]}.")
    names = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
    if names.shape != (table.shape[1],):
        raise ValueError(f"`classes` must name the {table.shape[1]} columns of `proba`; got {len(names)} names.")
    labels = np.asarray(y)
    if labels.shape != (len(table),):
        raise ValueError(f"`y` must hold one class for each of the {len(table)} rows; got {labels.shape}.")
    index = pd.Index(names).get_indexer(pd.Index(labels))
    if (index < 0).any():
        strange = labels[index < 0].tolist()[0]
        hint = " Pass `classes`, for instance model.classes_." if classes is None else ""
        raise ValueError(f"`y` must hold only the classes {names.tolist()}; got {strange!r}.{hint}")
    return index.astype(np.intp), table
