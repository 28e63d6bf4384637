"""All diagnostics of a fitted classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_integer
from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._case import Case
from tabcast.diagnostics._class_mix import ClassMix, class_mix
from tabcast.diagnostics._class_overlap import ClassOverlap, class_overlap
from tabcast.diagnostics._class_prior import ClassPrior, class_prior
from tabcast.diagnostics._cluster_assumption import ClusterAssumption, cluster_assumption
from tabcast.diagnostics._covariate_shift import CovariateShift, covariate_shift
from tabcast.diagnostics._curves import Curves, curves
from tabcast.diagnostics._fisher_information import FisherInformation, fisher_information
from tabcast.diagnostics._flipped_labels import FlippedLabels, flipped_labels
from tabcast.diagnostics._importance import Importance
from tabcast.diagnostics._quality import Quality, quality
from tabcast.diagnostics._reliability import Reliability, reliability
from tabcast.diagnostics._rows_to_label import RowsToLabel, rows_to_label
from tabcast.diagnostics._selection_curve import SelectionCurve
from tabcast.diagnostics._thresholds import Thresholds, thresholds
from tabcast.guard import GuardedClassifier
from tabcast.guard._guarded_classifier import JUDGE_ROWS
from tabcast.table import UNLABELED, take_rows


@dataclass(frozen=True, eq=False)
class Diagnostics(Diagnostic):
    """Answers to all diagnostic questions about a partly labeled table and a classifier fitted on it.

    A field is None where its question does not apply: without unlabeled rows there is no shift, no selection, no class
    mix, no flipped label and no row to label; a confidence that is the classifier's own flips nothing.

    Attributes
    ----------
    quality : Quality
        How often is the model right, per class?
    curves : Curves or None
        How well do the probabilities rank rows? None if all held-out rows have the same class.
    thresholds : Thresholds or None
        What does a threshold mean? None unless there are two classes.
    importance : Importance or None
        Which columns does the model need? None if a copy of the model cannot be fitted, with a warning.
    class_prior : ClassPrior
        How certain are the class proportions?
    cluster_assumption : ClusterAssumption
        Are predictions right where labeled rows are dense?
    class_overlap : ClassOverlap
        Are the classes separated?
    fisher_information : FisherInformation
        Where are unlabeled rows informative?
    covariate_shift : CovariateShift or None
        Do labeled and unlabeled rows come from the same population?
    selection_curve : SelectionCurve or None
        How many rows are selected as the threshold or alpha changes?
    class_mix : ClassMix or None
        Does one class take over from round to round?
    flipped_labels : FlippedLabels or None
        Which labels were changed by density or alignment?
    reliability : Reliability
        Are the probabilities calibrated, before and after?
    rows_to_label : RowsToLabel or None
        Which rows are most worth labeling?

    See Also
    --------
    diagnose : Computes them.
    """

    quality: Quality
    curves: Curves | None
    thresholds: Thresholds | None
    importance: Importance | None
    class_prior: ClassPrior
    cluster_assumption: ClusterAssumption
    class_overlap: ClassOverlap
    fisher_information: FisherInformation
    covariate_shift: CovariateShift | None
    selection_curve: SelectionCurve | None
    class_mix: ClassMix | None
    flipped_labels: FlippedLabels | None
    reliability: Reliability
    rows_to_label: RowsToLabel | None


def diagnose(
    guarded: GuardedClassifier,
    X: Any,
    y: Any,
    *,
    X_unlabeled: Any = None,
    judge_rows: int | None = JUDGE_ROWS,
    random_state: int = 0,
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
    judge_rows : int or None, default=20_000
        Most unlabeled rows to look at, drawn at random from those that trained the classifier. None: all of them.
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
    Accuracies, probabilities and densities of labeled rows are all of rows held out in the guard's first repeat, by
    models and densities of the other folds. The quality is that of the kind of model that was kept; the importance of
    columns is that of the supervised model, which is fitted once more per fold. Densities are the method's own where
    it has one; otherwise those of :class:`~tabcast.density.EmpiricalLikelihood` over all columns. Rows to
    label are chosen by the probabilities of the model that was kept; the selection curve has those of the supervised
    model, which was not trained on the unlabeled rows.

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
    >>> round(found.class_overlap.overlap, 1)
    0.1
    >>> len(found.to_dict()["rows_to_label"]["rows"])
    10
    """
    if not isinstance(guarded, GuardedClassifier):
        raise TypeError(f"`guarded` of diagnose must be a fitted GuardedClassifier; got {type(guarded).__name__}.")
    check_is_fitted(guarded, "self_trained_")
    check_integer(judge_rows, "judge_rows", "diagnose", 1, allowed=[None])
    case = Case.read(guarded, X, y, X_unlabeled, random_state, judge_rows)
    density, out_of_fold = case.held_out_density(), case.out_of_fold
    rows, predicted = np.arange(len(out_of_fold.rows)), out_of_fold.supervised.argmax(axis=1)
    dense = density.gamma[rows, predicted]
    labeled = case.codes[case.codes != UNLABELED]
    shares = np.bincount(labeled, minlength=len(case.classes)) / len(labeled)
    has_pool = len(case.pool) > 0
    return Diagnostics(
        quality=quality(out_of_fold.codes, out_of_fold.kept_labels, case.supervised_labels, case.classes),
        curves=curves(out_of_fold.codes, out_of_fold.kept, case.classes),
        thresholds=thresholds(out_of_fold.codes, out_of_fold.kept, case.classes, case.decision),
        importance=case.importance(),
        class_prior=class_prior(labeled, case.classes),
        cluster_assumption=cluster_assumption(dense, predicted == out_of_fold.codes),
        class_overlap=class_overlap(density.log_density, out_of_fold.codes, case.classes),
        fisher_information=fisher_information(
            case.tempered(out_of_fold.supervised), shares, dense, random_state=random_state
        ),
        covariate_shift=covariate_shift(
            case.X,
            case.codes != UNLABELED,
            categorical_features=case.categorical_features,
            random_state=random_state,
        ),
        selection_curve=case.selection_curve() if has_pool else None,
        class_mix=class_mix(case.model.class_mix_, labeled, case.classes) if has_pool else None,
        flipped_labels=flipped_labels(case.pseudo_labels) if has_pool and case.changes_labels else None,
        reliability=reliability(out_of_fold.codes, out_of_fold.supervised, out_of_fold.self_trained, out_of_fold.kept),
        rows_to_label=_choose_rows(case) if has_pool else None,
    )


def _choose_rows(case: Case) -> RowsToLabel:
    """Rows to label, by the probabilities of the model that was kept."""
    return rows_to_label(
        take_rows(case.X, case.pool),
        case.kept_pool_proba,
        case.classes,
        rows=case.pool,
        categorical_features=case.categorical_features,
        random_state=case.random_state,
    )
