"""Supervised training: the base classifier on the labeled rows, and its cross-validated score."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tabcast import GuardedClassifier, SelfTrainingClassifier
from tabcast.decisions import DecisionRule
from tabcast.exceptions import (
    ComparisonStopped,
    NothingHeldOutError,
    NoUnlabeledRowsWarning,
    ScoreError,
    TabcastWarning,
)
from tabcast.guard import OutOfFold, Verdict
from tabcast.guard._scoring import is_share
from tabcast.models import Choice, make_model
from tabcast.runs._options import RunOptions
from tabcast.runs._prepared_table import PreparedTable
from tabcast.statistics import corrected_interval

LEVEL = 0.9
FEWEST_SPLITS = 2  # with one split there is no interval


@dataclass(frozen=True, eq=False)
class Supervised:
    """The supervised model, and how good it is.

    Parameters
    ----------
    model : classifier
        The fitted base classifier.
    decision : DecisionRule
        The rule by which it decides for a class.
    n_fits : int
        Number of base classifiers fitted.
    out_of_fold : OutOfFold or None
        Predictions of labeled rows, numbered as in the table, from models that were not trained on them. None if no
        row can be held out.
    score : dict or None
        `metric`, `score`, `low`, `high` (None if too few folds have every class), `level`, `n_splits`.
    choice : Choice or None
        The kind of model that was chosen on all labeled rows; None where the user named one.
    """

    model: Any
    decision: DecisionRule
    n_fits: int
    out_of_fold: OutOfFold | None
    score: dict[str, Any] | None
    choice: Choice | None


def fit_supervised(table: PreparedTable, options: RunOptions) -> Supervised:
    """Fit the base classifier on the labeled rows, with repeated cross-validation where rows can be held out."""
    labeled = np.flatnonzero(~pd.isna(table.y))
    X, y = table.X.iloc[labeled].reset_index(drop=True), table.y[labeled]
    classifier = SelfTrainingClassifier(
        make_model(options.model, seed=options.random_state),
        decision=options.find_decision(),
        missing_label=None,
        random_state=options.random_state,
    )
    guarded = GuardedClassifier(
        classifier,
        scoring=options.metric,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=options.verbose,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoUnlabeledRowsWarning)
        try:
            guarded.fit(X, y)
        except (NothingHeldOutError, ScoreError):
            reason = (
                f"Too few rows are labeled to cross-validate {options.metric}, so nothing tells how good the model is."
            )
            return _leave_unscored(classifier.fit(X, y), reason)
        except ComparisonStopped:
            reason = "The cross-validation was interrupted before two splits: how good the model is, is not known."
            return _leave_unscored(guarded.self_trained_, reason)
    held_out = guarded.out_of_fold_
    trained = {fold: labeled[rows] for fold, rows in held_out.trained.items()}
    found = replace(held_out, rows=labeled[held_out.rows], trained=trained)
    choice = getattr(guarded.self_trained_, "model_choice_", None)
    return Supervised(guarded.estimator_, guarded.decision_, guarded.n_fits_, found, score_of(guarded.verdict_), choice)


def _leave_unscored(model: Any, reason: str) -> Supervised:
    """The model without a score, and a warning."""
    warnings.warn(reason, TabcastWarning, stacklevel=4)
    choice = getattr(model, "model_choice_", None)
    return Supervised(model.estimator_, model.decision_, model.n_fits_, None, None, choice)


def score_of(verdict: Verdict) -> dict[str, Any]:
    """The cross-validated score of the supervised model, with its interval."""
    by_fold, n_test = verdict.scores["supervised"], verdict.scores["n_test"]
    known, low, high = by_fold.dropna(), None, None
    if len(known) >= FEWEST_SPLITS:
        centered = known - math.fsum(known) / len(known) + verdict.supervised
        resolution = 1 / float(n_test.mean()) if is_share(verdict.metric, verdict.supervised) else 0.0
        held_out = float((n_test / (verdict.n_labeled - n_test)).mean())
        interval = corrected_interval(centered, held_out, LEVEL, resolution=resolution)
        low, high = interval.low, interval.high
        if is_share(verdict.metric, verdict.supervised):
            low, high = max(low, 0.0), min(high, 1.0)
    return {
        "metric": verdict.metric,
        "score": verdict.supervised,
        "low": low,
        "high": high,
        "level": LEVEL,
        "n_splits": len(by_fold),
    }
