"""What the trials on one fold share: fits, densities and chosen columns are computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.confidence import Confidence
from tabcast.feature_selection import BorutaShap, FeatureSelection, KeepAll
from tabcast.models._adapted import Adaptation
from tabcast.noise_filters import KeepAllRows, MahalanobisFilter, NoiseFilter
from tabcast.pseudo_labels import Curriculum, FixedThreshold, Strategy, TakeAll
from tabcast.pseudo_labels._weights import Constant
from tabcast.self_training._data import PseudoLabels, Split, TrainingData
from tabcast.self_training._engine import Candidate, run_method
from tabcast.self_training._fitter import Fitted, Fitter, predict_classes
from tabcast.self_training._method import HardMethod, Method, Parts, PreparedHard, PreparedMethod
from tabcast.study.protocol import Fold, MetricScorer
from tabcast.table import Floats, Index
from tabcast.table._labels import UNLABELED, Labels
from tabcast.table._types import stack_rows
from tabcast.validation import NoValidation

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "threshold": lambda: FixedThreshold(0.6),
    "curriculum": lambda: Curriculum(0.2),
    "all": TakeAll,
}
FILTERS: dict[str, Callable[[], NoiseFilter]] = {"none": KeepAllRows, "mahalanobis": MahalanobisFilter}
SELECTIONS: dict[str, Callable[[int], FeatureSelection]] = {
    "all": lambda seed: KeepAll(),
    "boruta": lambda seed: BorutaShap(random_state=seed),
}
Choose = Callable[[str, Fold, int], tuple[NDArray[np.bool_], float]]
MAX_ROUNDS = 10  # of strategies that have no schedule; they stop at the first round that is no improvement


def describe_part(part: Any) -> dict[str, str]:
    """A part with all its parameters, also those that have their default, and those of the parts inside it."""
    described = {name: _describe_value(value) for name, value in part.get_params(deep=True).items()}
    return {"": type(part).__qualname__, **described}


def _describe_value(value: Any) -> str:
    """A parameter as text that is the same in every process: no addresses."""
    if hasattr(value, "get_params"):
        return type(value).__qualname__
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_describe_value, value))}]"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    if " object at 0x" in repr(value):
        fields = ", ".join(f"{name}={_describe_value(one)}" for name, one in sorted(vars(value).items()))
        return f"{type(value).__qualname__}({fields})"
    return repr(value)


@cache
def describe_loop(strategy: str, noise_filter: str) -> dict[str, Any]:
    """What the names of a strategy and a noise filter stand for, in full."""
    return {
        "strategy": describe_part(STRATEGIES[strategy]()),
        "noise_filter": describe_part(FILTERS[noise_filter]()),
        "max_rounds": MAX_ROUNDS,
    }


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method gives back.

    Parameters
    ----------
    proba : ndarray of shape (n_test, n_classes)
        Probabilities of the test rows.
    facts : dict of str to object
        Plain values for the results table: `validation_score`, `alpha`, `best_round`, ...
    seconds : dict of str to float
        What was needed, as if nobody had done a part of it before: `fit` (of the chosen setting), `search` (of every
        setting, the supervised fit in each), `density`, `selection`.
    history : list of dict of str to object
        One dictionary per round.
    details : dict of str to object
        Anything else a figure may need, as plain JSON values.
    """

    proba: Floats
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)


class ChosenColumns(FeatureSelection):
    """Columns that were chosen before; `fit` learns nothing."""

    def __init__(self, support: NDArray[np.bool_]) -> None:
        self.support = support

    def fit(self, X: Any, y: NDArray[np.intp], categorical_features: ArrayLike | None = None) -> ChosenColumns:
        """The given columns."""
        self.support_ = self.support
        return self


@dataclass(frozen=True, eq=False)
class Tested(Fitted):
    """A fit with its probabilities of the test rows instead of its model: thousands of models do not fit in memory."""

    test_proba: Floats = field(default_factory=lambda: np.empty((0, 0)))


class KeepTestProba:
    """What is remembered of a fit: the probabilities of the test rows in place of the model."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold
        self._X_test: Any = None

    def __call__(self, fitted: Fitted, adaptation: Adaptation) -> Tested:
        """Predict the test rows."""
        if self._X_test is None:
            self._X_test = adaptation.encode(self.fold.X_test)
        model = fitted.estimator
        present = np.asarray(model.classes_, dtype=np.intp)
        proba = predict_classes(model, self._X_test, self.fold.n_classes, present)
        return Tested(**{**vars(fitted), "estimator": None}, test_proba=proba)


@dataclass(frozen=True)
class SharedMethod(Method):
    """A method that another trial has prepared already, with the alphas of this one."""

    prepared: PreparedMethod
    alphas: Sequence[float | None]

    @property
    def parts(self) -> Parts:  # type: ignore[override]
        """The fitted parts."""
        return self.prepared.parts

    def check(self, data: TrainingData, estimator: Any) -> None:
        """Nothing is left to check."""

    def seeded(self, seed: int) -> SharedMethod:
        """Nothing random is left."""
        return self

    def plan(self, n_splits: int, last_round: int, refits: bool) -> tuple[Sequence[float | None], int]:
        """The given alphas."""
        return self.alphas, last_round

    def prepare(self, data: TrainingData, split: Split, y_held_out: Index) -> PreparedMethod:
        """Return what was prepared on the only split."""
        return self.prepared


def choose_columns(name: str, fold: Fold, seed: int) -> tuple[NDArray[np.bool_], float]:
    """The columns that "boruta" or "all" chooses from the labeled rows, as a mask, and the seconds it took."""
    start = perf_counter()
    part = SELECTIONS[name](seed).fit(fold.X_labeled, fold.y_labeled, fold.categorical)
    return part.support_, perf_counter() - start


class Work:
    """A fold, a base classifier, and everything computed so far.

    Parameters
    ----------
    fold : Fold
        The rows.
    seed : int
        Seed of feature selection and of whatever a method draws.
    choose : callable, default=choose_columns
        Chooses columns; a study looks them up among its records first.

    Attributes
    ----------
    data : object
        The fold as the loop reads it.
    """

    def __init__(self, fold: Fold, seed: int, choose: Choose = choose_columns) -> None:
        self.fold, self.seed, self._choose = fold, seed, choose
        self._scorer = MetricScorer(fold.metric, fold.n_classes)
        n_labeled, n_pool = len(fold.y_labeled), len(fold.y_pool)
        codes = np.concatenate([fold.y_labeled, np.full(n_pool, UNLABELED, dtype=np.intp)])
        self.data = TrainingData(
            stack_rows(fold.X_labeled, fold.X_pool),
            Labels(np.arange(fold.n_classes), codes, UNLABELED),
            np.arange(n_labeled),
            np.arange(n_labeled, n_labeled + n_pool),
            validation=(fold.X_validation, fold.y_validation),
            categorical_features=fold.categorical,
        )
        # Base classifiers get the table as it is: in the paper's preprocessing codes of levels are numbers to them.
        self._to_fit = replace(self.data, categorical_features=None)
        self._split = Split(self.data.labeled, self.data.validation)
        self._fitters: dict[str, Fitter] = {}
        self._selections: dict[str, tuple[ChosenColumns, float]] = {}
        self._prepared: dict[tuple[str, str], tuple[PreparedHard, float]] = {}
        self._filters: dict[str, NoiseFilter] = {}

    def fitter(self, estimator: Any) -> Fitter:
        """The fitter of this estimator; equal parameters share one, and every fit predicts all rows."""
        key = f"{type(estimator).__qualname__}{sorted(estimator.get_params().items(), key=str)}"
        if key not in self._fitters:
            keep = KeepTestProba(self.fold)
            self._fitters[key] = Fitter(estimator, self._to_fit, self._scorer, keep=keep)
        return self._fitters[key]

    def supervised(self, estimator: Any) -> Tested:
        """The classifier of the labeled rows alone."""
        return cast(Tested, self.fitter(estimator).fit_supervised(self._split))

    def supervised_score(self, estimator: Any) -> float:
        """Validation score of an estimator on the labeled rows alone; for tuning, nothing is remembered."""
        fitter = Fitter(estimator, self._to_fit, self._scorer)
        request = self._split, PseudoLabels.none(len(self.data.pool))
        return fitter.fit([request], predict_pool=False, predict_held_out=False)[0].score

    def forget_fits(self) -> None:
        """Let go of what fits predicted; columns and densities stay."""
        self._fitters.clear()

    def selection(self, name: str) -> tuple[ChosenColumns, float]:
        """The columns that "boruta" or "all" chooses, and the seconds it took."""
        if name not in self._selections:
            support, seconds = self._choose(name, self.fold, self.seed)
            self._selections[name] = ChosenColumns(support), seconds
        return self._selections[name]

    def prepare(self, confidence: Confidence, selection: str) -> tuple[PreparedHard, float]:
        """Densities fitted to the labeled rows, and the seconds of the densities."""
        key = (repr(describe_part(confidence)), selection)
        if key not in self._prepared:
            columns, _ = self.selection(selection)
            start = perf_counter()
            parts = Parts(confidence, TakeAll(), Constant(1.0), KeepAllRows(), columns, NoValidation())
            prepared = HardMethod(parts).prepare(self.data, self._split, self._split.y_held_out)
            self._prepared[key] = prepared, perf_counter() - start
        return self._prepared[key]

    def _filter(self, name: str) -> NoiseFilter:
        """A noise filter fitted to the labeled rows."""
        if name not in self._filters:
            fold = self.fold
            self._filters[name] = FILTERS[name]().fit(fold.X_labeled, fold.y_labeled, fold.categorical)
        return self._filters[name]

    def self_train(
        self,
        estimator: Any,
        confidence: Confidence,
        strategy: str,
        noise_filter: str,
        *,
        alphas: Sequence[float] = (),
        selection: str = "all",
        change: Callable[[Confidence], Confidence] = lambda confidence: confidence,
        choose: Callable[[list[Candidate]], Candidate] | None = None,
    ) -> Answer:
        """Run the paper's Algorithm 1 on this fold; the validation rows choose the round and the alpha.

        Parameters
        ----------
        estimator : classifier
            The base classifier.
        confidence : Confidence
            What pseudo-labels are chosen by.
        strategy, noise_filter, selection : str
            Names of the other parts.
        alphas : sequence of float, default=()
            What is tried, best on the validation rows (ties: the smallest). Empty: the confidence has none.
        change : callable, default=identity
            What is done to the confidence after its densities are known.
        choose : callable, default=None
            Chooses among the alphas that were run, where the validation rows shall not.

        Returns
        -------
        Answer
            The best round of the best alpha.
        """
        fitter, selection_seconds = self.fitter(estimator), self.selection(selection)[1]
        shared, density_seconds = self.prepare(confidence, selection)
        parts = replace(
            shared.parts,
            confidence=change(deepcopy(shared.parts.confidence)),
            strategy=STRATEGIES[strategy](),
            noise_filter=self._filter(noise_filter),
        )
        method, random = SharedMethod(replace(shared, parts=parts), alphas or [None]), np.random.RandomState(self.seed)
        outcome = run_method(method, self.data, fitter, random, max_rounds=MAX_ROUNDS, patience=1)
        chosen = outcome.chosen if choose is None else choose(outcome.candidates)
        [best], pretraining = chosen.best, fitter.seconds["pretraining"]
        seconds = {
            "fit": pretraining + sum(chosen.seconds),
            "search": pretraining + sum(sum(candidate.seconds) for candidate in outcome.candidates),
            "density": density_seconds,
            "selection": selection_seconds,
        }
        fitted = cast(Tested, best.fitted)
        picked = best.pseudo.chosen
        right = best.pseudo.labels[picked] == self.fold.y_pool[picked]
        facts = {
            "validation_score": float(fitted.score),
            "alpha": chosen.alpha,
            "best_round": chosen.best_round,
            "n_rounds": len(chosen.scores) - 1,
            "n_selected": int(picked.sum()),
            "pseudo_accuracy": float(right.mean()) if picked.any() else None,
            "stopped": chosen.reason,
            "n_fits": sum(len(candidate.scores) for candidate in outcome.candidates),
        }
        history: Any = pd.DataFrame(chosen.history()).drop(columns="score_std_error").to_dict("records")
        return Answer(fitted.test_proba, facts, seconds, history)
