"""All diagnostics of a fitted classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from tabcast.decisions._decisions import Evidence
from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._columns import CovariateShift, Importance, covariate_shift, importance
from tabcast.diagnostics._quality import (
    Curves,
    Quality,
    Reliability,
    Thresholds,
    compare_decisions,
    curves,
    quality,
    reliability,
    thresholds,
)
from tabcast.guard import GuardedClassifier
from tabcast.guard._comparison import OutOfFold
from tabcast.statistics._intervals import smoothed_shares
from tabcast.table import Index
from tabcast.table._labels import UNLABELED, read_labels
from tabcast.table._tables import read_table
from tabcast.table._types import stack_rows


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Diagnostic):
    """Answers to all diagnostic questions about a partly labeled table and a classifier fitted on it.

    A field is None where its question does not apply: without unlabeled rows there is no shift.

    Attributes
    ----------
    quality : Quality
        How often is the model right, per class?
    decisions : DataFrame
        What would another decision do? One row per `decision`: `accuracy`, `balanced_accuracy`, and a list with the
        `recall` of each class.
    curves : Curves or None
        How well do the probabilities rank rows? None if all held-out rows have the same class.
    thresholds : Thresholds or None
        What does a threshold mean? None unless there are two classes.
    importance : Importance
        Which columns does the model need?
    covariate_shift : CovariateShift or None
        Do labeled and unlabeled rows come from the same population?
    reliability : Reliability
        Are the probabilities calibrated, before and after?
    n_chosen : int
        Of how many labeled rows is it known that they were chosen to be labeled? All answers are about the others.

    See Also
    --------
    diagnose : Computes them.
    """

    quality: Quality
    decisions: pd.DataFrame
    curves: Curves | None
    thresholds: Thresholds | None
    importance: Importance
    covariate_shift: CovariateShift | None
    reliability: Reliability
    n_chosen: int


def diagnose(
    guarded: GuardedClassifier, X: Any, y: Any, *, X_unlabeled: Any = None, random_state: int = 0
) -> Diagnostics:
    """Answer all diagnostic questions about a fitted classifier and its table.

    Parameters
    ----------
    guarded : GuardedClassifier
        The fitted classifier.
    X : array-like or DataFrame of shape (n_rows, n_columns)
        The table that its `fit` was given.
    y : array-like of shape (n_rows,)
        The labels that its `fit` was given.
    X_unlabeled : array-like or DataFrame, default=None
        The further unlabeled rows that its `fit` was given.
    random_state : int, default=0
        Seed of everything random.

    Returns
    -------
    Diagnostics
        One field per question.

    See Also
    --------
    tabcast.guard.GuardedClassifier : Fits and compares both models.

    Notes
    -----
    Accuracies and probabilities of labeled rows are all of rows held out in the guard's first repeat, by models of the
    other folds. Quality and importance are those of the kind of model that was kept.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tabcast import CASTClassifier
    >>> from tabcast.diagnostics import diagnose
    >>> from tabcast.guard import GuardedClassifier
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = np.where(np.arange(len(truth)) % 4 == 0, truth, -1)  # every fourth row keeps its label
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> cast = CASTClassifier(model, alpha=0.5, validation=None)
    >>> guarded = GuardedClassifier(cast, n_repeats=1, random_state=0).fit(X, y)
    >>> found = diagnose(guarded, X, y)
    >>> found.covariate_shift.strength
    'none'
    """
    if not isinstance(guarded, GuardedClassifier):
        raise TypeError(f"`guarded` of diagnose must be a fitted GuardedClassifier; got {type(guarded).__name__}.")
    check_is_fitted(guarded, "self_trained_")
    table, codes = _read(guarded, X, y, X_unlabeled)
    model, held_out, classes = guarded.self_trained_, guarded.out_of_fold_, guarded.self_trained_.classes_
    is_random = codes != UNLABELED
    is_random[guarded._chosen] = False  # compared with all other rows, to which these belong
    return Diagnostics(
        quality=quality(held_out.codes, held_out.kept_labels, supervised_labels(guarded), classes),
        decisions=_compare_decisions(held_out, codes, guarded._chosen, classes),
        curves=curves(held_out.codes, held_out.kept, classes),
        thresholds=thresholds(held_out.codes, held_out.kept, classes, guarded.decision_),
        importance=_find_importance(guarded, table, codes, random_state),
        covariate_shift=covariate_shift(
            table,
            is_random,
            categorical_features=model.categorical_features,
            random_state=random_state,
        ),
        reliability=reliability(held_out.codes, held_out.supervised, held_out.self_trained, held_out.kept),
        n_chosen=len(guarded._chosen),
    )


def _compare_decisions(held_out: OutOfFold, codes: Index, chosen: Index, classes: Any) -> pd.DataFrame:
    """Each decision on the held-out probabilities of the model that was kept."""
    evidence, n = Evidence(held_out.kept, held_out.codes, held_out.rows), len(classes)
    random = [np.setdiff1d(held_out.trained[fold], chosen) for fold in sorted(held_out.trained)]
    prior = np.array([smoothed_shares(codes[rows], n) for rows in random])
    return compare_decisions(evidence, held_out.folds, prior, classes)


def supervised_labels(guarded: GuardedClassifier) -> Index:
    """What the supervised model predicts for the held-out rows, by its decision rule."""
    held_out = guarded.out_of_fold_
    if guarded.chosen_ == "supervised":
        return held_out.kept_labels
    return guarded.self_trained_.supervised_decision_.decide(held_out.supervised)


def _read(guarded: GuardedClassifier, X: Any, y: Any, X_unlabeled: Any) -> tuple[Any, Index]:
    """The table and its class indices; an error unless they are what the classifier was fitted on."""
    model = guarded.self_trained_
    table, labels = read_table(X), read_labels(y, model.missing_label)
    check_consistent_length(table, labels.codes)
    if X_unlabeled is not None:
        table = stack_rows(table, read_table(X_unlabeled, name="X_unlabeled"))
    codes = np.full(len(table), UNLABELED, dtype=np.intp)
    codes[: len(labels.codes)] = labels.codes
    unlabeled, expected = codes == UNLABELED, model.labeled_iter_ != 0
    if not np.array_equal(unlabeled, expected) or not np.array_equal(labels.classes, model.classes_):
        raise ValueError(
            f"X and y of diagnose must be what the classifier was fitted on: it knows {len(expected)} rows, "
            f"{int(expected.sum())} of them unlabeled, and the classes {model.classes_.tolist()}; got {len(codes)} "
            f"rows, {int(unlabeled.sum())} of them unlabeled, and the classes {labels.classes.tolist()}."
        )
    return table, codes


def _find_importance(guarded: GuardedClassifier, table: Any, codes: Index, random_state: int) -> Importance:
    """Importance of the columns for the kind of model that was kept, in every fold."""
    held_out = guarded.out_of_fold_
    splits = [(held_out.trained[fold], held_out.rows[held_out.folds == fold]) for fold in held_out.models]
    return importance(list(held_out.models.values()), table, codes, splits, random_state=random_state)
