"""Calibration of the probabilities, before and after self-training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._bins import affordable_bins
from tabcast.statistics import expected_calibration_error, reliability_curve
from tabcast.table import Floats, Index

MOST_BINS = 10
NAMES = {"accuracy_low": "low", "accuracy_high": "high", "count": "n"}


@dataclass(frozen=True, eq=False)
class ModelReliability(Diagnostic):
    """Calibration of one model.

    Attributes
    ----------
    bins : DataFrame
        One row per bin of confidence in the predicted class: `confidence` (mean), `accuracy`, `low` and `high` (its 95%
        interval, Wilson) and `n`.
    ece : float
        Expected calibration error over these bins.
    log_loss : float
        Mean negative log probability of the true class.

    See Also
    --------
    reliability : Computes it.
    """

    bins: pd.DataFrame
    ece: float
    log_loss: float


@dataclass(frozen=True, eq=False)
class Reliability(Diagnostic):
    """Calibration of the models on the same held-out rows.

    Attributes
    ----------
    supervised : ModelReliability
        The model trained without the unlabeled rows.
    self_trained : ModelReliability
        The model trained with them.
    kept : ModelReliability or None, default=None
        The model that was kept.

    See Also
    --------
    reliability : Computes it.
    """

    supervised: ModelReliability
    self_trained: ModelReliability
    kept: ModelReliability | None = None


def reliability(codes: Index, supervised: Floats, self_trained: Floats, kept: Floats | None = None) -> Reliability:
    """Compare confidence and accuracy of models on held-out rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Index of the true class.
    supervised : ndarray of shape (n_rows, n_classes)
        Probabilities of the supervised model.
    self_trained : ndarray of shape (n_rows, n_classes)
        Probabilities of the self-trained model.
    kept : ndarray of shape (n_rows, n_classes), default=None
        Probabilities of the model that was kept.

    Returns
    -------
    Reliability
        The calibration of each.

    Notes
    -----
    Bins hold about the same number of rows: ten bins where each can have ten rows, else fewer, the same for both. With
    few rows in a bin even a perfect model has a calibration error above 0; compare the two, not either with 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import reliability
    >>> codes = np.array([0, 1] * 10)
    >>> modest, bold = np.full((20, 2), 0.5), np.tile([0.999, 0.001], (20, 1))
    >>> found = reliability(codes, modest, bold)
    >>> round(found.supervised.ece, 3), round(found.self_trained.ece, 3)
    (0.0, 0.499)
    """
    measured = None if kept is None else _measure(codes, kept)
    return Reliability(_measure(codes, supervised), _measure(codes, self_trained), measured)


def _measure(codes: Index, proba: Floats) -> ModelReliability:
    """Reliability of one model."""
    n_bins = affordable_bins(len(codes), MOST_BINS)
    proba = np.clip(np.asarray(proba, dtype=float), 0.0, 1.0)
    proba /= proba.sum(axis=1, keepdims=True)  # single precision sums to 1 only nearly
    curve = reliability_curve(codes, proba, n_bins=n_bins, binning="equal_mass").rename(columns=NAMES)
    bins = curve.loc[curve["n"] > 0, ["confidence", "accuracy", "low", "high", "n"]].reset_index(drop=True)
    ece = expected_calibration_error(codes, proba, n_bins=n_bins, binning="equal_mass")
    return ModelReliability(bins, ece, float(log_loss(codes, proba, labels=np.arange(proba.shape[1]))))
