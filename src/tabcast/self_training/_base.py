"""What every classifier of tabcast has in common: it predicts with the fitted model that it deploys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tabcast.decisions import DecisionRule, decide_with
from tabcast.models import resolve_estimator
from tabcast.models._failures import explained
from tabcast.partitions import is_partitioned
from tabcast.self_training._card import show_classifier
from tabcast.self_training._fitter import refuse_nan
from tabcast.self_training._partitioned_predictions import predict_partitions
from tabcast.self_training._reading import read_again, refuse_bad_weights
from tabcast.table import (
    ColumnTypes,
    Floats,
    check_lengths,
    find_unlabeled,
    n_rows,
    read_table,
    take_rows,
    warn_ambiguous,
)


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

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, by the rule `decision_` on its probabilities.

        Parameters
        ----------
        X : array-like, DataFrame or partitions of shape (n_rows, n_columns)
            Table with the columns of `fit`. Partitions are whatever `X_unlabeled` of `fit` accepts.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes. For partitions a table with a column "prediction":
            :class:`~tabcast.partitions.PartitionedTable`, or a Dask DataFrame.
        """
        check_is_fitted(self, "estimator_")
        if is_partitioned(X):
            return predict_partitions(self, X, proba=False)
        X = self._read_again(X)
        with explained(self._base_estimator(), X, "predict"):
            return decide_with(self.deployed_, self.decision_, self.classes_).predict(X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class: that of the deployed model, not the confidence.

        Parameters
        ----------
        X : array-like, DataFrame or partitions of shape (n_rows, n_columns)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities; columns as in `classes_`. For partitions a table with a column per class, as `predict`.
        """
        check_is_fitted(self, "estimator_")
        if is_partitioned(X):
            return predict_partitions(self, X, proba=True)
        X = self._read_again(X)
        with explained(self._base_estimator(), X, "predict"):
            return refuse_nan(self.deployed_.predict_proba(X), self.deployed_)

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
        if len(known) == n_rows(table):
            return float(super().score(table, y, sample_weight))
        if len(known) == 0:
            raise ValueError("y has no labeled row to score on.")
        truth = np.array(np.asarray(y, dtype=object)[known].tolist())
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(super().score(take_rows(table, known), truth, weight))

    def _repr_html_inner(self) -> str:
        """What a notebook shows."""
        return show_classifier(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """What a notebook shows, by kind of content."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": show_classifier(self)} if "text/html" in bundle else bundle

    def _base_estimator(self) -> Any:
        """The estimator to copy: the user's, the default one, or one that chooses."""
        return resolve_estimator(self.estimator, type(self).__name__)

    def _read_again(self, X: Any) -> Any:
        """Another table: checked, with the columns of `fit`."""
        return read_again(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base_estimator())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = getattr(inner.classifier_tags, "multi_class", True)
        return tags
