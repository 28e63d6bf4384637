"""ROC and precision-recall curves of held-out rows, one class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_curve

from tabcast.diagnostics._base import Diagnostic
from tabcast.statistics import area_under_curve
from tabcast.table import Floats, Index

MOST_CLASSES = 6  # more lines cannot be told apart
MOST_POINTS = 101


@dataclass(frozen=True, eq=False)
class Curves(Diagnostic):
    """How well the probabilities rank held-out rows, one class against the rest.

    Attributes
    ----------
    areas : DataFrame
        One row per class, the most frequent first: `class`, `n` (held-out rows of it), `proportion`, `auc` (area under
        the ROC curve), `low`, `high` (its 95% interval, DeLong) and `average_precision`. Of two classes the second
        only; of many the six most frequent.
    roc : DataFrame
        Points of the ROC curves: `class`, `false_positive_rate`, `recall`.
    precision_recall : DataFrame
        Points of the precision-recall curves: `class`, `recall`, `precision`.
    n_rows : int
        Number of held-out rows.
    n_classes : int
        Number of all classes.

    See Also
    --------
    curves : Computes it.
    """

    areas: pd.DataFrame
    roc: pd.DataFrame
    precision_recall: pd.DataFrame
    n_rows: int
    n_classes: int


def curves(codes: Index, proba: Floats, classes: ArrayLike) -> Curves | None:
    """Compute ROC and precision-recall curves of held-out rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Index of the true class.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities, predicted by models that were not trained on the rows.
    classes : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    Curves or None
        The curves, of at most 101 points each. None if all rows have the same class.

    Notes
    -----
    Rows of all folds are ranked together, although each fold has a model of its own: the curves are those of one
    threshold for all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import curves
    >>> proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> found = curves(np.array([0, 0, 1, 1]), proba, ["no", "yes"])
    >>> found.areas[["class", "auc"]].to_dict("records")
    [{'class': 'yes', 'auc': 0.75}]
    >>> found.roc.to_numpy()[:, 1:].tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.5, 0.5], [0.5, 1.0], [1.0, 1.0]]
    """
    names, counts = np.asarray(classes, dtype=object), np.bincount(codes, minlength=proba.shape[1])
    chosen = np.array([1]) if len(names) == 2 else np.argsort(-counts, kind="stable")[:MOST_CLASSES]
    areas, roc, precision_recall = [], [], []
    for code in chosen:
        positive, scores = codes == code, proba[:, code]
        if not 0 < counts[code] < len(codes):
            continue
        area, precise = area_under_curve(scores, positive), average_precision_score(positive, scores)
        areas.append((names[code], int(counts[code]), counts[code] / len(codes), *area, float(precise)))
        false, found, _ = roc_curve(positive, scores)
        precision, recall, _ = precision_recall_curve(positive, scores)
        roc.append(_tabulate(names[code], false_positive_rate=false, recall=found))
        precision_recall.append(_tabulate(names[code], recall=recall[::-1], precision=precision[::-1]))
    if not areas:
        return None
    columns = ["class", "n", "proportion", "auc", "low", "high", "average_precision"]
    return Curves(
        pd.DataFrame(areas, columns=columns, dtype=object).astype(dict.fromkeys(columns[2:], float) | {"n": int}),
        pd.concat(roc, ignore_index=True),
        pd.concat(precision_recall, ignore_index=True),
        len(codes),
        len(names),
    )


def _tabulate(name: Any, **columns: Floats) -> pd.DataFrame:
    """Points of a curve, thinned."""
    chosen = thin(next(iter(columns.values())))
    names = pd.Series([name] * len(chosen), dtype=object)  # as text of Arrow a lone surrogate would fail
    return pd.DataFrame({"class": names, **{key: values[chosen] for key, values in columns.items()}})


def thin(values: Floats) -> Index:
    """Positions of at most 101 points, both ends among them."""
    return np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).round().astype(np.intp))
