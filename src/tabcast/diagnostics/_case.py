"""A fitted classifier together with its table, and what its parts know about the unlabeled rows."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from tabcast.confidence import ClusterAware, TemperatureScaling
from tabcast.decisions import DecisionRule
from tabcast.density import EmpiricalLikelihood
from tabcast.diagnostics._held_out_density import HeldOutDensity, held_out_density
from tabcast.diagnostics._importance import Importance, importance
from tabcast.diagnostics._selection_curve import SelectionCurve, best_possible, selection_curve
from tabcast.exceptions import TabcastWarning
from tabcast.guard import GuardedClassifier, OutOfFold
from tabcast.self_training import Parts, SelfTrainer, draw_pool, predict_classes
from tabcast.table import UNLABELED, Floats, Index, Mask, n_rows, read_labels, read_table, stack_rows, take_rows


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted classifier with the table it was fitted on, read in the same way."""

    guarded: GuardedClassifier
    model: SelfTrainer
    supervised: Any
    chosen: str
    decision: DecisionRule
    out_of_fold: OutOfFold
    X: Any
    codes: Index
    classes: NDArray[Any]
    random_state: int
    judged: Index

    @classmethod
    def read(
        cls,
        guarded: GuardedClassifier,
        X: Any,
        y: Any,
        X_unlabeled: Any,
        random_state: int,
        judge_rows: int | None = None,
    ) -> Case:
        """Check that the table is the one that the classifier was fitted on, and draw the unlabeled rows to look at."""
        model = guarded.self_trained_
        table, labels = read_table(X), read_labels(y, model.missing_label)
        check_consistent_length(table, labels.codes)
        if X_unlabeled is not None:
            table = stack_rows(table, read_table(X_unlabeled, name="X_unlabeled"))
        codes = np.full(n_rows(table), UNLABELED, dtype=np.intp)
        codes[: len(labels.codes)] = labels.codes
        if (
            len(codes) != len(model.labeled_iter_)
            or not np.array_equal(codes == UNLABELED, model.labeled_iter_ != 0)
            or not np.array_equal(labels.classes, model.classes_)
        ):
            raise ValueError(
                "X and y of diagnose must be what the classifier was fitted on: it knows "
                f"{len(model.labeled_iter_)} rows, {int((model.labeled_iter_ != 0).sum())} of them unlabeled, and the "
                f"classes {model.classes_.tolist()}; got {len(codes)} rows, {int((codes == UNLABELED).sum())} of them "
                f"unlabeled, and the classes {labels.classes.tolist()}."
            )
        return cls(
            guarded,
            model,
            guarded.supervised_,
            guarded.chosen_,
            guarded.decision_,
            guarded.out_of_fold_,
            table,
            codes,
            labels.classes,
            random_state,
            draw_pool(np.arange(len(model.pseudo_labels_)), judge_rows, random_state),
        )

    @property
    def parts(self) -> Parts:
        """The fitted parts of the method."""
        return self.model.parts_

    @property
    def categorical_features(self) -> Any:
        """The categorical columns, as the user named them."""
        return self.model.categorical_features

    @cached_property
    def pseudo_labels(self) -> pd.DataFrame:
        """The pseudo-labels of the unlabeled rows to look at."""
        table = self.model.pseudo_labels_
        return table if len(self.judged) == len(table) else table.iloc[self.judged].reset_index(drop=True)

    @cached_property
    def pool(self) -> Index:
        """Positions of the unlabeled rows to look at: those that trained the classifier, or a sample of them."""
        return self.pseudo_labels["row"].to_numpy()

    @property
    def changes_labels(self) -> bool:
        """Whether a pseudo-label may differ from the classifier's prediction."""
        return self.parts.teacher is not None or self.parts.confidence.changes_labels

    @cached_property
    def pool_proba(self) -> Floats:
        """Probabilities of the unlabeled rows, predicted by the supervised model, which was not trained on them."""
        seen = np.flatnonzero(np.isin(self.classes, self.supervised.classes_))
        return predict_classes(self.supervised, take_rows(self.X, self.pool), len(self.classes), seen)

    @cached_property
    def kept_pool_proba(self) -> Floats:
        """Probabilities of the unlabeled rows, predicted by the model that was kept."""
        return np.asarray(self.guarded.predict_proba(take_rows(self.X, self.pool)), dtype=float)

    @property
    def supervised_labels(self) -> Index:
        """What the supervised model predicts for the held-out rows, by its decision rule."""
        if self.chosen == "supervised":
            return self.out_of_fold.kept_labels
        return self.model.supervised_decision_.decide(self.out_of_fold.supervised)

    def importance(self) -> Importance | None:
        """Importance of the columns for the supervised model, fitted once more per fold of the first repeat."""
        found = self.out_of_fold
        folds = np.unique(found.folds)
        splits = [(found.train(int(fold)), found.rows[found.folds == fold]) for fold in folds]
        try:
            return importance(
                self.supervised,
                self.X,
                self.codes,
                splits,
                categorical_features=self.categorical_features,
                random_state=self.random_state,
            )
        except Exception as error:  # a model of the user's may need more than rows and labels
            warnings.warn(
                "The importance of columns is left out: a copy of the model could not be fitted to the labeled rows of "
                f"a fold ({type(error).__name__}: {str(error)[:200]}).",
                TabcastWarning,
                stacklevel=2,
            )
            return None

    def tempered(self, proba: Floats) -> Floats:
        """Probabilities at the temperature that fits the held-out rows best."""
        held_out = self.out_of_fold
        return TemperatureScaling().calibrate(held_out.supervised, held_out.codes).adjust(proba)

    def held_out_density(self) -> HeldOutDensity:
        """Densities of the held-out rows: the method's own where it has an informative one, else the default."""
        part = self.parts.confidence.density_part
        if part is None or not part.density.informative:
            part = ClusterAware(EmpiricalLikelihood())
        return held_out_density(
            self.X,
            self.codes,
            self.out_of_fold,
            part,
            self.parts.feature_selection,
            n_classes=len(self.classes),
            categorical_features=self.categorical_features,
            random_state=self.random_state,
        )

    def selection_curve(self) -> SelectionCurve:
        """The selection curve of the method as it was fitted."""
        confidence = self.parts.confidence
        part, gamma = confidence.density_part, confidence.gamma
        gamma = None if gamma is None else gamma[self.judged]
        possible = np.ones(len(self.pool))
        if part is not None and gamma is not None:
            possible = best_possible(gamma, part.alpha)
        required = self.model.required_confidence_
        return selection_curve(
            self.pseudo_labels["confidence"].to_numpy(),
            threshold=self._find_threshold(required),
            possible=np.where(self._find_refused(), 0.0, possible),
            required=None if required is None else float(required.min()),
            # Parts before the density would have to be calibrated for each alpha.
            proba=self.pool_proba if part is confidence else None,
            gamma=gamma if part is confidence else None,
        )

    def _find_threshold(self, required: Floats | None) -> float | None:
        """The confidence that was sufficient: the threshold, or the lowest confidence in use (in round 1 if 0 won)."""
        if required is not None and np.ptp(required) == 0:
            return float(required[0])
        if self.parts.teacher is not None:
            return None
        table = self.model.pseudo_labels_
        confidence, used = table["confidence"].to_numpy(), table["selected"].to_numpy()
        if self.model.best_round_ == 0:  # what the first round would have used
            by_class = np.zeros((len(table), len(self.classes)))
            by_class[np.arange(len(table)), pd.Index(self.classes).get_indexer(table["label"])] = confidence
            used = deepcopy(self.parts.strategy).select(by_class, 1)
        return float(confidence[used].min()) if used.any() else None

    def _find_refused(self) -> Mask:
        """Unlabeled rows that the noise filter refuses whatever their label."""
        X_pool, n_pool = take_rows(self.X, self.pool), len(self.pool)
        labels = [np.full(n_pool, one, dtype=np.intp) for one in range(len(self.classes))]
        return ~np.any([self.parts.noise_filter.keep(X_pool, label) for label in labels], axis=0)
