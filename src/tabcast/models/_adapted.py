"""Encodes what a classifier cannot take, and only that."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from tabcast.models._cut_columns import fit_cut
from tabcast.models._learners import find_learner
from tabcast.models._native_columns import NativeColumns, has_bad_sign, has_missing, is_plain
from tabcast.models._soft_labels import fit_soft
from tabcast.table import Floats, Index, find_categorical, learn_columns


@dataclass(frozen=True)
class Adaptation:
    """What has to be encoded around an estimator for a table and its classes.

    Attributes
    ----------
    columns : NativeColumns or None, default=None
        Turns a table into one that the estimator accepts. None if it accepts the table as it is.
    whole_labels : bool, default=False
        Whether it is given 0, 1, 2, ... instead of the classes.
    fills_empty : bool, default=False
        Whether numeric columns without a value among the training rows become zeros.
    parameters : dict
        Parameters that have to be set on the estimator.
    fit_params : dict
        Further arguments for its `fit`.

    See Also
    --------
    AdaptedClassifier : Trains an estimator with it.
    """

    columns: NativeColumns | None = None
    whole_labels: bool = False
    fills_empty: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)
    fit_params: dict[str, Any] = field(default_factory=dict)

    @property
    def needed(self) -> bool:
        """Whether anything has to be encoded."""
        return self.columns is not None or self.whole_labels or self.fills_empty

    def encode(self, X: Any) -> Any:
        """Return a table in the form that the estimator accepts.

        Parameters
        ----------
        X : ndarray or DataFrame
            The user's table.

        Returns
        -------
        ndarray or DataFrame
            The encoded table.
        """
        return X if self.columns is None else self.columns.transform(X)

    def configure(self, estimator: Any) -> Any:
        """Copy the estimator and set its parameters.

        Parameters
        ----------
        estimator : classifier
            The unfitted classifier.

        Returns
        -------
        classifier
            The copy.
        """
        model = deepcopy(estimator)  # as clone for an unfitted estimator, which is about 1% of a fit slower
        if self.parameters:
            model.set_params(**self.parameters)
        return model

    def fit(self, estimator: Any, X: Any, codes: Index, classes: NDArray[Any], fit_params: dict[str, Any]) -> Any:
        """Fit a copy of the estimator on an encoded table; the result predicts for such tables.

        Parameters
        ----------
        estimator : classifier
            The classifier to copy.
        X : ndarray or DataFrame
            A table that is encoded already.
        codes : ndarray of int
            Positions of the rows' classes in `classes`.
        classes : ndarray
            The classes.
        fit_params : dict
            Further arguments for the estimator's `fit`.

        Returns
        -------
        classifier
            The fitted copy, in an `AdaptedClassifier` where that is needed.
        """
        model = self.configure(estimator)
        if not self.needed:
            return fit_cut(model, X, classes[codes], fit_params)
        bare = self if self.columns is None else replace(self, columns=None)
        fit_params = {**self.fit_params, **fit_params}
        return AdaptedClassifier(estimator)._fit_encoded(model, bare, X, codes, classes, fit_params)

    def fit_soft(
        self, estimator: Any, X: Any, soft: NDArray[np.float32], classes: NDArray[Any], weight: Floats | None
    ) -> Any:
        """Fit a copy of an estimator that takes soft labels on an encoded table, without copies of rows.

        Parameters
        ----------
        estimator : XGBClassifier
            The classifier to copy; see `takes_soft_labels`.
        X : ndarray or DataFrame
            A table that is encoded already.
        soft : ndarray of float32 of shape (n_rows, n_classes)
            Proportions of the classes in each row.
        classes : ndarray
            The classes; each has a positive proportion somewhere.
        weight : ndarray of shape (n_rows,) or None
            Weight of each row. None means 1.

        Returns
        -------
        classifier
            As :meth:`fit`.
        """
        model = fit_soft(self.configure(estimator), X, soft, weight)
        if not self.needed:
            return model
        return AdaptedClassifier(estimator)._wrap(model, replace(self, columns=None), classes)


def adapt(estimator: Any, X: Any, classes: NDArray[Any], categorical_features: ArrayLike | None = None) -> Adaptation:
    """Find out what an estimator needs for a table with these classes.

    Parameters
    ----------
    estimator : classifier
        The classifier, possibly a pipeline.
    X : ndarray or DataFrame
        The user's table.
    classes : ndarray
        The classes.
    categorical_features : array-like of str, int or bool, default=None
        Categorical columns that the types of the table do not show. An estimator with a parameter of this name that is
        not set gets them.

    Returns
    -------
    Adaptation
        What has to be encoded.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tabcast.models import adapt, default_classifier
    >>> X = pd.DataFrame({"age": [30, 40], "city": ["Bern", "Ulm"]})
    >>> adapt(default_classifier(), X, np.array([0, 1])).columns
    NativeColumns(max_levels=254)
    """
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    learner, outer = find_learner(last), find_learner(estimator)
    whole = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
    whole_labels = learner is not None and learner.whole_labels and not whole
    told = {} if categorical_features is None else _tell_categories(estimator, X, categorical_features)
    if outer is None:  # a pipeline or an unknown estimator gets the table as it is
        return Adaptation(whole_labels=whole_labels, parameters=told)
    fills_empty = outer.needs_values and has_missing(X)
    given = list(getattr(X, "columns", ()))
    underscores = dict.fromkeys(map(ord, outer.bad_signs + " "), "_")
    joined = outer.joins_words and len({str(name).translate(underscores) for name in given}) < len(given)
    bad_signs = outer.bad_signs + " " * joined
    if is_plain(X) and not any(has_bad_sign(name, bad_signs) for name in given):
        return Adaptation(whole_labels=whole_labels, fills_empty=fills_empty, parameters=told)
    columns = NativeColumns(max_levels=outer.max_levels, as_text=outer.names_levels, bad_signs=bad_signs).fit(X)
    names = columns.categorical_names_
    return Adaptation(
        columns,
        whole_labels,
        fills_empty,
        {outer.level_switch: True} if outer.level_switch and names else told,
        {"cat_features": names} if outer.names_levels else {},
    )


def _tell_categories(estimator: Any, X: Any, categorical_features: ArrayLike) -> dict[str, Any]:
    """Positions of the categorical columns as a parameter, if the estimator has it unset and types do not tell.

    Columns whose type has levels are always among them, and numbers with more levels than the estimator takes never.
    """
    if not isinstance(getattr(estimator, "categorical_features", 0), str | None):  # "from_dtype" is as good as unset
        return {}
    typed = find_categorical(X)
    columns = learn_columns(X, typed | find_categorical(X, categorical_features))
    learner = find_learner(estimator)
    most = learner.max_levels if learner is not None else None
    positions = [
        int(at)
        for at, column in zip(columns.categorical_index, columns.categorical, strict=True)
        if typed[at] or most is None or len(column.levels) <= most
    ]
    return {} if len(positions) == typed.sum() else {"categorical_features": positions}


def weight_parameter(estimator: Any) -> str | None:
    """Return the name under which `fit` takes sample weights.

    Parameters
    ----------
    estimator : classifier
        The classifier, possibly a pipeline.

    Returns
    -------
    str or None
        The name, None if `fit` takes no weights.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from tabcast.models import weight_parameter
    >>> weight_parameter(make_pipeline(StandardScaler(), LogisticRegression()))
    'logisticregression__sample_weight'
    """
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
    """Wrap a classifier so that it accepts the user's labels and columns.

    Parameters
    ----------
    estimator : classifier
        Gradient boosting of scikit-learn, XGBoost, LightGBM or CatBoost, or any other classifier, which is then given
        everything as it is.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier, trained on encoded rows.
    classes_ : ndarray
        The user's classes.
    adaptation_ : Adaptation
        What is encoded.

    See Also
    --------
    adapt : Finds out what has to be encoded.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from tabcast.models import AdaptedClassifier
    >>> X = pd.DataFrame({"city": ["Ulm", "Kiel"] * 20})
    >>> model = AdaptedClassifier(HistGradientBoostingClassifier(min_samples_leaf=1)).fit(X, ["south", "north"] * 20)
    >>> model.predict(pd.DataFrame({"city": ["Kiel", "Ulm"]}))
    array(['north', 'south'], dtype='<U5')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **fit_params: Any) -> AdaptedClassifier:
        """Find out what has to be encoded, encode it and fit.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            The training rows.
        y : array-like of shape (n_rows,)
            Their classes.
        **fit_params : dict
            Passed to the classifier's `fit`.

        Returns
        -------
        AdaptedClassifier
            The fitted classifier itself.
        """
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        adaptation = adapt(self.estimator, X, classes)
        model = clone(self.estimator).set_params(**adaptation.parameters)
        fit_params = {**adaptation.fit_params, **fit_params}
        return self._fit_encoded(model, adaptation, adaptation.encode(X), codes, classes, fit_params)

    def _fit_encoded(
        self,
        model: Any,
        adaptation: Adaptation,
        X: Any,
        codes: Index,
        classes: NDArray[Any],
        fit_params: dict[str, Any],
    ) -> AdaptedClassifier:
        """Fit on an encoded table. Classes without a row here are not among its classes."""
        present = np.flatnonzero(np.bincount(codes, minlength=len(classes)))
        empty = find_empty(X) if adaptation.fills_empty else []
        labels = np.searchsorted(present, codes) if adaptation.whole_labels else classes[codes]
        return self._wrap(fit_cut(model, fill(X, empty), labels, fit_params), adaptation, classes[present], empty)

    def _wrap(
        self, fitted: Any, adaptation: Adaptation, classes: NDArray[Any], empty: Sequence[Any] = ()
    ) -> AdaptedClassifier:
        """Put a fitted classifier inside; `empty` are the columns that it got zeros for."""
        self.adaptation_ = adaptation
        self.classes_ = classes
        self._empty = list(empty)
        self.estimator_ = fitted
        return self

    def taking(self, adaptation: Adaptation) -> AdaptedClassifier:
        """Return the same fitted classifier for tables that are not encoded yet.

        Parameters
        ----------
        adaptation : Adaptation
            How to encode them.

        Returns
        -------
        AdaptedClassifier
            A copy that shares the fitted classifier.
        """
        other = copy(self)
        other.adaptation_ = adaptation
        return other

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the user's classes.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        check_is_fitted(self, "estimator_")
        predicted = np.ravel(self.estimator_.predict(self._encode(X)))
        return self.classes_[predicted.astype(np.intp)] if self.adaptation_.whole_labels else predicted

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class.

        Parameters
        ----------
        X : ndarray or DataFrame
            The rows, not encoded.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, columns as in `classes_`.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(self._encode(X))

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Evaluate the classifier's own decision function.

        Parameters
        ----------
        X : ndarray or DataFrame
            Rows like those of `fit`.

        Returns
        -------
        ndarray
            The classifier's result, unchanged.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(self._encode(X))

    def _encode(self, X: Any) -> Any:
        return fill(self.adaptation_.encode(X), self._empty)


def find_empty(X: Any) -> list[Any]:
    """Numeric columns without a value: names in a DataFrame, positions in an array."""
    if isinstance(X, pd.DataFrame):
        numbers = X.select_dtypes("number")
        return numbers.columns[numbers.isna().all()].tolist()
    return np.flatnonzero(np.isnan(np.asarray(X, dtype=float)).all(axis=0)).tolist()


def fill(X: Any, columns: list[Any]) -> Any:
    """The table with zeros in these columns; a copy where there are any."""
    if not columns:
        return X
    if isinstance(X, pd.DataFrame):
        X = X.copy(deep=False)
        for name in columns:
            X[name] = 0.0
        return X
    X = np.array(X, dtype=float)
    X[:, columns] = 0.0
    return X
