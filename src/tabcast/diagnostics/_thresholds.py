"""What each threshold on the probability of the second of two classes means, counted on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tabcast.decisions import DecisionRule
from tabcast.diagnostics._base import Diagnostic
from tabcast.table import Floats, Index

STEPS = np.linspace(0.0, 1.0, 101).round(2)
ROUNDING = 1e-7  # of probabilities in single precision


@dataclass(frozen=True, eq=False)
class Thresholds(Diagnostic):
    """Right and wrong predictions of held-out rows by threshold, for two classes.

    Attributes
    ----------
    positive : object
        The second class, which is predicted where its probability reaches the threshold.
    negative : object
        The first class.
    in_use : float
        The threshold of the model's decision rule.
    counts : DataFrame
        One row per threshold from 0 to 1 in steps of 0.01: `threshold`, `true_positives`, `false_positives`,
        `false_negatives`, `true_negatives`, and `recall` and `precision` of the second class (NaN where no row counts).
    n_rows : int
        Number of held-out rows.

    See Also
    --------
    thresholds : Computes it.
    """

    positive: Any
    negative: Any
    in_use: float
    counts: pd.DataFrame
    n_rows: int


def thresholds(codes: Index, proba: Floats, classes: ArrayLike, rule: DecisionRule) -> Thresholds | None:
    """Count right and wrong predictions of held-out rows by threshold.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Index of the true class.
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities of held-out rows, the second column that of the positive class.
    classes : array-like of shape (n_classes,)
        All classes, sorted.
    rule : DecisionRule
        The rule by which the model predicts.

    Returns
    -------
    Thresholds or None
        The counts. None unless there are two classes.

    See Also
    --------
    tabcast.decisions.Threshold : Predicts by a given threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Threshold
    >>> from tabcast.diagnostics import thresholds
    >>> rule = Threshold(0.3).fit(np.array(["no", "yes"]), prior=np.array([0.5, 0.5]))
    >>> proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> found = thresholds(np.array([0, 0, 1, 1]), proba, ["no", "yes"], rule)
    >>> round(found.in_use, 3)
    0.3
    >>> found.counts.set_index("threshold").loc[[0.3, 0.5], ["true_positives", "false_positives"]].to_numpy().tolist()
    [[2, 1], [1, 0]]
    """
    names = np.asarray(classes, dtype=object)
    if len(names) != 2:
        return None
    positive, scores = codes == 1, proba[:, 1]
    found, false = (_reach(scores[rows]) for rows in (positive, ~positive))
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, precision = found / positive.sum(), found / (found + false)
    counts = pd.DataFrame(
        {
            "threshold": STEPS,
            "true_positives": found,
            "false_positives": false,
            "false_negatives": int(positive.sum()) - found,
            "true_negatives": int((~positive).sum()) - false,
            "recall": recall,
            "precision": precision,
        }
    )
    return Thresholds(names[1], names[0], threshold_of(rule), counts, len(codes))


def threshold_of(rule: DecisionRule) -> float:
    """The probability of the second class above which a rule for two classes predicts it.

    Parameters
    ----------
    rule : DecisionRule
        A rule for two classes.

    Returns
    -------
    float
        The threshold, where both classes have the same expected payoff; between 0 and 1.
    """
    (right, wrong), (wrong_too, right_too) = rule.payoffs
    first, second = right - wrong, right_too - wrong_too
    if first + second == 0:
        return 0.5
    return float(np.clip(first / (first + second), 0.0, 1.0))


def _reach(scores: Floats) -> Index:
    """Number of scores that reach each threshold."""
    return len(scores) - np.searchsorted(np.sort(scores), STEPS - ROUNDING, side="left")
