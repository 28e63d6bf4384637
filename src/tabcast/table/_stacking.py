"""Two tables with the same columns as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tabcast.table._tables import describe_difference, describe_type, is_dataframe
from tabcast.table._types import align_unlabeled


def stack_rows(X: Any, X_unlabeled: Any) -> Any:
    """Stack two tables with the same columns.

    Parameters
    ----------
    X : ndarray or DataFrame
        The first rows.
    X_unlabeled : ndarray or DataFrame
        Further rows; the same kind of table.

    Returns
    -------
    ndarray or DataFrame
        All rows. Levels of category columns are united; other types are converted to those of `X` where nothing is
        lost, and refused otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import stack_rows
    >>> stack_rows(np.array([[1.0]]), np.array([[2.0], [3.0]]))
    array([[1.],
           [2.],
           [3.]])
    """
    if is_dataframe(X) != is_dataframe(X_unlabeled) or (is_dataframe(X) and type(X) is not type(X_unlabeled)):
        raise TypeError(
            f"X and X_unlabeled must be the same kind of table; got a {describe_type(X)} and a "
            f"{describe_type(X_unlabeled)}. Convert one of them, for instance with to_pandas() or to_numpy()."
        )
    if not is_dataframe(X):
        if X.shape[1] != X_unlabeled.shape[1]:
            raise ValueError(
                f"X and X_unlabeled must have the same columns; got {X.shape[1]} and {X_unlabeled.shape[1]} columns."
            )
        return np.concatenate([X, X_unlabeled])
    difference = describe_difference(X.columns, X_unlabeled.columns)
    if difference:
        raise ValueError(f"Columns differ between X and X_unlabeled: {difference}.")
    X_unlabeled = X_unlabeled[list(X.columns)]
    if not _has_same_types(X, X_unlabeled):
        X, X_unlabeled = align_unlabeled(X, X_unlabeled)
    if isinstance(X, pd.DataFrame):
        return _stack_pandas(X, X_unlabeled)
    return _stack_foreign(X, X_unlabeled)


def _has_same_types(X: Any, X_unlabeled: Any) -> bool:
    """Whether the types say that all columns agree; what is in a column of objects has to be looked at."""
    if isinstance(X, pd.DataFrame):
        pairs = zip(X.dtypes, X_unlabeled.dtypes, strict=True)
        return all(ours == theirs and not pd.api.types.is_object_dtype(ours) for ours, theirs in pairs)
    return list(X.schema.items()) == list(X_unlabeled.schema.items())


def _stack_pandas(X: pd.DataFrame, X_unlabeled: pd.DataFrame) -> pd.DataFrame:
    """Concatenate, uniting the levels of category columns and the types of numbers and dates."""
    first, second = X.copy(deep=False), X_unlabeled.copy(deep=False)
    for name in X.columns:
        ours, theirs = X[name].dtype, X_unlabeled[name].dtype
        if ours == theirs:
            continue
        if isinstance(ours, pd.CategoricalDtype):
            extra = pd.Index(X_unlabeled[name].dropna().unique()).difference(ours.categories, sort=False)
            united = pd.CategoricalDtype([*ours.categories, *extra], ordered=ours.ordered)
            first[name], second[name] = X[name].astype(united), X_unlabeled[name].astype(united)
        elif isinstance(ours, pd.DatetimeTZDtype):
            second[name] = pd.to_datetime(X_unlabeled[name], utc=True).dt.tz_convert(ours.tz)
        elif _is_number(ours) and _is_number(theirs) and not _is_number(_concat_dtype(X[name], X_unlabeled[name])):
            first[name], second[name] = _to_floats(X[name]), _to_floats(X_unlabeled[name])
    return pd.concat([first, second], ignore_index=True)


def _is_number(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _concat_dtype(first: pd.Series[Any], second: pd.Series[Any]) -> Any:
    """The type that pandas gives to both columns together."""
    return pd.concat([first.iloc[:1], second.iloc[:1]]).dtype


def _to_floats(values: pd.Series[Any]) -> pd.Series[Any]:
    return pd.Series(values.to_numpy(dtype=float, na_value=np.nan), index=values.index)


def _stack_foreign(X: Any, X_unlabeled: Any) -> Any:
    """Concatenate two DataFrames of polars, whose types must be the same."""
    import narwhals as nw

    first, second = nw.from_native(X, eager_only=True), nw.from_native(X_unlabeled, eager_only=True)
    for name, ours in first.schema.items():
        theirs = second.schema[name]
        if ours != theirs:
            common = _common_type(ours, theirs)
            first = first.with_columns(nw.col(name).cast(common))
            second = second.with_columns(nw.col(name).cast(common))
    return nw.concat([first, second], how="vertical").to_native()


def _common_type(ours: Any, theirs: Any) -> Any:
    """A type of narwhals that holds the values of both; they are of one kind, or one of them has no value."""
    import narwhals as nw

    if ours.is_numeric() and theirs.is_numeric():
        exact = ours.is_integer() and theirs.is_integer() and nw.UInt64 not in (ours, theirs)
        return nw.Int64 if exact else nw.Float64
    if ours in (nw.Date, nw.Datetime) and theirs in (nw.Date, nw.Datetime):
        return nw.Datetime("us", getattr(ours, "time_zone", None))
    if ours == nw.Unknown or theirs == nw.Unknown:
        return theirs if ours == nw.Unknown else ours
    return ours if ours in (nw.Categorical, nw.Duration) else nw.String
