"""All diagnostics of a fitted classifier."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from tabcast.confidence import Chain, ClusterAware, Confidence, Raw, TemperatureScaling
from tabcast.density import EmpiricalLikelihood, Uniform
from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._class_mix import ClassMix, class_mix
from tabcast.diagnostics._class_overlap import ClassOverlap, class_overlap
from tabcast.diagnostics._cluster_assumption import ClusterAssumption, cluster_assumption
from tabcast.diagnostics._covariate_shift import CovariateShift, covariate_shift
from tabcast.diagnostics._fisher_information import FisherInformation, fisher_information
from tabcast.diagnostics._flipped_labels import FlippedLabels, flipped_labels
from tabcast.diagnostics._held_out_density import HeldOutDensity, held_out_density
from tabcast.diagnostics._reliability import Reliability, reliability
from tabcast.diagnostics._rows_to_label import RowsToLabel, rows_to_label
from tabcast.diagnostics._selection_curve import SelectionCurve, best_possible, selection_curve
from tabcast.exceptions import TabcastWarning
from tabcast.guard import GuardedClassifier, OutOfFold
from tabcast.pseudo_labels import Curriculum, FixedThreshold, PerClassThreshold, TopK
from tabcast.self_training import Parts, SelfTrainer, SoftSelfTrainingClassifier
from tabcast.self_training import predict_classes as predict_proba
from tabcast.table import (
    UNLABELED,
    column_names,
    find_categorical,
    n_rows,
    read_labels,
    read_table,
    stack_rows,
    take_columns,
    take_rows,
)

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Diagnostics(Diagnostic):
    """What can be known about a half-labeled table and a classifier fitted on it; one field for each question.

    `to_dict()` gives all of it as plain JSON values. A field is None where its question makes no sense: without
    unlabeled rows there is no shift, no selection, no class mix, no flipped label and no row to label; a confidence
    that is the classifier's own flips nothing.

    Attributes
    ----------
    cluster_assumption : are predictions right where labeled rows are dense?
    class_overlap : do the classes lie apart?
    fisher_information : where do unlabeled rows tell something?
    covariate_shift : are labeled and unlabeled rows alike?
    selection_curve : how many rows pass as the threshold or alpha moves?
    class_mix : does one class take over, round by round?
    flipped_labels : which labels did density or alignment change?
    reliability : can confidence be believed, before and after?
    rows_to_label : where would a label teach most?
    """

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
    guarded: GuardedClassifier, X: Any, y: Any, *, X_unlabeled: Any = None, random_state: int = 0
) -> Diagnostics:
    """Look at a fitted classifier and its table from nine sides.

    Parameters
    ----------
    guarded : fitted.
    X, y, X_unlabeled : what its `fit` was given.
    random_state : seed of everything random here.

    Notes
    -----
    Accuracies, probabilities and densities of labeled rows are all of rows held out in the guard's first repeat, by
    models and densities of the other folds. Densities are the method's own where it has one; otherwise those of
    :class:`~tabcast.density.EmpiricalLikelihood` over all columns. Probabilities of unlabeled rows are the supervised
    model's, which has not been trained on them.

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
    case = _Case.read(guarded, X, y, X_unlabeled, random_state)
    density, out_of_fold = case.density(), case.out_of_fold
    rows, predicted = np.arange(len(out_of_fold.rows)), out_of_fold.supervised.argmax(axis=1)
    dense = density.gamma[rows, predicted]
    labeled = case.codes[case.codes != UNLABELED]
    shares = np.bincount(labeled, minlength=len(case.classes)) / len(labeled)
    has_pool = len(case.pool) > 0
    return Diagnostics(
        cluster_assumption=cluster_assumption(dense, predicted == out_of_fold.codes),
        class_overlap=class_overlap(density.log_density, out_of_fold.codes, case.classes),
        fisher_information=fisher_information(
            case.tempered(out_of_fold.supervised), shares, dense, random_state=random_state
        ),
        covariate_shift=covariate_shift(
            case.X, case.codes != UNLABELED, categorical_features=case.categorical, random_state=random_state
        ),
        selection_curve=_trace_selection(case) if has_pool else None,
        class_mix=class_mix(case.model.class_mix_, labeled, case.classes) if has_pool else None,
        flipped_labels=flipped_labels(case.model.pseudo_labels_) if has_pool and case.changes_confidence else None,
        reliability=reliability(out_of_fold.codes, out_of_fold.supervised, out_of_fold.self_trained),
        rows_to_label=_choose_rows(case) if has_pool else None,
    )


@dataclass(frozen=True, eq=False)
class _Case:
    """A fitted classifier with the table it was fitted on, read as it read it."""

    model: SelfTrainer
    supervised: Any
    out_of_fold: OutOfFold
    X: Any
    codes: Index
    classes: NDArray[Any]
    random_state: int

    @classmethod
    def read(cls, guarded: GuardedClassifier, X: Any, y: Any, X_unlabeled: Any, random_state: int) -> _Case:
        """Check that the table is the one the classifier knows."""
        model = guarded.self_trained_
        table, labels = read_table(X), read_labels(y, model.missing_label)
        check_consistent_length(table, labels.codes)
        if X_unlabeled is not None:
            table = stack_rows(table, read_table(X_unlabeled, name="X_unlabeled"))
        codes = np.full(n_rows(table), UNLABELED, dtype=np.intp)
        codes[: len(labels.codes)] = labels.codes
        same_rows = np.array_equal(np.flatnonzero(codes == UNLABELED), model.pseudo_labels_["row"].to_numpy())
        if (
            not same_rows
            or len(codes) != len(model.labeled_iter_)
            or not np.array_equal(labels.classes, model.classes_)
        ):
            raise ValueError(
                "X and y of diagnose must be what the classifier was fitted on: it knows "
                f"{len(model.labeled_iter_)} rows, {len(model.pseudo_labels_)} of them unlabeled, and the classes "
                f"{model.classes_.tolist()}; got {len(codes)} rows, {int((codes == UNLABELED).sum())} of them "
                f"unlabeled, and the classes {labels.classes.tolist()}."
            )
        return cls(model, guarded.supervised_, guarded.out_of_fold_, table, codes, labels.classes, random_state)

    @cached_property
    def parts(self) -> Parts:
        """The method's parts."""
        return self.model.parts_

    @property
    def categorical(self) -> Any:
        """Which columns are categorical, as the user said."""
        return self.model.categorical_features

    @cached_property
    def pool(self) -> Index:
        """Positions of the unlabeled rows."""
        return np.flatnonzero(self.codes == UNLABELED)

    @property
    def changes_confidence(self) -> bool:
        """Whether a pseudo-label may be another than the classifier's own."""
        return isinstance(self.model, SoftSelfTrainingClassifier) or not isinstance(self.parts.confidence, Raw)

    @cached_property
    def pool_proba(self) -> Floats:
        """Probabilities of the unlabeled rows, by the model that has not seen them."""
        seen = np.flatnonzero(np.isin(self.classes, self.supervised.classes_))
        return predict_proba(self.supervised, take_rows(self.X, self.pool), len(self.classes), seen)

    def density(self) -> HeldOutDensity:
        """Densities of the held-out rows."""
        return held_out_density(
            self.X,
            self.codes,
            self.out_of_fold,
            _density_part(self.parts.confidence),
            self.parts.feature_selection,
            n_classes=len(self.classes),
            categorical_features=self.categorical,
            random_state=self.random_state,
        )

    def tempered(self, proba: Floats) -> Floats:
        """Probabilities brought to the right confidence by the one temperature that suits the held-out rows."""
        held_out = self.out_of_fold
        return TemperatureScaling().calibrate(held_out.supervised, held_out.codes).adjust(proba)

    @cached_property
    def gamma(self) -> Floats | None:
        """Scaled densities of the unlabeled rows as the method has them, where its confidence is the CAST step."""
        part = self.parts.confidence
        if not isinstance(part, ClusterAware):
            return None
        names = column_names(self.X)
        chosen = np.array([names.index(name) for name in self.model.selected_features_], dtype=np.intp)
        known = np.flatnonzero(self.codes != UNLABELED)
        table = take_columns(self.X, chosen)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TabcastWarning)  # the method has said it
            prepared = deepcopy(part).prepare(
                take_rows(table, known),
                self.codes[known],
                take_rows(table, self.pool),
                n_classes=len(self.classes),
                categorical_features=find_categorical(self.X, self.categorical)[chosen],
            )
        return prepared.gamma

    @property
    def alpha(self) -> float:
        """How much density counts."""
        part = self.parts.confidence
        given = part.alpha if isinstance(part, ClusterAware) else 0.0
        return float(getattr(self.model, "alpha_", given))


def _density_part(confidence: Confidence) -> ClusterAware:
    """The method's own way to measure and scale density, or the default one where it has none."""
    last = confidence.parts[-1] if isinstance(confidence, Chain) else confidence
    if isinstance(last, ClusterAware) and not isinstance(last.density, Uniform):
        return last
    return ClusterAware(EmpiricalLikelihood())


def _trace_selection(case: _Case) -> SelectionCurve:
    """The selection curve of the method as it was set."""
    table, gamma = case.model.pseudo_labels_, case.gamma
    threshold, required = _find_threshold(case), _find_required(case)
    refused = _find_refused(case)
    possible = np.ones(len(case.pool)) if gamma is None else best_possible(gamma, case.alpha)
    return selection_curve(
        table["confidence"].to_numpy(),
        threshold=threshold,
        possible=np.where(refused, 0.0, possible),
        required=required,
        proba=case.pool_proba if gamma is not None else None,
        gamma=gamma,
    )


def _find_required(case: _Case) -> float | None:
    """The confidence that a row needs whatever the others have; the smallest, where classes have their own."""
    strategy = case.parts.strategy
    if isinstance(strategy, FixedThreshold):
        return float(strategy.threshold)
    if isinstance(strategy, PerClassThreshold):
        return float(strategy._by_class(len(case.classes)).min())
    return None


def _find_threshold(case: _Case) -> float | None:
    """The confidence that was enough: as set, or that of the least confident row in use (in round 1 if 0 won)."""
    strategy = case.parts.strategy
    if isinstance(strategy, FixedThreshold):
        return float(strategy.threshold)
    confidence, used = (case.model.pseudo_labels_[name].to_numpy() for name in ("confidence", "selected"))
    if isinstance(case.model, SoftSelfTrainingClassifier):
        return None
    if case.model.best_round_ == 0 and isinstance(strategy, Curriculum | TopK):
        used = strategy.select(confidence[:, None], 1)  # what the first round would have used
    return float(confidence[used].min()) if used.any() else None


def _find_refused(case: _Case) -> NDArray[np.bool_]:
    """Unlabeled rows that the noise filter refuses whatever their label."""
    known = np.flatnonzero(case.codes != UNLABELED)
    X_pool = take_rows(case.X, case.pool)
    categorical = find_categorical(case.X, case.categorical)
    noise_filter = deepcopy(case.parts.noise_filter).fit(take_rows(case.X, known), case.codes[known], categorical)
    kept = np.zeros(len(case.pool), dtype=bool)
    for one in range(len(case.classes)):
        kept |= noise_filter.keep(X_pool, np.full(len(case.pool), one, dtype=np.intp))
    return ~kept


def _choose_rows(case: _Case) -> RowsToLabel:
    """Rows to label, by the supervised model at the right temperature."""
    return rows_to_label(
        take_rows(case.X, case.pool),
        case.tempered(case.pool_proba),
        case.classes,
        rows=case.pool,
        categorical_features=case.categorical,
        random_state=case.random_state,
    )
