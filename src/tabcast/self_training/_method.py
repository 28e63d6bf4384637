"""The methods: from a split of the labeled rows to pseudo-labels; the engine fits, evaluates and chooses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import resolve_part
from tabcast.confidence import Confidence
from tabcast.decisions._decisions import Evidence
from tabcast.feature_selection import FEATURE_SELECTIONS, FeatureSelection
from tabcast.models._adapted import is_random, seeded, weight_parameter
from tabcast.noise_filters import NOISE_FILTERS, NoiseFilter
from tabcast.pseudo_labels import STRATEGIES, Strategy, Weighting
from tabcast.pseudo_labels._weights import Constant, resolve_weighting
from tabcast.self_training._algorithm import Proposals, self_train
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._fitter import Fitter
from tabcast.statistics._intervals import smoothed_shares
from tabcast.table import Floats, Index
from tabcast.table._tables import take_rows
from tabcast.teachers import Teacher
from tabcast.validation import NoValidation, Validation
from tabcast.validation._splits import resolve_validation

# The paper's search: eight steps over [0.2, 0.75]. And 0, which is self-training without density.
ALPHA_GRID = (0.0, *np.linspace(0.2, 0.75, 8).round(6).tolist())
MAX_FITS = 120  # that a search for alpha aims at


@dataclass(frozen=True)
class Parts:
    """One member of each family: the exchangeable parts of a classifier.

    A method holds them as the user gave them; the attribute `parts_` of a fitted classifier holds them fitted.

    Attributes
    ----------
    confidence : Confidence
        What pseudo-labels are chosen by.
    strategy : Strategy
        Which rows are chosen in a round.
    weighting : Weighting
        Their weight in training.
    noise_filter : NoiseFilter
        Which chosen rows are rejected after all.
    feature_selection : FeatureSelection
        Which columns the confidence looks at.
    validation : Validation
        Which labeled rows are held out.
    teacher : Teacher or None, default=None
        The fitted teacher of soft self-training.
    """

    confidence: Confidence
    strategy: Strategy
    weighting: Weighting
    noise_filter: NoiseFilter
    feature_selection: FeatureSelection
    validation: Validation
    teacher: Teacher | None = None

    def check(self) -> None:
        """Refuse parameters that make no sense, before any long work."""
        self.strategy.check()
        self.weighting.check()
        self.validation.check()

    def seeded(self, seed: int) -> Parts:
        """Seed every random state that is not set; splits are drawn by the engine."""
        named = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "validation"}
        members = {name: part for name, part in named.items() if isinstance(part, BaseEstimator) and is_random(part)}
        return replace(self, **{name: seeded(part, seed) for name, part in members.items()})


class PreparedMethod(ABC):
    """A method on one split, with everything fitted that does not change between rounds, in `parts`."""

    parts: Parts

    @abstractmethod
    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Yield pseudo-labels round by round, and be sent the classifier trained on them.

        The first request is no pseudo-labels at all: the supervised model. `alpha` is one of :meth:`Method.plan`, and
        `fitter` is for a method that needs further fits of the user's estimator.
        """

    def find_evidence(self) -> tuple[Evidence, Evidence] | None:
        """Out-of-fold probabilities of the final and of the supervised model, for a decision that is tuned on them."""
        return None


class Method(ABC):
    """A way to use unlabeled rows: `prepare` on a split gives what proposes pseudo-labels.

    Attributes
    ----------
    parts : Parts
        The exchangeable parts.
    n_extra_fits : int
        Fits of the user's estimator per split besides those of the rounds.
    predicts_out_of_fold : bool
        Whether it predicts training rows out of fold itself, whatever `validation` is.
    """

    parts: Parts
    n_extra_fits: int = 0
    predicts_out_of_fold: bool = False

    @property
    def needs_held_out(self) -> bool:
        """Whether it needs probabilities of held-out rows in every round."""
        return self.parts.confidence.needs_held_out

    @property
    def schedule(self) -> int | None:
        """Number of rounds of a method that ends by itself, None for one that does not."""
        return self.parts.strategy.n_rounds

    def class_proportions(self, y: Index, n_classes: int) -> Floats:
        """The class proportions that probabilities reflect, estimated from labeled rows."""
        return smoothed_shares(y, n_classes)

    @abstractmethod
    def check(self, data: TrainingData, estimator: Any) -> None:
        """Raise a ValueError where the method cannot work with a table or an estimator; called before any fit."""

    @abstractmethod
    def seeded(self, seed: int) -> Method:
        """A copy in which everything random is seeded."""

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float | None], int]:
        """The alphas to try, and the last round of each.

        `last_round` is the last one there can be; `refits`: the chosen rounds run once more on all labeled rows.
        """
        return [None], last_round

    @abstractmethod
    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedMethod:
        """Fit what does not change between rounds to the training rows of a split.

        Held-out rows must not be looked at; `y_held_out` are the class indices of those whose probabilities the
        classifiers will bring along.
        """


def count_fits(n_alphas: int, n_splits: int, n_rounds: int, refits: bool, n_extra: int = 0) -> int:
    """Most fits of a run: per split a shared supervised one and one per round and alpha, and the final model's."""
    extra = n_extra * (n_rounds > 0)
    return n_splits * (1 + n_alphas * n_rounds + extra) + refits * (1 + n_rounds + extra)


def resolve_parts(classifier: Any, confidence: Confidence) -> Parts:
    """The parts that the parameters of a classifier name, checked."""
    owner = type(classifier).__name__
    parts = Parts(
        confidence,
        resolve_part(classifier.strategy, STRATEGIES, Strategy, "strategy", owner),
        resolve_weighting(classifier.pseudo_weight, owner),
        resolve_part(classifier.noise_filter, NOISE_FILTERS, NoiseFilter, "noise_filter", owner),
        resolve_part(classifier.feature_selection, FEATURE_SELECTIONS, FeatureSelection, "feature_selection", owner),
        resolve_validation(classifier.validation),
    )
    parts.check()
    return parts


@dataclass(frozen=True)
class PreparedHard(PreparedMethod):
    """Algorithm 1 on one split; `y_held_out` is for a confidence that has to be calibrated."""

    parts: Parts
    data: TrainingData
    y_held_out: Index
    relabel: bool

    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Run Algorithm 1 with this alpha, if any; densities are shared by all alphas.

        The strategy and the weighting may learn from round to round, so each run has its own.
        """
        parts, confidence = self.parts, self.parts.confidence
        if alpha is not None:
            confidence = copy(confidence)
            confidence.alpha = alpha
        return self_train(
            self.data,
            confidence,
            deepcopy(parts.strategy),
            parts.noise_filter,
            y_held_out=self.y_held_out,
            relabel=self.relabel,
            weighting=deepcopy(parts.weighting),
        )


@dataclass(frozen=True)
class HardMethod(Method):
    """Self-training with pseudo-labels that are chosen by confidence; CAST where the confidence has an alpha.

    Attributes
    ----------
    parts : Parts
        The exchangeable parts.
    relabel : bool, default=True
        Whether all unlabeled rows are labeled anew in every round.
    alphas : sequence of float or None, default=(None,)
        What to choose from, smallest first. (None,): the confidence as it is. None: as many of the grid as `MAX_FITS`
        allows.
    """

    parts: Parts
    relabel: bool = True
    alphas: Sequence[float | None] | None = (None,)

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

        several = self.alphas is None or len(self.alphas) > 1
        if several and len(data.pool) and isinstance(parts.validation, NoValidation) and data.validation is None:
            raise ValueError(
                "`alpha` has to be chosen on held-out rows, but validation=None holds out none. Give one alpha, use "
                "validation='cv' or a fraction, or pass validation_data to fit."
            )

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float | None], int]:
        """The alphas to try: given, or spread over the grid."""
        if self.alphas is not None:
            return self.alphas, last_round
        if last_round == 0:  # nothing to search with
            return [0.0], 0
        n_alphas, n_rounds = plan_search(n_splits, last_round, self.schedule is not None, refits)
        positions = np.linspace(0, len(ALPHA_GRID) - 1, n_alphas).round().astype(int)
        return [ALPHA_GRID[position] for position in positions], n_rounds

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


def plan_search(n_splits: int, n_rounds: int, has_schedule: bool, refits: bool) -> tuple[int, int]:
    """How many alphas and rounds to search: as many alphas as `MAX_FITS` fits allow, and at least two.

    A strategy that could go on for ever gives up rounds so that at least three alphas can be tried; a schedule is not
    cut.
    """
    if not has_schedule:
        while n_rounds > 1 and count_fits(3, n_splits, n_rounds, refits) > MAX_FITS:
            n_rounds -= 1
    n_alphas = 2
    while n_alphas < len(ALPHA_GRID) and count_fits(n_alphas + 1, n_splits, n_rounds, refits) <= MAX_FITS:
        n_alphas += 1
    return n_alphas, n_rounds
