"""What the self-training classifiers have in common: `fit` builds a method, the engine runs it, its outcome is kept."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_integer, is_integer
from tabcast.decisions import Decision, DecisionRule, resolve_decision
from tabcast.models import Choice, Portfolio, seeded
from tabcast.partitions import is_partitioned
from tabcast.self_training._base import SemiSupervisedClassifier
from tabcast.self_training._data import TrainingData
from tabcast.self_training._deciding import Deciding
from tabcast.self_training._engine import Outcome, run_method
from tabcast.self_training._method import Method, Parts
from tabcast.self_training._partitioned import fit_partitioned
from tabcast.self_training._pool_sample import PoolSample, draw_pool, take_pool
from tabcast.self_training._reading import read_training_data
from tabcast.self_training._scoring import find_scorer
from tabcast.self_training._whole_pool import train_on_whole_pool
from tabcast.table import column_names, take_rows
from tabcast.validation import NoValidation


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of a fitted classifier, kept as columns and made when first looked at: a small fit takes less time."""

    rounds: dict[str, Any]
    rows: dict[str, Any]
    alphas: dict[str, Any]

    @cached_property
    def history(self) -> pd.DataFrame:
        """One row per round."""
        return pd.DataFrame(self.rounds)

    @cached_property
    def pseudo_labels(self) -> pd.DataFrame:
        """One row per unlabeled row."""
        return pd.DataFrame(self.rows)

    @cached_property
    def alpha_scores(self) -> pd.DataFrame:
        """One row per alpha."""
        return pd.DataFrame(self.alphas)


class SelfTrainer(SemiSupervisedClassifier):
    """Base of the self-training classifiers; a member builds a method and remembers an outcome.

    See Also
    --------
    CASTClassifier : A member.
    """

    scoring: Any
    decision: str | Decision
    max_rounds: int
    patience: int
    judge_rows: int | None
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int
    parts_: Parts
    model_choice_: Choice
    supervised_decision_: DecisionRule
    student_: Any
    n_unlabeled_: int

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        X_unlabeled: Any = None,
        validation_data: tuple[Any, Any] | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Train on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Labeled and unlabeled rows; pandas and polars are accepted. The base estimator gets it as it is.
        y : array-like of shape (n_rows,)
            Classes, with a marker for rows without a label; see `missing_label`.
        X_unlabeled : array-like, DataFrame or partitions of shape (n_more_rows, n_columns), default=None
            Further rows without a label. They are numbered after the rows of `X`. A folder or pattern of Parquet or CSV
            files, a list of files, a pyarrow dataset or a Dask DataFrame is read a partition at a time, with XGBoost as
            the base classifier; its rows are numbered from 0. See docs/scaling.md.
        validation_data : tuple (X, y), default=None
            Labeled rows to evaluate rounds on, instead of `validation`.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row of `X`, or of `X` and `X_unlabeled`.
        **fit_params : dict
            Passed to the base estimator's `fit`; those with one entry per row follow their rows.

        Returns
        -------
        object
            The fitted classifier itself.
        """
        if is_partitioned(X_unlabeled):
            fit_partitioned(self, X, y, X_unlabeled, validation_data, sample_weight, fit_params)
            return self
        return self._fit_in_memory(
            X, y, X_unlabeled, validation_data=validation_data, sample_weight=sample_weight, **fit_params
        )

    def _fit_in_memory(
        self, X: Any, y: Any, X_unlabeled: Any, *, validation_data: Any, sample_weight: Any, **fit_params: Any
    ) -> Self:
        """Train on rows that are in memory."""
        if hasattr(self, "n_unlabeled_"):  # of an earlier fit on partitions
            del self.n_unlabeled_
        method = self._build_method()
        self._check()
        data = read_training_data(self, X, y, X_unlabeled, validation_data, sample_weight, fit_params)
        self._run(method, data)
        return self

    def fit_variants(
        self, X: Any, y: Any, *, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> dict[str, Self]:
        """Train every variant that the parameters leave to a comparison on held-out rows, as the guard makes it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            As in :meth:`fit`.
        y : array-like of shape (n_rows,)
            Classes, with a marker for rows without a label.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row.
        **fit_params : dict
            Passed to the base estimator's `fit`.

        Returns
        -------
        dict
            Fitted classifiers by name, the simplest first; mostly this one alone.
        """
        return {"self-trained": self.fit(X, y, sample_weight=sample_weight, **fit_params)}

    def _check(self) -> None:
        """Refuse a decision and numbers that make no sense."""
        resolve_decision(self.decision, type(self).__name__).check()
        self._check_numbers()

    def _run(self, method: Method, data: TrainingData) -> list[Self]:
        """Run the engine; the fitted classifier itself, and copies of it for other candidates that the method keeps."""
        decision = resolve_decision(self.decision, type(self).__name__)
        method.check(data, self._base_estimator())
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        estimator = seeded(self._choose_estimator(data, seed), seed)
        method, sample = method.seeded(seed), self._draw_sample(method, data, seed)
        deciding = Deciding(decision, method, sample.data, find_scorer(self.scoring, estimator, data.labels.classes))
        deciding.check(type(self).__name__)
        outcome = run_method(
            method,
            sample.data,
            deciding.make_fitter(estimator, self.n_jobs),
            random_state,
            max_rounds=self.max_rounds,
            patience=self.patience,
            title=type(self).__name__,
            verbose=self.verbose,
            score_round=deciding.score_round if decision.needs_out_of_fold else None,
        )
        outcomes = [outcome, *outcome.others]
        rules = [deciding.find_rules(one) for one in outcomes]
        if sample.rows is not None:
            fitter = replace(deciding, data=data).make_fitter(estimator, self.n_jobs)
            fitter.n_fits = outcome.fitter.n_fits
            outcomes = [train_on_whole_pool(one, sample, method, data, fitter) for one in outcomes]
        fitted = [self, *(copy(self) for _ in outcome.others)]
        for one, result, (rule, supervised) in zip(fitted, outcomes, rules, strict=True):
            one._remember(result)
            one.decision_, one.supervised_decision_ = rule, supervised
        return fitted

    def _draw_sample(self, method: Method, data: TrainingData, seed: int) -> PoolSample:
        """The rows that alpha and the round are chosen with: all of them where nothing is chosen."""
        chooses = data.validation is not None or not isinstance(method.parts.validation, NoValidation)
        return take_pool(data, draw_pool(data.pool, self.judge_rows if chooses else None, seed))

    def _choose_estimator(self, data: TrainingData, seed: int) -> Any:
        """The user's estimator; of a portfolio the member that is chosen on the labeled rows, once per fit."""
        base = self._base_estimator()
        if not isinstance(base, Portfolio):
            return base
        rows, weight = data.labeled, data.sample_weight
        self.model_choice_ = seeded(base, seed).choose(
            take_rows(data.X, rows), data.labels.codes[rows], None if weight is None else weight[rows]
        )
        return base.build(self.model_choice_.name)

    @abstractmethod
    def _build_method(self) -> Method:
        """The method that the parameters describe; parameters that make no sense are refused."""

    def _check_numbers(self) -> None:
        """Refuse parameters of the engine that make no sense."""
        owner = type(self).__name__
        check_integer(self.max_rounds, "max_rounds", owner, 1)
        check_integer(self.patience, "patience", owner, 1)
        check_integer(self.judge_rows, "judge_rows", owner, 1, allowed=[None])
        if self.n_jobs is not None and (not is_integer(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"`n_jobs` of {owner} must be None or an integer other than 0; got {self.n_jobs!r}.")

    def _remember(self, outcome: Outcome[Any]) -> None:
        """Set the fitted attributes that all self-training classifiers have."""
        data, chosen, fitter, parts = outcome.data, outcome.chosen, outcome.fitter, outcome.final.parts
        self.estimator_ = fitter.for_user(outcome.best.fitted)
        self.deployed_ = self.student_ = self.estimator_
        self.supervised_ = fitter.for_user(outcome.supervised)
        self.classes_ = data.labels.classes
        self.parts_ = parts
        self.best_round_ = chosen.best_round
        self.n_rounds_ = len(chosen.scores) - 1
        self.termination_reason_ = chosen.reason if len(data.pool) else "no_unlabeled_rows"
        self.class_mix_ = np.array(chosen.class_counts)
        self.selected_features_ = np.array(column_names(data.X), dtype=object)[parts.feature_selection.support_]
        self.transduction_, self.labeled_iter_ = outcome.transduce()
        self.n_fits_ = fitter.n_fits
        self.required_confidence_ = outcome.shown.required
        self._tables = Tables(chosen.history(), outcome.describe_pool(), outcome.describe_alphas())

    def _renumber(self, sample: PoolSample, whole: TrainingData) -> None:
        """After a fit on some of the unlabeled rows: results have the numbers, and the length, of all rows."""
        if sample.rows is None:
            return
        tables, rows = self._tables, sample.rows
        self._tables = replace(tables, rows={**tables.rows, "row": rows[tables.rows["row"]]})
        transduction, used = whole.labels.values(whole.labels.codes), np.where(whole.labels.labeled, 0, -1)
        transduction[rows], used[rows] = self.transduction_, self.labeled_iter_
        self.transduction_, self.labeled_iter_ = transduction, used

    @property
    def history_(self) -> pd.DataFrame:
        """One row per round."""
        check_is_fitted(self)
        return self._tables.history

    @property
    def pseudo_labels_(self) -> pd.DataFrame:
        """One row per unlabeled row."""
        check_is_fitted(self)
        return self._tables.pseudo_labels
