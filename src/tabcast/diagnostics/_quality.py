"""How good the model is on held-out rows: errors per class, ranking, thresholds and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, confusion_matrix, log_loss, precision_recall_curve, roc_curve

from tabcast.decisions import DECISIONS
from tabcast.decisions._decisions import Evidence, cross_fit
from tabcast.decisions._rule import DecisionRule
from tabcast.diagnostics._base import Diagnostic
from tabcast.statistics import area_under_curve, expected_calibration_error, reliability_curve, wilson_interval
from tabcast.table import Floats, Index

MOST_CURVES = 6  # more lines cannot be told apart
MOST_POINTS = 101
STEPS = np.linspace(0.0, 1.0, 101).round(2)
ROUNDING = 1e-7  # of probabilities in single precision
# A cross-validated row is worth less than an independent one: the models that are averaged over differ from the final
# one and among themselves; one of a class still less. Chosen on draws of 20 datasets; research/fit counts, on other
# draws, how often intervals cover.
WORTH, WORTH_OF_CLASS = 2 / 3, 1 / 2
MOST_BINS, ROWS_PER_BIN = 10, 10  # an accuracy over fewer rows is not even known to one digit


@dataclass(frozen=True, eq=False, repr=False)
class Quality(Diagnostic):
    """Cross-validated quality of the model that was kept, beside the supervised one; see `quality`."""

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
    constant: Any
    constant_accuracy: float
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
        `confusion` counts rows by true class (rows) and predicted class (columns). `per_class` has one row per class:
        `class`, `n` (held-out rows), `n_predicted`, and `recall`, `precision` and `supervised_recall`, each with its
        95% interval; NaN where no row counts. `accuracy` and `balanced_accuracy` (mean recall of the classes with a
        held-out row) have intervals too, `..._low` and `..._high`; those of the supervised model have none. `constant`
        is the most frequent class, `constant_accuracy` its proportion: what a constant answer would reach.

    Notes
    -----
    Intervals are Wilson's for two thirds of the rows, half of those of a class: held-out rows are predicted by other
    models than the final one. The interval of balanced accuracy combines those of the recalls (Zou and Donner, 2008):
    with recalls ``r_c``, Wilson intervals ``(l_c, u_c)`` and K classes it is ``mean(r) - sqrt(sum((r - l)^2)) / K`` to
    ``mean(r) + sqrt(sum((u - r)^2)) / K``.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import quality
    >>> codes, labels = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    >>> found = quality(codes, labels, np.zeros(4, dtype=int), ["no", "yes"])
    >>> found.confusion.tolist(), found.accuracy, round(found.balanced_accuracy, 3)
    ([[2, 1], [0, 1]], 0.75, 0.833)
    >>> found.constant, found.constant_accuracy  # always "no" is right as often
    ('no', 0.75)
    >>> found.per_class["precision"].tolist(), found.per_class["supervised_recall"].tolist()
    ([1.0, 0.5], [1.0, 0.0])
    """
    names = np.asarray(classes, dtype=object)  # as text of Arrow a lone surrogate would fail
    confusion = confusion_matrix(codes, labels, labels=np.arange(len(names)))
    right, true, predicted = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    before = np.diag(confusion_matrix(codes, supervised, labels=np.arange(len(names))))
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
    accuracy = [float(one[0]) for one in _proportion(np.array([right.sum()]), np.array([len(codes)]), WORTH)]
    balanced = _average(*recall)
    return Quality(
        classes=names,
        confusion=confusion,
        per_class=per_class,
        **dict(zip(("accuracy", "accuracy_low", "accuracy_high"), accuracy, strict=True)),
        **dict(zip(("balanced_accuracy", "balanced_accuracy_low", "balanced_accuracy_high"), balanced, strict=True)),
        supervised_accuracy=float(before.sum() / len(codes)),
        supervised_balanced_accuracy=_average(*supervised_recall)[0],
        constant=names[true.argmax()],
        constant_accuracy=float(true.max() / len(codes)),
        n_rows=len(codes),
    )


def _proportion(
    part: NDArray[Any], whole: NDArray[Any], worth: float = WORTH_OF_CLASS
) -> tuple[Floats, Floats, Floats]:
    """Proportions with their intervals; NaN where the whole is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = part / whole
        return share, *wilson_interval(share, worth * whole)


def _average(share: Floats, low: Floats, high: Floats) -> tuple[float, float, float]:
    """The mean of independent proportions with its interval."""
    known = np.isfinite(share)
    share, low, high = share[known], low[known], high[known]
    mean, k = float(share.mean()), len(share)
    below, above = (float(np.sqrt((gap**2).sum())) / k for gap in (share - low, high - share))
    return mean, max(0.0, mean - below), min(1.0, mean + above)


def compare_decisions(evidence: Evidence, folds: Index, prior: Floats, classes: NDArray[Any]) -> pd.DataFrame:
    """Compute what each decision by name would do to accuracy, and to the recall of each class, on held-out rows.

    Rules are fitted on the other folds; `prior` has the class proportions of the training rows of each fold.
    """
    found = []
    for name in ("accuracy", "balanced", "f1"):
        labels = cross_fit(DECISIONS[name](), classes, prior, evidence, folds)
        one = quality(evidence.y, labels, labels, classes)
        found.append((name, one.accuracy, one.balanced_accuracy, one.per_class["recall"].tolist()))
    return pd.DataFrame(found, columns=["decision", "accuracy", "balanced_accuracy", "recall"])


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Diagnostic):
    """How well the probabilities rank held-out rows, one class against the rest; see `curves`."""

    areas: pd.DataFrame
    roc: pd.DataFrame
    precision_recall: pd.DataFrame
    n_rows: int
    n_classes: int


def curves(codes: Index, proba: Floats, classes: ArrayLike) -> Curves | None:
    """Compute ROC and precision-recall curves of held-out rows, one class against the rest.

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
        `areas` has one row per class, the most frequent first: `class`, `n`, `proportion`, `auc`, `low`, `high` (its
        95% interval, DeLong) and `average_precision`; of two classes the second only, of many the six most frequent.
        `roc` and `precision_recall` are the points of the curves, at most 101 each. None if all rows have the same
        class.

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
    chosen = np.array([1]) if len(names) == 2 else np.argsort(-counts, kind="stable")[:MOST_CURVES]
    areas, roc, precision_recall = [], [], []
    for code in chosen[(counts[chosen] > 0) & (counts[chosen] < len(codes))]:
        positive, scores = codes == code, proba[:, code]
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
    """At most 101 points of a curve, both ends among them."""
    n = len(next(iter(columns.values())))
    chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp))
    names = pd.Series([name] * len(chosen), dtype=object)
    return pd.DataFrame({"class": names, **{key: values[chosen] for key, values in columns.items()}})


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(Diagnostic):
    """Right and wrong predictions of held-out rows by threshold, for two classes; see `thresholds`."""

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
        `positive`, the second class, is predicted where its probability reaches the threshold; `in_use` is the
        threshold of the rule. `counts` has one row per threshold from 0 to 1 in steps of 0.01: `threshold`,
        `true_positives`, `false_positives`, `false_negatives`, `true_negatives`, and `recall` and `precision` of the
        second class (NaN where no row counts). None unless there are two classes.

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
    found, false = (
        len(some) - np.searchsorted(np.sort(some), STEPS - ROUNDING, side="left")
        for some in (scores[positive], scores[~positive])
    )
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
    return Thresholds(names[1], names[0], _threshold_of(rule), counts, len(codes))


def _threshold_of(rule: DecisionRule) -> float:
    """The probability of the second class at which both classes have the same expected payoff."""
    (right, wrong), (wrong_too, right_too) = rule.payoffs
    first, second = right - wrong, right_too - wrong_too
    return 0.5 if first + second == 0 else float(np.clip(first / (first + second), 0.0, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class ModelReliability(Diagnostic):
    """Calibration of one model; see `reliability`."""

    bins: pd.DataFrame
    ece: float
    log_loss: float


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Diagnostic):
    """Calibration of the models on the same held-out rows; see `reliability`."""

    supervised: ModelReliability
    self_trained: ModelReliability
    kept: ModelReliability


def reliability(codes: Index, supervised: Floats, self_trained: Floats, kept: Floats) -> Reliability:
    """Compare confidence and accuracy of models on held-out rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Index of the true class.
    supervised : ndarray of shape (n_rows, n_classes)
        Probabilities of the supervised model.
    self_trained : ndarray of shape (n_rows, n_classes)
        Probabilities of the self-trained model.
    kept : ndarray of shape (n_rows, n_classes)
        Probabilities of the model that was kept.

    Returns
    -------
    Reliability
        Each model has `bins`, one row per bin of confidence in the predicted class (`confidence`, `accuracy`, its 95%
        interval `low` to `high`, `n`), `ece`, the expected calibration error over these bins, and `log_loss`.

    Notes
    -----
    Bins hold about the same number of rows: ten bins where each can have ten rows, else fewer, the same for all. With
    few rows in a bin even a perfect model has a calibration error above 0; compare the models, not either with 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import reliability
    >>> codes = np.array([0, 1] * 10)
    >>> modest, bold = np.full((20, 2), 0.5), np.tile([0.999, 0.001], (20, 1))
    >>> found = reliability(codes, modest, bold, bold)
    >>> round(found.supervised.ece, 3), round(found.self_trained.ece, 3)
    (0.0, 0.499)
    """
    return Reliability(*(_measure(codes, proba) for proba in (supervised, self_trained, kept)))


def affordable_bins(n_rows: int, most: int) -> int:
    """As many bins as have ten rows each, at most `most`; two from four rows on, below that one."""
    return 1 if n_rows < 4 else int(np.clip(n_rows // ROWS_PER_BIN, 2, most))


def _measure(codes: Index, proba: Floats) -> ModelReliability:
    """Reliability of one model."""
    n_bins = affordable_bins(len(codes), MOST_BINS)
    proba = np.clip(np.asarray(proba, dtype=float), 0.0, 1.0)
    proba /= proba.sum(axis=1, keepdims=True)  # single precision sums to 1 only nearly
    curve = reliability_curve(codes, proba, n_bins=n_bins, binning="equal_mass")
    curve = curve.rename(columns={"accuracy_low": "low", "accuracy_high": "high", "count": "n"})
    bins = curve.loc[curve["n"] > 0, ["confidence", "accuracy", "low", "high", "n"]].reset_index(drop=True)
    ece = expected_calibration_error(codes, proba, n_bins=n_bins, binning="equal_mass")
    return ModelReliability(bins, ece, float(log_loss(codes, proba, labels=np.arange(proba.shape[1]))))
