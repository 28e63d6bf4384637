"""What the classifiers have in common: `fit` builds a method, the engine runs it, and the deployed model predicts."""

from __future__ import annotations

import os
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tabcast.checks import check_integer, is_integer, resolve_part
from tabcast.decisions import DECISIONS, Decision
from tabcast.decisions._rule import DecisionRule, decide_with
from tabcast.models._adapted import seeded
from tabcast.models._catalog import resolve_estimator
from tabcast.models._failures import explained
from tabcast.self_training._data import TrainingData, read_again, read_training_data, refuse_bad_weights
from tabcast.self_training._deciding import Deciding
from tabcast.self_training._engine import Outcome, run_method
from tabcast.self_training._fitter import find_scorer, refuse_nan
from tabcast.self_training._method import Method, Parts
from tabcast.table import Floats, Index
from tabcast.table._labels import find_unlabeled, warn_ambiguous
from tabcast.table._tables import check_lengths, column_names, map_rows, read_table, take_rows
from tabcast.table._types import ColumnTypes

MAX_POOL = 50_000  # unlabeled rows that train by default; the gain levels off after some ten thousand (docs/scaling.md)


def is_dask(X: Any) -> bool:
    """Whether a table is a Dask DataFrame."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "map_partitions")


def _predict_on_dask(classifier: SemiSupervisedClassifier, X: Any, *, proba: bool) -> Any:
    from tabcast.dask._rounds import predict_on_dask

    return predict_on_dask(classifier, X, proba=proba)


def _estimator_has(method: str) -> Any:
    """Whether the fitted (or else the given) base estimator has a method."""

    def check(self: SemiSupervisedClassifier) -> bool:
        inner = getattr(self, "deployed_", None)
        return hasattr(self._base_estimator() if inner is None else inner, method)

    return check


class SemiSupervisedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of the classifiers: predicts with `deployed_`, for tables with the columns of `fit`.

    See Also
    --------
    CASTClassifier : A member.
    """

    estimator: Any
    missing_label: Any
    categorical_features: Any
    estimator_: Any
    deployed_: Any
    _column_types: ColumnTypes
    classes_: NDArray[Any]
    decision_: DecisionRule
    _chosen: Index = np.empty(0, dtype=np.intp)  # rows of X never to be held out; see TrainingData

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the rule `decision_` on its probabilities.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Table with the columns of `fit`. Many rows are predicted block by block.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes; of a Dask DataFrame another one with a column "prediction".
        """
        check_is_fitted(self, "estimator_")
        if is_dask(X):
            return _predict_on_dask(self, X, proba=False)
        X = self._read_again(X)
        with explained(self._base_estimator(), X, "predict"):
            return map_rows(decide_with(self.deployed_, self.decision_, self.classes_).predict, X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class: that of the deployed model, not the confidence.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities; columns as in `classes_`. Of a Dask DataFrame another one with a column per class.
        """
        check_is_fitted(self, "estimator_")
        if is_dask(X):
            return _predict_on_dask(self, X, proba=True)
        X = self._read_again(X)
        with explained(self._base_estimator(), X, "predict"):
            return refuse_nan(map_rows(self.deployed_.predict_proba, X), self.deployed_)

    @available_if(_estimator_has("predict_proba"))
    def predict_log_proba(self, X: Any) -> Floats:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows to predict, with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithm of `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Compute the base classifier's decision function.

        Parameters
        ----------
        X : array-like or DataFrame
            The rows.

        Returns
        -------
        ndarray
            As the base classifier returns it.
        """
        check_is_fitted(self, "estimator_")
        X = self._read_again(X)
        with explained(self._base_estimator(), X, "predict"):
            return self.deployed_.decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Compute the accuracy on the rows that have a label.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Table with the columns of `fit`.
        y : array-like of shape (n_rows,)
            True classes. Rows that are marked as unlabeled are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row.

        Returns
        -------
        float
            The accuracy.
        """
        table = read_table(X)
        check_lengths(table, y=y, sample_weight=sample_weight)
        refuse_bad_weights(sample_weight)
        warn_ambiguous(y, self.missing_label)
        known = np.flatnonzero(~find_unlabeled(y, self.missing_label))
        if len(known) == 0:
            raise ValueError("y has no labeled row to score on.")
        truth = np.array(np.asarray(y, dtype=object)[known].tolist())
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(super().score(take_rows(table, known), truth, weight))

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what `fit` takes and passes on, where scikit-learn's metadata routing is enabled.

        Weights and other fit parameters then reach the base estimator only if it requests them, for example with
        ``set_fit_request(sample_weight=True)``; the default estimator always gets the weights.

        Returns
        -------
        MetadataRouter
            The requests of the classifier and of its base estimator.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if self.estimator is None:
            return router
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    def _base_estimator(self) -> Any:
        """The estimator to copy: the user's, or the default one."""
        return resolve_estimator(self.estimator, type(self).__name__)

    def _read_again(self, X: Any) -> Any:
        """Another table: checked, with the columns of `fit`."""
        return read_again(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base_estimator())
        tags.input_tags.allow_nan = True  # encoded for an estimator that cannot take them
        tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = getattr(inner.classifier_tags, "multi_class", True)
        return tags


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of a fitted classifier, kept as columns and made when first looked at: a small fit takes less time."""

    rounds: dict[str, Any]
    rows: Any
    alphas: dict[str, Any]

    @cached_property
    def history(self) -> pd.DataFrame:
        """One row per round."""
        return pd.DataFrame(self.rounds)

    @cached_property
    def pseudo_labels(self) -> pd.DataFrame:
        """One row per unlabeled row; a Dask DataFrame after a fit on one."""
        return pd.DataFrame(self.rows) if isinstance(self.rows, dict) else self.rows

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
    patience: int = 2
    pseudo_weight: Any = 1.0
    max_pool: int | None
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int
    parts_: Parts
    supervised_decision_: DecisionRule
    student_: Any

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
            Labeled and unlabeled rows; the base estimator gets a DataFrame of any library as one of pandas.
        y : array-like of shape (n_rows,)
            Classes, with a marker for rows without a label; see `missing_label`.
        X_unlabeled : array-like or DataFrame of shape (n_more_rows, n_columns), default=None
            Further rows without a label. They are numbered after the rows of `X`. A Dask DataFrame is left where it is:
            a sample of it chooses alpha and the round, then XGBoost trains on all rows; see docs/scaling.md. So is a
            folder or pattern of Parquet or CSV files, which Dask reads.
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
        method = self._build_method()
        self._check_numbers()
        if is_dask(X_unlabeled) or isinstance(X_unlabeled, str | os.PathLike):
            from tabcast.dask._rounds import fit_on_dask  # a later room, entered through this door alone

            fit_on_dask(self, X, y, X_unlabeled, validation_data, sample_weight, fit_params)
            return self
        data = read_training_data(self, X, y, X_unlabeled, validation_data, sample_weight, fit_params)
        self._run(method, data)
        return self

    @config_context(enable_metadata_routing=False)  # weights go to a step of a pipeline by name, as without routing
    def _run(self, method: Method, data: TrainingData) -> None:
        """Run the engine, and remember its outcome."""
        owner = type(self).__name__
        decision = resolve_part(self.decision, DECISIONS, Decision, "decision", owner)
        method.check(data, self._base_estimator())
        random_state = check_random_state(self.random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        estimator, method = seeded(self._base_estimator(), seed), method.seeded(seed)
        sample, rows = data.sample_pool(self.max_pool, seed)
        deciding = Deciding(decision, method, sample, find_scorer(self.scoring, estimator, data.labels.classes))
        deciding.check(owner)
        outcome = run_method(
            method,
            sample,
            deciding.make_fitter(estimator, self.n_jobs),
            random_state,
            max_rounds=self.max_rounds,
            patience=self.patience,
            title=owner,
            verbose=self.verbose,
            score_round=deciding.score_round if decision.needs_out_of_fold else None,
        )
        self.decision_, self.supervised_decision_ = deciding.find_rules(outcome)
        self._remember(outcome)
        self._renumber(rows, data)

    @abstractmethod
    def _build_method(self) -> Method:
        """The method that the parameters describe; parameters that make no sense are refused."""

    def _check_numbers(self) -> None:
        """Refuse a decision and numbers that make no sense."""
        owner = type(self).__name__
        resolve_part(self.decision, DECISIONS, Decision, "decision", owner).check()
        check_integer(self.max_rounds, "max_rounds", owner, 1)
        check_integer(self.patience, "patience", owner, 1)
        check_integer(self.max_pool, "max_pool", owner, 1, allowed=[None])
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
        self.selected_features_ = np.array(column_names(data.X), dtype=object)[parts.feature_selection.support_]
        self.transduction_, self.labeled_iter_ = outcome.transduce()
        self.n_fits_ = fitter.n_fits
        self._split = outcome.split  # for the rounds on a Dask DataFrame
        self.required_confidence_ = outcome.shown.required
        self._tables = Tables(chosen.history(), outcome.describe_pool(), outcome.describe_alphas())

    def _renumber(self, rows: Index | None, whole: TrainingData) -> None:
        """After a fit on some of the unlabeled rows: results have the numbers, and the length, of all rows."""
        if rows is None:
            return
        self._tables.rows["row"] = rows[self._tables.rows["row"]]
        transduction, used = whole.labels.values(whole.labels.codes), np.where(whole.labels.labeled, 0, -1)
        transduction[rows], used[rows] = self.transduction_, self.labeled_iter_
        self.transduction_, self.labeled_iter_ = transduction, used

    def _for_comparison(self, given: SelfTrainer, training: Index, fold: int | None) -> SelfTrainer:
        """The classifier to fit on some labeled rows; what the fit on all rows knows of these need not be estimated."""
        return given

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
