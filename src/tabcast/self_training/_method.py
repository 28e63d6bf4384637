"""The contract between a method, which proposes pseudo-labels, and the engine, which fits, evaluates and chooses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sklearn.base import BaseEstimator

from tabcast.confidence import Confidence, smoothed_shares
from tabcast.decisions import Evidence
from tabcast.feature_selection import FeatureSelection
from tabcast.models import is_random, seeded
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Strategy, Weighting
from tabcast.self_training._algorithm import Proposals
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._fitter import Fitter
from tabcast.table import Floats, Index
from tabcast.teachers import Teacher
from tabcast.validation import Validation


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

    See Also
    --------
    SelfTrainingClassifier : Its parameters become parts.
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
        """Seed every random state that is not set; splits are drawn by the engine.

        Parameters
        ----------
        seed : int
            The seed.

        Returns
        -------
        Parts
            The parts, with copies of those that have such a state.
        """
        named = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "validation"}
        members = {name: part for name, part in named.items() if isinstance(part, BaseEstimator) and is_random(part)}
        return replace(self, **{name: seeded(part, seed) for name, part in members.items()})


class PreparedMethod(ABC):
    """A method on one split, with everything fitted that does not change between rounds.

    Attributes
    ----------
    parts : Parts
        The parts, fitted to the training rows.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    parts: Parts

    @abstractmethod
    def propose(self, alpha: float | None, fitter: Fitter) -> Proposals:
        """Yield pseudo-labels round by round, and be sent the classifier trained on them.

        Parameters
        ----------
        alpha : float or None
            One of the alphas of :meth:`Method.plan`.
        fitter : Fitter
            For a method that needs further fits of the user's estimator.

        Returns
        -------
        generator
            The first request is no pseudo-labels at all: the supervised model.
        """

    def find_evidence(self) -> tuple[Evidence, Evidence] | None:
        """Give out-of-fold probabilities of training rows, for a decision that is tuned on them.

        Returns
        -------
        tuple of Evidence or None
            For the final model and for the supervised one. None if the method predicted none.
        """
        return None


class Method(ABC):
    """A way to use unlabeled rows.

    Attributes
    ----------
    parts : Parts
        The exchangeable parts.
    n_extra_fits : int
        Fits of the user's estimator per split besides those of the rounds.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    parts: Parts
    n_extra_fits: int = 0

    @property
    def needs_held_out(self) -> bool:
        """Whether it needs probabilities of held-out rows in every round."""
        return self.parts.confidence.needs_held_out

    @property
    def keeps_every_candidate(self) -> bool:
        """Whether all candidates become final models, for others to choose from; else the best one does."""
        return False

    @property
    def predicts_out_of_fold(self) -> bool:
        """Whether it predicts training rows out of fold itself, whatever `validation` is."""
        return False

    @property
    def schedule(self) -> int | None:
        """Number of rounds of a method that ends by itself, None for one that does not."""
        return self.parts.strategy.n_rounds

    def class_proportions(self, y: Index, n_classes: int) -> Floats:
        """Estimate the class proportions that probabilities reflect.

        Parameters
        ----------
        y : ndarray of int
            Class indices of labeled rows.
        n_classes : int
            How many classes there are.

        Returns
        -------
        ndarray of shape (n_classes,)
            Positive proportions that sum to 1.
        """
        return smoothed_shares(y, n_classes)

    @abstractmethod
    def check(self, data: TrainingData, estimator: Any) -> None:
        """Raise a ValueError where the method cannot work with a table or an estimator; called before any fit.

        Parameters
        ----------
        data : TrainingData
            The rows.
        estimator : classifier
            The user's estimator.
        """

    @abstractmethod
    def seeded(self, seed: int) -> Method:
        """Seed everything random in the method.

        Parameters
        ----------
        seed : int
            Seed of whatever has none yet.

        Returns
        -------
        Method
            A copy.
        """

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float | None], int]:
        """The alphas to try, and the last round of each.

        Parameters
        ----------
        n_splits : int
            Number of splits.
        last_round : int
            The last round there can be.
        refits : bool
            Whether the chosen rounds run once more on all labeled rows.

        Returns
        -------
        alphas : sequence of float or None
            Each becomes a candidate.
        last_round : int
            The last round, perhaps an earlier one.
        """
        return [None], last_round

    @abstractmethod
    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedMethod:
        """Fit what does not change between rounds to the training rows of a split.

        Parameters
        ----------
        data : TrainingData
            All rows. Held-out rows must not be looked at.
        split : Split
            Which labeled rows train.
        y_held_out : ndarray of int
            Class indices of the held-out rows whose probabilities the classifiers will bring along.

        Returns
        -------
        PreparedMethod
            The method on this split.
        """


def count_fits(n_alphas: int, n_splits: int, n_rounds: int, refits: bool, n_extra: int = 0) -> int:
    """Most fits of a run: per split a shared supervised one and one per round and alpha, and the final model's."""
    extra = n_extra * (n_rounds > 0)
    return n_splits * (1 + n_alphas * n_rounds + extra) + refits * (1 + n_rounds + extra)
