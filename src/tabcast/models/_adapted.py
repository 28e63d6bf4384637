"""Encodes what a classifier cannot take, and only that."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from tabcast.exceptions import TabcastWarning
from tabcast.models._cut_columns import IS_SLOW, cut_table
from tabcast.table import Floats, Index
from tabcast.table._columns import MISSING, UNSEEN, Columns, find_categorical, is_time, learn_columns
from tabcast.table._encoders import MAX_LEVELS, Indicators, NormalScores, TableCodes
from tabcast.table._tables import take_rows

TREES = ("sklearn.tree.", "sklearn.ensemble._forest", "sklearn.ensemble._gb")  # they need no comparable columns
FEW_ROWS = 100  # rows that show whether an estimator can take a table


@dataclass(frozen=True)
class Learner:
    """Requirements of a family of learners.

    Attributes
    ----------
    module : str
        Module of its classes.
    whole_labels : bool
        Whether classes must be 0, 1, 2, ...
    max_levels : int or None
        Maximum number of levels of a category column.
    level_switch : str or None
        Parameter that turns category columns on, if there is one.
    names_levels : bool
        Whether `fit` needs the names of the category columns, which hold text (CatBoost).
    needs_values : bool
        Whether `fit` fails on a column without any value, as the labeled rows alone may have one.
    bad_signs : str
        Characters that it refuses in column names; if there are any, it refuses an empty name as well.
    joins_words : bool
        Whether it replaces spaces in column names by underscores, so that two names may become equal.
    indicators : bool
        Whether levels become indicators instead of category columns.
    """

    module: str
    whole_labels: bool = False
    max_levels: int | None = None
    level_switch: str | None = None
    names_levels: bool = False
    needs_values: bool = False
    bad_signs: str = ""
    joins_words: bool = False
    indicators: bool = False


LEARNERS = (
    Learner("sklearn.ensemble._hist_gradient_boosting", max_levels=254, needs_values=True),
    Learner("tabcast.models._catalog", needs_values=True, indicators=True),
    Learner("xgboost", whole_labels=True, level_switch="enable_categorical", bad_signs="[]<\0"),
    Learner("lightgbm", bad_signs='[]{}",:\n\r\0', joins_words=True),
    Learner("catboost", names_levels=True),
)


def find_learner(estimator: Any) -> Learner | None:
    """The family an estimator belongs to, if it is a known one."""
    module = type(estimator).__module__
    return next((one for one in LEARNERS if module == one.module or module.startswith(one.module + ".")), None)


class NativeColumns(TransformerMixin, BaseEstimator):
    """Convert text, category and boolean columns to category columns, and the rest to floats.

    A level that was not seen in `fit` becomes missing. With `max_levels`, so do the rarest levels.

    Parameters
    ----------
    max_levels : int, default=None
        Maximum number of levels that the learner takes in a column. None means no limit.
    as_text : bool, default=False
        Whether levels become text with "missing" for missing (CatBoost), instead of category columns.
    bad_signs : str, default=""
        Characters that the learner refuses in column names; they become "_", and so does an empty name.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table.
    names_ : list
        Names of the columns of the result.
    categorical_names_ : list
        Names of its category columns.

    See Also
    --------
    AdaptedClassifier : Uses it where a classifier needs it.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.models._adapted import NativeColumns
    >>> X = pd.DataFrame({"age": [30, 40], "city": ["Bern", "Ulm"]})
    >>> NativeColumns().fit_transform(X).dtypes.astype(str).tolist()
    ['float64', 'category']
    """

    def __init__(self, *, max_levels: int | None = None, as_text: bool = False, bad_signs: str = "") -> None:
        self.max_levels = max_levels
        self.as_text = as_text
        self.bad_signs = bad_signs

    def fit(self, X: Any, y: Any = None) -> NativeColumns:
        """Learn the levels.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The table.
        y : object, default=None
            Ignored.

        Returns
        -------
        NativeColumns
            The fitted encoder itself.
        """
        self.columns_ = learn_columns(X)
        n_levels = [len(column.levels) for column in self.columns_.categorical]
        self.names_ = spell_names(self.columns_.names, self.bad_signs)
        new_names = dict(zip(self.columns_.names, self.names_, strict=True))
        self.categorical_names_ = [new_names[column.name] for column in self.columns_.categorical]
        # For each code what becomes of it; the last two entries are for UNSEEN and MISSING.
        assert (UNSEEN, MISSING) == (-2, -1)
        self._kept = [np.append(np.arange(n), [MISSING, MISSING]) for n in n_levels]
        if self.max_levels is not None and max(n_levels, default=0) > self.max_levels:
            codes = self.columns_.encode(X).codes
            for j, n in enumerate(n_levels):
                counts = np.bincount(codes[codes[:, j] >= 0, j], minlength=n)
                self._kept[j][np.argsort(-counts, kind="stable")[self.max_levels :]] = MISSING
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Convert a table.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The table, with any index.

        Returns
        -------
        DataFrame
            The table in the form that the learner accepts.
        """
        encoded = self.columns_.encode(X)
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(encoded))
        result = {}
        for j, column in enumerate(self.columns_.continuous):
            result[column.name] = pd.Series(encoded.continuous[:, j], index=index)
        for j, level_column in enumerate(self.columns_.categorical):
            codes = self._kept[j][encoded.codes[:, j]]
            result[level_column.name] = self._level_series(codes, level_column.levels, index)
        pairs = zip(self.names_, self.columns_.names, strict=True)
        return pd.DataFrame({new: result[name] for new, name in pairs}, index=index)

    def _level_series(self, codes: Any, levels: Any, index: Any) -> Any:
        if self.as_text:
            return pd.Series(np.append(levels.astype(str), "missing")[codes], index=index, dtype=object)
        return pd.Series(pd.Categorical.from_codes(codes, categories=pd.RangeIndex(len(levels))), index=index)


def spell_names(names: Sequence[Any], bad_signs: str) -> list[Any]:
    """Column names without bad characters, still all different; names that have none stay as they are.

    Examples
    --------
    >>> from tabcast.models._adapted import spell_names
    >>> spell_names(["age", "size<5", "size[5"], bad_signs="[<]")
    ['age', 'size_5', 'size_5_2']
    """
    spelled: list[Any] = []
    taken = {name for name in names if not has_bad_sign(name, bad_signs)}
    for name in names:
        new = name
        if has_bad_sign(name, bad_signs):
            plain = name.translate(dict.fromkeys(map(ord, bad_signs), "_")) or "_"
            new = next(one for one in (plain, *(f"{plain}_{n}" for n in range(2, len(names) + 2))) if one not in taken)
            taken.add(new)
        spelled.append(new)
    return spelled


def has_bad_sign(name: Any, bad_signs: str) -> bool:
    """Whether a column name has a character that a learner refuses, or none at all."""
    return isinstance(name, str) and bool(bad_signs) and (not name or any(sign in name for sign in bad_signs))


def has_missing(X: Any) -> bool:
    """Whether a cell of the table has no value."""
    return bool(np.asarray(pd.isna(X)).any())


def is_plain(X: Any) -> bool:
    """Whether every column is already a number, so that nothing has to be encoded."""
    kinds = set(X.dtypes) if isinstance(X, pd.DataFrame) else ()
    types = pd.api.types
    return all(types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype) for dtype in kinds)


def are_numbers(X: Any) -> bool:
    """Whether scikit-learn converts a table to numbers, of which dates are none: a missing one would be a number."""
    if isinstance(X, pd.DataFrame) and any(map(is_time, X.dtypes)):
        return False
    try:
        return is_plain(X) or check_array(X, dtype=np.float64, ensure_all_finite=False) is not None
    except (ArithmeticError, TypeError, ValueError):
        return False


def find_encoder(
    estimator: Any, X: Any, n_classes: int, categorical_features: ArrayLike | None
) -> TableCodes | NormalScores | None:
    """A fitted encoder of all columns, for an estimator that cannot take the table as it is.

    Tags tell what a classifier of scikit-learn can take. One with others inside, or of another library, is tried on a
    few rows: the table is encoded only if it can be fitted on them encoded and not as they are.
    """
    numbers = are_numbers(X)
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
    knows_columns = isinstance(first, ColumnTransformer) or type(first).__module__.startswith("tabcast.")
    if knows_columns or (numbers and not has_missing(X)):
        return None
    module, inner = type(estimator).__module__, {"estimator", "estimators", "steps"}
    is_known = module.startswith("sklearn.") and not inner & estimator.get_params(deep=False).keys()
    if is_known and numbers and get_tags(estimator).input_tags.allow_nan:
        return None
    encoder = (TableCodes if module.startswith(TREES) else NormalScores)(categorical_features).fit(X)
    if is_known:
        return encoder
    spread = np.linspace(0, len(X) - 1, min(len(X), max(FEW_ROWS, 10 * n_classes))).astype(np.intp)
    some = take_rows(X, np.unique(np.append(spread, pd.DataFrame(X).isna().to_numpy().argmax(axis=0))))
    labels = np.arange(len(some)) % n_classes
    needs_it = not _can_take(estimator, some, labels) and _can_take(estimator, encoder.transform(some), labels)
    return encoder if needs_it else None


def _can_take(estimator: Any, X: Any, y: Index) -> bool:
    """Whether an estimator can be fitted on a table and predict it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            deepcopy(estimator).fit(X, y).predict_proba(X)
        except Exception:  # whatever it says of columns that it cannot take
            return False
    return True


def _warn_of_identifiers(columns: Columns, n_rows: int) -> None:
    """Warn of columns of levels in which most rows have one of their own."""
    names = [repr(one.name) for one in columns.categorical if len(one.levels) > max(MAX_LEVELS, n_rows / 2)]
    if names:
        warnings.warn(
            f"Column {', '.join(names[:10])} has a different value in most rows, like an identifier or free text, and "
            "its values as levels tell little. Leave it out, or use fit_table, which makes numbers of free text.",
            TabcastWarning,
            stacklevel=2,
        )


@dataclass(frozen=True)
class Adaptation:
    """What has to be encoded around an estimator for a table and its classes.

    Attributes
    ----------
    columns : NativeColumns, TableCodes, NormalScores, Indicators or None, default=None
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

    columns: NativeColumns | TableCodes | NormalScores | Indicators | None = None
    whole_labels: bool = False
    fills_empty: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)
    fit_params: dict[str, Any] = field(default_factory=dict)

    @property
    def needed(self) -> bool:
        """Whether anything has to be encoded."""
        return self.columns is not None or self.whole_labels or self.fills_empty

    def encode(self, X: Any) -> Any:
        """Return a table in the form that the estimator accepts."""
        return X if self.columns is None else self.columns.transform(X)

    def configure(self, estimator: Any) -> Any:
        """Copy the estimator and set its parameters."""
        model = deepcopy(estimator)  # as clone for an unfitted estimator, which is about 1% of a fit slower
        if self.parameters:
            model.set_params(**self.parameters)
        return model

    def fit(self, estimator: Any, X: Any, codes: Index, classes: NDArray[Any], fit_params: dict[str, Any]) -> Any:
        """Fit a copy of the estimator on an encoded table; the result predicts for such tables."""
        model = self.configure(estimator)
        if not self.needed:
            return _fit(model, X, classes[codes], fit_params)
        bare = self if self.columns is None else replace(self, columns=None)
        fit_params = {**self.fit_params, **fit_params}
        return AdaptedClassifier(estimator)._fit_encoded(model, bare, X, codes, classes, fit_params)


def adapt(estimator: Any, X: Any, classes: NDArray[Any], categorical_features: ArrayLike | None = None) -> Adaptation:
    """Find out what an estimator needs for a table with these classes."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    learner, outer = find_learner(last), find_learner(estimator)
    whole = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
    whole_labels = learner is not None and learner.whole_labels and not whole
    told = {} if categorical_features is None else _tell_categories(estimator, X, categorical_features)
    if outer is None:
        encoder = find_encoder(estimator, X, len(classes), categorical_features)
        if encoder is None:
            return Adaptation(whole_labels=whole_labels, parameters=told)
        _warn_of_identifiers(encoder.columns_, len(X))
        return Adaptation(encoder, whole_labels)
    fills_empty = outer.needs_values and has_missing(X)
    if outer.indicators and (levels := find_categorical(X) | find_categorical(X, categorical_features)).any():
        indicators = Indicators(levels).fit(X)
        _warn_of_identifiers(indicators.columns_, len(X))
        return Adaptation(indicators, fills_empty=fills_empty)
    given = list(getattr(X, "columns", ()))
    underscores = dict.fromkeys(map(ord, outer.bad_signs + " "), "_")
    joined = outer.joins_words and len({str(name).translate(underscores) for name in given}) < len(given)
    bad_signs = outer.bad_signs + " " * joined
    if is_plain(X) and not any(has_bad_sign(name, bad_signs) for name in given):
        return Adaptation(whole_labels=whole_labels, fills_empty=fills_empty, parameters=told)
    columns = NativeColumns(max_levels=outer.max_levels, as_text=outer.names_levels, bad_signs=bad_signs).fit(X)
    _warn_of_identifiers(columns.columns_, len(X))
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
    """Return the name under which `fit` takes sample weights."""
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
    """Wrap a classifier so that it accepts the user's labels and columns.

    Parameters
    ----------
    estimator : classifier
        Any classifier. Gradient boosting of scikit-learn, XGBoost, LightGBM and CatBoost get category columns; any
        other one gets the table as it is if it can take it, and numbers otherwise.
    adaptation : Adaptation, default=None
        What to encode, if that was found out before, from more rows. None: it is found out in `fit`.

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

    def __init__(self, estimator: Any, adaptation: Adaptation | None = None) -> None:
        self.estimator = estimator
        self.adaptation = adaptation

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
        adaptation = self.adaptation or adapt(self.estimator, X, classes)
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
        self.adaptation_, self.classes_ = adaptation, classes[present]
        self._empty = find_empty(X) if adaptation.fills_empty else []  # columns that it gets zeros for
        self._levels = find_levels([X], adaptation)
        labels = np.searchsorted(present, codes) if adaptation.whole_labels else classes[codes]
        self.estimator_ = _fit(model, keep_levels(fill(X, self._empty), self._levels), labels, fit_params)
        return self

    def _taking(self, adaptation: Adaptation) -> AdaptedClassifier:
        """Return the same fitted classifier for tables that are not encoded yet."""
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
        return keep_levels(fill(self.adaptation_.encode(X), self._empty), self._levels)


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


def find_levels(tables: Sequence[pd.DataFrame], adaptation: Adaptation) -> dict[Any, Index]:
    """Codes of the levels that some row of the tables has, by column; columns of which every one has are left out.

    Nothing for an estimator that does not use the levels as such.
    """
    if "enable_categorical" not in adaptation.parameters:
        return {}
    X = tables[0]
    columns = [name for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
    present = {name: np.unique(np.concatenate([one[name].cat.codes for one in tables])) for name in columns}
    present = {name: codes[codes >= 0] for name, codes in present.items()}
    return {name: codes for name, codes in present.items() if len(codes) < len(X[name].cat.categories)}


def keep_levels(X: Any, present: dict[Any, Index]) -> Any:
    """The table with only these levels, renumbered, and the others missing; a copy where there are any.

    XGBoost sends a level that it has not seen to the side of those that a split does not name, a missing one to the
    side that was better in training, and splits otherwise where there are more than four levels. So it does not matter
    whether unlabeled rows made a level known.
    """
    if present:
        X = X.copy(deep=False)
    for name, codes in present.items():
        X[name] = X[name].cat.set_categories(codes).cat.rename_categories(np.arange(len(codes)))
    return X


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy of an estimator in which every random state that is not set is the seed."""
    estimator = clone(estimator)
    if not any(hasattr(value, "get_params") or isinstance(value, list) for value in vars(estimator).values()):
        if getattr(estimator, "random_state", seed) is None:  # nothing is inside; get_params of XGBoost is slow
            estimator.random_state = seed
        return estimator
    parameters = estimator.get_params(deep=True)
    new: dict[str, Any] = {name: seed for name, value in parameters.items() if value is None and _is_seed(name)}
    for name, value in parameters.items():
        if isinstance(value, list) and value and all(isinstance(member, BaseEstimator) for member in value):
            new[name] = [seeded(member, seed) for member in value]
    return estimator.set_params(**new) if new else estimator


def is_random(part: Any) -> bool:
    """Tell whether an estimator, or one inside it, has a random state that is not set; cheaper than to seed a copy."""
    inside = part if isinstance(part, list) else vars(part).values()
    if getattr(part, "random_state", 0) is None:
        return True
    return any(is_random(member) for member in inside if isinstance(member, BaseEstimator | list))


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _fit(model: Any, X: Any, y: Any, fit_params: dict[str, Any]) -> Any:
    """Fit a classifier, on a table with cut columns where that is faster; it predicts for rows that are not cut."""
    weight = fit_params.get("sample_weight")
    if IS_SLOW and weight is not None and isinstance(model, HistGradientBoostingClassifier):
        X = cut_table(X, np.asarray(weight, dtype=float), model)
    return model.fit(X, y, **fit_params)
