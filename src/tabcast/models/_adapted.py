"""What a classifier cannot take is encoded around it, and only that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from tabcast.models._native_columns import NativeColumns, has_missing, is_plain


@dataclass(frozen=True)
class Learner:
    """What a family of learners needs.

    Attributes
    ----------
    module : where its classes come from.
    whole_labels : whether classes must be 0, 1, 2, ...
    max_levels : most levels of a category column.
    level_switch : parameter that turns category columns on, if there is one.
    names_levels : whether `fit` wants the names of the category columns, which hold text (CatBoost).
    needs_values : whether `fit` fails on a column without any value, as the labeled rows alone may have one.
    """

    module: str
    whole_labels: bool = False
    max_levels: int | None = None
    level_switch: str | None = None
    names_levels: bool = False
    needs_values: bool = False


LEARNERS = (
    Learner("sklearn.ensemble._hist_gradient_boosting", max_levels=254, needs_values=True),
    Learner("xgboost", whole_labels=True, level_switch="enable_categorical"),
    Learner("lightgbm"),
    Learner("catboost", names_levels=True),
)


def find_learner(estimator: Any) -> Learner | None:
    """The family an estimator belongs to, if it is a known one."""
    module = type(estimator).__module__
    return next((one for one in LEARNERS if module == one.module or module.startswith(one.module + ".")), None)


def adapt(estimator: Any, X: Any, classes: NDArray[Any]) -> Any:
    """The estimator itself where it can take the table and the classes, else an AdaptedClassifier around it."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    learner, outer = find_learner(last), find_learner(estimator)
    whole = np.array_equal(classes, np.arange(len(classes))) and classes.dtype.kind in "iu"
    encode_labels = learner is not None and learner.whole_labels and not whole
    encode_columns = outer is not None and (not is_plain(X) or (outer.needs_values and has_missing(X)))
    if encode_labels or encode_columns:
        return AdaptedClassifier(estimator, encode_labels=encode_labels, encode_columns=encode_columns)
    return estimator


def weight_parameter(estimator: Any) -> str | None:
    """Name under which `fit` takes sample weights, None if it does not."""
    if isinstance(estimator, AdaptedClassifier):
        return weight_parameter(estimator.estimator)
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = weight_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def _has(method: str) -> Any:
    """Whether the wrapped estimator has a method."""

    def check(self: AdaptedClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return check


class AdaptedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with labels, columns or both encoded around it.

    Parameters
    ----------
    estimator : the classifier.
    encode_labels : whether it is given 0, 1, 2, ... instead of the classes (XGBoost).
    encode_columns : whether text and category columns are turned into what it takes (see `NativeColumns`).

    Attributes
    ----------
    estimator_ : the fitted classifier, in its own terms.
    columns_ : the fitted `NativeColumns`, or None.
    classes_ : the classes, in the user's terms.
    """

    def __init__(self, estimator: Any, *, encode_labels: bool, encode_columns: bool) -> None:
        self.estimator = estimator
        self.encode_labels = encode_labels
        self.encode_columns = encode_columns

    def fit(self, X: Any, y: Any, **fit_params: Any) -> AdaptedClassifier:
        """Learn the encodings, then fit the classifier."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator)
        self.columns_ = None
        if self.encode_columns:
            learner = find_learner(self.estimator)
            assert learner is not None
            self.columns_ = NativeColumns(
                max_levels=learner.max_levels, as_text=learner.names_levels, fill_empty=learner.needs_values
            ).fit(X)
            if self.columns_.categorical_names_ and learner.level_switch:
                self.estimator_.set_params(**{learner.level_switch: True})
            if learner.names_levels:
                fit_params = {"cat_features": self.columns_.categorical_names_, **fit_params}
        self.estimator_.fit(self._encode(X), codes if self.encode_labels else y, **fit_params)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes in the user's terms."""
        check_is_fitted(self, "estimator_")
        predicted = np.ravel(self.estimator_.predict(self._encode(X)))
        return self.classes_[predicted.astype(np.intp)] if self.encode_labels else predicted

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, columns as in `classes_`."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(self._encode(X))

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The classifier's own decision function."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(self._encode(X))

    def _encode(self, X: Any) -> Any:
        return X if self.columns_ is None else self.columns_.transform(X)
