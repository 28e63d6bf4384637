"""Self-training with pseudo-labels that are chosen by confidence."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from tabcast.confidence import Confidence
from tabcast.feature_selection import resolve_feature_selection
from tabcast.models import weight_parameter
from tabcast.noise_filters import resolve_noise_filter
from tabcast.pseudo_labels import Constant, resolve_strategy, resolve_weighting
from tabcast.self_training._algorithm import Proposals, self_train
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._fitter import Fitter
from tabcast.self_training._method import Method, Parts, PreparedMethod
from tabcast.table import Index, take_rows
from tabcast.validation import NoValidation, resolve_validation


def resolve_parts(classifier: Any, confidence: Confidence) -> Parts:
    """The parts that the parameters of a classifier name, checked."""
    owner = type(classifier).__name__
    parts = Parts(
        confidence,
        resolve_strategy(classifier.strategy, owner),
        resolve_weighting(classifier.pseudo_weight, owner),
        resolve_noise_filter(classifier.noise_filter, owner),
        resolve_feature_selection(classifier.feature_selection, owner),
        resolve_validation(classifier.validation),
    )
    parts.check()
    return parts


@dataclass(frozen=True)
class PreparedHard(PreparedMethod):
    """Algorithm 1 on one split.

    Attributes
    ----------
    parts : Parts
        The fitted parts.
    data : TrainingData
        The rows.
    y_held_out : ndarray of int
        Class indices of the held-out rows, for a confidence that has to be calibrated.
    relabel : bool
        Whether all unlabeled rows are labeled anew in every round.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    parts: Parts
    data: TrainingData
    y_held_out: Index
    relabel: bool

    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Run Algorithm 1; the strategy and the weighting may learn from round to round, so each run has its own."""
        parts = self.parts
        return self_train(
            self.data,
            parts.confidence,
            deepcopy(parts.strategy),
            parts.noise_filter,
            y_held_out=self.y_held_out,
            relabel=self.relabel,
            weighting=deepcopy(parts.weighting),
        )


@dataclass(frozen=True)
class HardMethod(Method):
    """The paper's loop with exchangeable parts.

    Attributes
    ----------
    parts : Parts
        The exchangeable parts.
    relabel : bool, default=True
        Whether all unlabeled rows are labeled anew in every round.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    parts: Parts
    relabel: bool = True

    def check(self, data: TrainingData, estimator: Any) -> None:
        """Refuse weights that the estimator cannot take, and calibration without held-out rows."""
        parts = self.parts
        unweighted = isinstance(parts.weighting, Constant) and parts.weighting.weight == 1
        if not unweighted and weight_parameter(estimator) is None:
            raise ValueError(
                f"`pseudo_weight` ({parts.weighting!r}) needs an estimator whose fit takes sample_weight; "
                f"{estimator!r} does not. Use pseudo_weight=1, or another estimator."
            )
        if parts.weighting.divides and not self.relabel:
            raise ValueError(
                f"`relabel`=False keeps a row's first label, but `pseudo_weight` ({parts.weighting!r}) divides rows "
                "among the classes. Use relabel=True, or a weight that is a number."
            )
        if parts.confidence.needs_held_out and isinstance(parts.validation, NoValidation) and data.validation is None:
            raise ValueError(
                f"{parts.confidence!r} has to be calibrated on held-out rows, but validation=None holds out none. "
                "Use validation='cv', a fraction, or pass validation_data to fit."
            )

    def seeded(self, seed: int) -> HardMethod:
        """The same method, with everything random in it seeded."""
        return replace(self, parts=self.parts.seeded(seed))

    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedHard:
        """Fit feature selection, densities and the noise filter to the training rows."""
        X, y = take_rows(data.X, split.train), data.labels.codes[split.train]
        parts = replace(
            self.parts,
            feature_selection=deepcopy(self.parts.feature_selection),
            confidence=deepcopy(self.parts.confidence),
            noise_filter=deepcopy(self.parts.noise_filter),
        )
        selection = parts.feature_selection.fit(X, y, data.categorical)
        if len(data.pool):
            parts.confidence.prepare(
                selection.transform(X),
                y,
                selection.transform(data.X_pool),
                n_classes=data.n_classes,
                categorical_features=data.categorical[selection.support_],
            )
        parts.noise_filter.fit(X, y, data.categorical)
        return PreparedHard(parts, data, y_held_out, self.relabel)
