"""The values of a column, whatever the table is: a pandas Series, numbers, or codes of levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.table._arrays import Floats

TEXT = pd.Index([""]).dtype  # what pandas makes of text: a type for it, or plain objects
MISSING = -1  # code of a categorical cell without a value
UNSEEN = -2  # code of a level that was not there when the columns were learned


def as_table(X: Any) -> Any:
    """A DataFrame as it is, anything else as a two-dimensional array."""
    if hasattr(X, "columns"):
        return X
    array = np.asarray(X)
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # a list of text and numbers: the numbers stay numbers
    if array.ndim != 2:
        raise ValueError(
            f"X must be a table with rows and columns; got {array.ndim} dimension(s). A single column is "
            "X.reshape(-1, 1), a single row X.reshape(1, -1)."
        )
    return array


def column_names(X: Any) -> tuple[Any, ...]:
    """Return the names of the columns.

    Parameters
    ----------
    X : array-like or DataFrame
        A table.

    Returns
    -------
    tuple
        The names; positions for an array.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import column_names
    >>> column_names(pd.DataFrame({"age": [31], "city": ["Bern"]}))
    ('age', 'city')
    """
    if isinstance(X, pd.DataFrame):
        return tuple(X.columns.tolist())  # iterating over text that pyarrow holds is slow
    return tuple(X.columns) if hasattr(X, "columns") else tuple(range(np.shape(X)[1]))


def read_column(X: Any, position: int) -> pd.Series[Any]:
    """One column as a pandas Series, whatever the table is."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, position]
    if hasattr(X, "columns"):
        return _foreign_column(X, position)
    values = np.asarray(X)[:, position]
    return pd.Series(values.tolist() if values.dtype == object else values)


def each_column(X: Any) -> Iterator[pd.Series[Any]]:
    """The columns as pandas Series, in order; `iloc` takes several times as long."""
    if isinstance(X, pd.DataFrame):
        return (values for _, values in X.items())
    return (read_column(X, position) for position in range(len(column_names(X))))


def _foreign_column(X: Any, position: int) -> pd.Series[Any]:
    """One column of a polars (or other narwhals-supported) DataFrame as a pandas Series."""
    import narwhals as nw

    column = nw.from_native(X, eager_only=True)[:, position]
    if column.dtype == nw.Boolean:
        return pd.Series(column.to_list(), dtype=object)
    if column.dtype.is_numeric():
        return pd.Series(column.cast(nw.Float64).to_numpy())
    if column.dtype.is_temporal():
        return pd.Series(column.to_numpy())
    return pd.Series(column.cast(nw.String).to_list(), dtype=object)


def is_levels(dtype: Any) -> bool:
    """Whether a column counts as categorical by its type."""
    if isinstance(dtype, np.dtype):
        return dtype.kind not in "iufcmM"  # numbers, durations, dates
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return True
    return not (pd.api.types.is_numeric_dtype(dtype) or is_time(dtype))


def is_time(dtype: Any) -> bool:
    """Dates, times of day with a date, and durations."""
    return pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype)


def to_numbers(values: pd.Series[Any], name: Any) -> Floats:
    """A continuous column as float, missing as NaN, dates as seconds."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub":
        return values.to_numpy(dtype=float)
    if is_time(values.dtype):
        return _to_seconds(values)
    try:
        return pd.to_numeric(values).to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name!r} is treated as continuous but holds values that are not numbers ({error}). "
            "Convert it, or name it in `categorical_features`."
        ) from None


def _to_seconds(values: pd.Series[Any]) -> Floats:
    """Dates as seconds since 1970, durations as seconds, in whatever unit they come."""
    if isinstance(values.dtype, pd.ArrowDtype) and values.to_numpy().dtype.kind in "mM":
        values = pd.Series(values.to_numpy(), index=values.index)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        plain = pd.to_datetime(values, utc=True).dt.tz_localize(None)
        values = plain - pd.Timestamp(0).as_unit(plain.dt.unit)
    return values.dt.total_seconds().to_numpy(dtype=float, na_value=np.nan)


def to_codes(values: pd.Series[Any], levels: pd.Index[Any]) -> NDArray[np.int32]:
    """Position of each value among the levels; MISSING and UNSEEN where there is none."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        own, categories = _categories(values)
        if categories is levels:
            return own.astype(np.int32)  # of which -1 is MISSING
        # Translate the few categories, not the many rows.
        translation = levels.get_indexer(categories).astype(np.int32)
        translation[translation < 0] = UNSEEN
        return np.where(own < 0, MISSING, np.append(translation, MISSING)[own]).astype(np.int32)
    codes = levels.get_indexer(pd.Index(values)).astype(np.int32)
    codes[codes < 0] = UNSEEN
    codes[values.isna().to_numpy()] = MISSING
    return codes


def _categories(values: pd.Series[Any]) -> tuple[NDArray[Any], pd.Index[Any]]:
    """Codes and categories of a category column; the accessor `cat` would build a Series of the codes first."""
    array: Any = values.array
    return array.codes, array.categories


def has_missing(values: pd.Series[Any]) -> bool:
    """Whether a column has missing values."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return bool((_categories(values)[0] < 0).any())
    return bool(values.isna().any())


def sorted_levels(values: pd.Series[Any]) -> pd.Index[Any]:
    """The distinct values of a column, sorted; by type and text where they do not compare."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes, categories = _categories(values)
        used = np.zeros(len(categories) + 1, dtype=bool)
        used[codes] = True  # the last entry stands for -1, a missing value
        used = used[:-1]
        is_text = isinstance(categories.dtype, pd.StringDtype) and categories.dtype == TEXT
        if is_text and used.all() and categories.is_monotonic_increasing:
            return categories
        distinct: Iterable[Any] = categories[used].tolist()
    else:
        distinct = values.dropna().unique().tolist()
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=lambda value: (type(value).__name__, str(value)))
    return pd.Index(ordered, dtype=None if ordered else object)
