"""Training: the model of all rows, the comparison with the supervised one, the diagnostics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.decisions import DecisionRule
from tabcast.diagnostics import Diagnostics, diagnose
from tabcast.exceptions import NothingHeldOutError, NoUnlabeledRowsWarning, ScoreError, TabcastWarning
from tabcast.files import Argument, ArgumentError
from tabcast.models import Choice, make_model
from tabcast.runs._options import DENSITY_OF, RunOptions
from tabcast.runs._prepared_table import PSEUDO_LABEL_COLUMNS, PreparedTable
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
    choice: Choice | None = None

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
        time_limit=options.time_limit,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=options.verbose,
    )
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(limits=1):
        warnings.simplefilter("always", TabcastWarning)
        _fit_guarded(guarded, table, options.metric)
        diagnostics = diagnose(guarded, table.X, table.y, random_state=options.random_state)
    return Trained(
        guarded.estimator_,
        guarded.decision_,
        guarded,
        diagnostics,
        _each_once(caught),
        perf_counter() - start,
        guarded.n_fits_,
        getattr(guarded.self_trained_, "model_choice_", None),
    )


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
        temperature = 1.0 if prior is None else "auto"
        common["teacher"] = options.find_teacher()
        return SoftSelfTrainingClassifier(estimator, class_prior=prior, temperature=temperature, **common)
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
    labeled = np.flatnonzero(~pd.isna(table.y))
    estimator = make_model(options.model, seed=options.random_state, n_jobs=options.n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TabcastWarning)
        warnings.simplefilter("ignore", NoUnlabeledRowsWarning)
        model = SelfTrainingClassifier(
            estimator,
            decision=options.find_decision(),
            missing_label=UNLABELED,
            random_state=options.random_state,
        )
        model.fit(table.X.iloc[labeled].reset_index(drop=True), table.y[labeled])
    seconds = perf_counter() - start
    choice = getattr(model, "model_choice_", None)
    return Trained(model.estimator_, model.decision_, None, None, _each_once(caught), seconds, model.n_fits_, choice)


def _each_once(caught: list[warnings.WarningMessage]) -> list[Warning]:
    """Warnings, each of them once."""
    once = {(one.category, str(one.message)): one.message for one in caught}
    return [message for message in once.values() if isinstance(message, Warning)]
