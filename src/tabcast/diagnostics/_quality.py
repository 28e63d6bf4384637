"""How good the model is on held-out rows: which classes it confuses, and how often it is right per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.diagnostics._base import Diagnostic
from tabcast.statistics import wilson_interval
from tabcast.table import Floats, Index


@dataclass(frozen=True, eq=False)
class Quality(Diagnostic):
    """Cross-validated quality of the model that was kept, beside the supervised one.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    confusion : ndarray of int of shape (n_classes, n_classes)
        Number of held-out rows by true class (rows) and predicted class (columns).
    per_class : DataFrame
        One row per class: `class`, `n` (held-out rows), `n_predicted`, `recall`, `recall_low`, `recall_high`,
        `precision`, `precision_low`, `precision_high`, and the recall of the supervised model, `supervised_recall`,
        `supervised_low`, `supervised_high`. Intervals are 95% (Wilson). NaN where no row counts.
    accuracy : float
        Proportion of right predictions.
    accuracy_low : float
        Lower end of its 95% interval (Wilson).
    accuracy_high : float
        Upper end of its 95% interval.
    balanced_accuracy : float
        Mean recall of the classes with a held-out row.
    balanced_accuracy_low : float
        Lower end of its 95% interval.
    balanced_accuracy_high : float
        Upper end of its 95% interval.
    supervised_accuracy : float
        Proportion of right predictions of the supervised model.
    supervised_balanced_accuracy : float
        Mean recall of the supervised model.
    n_rows : int
        Number of held-out rows.

    See Also
    --------
    quality : Computes it.
    """

    classes: NDArray[Any]
    confusion: Index
    per_class: pd.DataFrame
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    balanced_accuracy: float
    balanced_accuracy_low: float
    balanced_accuracy_high: float
    supervised_accuracy: float
    supervised_balanced_accuracy: float
    n_rows: int


def quality(codes: Index, labels: Index, supervised: Index, classes: ArrayLike) -> Quality:
    """Measure how good predictions of held-out rows are.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Index of the true class.
    labels : ndarray of int of shape (n_rows,)
        Index of the class that the model predicts.
    supervised : ndarray of int of shape (n_rows,)
        Index of the class that the supervised model predicts.
    classes : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    Quality
        Confusion matrix, precision and recall per class, accuracy and balanced accuracy.

    Notes
    -----
    The interval of balanced accuracy combines those of the recalls (Zou and Donner, 2008): with recalls ``r_c``,
    Wilson intervals ``(l_c, u_c)`` and K classes it is ``mean(r) - sqrt(sum((r - l)^2)) / K`` to
    ``mean(r) + sqrt(sum((u - r)^2)) / K``.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import quality
    >>> codes, labels = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    >>> found = quality(codes, labels, np.zeros(4, dtype=int), ["no", "yes"])
    >>> found.confusion.tolist(), found.accuracy, round(found.balanced_accuracy, 3)
    ([[2, 1], [0, 1]], 0.75, 0.833)
    >>> found.per_class["precision"].tolist(), found.per_class["supervised_recall"].tolist()
    ([1.0, 0.5], [1.0, 0.0])
    """
    names = np.asarray(classes, dtype=object)  # as text of Arrow a lone surrogate would fail
    k, n = len(names), len(codes)
    confusion = count_pairs(codes, labels, k)
    right, true, predicted = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    before = np.diag(count_pairs(codes, supervised, k))
    recall, precision, supervised_recall = (
        _proportion(*pair) for pair in ((right, true), (right, predicted), (before, true))
    )
    per_class = pd.DataFrame(
        {
            "class": pd.Series(names, dtype=object),
            "n": true,
            "n_predicted": predicted,
            **dict(zip(("recall", "recall_low", "recall_high"), recall, strict=True)),
            **dict(zip(("precision", "precision_low", "precision_high"), precision, strict=True)),
            **dict(zip(("supervised_recall", "supervised_low", "supervised_high"), supervised_recall, strict=True)),
        }
    )
    share, low, high = (float(one[0]) for one in _proportion(np.array([right.sum()]), np.array([n])))
    balanced = _average(*recall)
    return Quality(
        classes=names,
        confusion=confusion,
        per_class=per_class,
        accuracy=share,
        accuracy_low=low,
        accuracy_high=high,
        balanced_accuracy=balanced[0],
        balanced_accuracy_low=balanced[1],
        balanced_accuracy_high=balanced[2],
        supervised_accuracy=float(before.sum() / n) if n else np.nan,
        supervised_balanced_accuracy=_average(*supervised_recall)[0],
        n_rows=n,
    )


def count_pairs(codes: Index, labels: Index, n_classes: int) -> Index:
    """Number of rows by true and predicted class."""
    flat = np.bincount(np.asarray(codes) * n_classes + np.asarray(labels), minlength=n_classes**2)
    return flat.reshape(n_classes, n_classes)


def _proportion(part: Index, whole: Index) -> tuple[Floats, Floats, Floats]:
    """Proportions with their Wilson intervals; NaN where the whole is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = part / whole
        return share, *wilson_interval(share, whole)


def _average(share: Floats, low: Floats, high: Floats) -> tuple[float, float, float]:
    """The mean of independent proportions with its interval."""
    known = np.isfinite(share)
    if not known.any():
        return np.nan, np.nan, np.nan
    share, low, high = share[known], low[known], high[known]
    mean, k = float(share.mean()), len(share)
    below, above = (float(np.sqrt((gap**2).sum())) / k for gap in (share - low, high - share))
    return mean, max(0.0, mean - below), min(1.0, mean + above)
