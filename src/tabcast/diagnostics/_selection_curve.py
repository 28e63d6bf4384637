"""How many unlabeled rows would be selected with another threshold or alpha, and which never can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tabcast.confidence._cluster_aware import regularize
from tabcast.diagnostics._base import Diagnostic
from tabcast.table import Floats, Index

THRESHOLDS = np.linspace(0.0, 1.0, 21).round(2)
ALPHAS = np.linspace(0.0, 1.0, 21).round(2)


@dataclass(frozen=True, eq=False)
class SelectionCurve(Diagnostic):
    """Number of selected unlabeled rows as threshold and alpha change.

    Attributes
    ----------
    thresholds : DataFrame
        `threshold`, `n` and `share` of the rows whose confidence reaches it.
    alphas : DataFrame or None
        `alpha`, `n` and `share` of the rows that would reach `threshold` with this alpha in the first round, by the
        probabilities of the supervised classifier. None without a density, or without a threshold.
    threshold : float or None
        The sufficient confidence. None where every row is used whatever its confidence, or none is.
    never_n : int
        Number of rows that could not be selected even if the classifier were certain of them.
    never_share : float
        Their proportion.

    See Also
    --------
    selection_curve : Computes it.
    """

    thresholds: pd.DataFrame
    alphas: pd.DataFrame | None
    threshold: float | None
    never_n: int
    never_share: float


def best_possible(gamma: Floats, alpha: float) -> Floats:
    """Largest regularized confidence of each row, if the classifier were certain of the best class for it.

    Parameters
    ----------
    gamma : ndarray of shape (n_rows, n_classes)
        Scaled densities.
    alpha : float
        Weight of the density.

    Returns
    -------
    ndarray of shape (n_rows,)
        The largest confidences.
    """
    return regularize(np.ones_like(gamma), gamma, alpha).max(axis=1)


def selection_curve(
    confidence: Floats,
    *,
    threshold: float | None = None,
    possible: Floats | None = None,
    required: float | None = None,
    proba: Floats | None = None,
    gamma: Floats | None = None,
) -> SelectionCurve:
    """Count the rows that are selected as threshold and alpha change.

    Parameters
    ----------
    confidence : ndarray of shape (n_rows,)
        Confidence in the label that each unlabeled row was given.
    threshold : float, default=None
        The sufficient confidence. None if there was none.
    possible : ndarray of shape (n_rows,), default=None
        The largest confidence that each row could have. None means 1.
    required : float, default=None
        The confidence below which a row is never used, whatever the others have. None for a strategy that takes the
        best rows whatever their confidence, so that only a row with a `possible` of 0 can never be selected.
    proba : ndarray of shape (n_rows, n_classes), default=None
        Probabilities for the curve over alpha; pass them together with `gamma`.
    gamma : ndarray of shape (n_rows, n_classes), default=None
        Scaled densities for the curve over alpha.

    Returns
    -------
    SelectionCurve
        Both curves and the rows that can never be selected.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import selection_curve
    >>> proba, gamma = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[1.0, 0.2], [0.1, 0.3]])
    >>> curve = selection_curve(np.array([0.9, 0.39]), threshold=0.6, required=0.6, proba=proba, gamma=gamma)
    >>> curve.thresholds.set_index("threshold")["n"].loc[[0.0, 0.5, 1.0]].tolist()
    [2, 1, 0]
    >>> curve.alphas.set_index("alpha")["n"].loc[[0.0, 0.5, 1.0]].tolist()
    [2, 1, 1]
    """
    n_rows = len(confidence)
    passing = np.array([(confidence >= least).sum() for least in THRESHOLDS])
    thresholds = pd.DataFrame({"threshold": THRESHOLDS, "n": passing, "share": _share(passing, n_rows)})
    alphas = None
    if proba is not None and gamma is not None and threshold is not None:
        counts = np.array([(regularize(proba, gamma, alpha).max(axis=1) >= threshold).sum() for alpha in ALPHAS])
        alphas = pd.DataFrame({"alpha": ALPHAS, "n": counts, "share": _share(counts, n_rows)})
    never = 0
    if possible is not None:
        never = int((possible <= 0).sum() if required is None else ((possible < required) | (possible <= 0)).sum())
    return SelectionCurve(thresholds, alphas, threshold, never, float(_share(np.array([never]), n_rows)[0]))


def _share(counts: Index, n_rows: int) -> Floats:
    """Counts as proportions."""
    return counts / max(1, n_rows)
