"""What the trials on one fold share: fits, densities and chosen columns are computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.confidence import ClusterAware, Confidence
from tabcast.feature_selection import BorutaShap, FeatureSelection, KeepAll
from tabcast.models import adapt
from tabcast.noise_filters import KeepAllRows, MahalanobisFilter, NoiseFilter
from tabcast.progress import Progress
from tabcast.pseudo_labels import Constant, Curriculum, FixedThreshold, Strategy, TakeAll
from tabcast.self_training._fitting import (
    Fitted,
    Floats,
    PseudoLabels,
    Split,
    TrainingData,
    fit_classifier,
    predict_proba,
)
from tabcast.self_training._parts import Parts, Stage, prepare_stage
from tabcast.self_training._rounds import Candidate, Fitter, Run, choose_candidate, run_in_step
from tabcast.self_training._self_training_classifier import self_train
from tabcast.study.protocol import Fold, MetricScorer
from tabcast.table import UNLABELED, Labels, stack_rows
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


class SharedFitter(Fitter):
    """A fitter for many methods: every fit speaks about all rows, and only what it says is kept, not the model."""

    def __init__(self, estimator: Any, work: Work) -> None:
        adaptation = adapt(estimator, work.data.X, work.data.labels.classes)
        self._X_test = work.fold.X_test if adaptation.columns is None else adaptation.encode(work.fold.X_test)
        scorer = MetricScorer(work.fold.metric, work.fold.n_classes)
        super().__init__(estimator, adaptation, work.data.encoded(adaptation), scorer, True, 1, Progress())
        self.split = Split(self.data.labeled, self.data.validation)

    def fit(self, requests: Iterable[tuple[Split, PseudoLabels]], *, predict_pool: bool = True) -> list[Fitted]:
        """As the base, with the pool's probabilities always: another method may need them."""
        return super().fit(requests, predict_pool=True)

    def supervised(self) -> Fitted:
        """The classifier of the labeled rows alone."""
        return self.fit([(self.split, PseudoLabels.none(len(self.data.pool)))])[0]

    def _keep(self, fitted: Fitted) -> Fitted:
        """Test probabilities in place of the model: a thousand models of a thousand trees do not fit in memory."""
        model = fitted.estimator
        proba = predict_proba(model, self._X_test, self.data.n_classes, np.asarray(model.classes_, dtype=np.intp))
        return replace(fitted, estimator=proba)


class Work:
    """A fold, a base classifier, and everything computed so far.

    Parameters
    ----------
    fold : Fold
        The rows.
    seed : int
        Seed of feature selection and of whatever a method draws.

    Attributes
    ----------
    data : object
        The fold as the loop reads it.
    """

    def __init__(self, fold: Fold, seed: int) -> None:
        self.fold, self.seed = fold, seed
        n_labeled, n_pool = len(fold.y_labeled), len(fold.y_pool)
        codes = np.concatenate([fold.y_labeled, np.full(n_pool, UNLABELED, dtype=np.intp)])
        self.data = TrainingData(
            stack_rows(fold.X_labeled, fold.X_pool),
            Labels(np.arange(fold.n_classes), codes, UNLABELED),
            np.arange(n_labeled),
            np.arange(n_labeled, n_labeled + n_pool),
            fold.X_pool,
            validation=(fold.X_validation, fold.y_validation),
            categorical_features=fold.categorical,
        )
        self._fitters: dict[str, SharedFitter] = {}
        self._selections: dict[str, tuple[ChosenColumns, float]] = {}
        self._stages: dict[tuple[str, str], tuple[Stage, float]] = {}
        self._filters: dict[str, NoiseFilter] = {}

    def fitter(self, estimator: Any) -> SharedFitter:
        """The fitter of this estimator; equal parameters share one."""
        key = f"{type(estimator).__qualname__}{sorted(estimator.get_params().items(), key=str)}"
        if key not in self._fitters:
            self._fitters[key] = SharedFitter(estimator, self)
        return self._fitters[key]

    def supervised_score(self, estimator: Any) -> float:
        """Validation score of an estimator on the labeled rows alone; for tuning, nothing is remembered."""
        adaptation = adapt(estimator, self.data.X, self.data.labels.classes)
        data = self.data.encoded(adaptation)
        fitted = fit_classifier(
            estimator,
            adaptation,
            data,
            Split(data.labeled, data.validation),
            PseudoLabels.none(len(data.pool)),
            scorer=MetricScorer(self.fold.metric, self.fold.n_classes),
            predict_pool=False,
            predict_held_out=False,
        )
        return fitted.score

    def forget_fits(self) -> None:
        """Let go of what fits said; columns and densities stay."""
        self._fitters.clear()

    def selection(self, name: str) -> tuple[ChosenColumns, float]:
        """The columns that "boruta" or "all" chooses from the labeled rows, and the seconds it took."""
        if name not in self._selections:
            start = perf_counter()
            part = SELECTIONS[name](self.seed)
            part.fit(self.fold.X_labeled, self.fold.y_labeled, self.fold.categorical)
            self._selections[name] = ChosenColumns(part.support_), perf_counter() - start
        return self._selections[name]

    def stage(self, confidence: Confidence, selection: str, noise_filter: str) -> tuple[Stage, float]:
        """Densities and noise filter fitted to the labeled rows, and the seconds of the densities."""
        key = (repr(describe_part(confidence)), selection)
        if key not in self._stages:
            columns, _ = self.selection(selection)
            start = perf_counter()
            parts = Parts(confidence, TakeAll(), Constant(1.0), KeepAllRows(), columns, NoValidation())
            split = Split(self.data.labeled, self.data.validation)
            self._stages[key] = prepare_stage(parts, self.data, split), perf_counter() - start
        stage, seconds = self._stages[key]
        return replace(stage, noise_filter=self._filter(noise_filter)), seconds

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
        alphas: Sequence[float | None] = (),
        selection: str = "all",
        change: Callable[[Confidence], Confidence] = lambda confidence: confidence,
    ) -> Answer:
        """The paper's Algorithm 1 on this fold; the validation rows choose the round and the alpha.

        Parameters
        ----------
        estimator : object
            The base classifier.
        confidence, strategy, noise_filter, selection : Confidence
            The parts, by name where there are names.
        alphas : sequence of float, default=()
            What is tried, best on the validation rows (ties: the smallest); empty: the confidence has none.
        change : callable, default=lambda confidence: confidence
            What is done to the confidence after its densities are known.
        """
        fitter, selection_seconds = self.fitter(estimator), self.selection(selection)[1]
        stage, density_seconds = self.stage(confidence, selection, noise_filter)
        ready = change(deepcopy(stage.confidence))
        plan = STRATEGIES[strategy]()
        candidates = [
            Candidate(alpha, [Run(fitter.split, self._loop(with_alpha(ready, alpha), plan, stage))])
            for alpha in alphas or (None,)
        ]
        last_round = min(MAX_ROUNDS, plan.n_rounds or MAX_ROUNDS)
        patience = 1 if plan.n_rounds is None else None
        run_in_step(candidates, fitter, last_round=last_round, patience=patience, schedule=plan.n_rounds)
        chosen = choose_candidate(candidates, prefer=lambda candidate: candidate.alpha or 0.0)
        seconds = {
            "fit": sum(chosen.seconds),
            "search": sum(sum(candidate.seconds) for candidate in candidates),
            "density": density_seconds,
            "selection": selection_seconds,
        }
        answer = self._answer(chosen, seconds)
        answer.facts["n_fits"] = sum(len(candidate.scores) for candidate in candidates)
        return answer

    def _loop(self, confidence: Confidence, strategy: Strategy, stage: Stage) -> Any:
        """Algorithm 1 with these parts."""
        return self_train(
            self.fold.X_pool,
            deepcopy(confidence),
            deepcopy(strategy),
            stage.noise_filter,
            y_held_out=self.fold.y_validation,
            relabel=True,
            weighting=Constant(1.0),
        )

    def _answer(self, chosen: Candidate, seconds: dict[str, float]) -> Answer:
        """The best round of the chosen candidate."""
        best = chosen.best[0]
        picked = best.pseudo.chosen
        right = best.pseudo.labels[picked] == self.fold.y_pool[picked]
        facts = {
            "validation_score": float(best.fitted.score),
            "alpha": chosen.alpha,
            "best_round": chosen.best_round,
            "n_rounds": len(chosen.scores) - 1,
            "n_selected": int(picked.sum()),
            "pseudo_accuracy": float(right.mean()) if picked.any() else None,
            "stopped": chosen.reason,
        }
        rounds = pd.DataFrame(chosen.history()).drop(columns="score_std_error").to_dict("records")
        history = [{str(name): value for name, value in one.items()} for one in rounds]
        return Answer(best.fitted.estimator, facts, seconds, history)


def with_alpha(confidence: Confidence, alpha: float | None) -> Confidence:
    """The same gamma, another alpha; a confidence without alpha as it is."""
    if alpha is None:
        return confidence
    assert isinstance(confidence, ClusterAware)
    return copy(confidence).set_params(alpha=alpha)
