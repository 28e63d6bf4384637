"""What every classifier of tabcast has in common: how it reads tables and labels, and how it predicts."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.models import default_classifier, weight_parameter
from tabcast.self_training._fitting import TrainingData
from tabcast.table import (
    UNLABELED,
    Labels,
    encode_labels,
    find_unlabeled,
    n_rows,
    put_together,
    read_labels,
    read_table,
    stack_rows,
    take_rows,
    warn_empty_columns,
)


def _estimator_has(method: str) -> Any:
    """Whether the fitted (or else the given) base estimator has a method."""

    def check(self: SemiSupervisedClassifier) -> bool:
        inner = getattr(self, "estimator_", None)
        return hasattr(self._base_estimator() if inner is None else inner, method)

    return check


class SemiSupervisedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of the classifiers: reads what `fit` is given into `TrainingData`, predicts with `estimator_`."""

    estimator: Any
    missing_label: Any
    categorical_features: Any
    random_state: Any
    estimator_: Any
    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row.

        Parameters
        ----------
        X : table with the columns of `fit`.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(self._read_again(X))

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, columns as in `classes_`; the base classifier's own, not the confidence."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(self._read_again(X))

    @available_if(_estimator_has("predict_proba"))
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The base classifier's decision function."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(self._read_again(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the rows that have a label.

        Parameters
        ----------
        X, y : rows and their classes; rows with a marker for unlabeled are left out.
        sample_weight : one per row.
        """
        table = read_table(X)
        known = np.flatnonzero(~find_unlabeled(y, self.missing_label))
        if len(known) == n_rows(table):
            return float(super().score(table, y, sample_weight))
        if len(known) == 0:
            raise ValueError("y has no labeled row to score on.")
        truth = np.array(np.asarray(y, dtype=object)[known].tolist())
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(super().score(take_rows(table, known), truth, weight))

    def _base_estimator(self) -> Any:
        """The estimator to copy: the user's or the default one."""
        return default_classifier() if self.estimator is None else self.estimator

    def _read(
        self, X: Any, y: Any, X_unlabeled: Any, validation_data: Any, sample_weight: Any, fit_params: dict[str, Any]
    ) -> TrainingData:
        """Read and check everything that `fit` was given."""
        if not hasattr(self._base_estimator(), "predict_proba"):
            raise TypeError(
                f"`estimator` of {type(self).__name__} must have predict_proba; {self._base_estimator()!r} has not. "
                "Wrap it in sklearn.calibration.CalibratedClassifierCV, or set its option for probabilities."
            )
        table = read_table(X)
        self._remember_columns(table)
        labels = read_labels(y, self.missing_label)
        check_consistent_length(table, labels.codes)
        n_given = n_rows(table)
        if X_unlabeled is not None:
            table = stack_rows(table, read_table(X_unlabeled, name="X_unlabeled"))
            more = np.full(n_rows(table) - n_given, UNLABELED, dtype=np.intp)
            labels = Labels(labels.classes, np.concatenate([labels.codes, more]), labels.marker)
        warn_empty_columns(table)
        table = put_together(table)
        pool = np.flatnonzero(~labels.labeled)
        if len(pool) == 0:
            warnings.warn(
                "There are no unlabeled rows: the model is the supervised one. Mark them in y "
                f"(missing_label={self.missing_label!r}), or pass them as X_unlabeled.",
                NoUnlabeledRowsWarning,
                stacklevel=3,
            )
        name = weight_parameter(self._base_estimator())
        if name in fit_params:  # scikit-learn's own way to pass weights into a pipeline
            if sample_weight is not None:
                raise ValueError(f"Weights were given twice, as `sample_weight` and as {name!r}. Give them once.")
            sample_weight = fit_params.pop(name)
        row_params, other_params = _sort_fit_params(fit_params, n_given, n_rows(table))
        return TrainingData(
            table,
            labels,
            np.flatnonzero(labels.labeled),
            pool,
            take_rows(table, pool),
            self._read_weights(sample_weight, table, n_given),
            row_params,
            other_params,
            self._read_validation(validation_data, labels),
            self.categorical_features,
        )

    def _remember_columns(self, table: Any) -> None:
        """Set `n_features_in_` and `feature_names_in_`, as scikit-learn does, in the plain case without its detour."""
        if isinstance(table, pd.DataFrame) and all(isinstance(name, str) for name in table.columns):
            self.n_features_in_ = table.shape[1]
            self.feature_names_in_ = np.array(table.columns, dtype=object)
        else:
            validate_data(self, table, skip_check_array=True)

    def _read_weights(self, sample_weight: Any, table: Any, n_given: int) -> NDArray[np.float64] | None:
        """Weights of all rows; those of X_unlabeled are 1 where only X's were given."""
        if sample_weight is None:
            return None
        if weight_parameter(self._base_estimator()) is None:
            raise ValueError(f"`sample_weight` was given, but fit of {self._base_estimator()!r} does not take it.")
        if not isinstance(sample_weight, Real):
            sample_weight = np.asarray(sample_weight)
        if np.ndim(sample_weight) == 1 and len(sample_weight) == n_given < n_rows(table):
            sample_weight = np.concatenate([sample_weight, np.ones(n_rows(table) - n_given)])
        return _check_sample_weight(sample_weight, np.empty((n_rows(table), 1)), dtype=np.float64, copy=True)

    def _read_validation(self, validation_data: Any, labels: Labels) -> tuple[Any, NDArray[np.intp]] | None:
        """Rows that the user set apart for judging."""
        if validation_data is None:
            return None
        if not isinstance(validation_data, tuple | list) or len(validation_data) != 2:
            raise ValueError("`validation_data` must be a pair (X, y) of labeled rows.")
        table = validate_data(
            self, read_table(validation_data[0], name="validation_data"), reset=False, skip_check_array=True
        )
        codes = encode_labels(validation_data[1], labels, name="validation_data")
        check_consistent_length(table, codes)
        return table, codes

    def _read_again(self, X: Any, name: str = "X") -> Any:
        """Another table: checked, with the columns of `fit`."""
        return validate_data(self, read_table(X, name=name), reset=False, skip_check_array=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base_estimator())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = False
        tags.classifier_tags.multi_class = getattr(inner.classifier_tags, "multi_class", True)
        return tags


def _sort_fit_params(params: dict[str, Any], n_given: int, n_all: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit parameters with one entry per row, and the others."""
    by_row, others = {}, {}
    for name, values in params.items():
        if _length(values) == n_all:
            by_row[name] = values
        elif _length(values) == n_given:
            raise ValueError(
                f"Fit parameter {name!r} has {n_given} entries, one per row of X, but none for the {n_all - n_given} "
                "rows of X_unlabeled. Give it one per row of both, X first."
            )
        else:
            others[name] = values
    return by_row, others


def _length(values: Any) -> int | None:
    """Number of entries of something that could have one per row."""
    if isinstance(values, str | bytes | dict) or not hasattr(values, "__len__"):
        return None
    return len(values)
