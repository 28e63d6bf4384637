"""Training: the model of all rows, the comparison with the supervised one, the diagnostics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.decisions import DecisionRule
from tabcast.diagnostics import Diagnostics, diagnose
from tabcast.exceptions import ComparisonStopped, NothingHeldOutError, ScoreError, TabcastWarning
from tabcast.files import Argument, ArgumentError
from tabcast.guard import OutOfFold
from tabcast.models import Choice, make_model
from tabcast.runs._options import DENSITY_OF, RunOptions
from tabcast.runs._prepared_table import PSEUDO_LABEL_COLUMNS, PreparedTable
from tabcast.runs._supervised import Supervised, fit_supervised
from tabcast.self_training import SelfTrainer

UNLABELED = None  # the labels of a prepared table have it for unlabeled rows, and -1 may be a class


@dataclass(frozen=True, eq=False)
class Trained:
    """The model that predicts, and what is known about it.

    Parameters
    ----------
    model : classifier
        The fitted model.
    decision : DecisionRule
        The rule by which it decides for a class.
    guarded : GuardedClassifier or None
        The comparison that chose it; None for supervised training.
    diagnostics : Diagnostics or None
        What is known about the table and the model; None for supervised training.
    warnings : list of Warning
        What was warned of, each warning once.
    seconds : float
        Time it took.
    n_fits : int
        Number of base classifiers fitted.
    supervised : Supervised or None, default=None
        The evaluation of supervised training; None for other methods.
    choice : Choice or None, default=None
        The kind of model that was chosen on all labeled rows; None where the user named one.
    """

    model: Any
    decision: DecisionRule
    guarded: GuardedClassifier | None
    diagnostics: Diagnostics | None
    warnings: list[Warning]
    seconds: float
    n_fits: int
    supervised: Supervised | None = None
    choice: Choice | None = None

    @property
    def out_of_fold(self) -> OutOfFold | None:
        """Predictions of labeled rows from models that were not trained on them; None if no row was held out."""
        if self.guarded is not None:
            return self.guarded.out_of_fold_
        return None if self.supervised is None else self.supervised.out_of_fold

    @property
    def pseudo_labels(self) -> pd.DataFrame:
        """One row per unlabeled row; none after supervised training."""
        if self.guarded is None:
            return pd.DataFrame({name: [] for name in PSEUDO_LABEL_COLUMNS})
        return self.guarded.self_trained_.pseudo_labels_


def train(table: PreparedTable, options: RunOptions) -> Trained:
    """Train with the chosen method."""
    if options.method == "supervised":
        return _fit_supervised(table, options)
    start = perf_counter()
    guarded = GuardedClassifier(
        make_classifier(options),
        scoring=options.metric,
        decision=options.find_decision(),
        guard=options.guard,
        judge_rows=options.judge_rows,
        max_pool=options.max_pool,
        time_limit=options.time_limit,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=options.verbose,
    )
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always", TabcastWarning)
        try:
            _fit_guarded(guarded, table, options.metric)
        except ComparisonStopped:
            warnings.warn(_say_stopped(options), TabcastWarning, stacklevel=2)
            return _keep_uncompared(guarded, options, _each_once(caught), perf_counter() - start)
        diagnostics = diagnose(
            guarded, table.X, table.y, judge_rows=options.judge_rows, random_state=options.random_state
        )
    return Trained(
        guarded.deployed_,
        guarded.decision_,
        guarded,
        diagnostics,
        _each_once(caught),
        perf_counter() - start,
        guarded.n_fits_,
        choice=getattr(guarded.self_trained_, "model_choice_", None),
    )


def _say_stopped(options: RunOptions) -> str:
    """What an interrupt means for the choice."""
    kept = "the supervised model was kept"
    if not options.guard:
        kept = "the self-trained model was kept, because the guard is off"
    return (
        "The comparison was interrupted before two splits were evaluated, so nothing is known about whether the "
        f"unlabeled rows help, and there is no verdict: {kept}."
    )


def _keep_uncompared(guarded: GuardedClassifier, options: RunOptions, warned: list[Warning], seconds: float) -> Trained:
    """The model of all rows after an interrupt: without a verdict, the supervised one unless the guard is off."""
    both = guarded.self_trained_
    model, rule = (both.supervised_, both.supervised_decision_) if options.guard else (both.deployed_, both.decision_)
    return Trained(model, rule, None, None, warned, seconds, both.n_fits_, choice=getattr(both, "model_choice_", None))


def _fit_guarded(guarded: GuardedClassifier, table: PreparedTable, metric: str) -> None:
    """Fit, with errors in terms of the arguments of a run."""
    try:
        guarded.fit(table.X, table.y)
    except ScoreError as error:
        raise ArgumentError(
            Argument("metric", metric), f" {error.problem}. Label more rows of rare classes, or choose another score."
        ) from error
    except NothingHeldOutError as error:
        raise ArgumentError(
            "Too few rows are labeled to compare models on held-out ones: every class has a single labeled row, in the "
            "table or in the training rows of a split. Label more rows, or use ",
            Argument("method", "supervised"),
            ".",
        ) from error


def make_classifier(options: RunOptions) -> SelfTrainer:
    """The semi-supervised classifier of a method."""
    seed = options.random_state
    estimator = make_model(options.model, seed=seed)
    common: dict[str, Any] = {"missing_label": UNLABELED, "random_state": seed}
    if options.method == "soft":
        prior = None if options.class_prior == "none" else options.class_prior or "auto"
        common |= {"teacher": options.find_teacher(), "deploy": options.deploy or "student"}
        return SoftSelfTrainingClassifier(estimator, class_prior=prior, **common)
    strategy = options.strategy or "curriculum"
    if options.method == "naive":
        return SelfTrainingClassifier(estimator, strategy=strategy, scoring=options.metric, **common)
    return CASTClassifier(
        estimator,
        density=options.density or DENSITY_OF[options.method],
        alpha="search" if options.alpha is None else options.alpha,
        strategy=strategy,
        scoring=options.metric,
        **common,
    )


def _fit_supervised(table: PreparedTable, options: RunOptions) -> Trained:
    """The base classifier, fitted on the labeled rows."""
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always", TabcastWarning)
        found = fit_supervised(table, options)
    seconds, warned = perf_counter() - start, _each_once(caught)
    return Trained(found.model, found.decision, None, None, warned, seconds, found.n_fits, found, found.choice)


def _each_once(caught: list[warnings.WarningMessage]) -> list[Warning]:
    """Warnings, each of them once."""
    once = {(one.category, str(one.message)): one.message for one in caught}
    return [message for message in once.values() if isinstance(message, Warning)]
