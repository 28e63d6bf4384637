"""The user's table at the door: checked, and a pandas DataFrame or an array of numbers from here on, whatever came."""

from __future__ import annotations

import datetime
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from numbers import Number
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples, check_array

from tabcast.exceptions import EmptyColumnWarning
from tabcast.table import Floats, Index, Mask

DAYS_AND_TIMES = (datetime.date, datetime.time, datetime.timedelta, pd.Period)
SINGLE = (str, bytes, Number, np.generic, *DAYS_AND_TIMES, pd.Interval, UUID, Enum)
PLAIN = ("string", "boolean", "integer", "floating", "mixed-integer-float", "empty", "date", "categorical", "bytes")
NOT_A_CELL = "A cell must be a number, a boolean, text or a date: make columns of its entries, or text of it."
ROWS_AT_A_TIME = 20_480  # what is predicted in one piece; a multiple of the queries that KernelDensity sums at a time
FEW_CELLS = 1_000_000  # a table with so many is a few megabytes and copied in a few milliseconds
NOT_A_NUMBER = (OverflowError, TypeError, ValueError)


def read_table(X: Any, *, name: str = "X") -> Any:
    """Check a table; a DataFrame becomes one of pandas, everything else an array of numbers."""
    if sparse.issparse(X):
        raise TypeError(
            f"{name} is a sparse matrix; a dense one is required, because densities look at every cell. "
            f"Use {name}.toarray() if it fits in memory, or reduce its columns first."
        )
    X = to_pandas(X, name=name)
    return _check_dataframe(X, name) if isinstance(X, pd.DataFrame) else _read_array(X, name)


def to_pandas(X: Any, *, name: str = "X") -> Any:
    """Return a DataFrame of any library as one of pandas, anything else as it is."""
    if isinstance(X, pd.DataFrame | np.ndarray | list | tuple):
        return X
    import narwhals as nw

    table = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(table, nw.LazyFrame):
        raise TypeError(
            f"{name} is a {describe_type(X)}, whose rows are not in memory; pass {name}.collect() or .compute()."
        )
    if isinstance(table, nw.Series):
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got a 1D {type(X).__name__} instead. "
            f"Reshape your data: a single column as {name}.to_frame()."
        )
    if not isinstance(table, nw.DataFrame):
        return X
    for column, kind in table.schema.items():
        if "\x00" in column:  # polars would panic
            raise ValueError(f"A column name of {name} has a NUL character, {column!r}: rename the column.")
        if kind in (nw.Int128, nw.UInt128):
            raise ValueError(f"Column {column!r} of {name} is of type {kind}, which is not read: cast it to Int64.")
    return table.to_pandas()


def _check_dataframe(X: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table, decimals as floats; rows, columns, unique names and finite numbers are checked."""
    _refuse_empty(X.shape, name)
    names = X.columns.tolist()
    doubles = sorted(repr(column) for column, count in Counter(names).items() if count > 1)
    if doubles:
        raise ValueError(
            f"Column names of {name} must differ; {', '.join(doubles)} occurs more than once. Rename them."
        )
    if isinstance(X.columns, pd.MultiIndex):
        raise ValueError(
            f"Columns of {name} have names of several levels (a MultiIndex). Give each one name, for instance with "
            f"{name}.columns = ['_'.join(map(str, names)) for names in {name}.columns]."
        )
    kinds = sorted({type(column).__name__ for column in names})
    if "str" in kinds and len(kinds) > 1:
        raise TypeError(
            f"Column names of {name} must all be text; got {' and '.join(kinds)}. Use {name}.columns = "
            f"{name}.columns.astype(str)."
        )
    X = _read_decimals(X, name)
    floats = [label for label, dtype in X.dtypes.items() if pd.api.types.is_float_dtype(dtype)]
    refuse_infinity(X[floats].to_numpy(dtype=float, na_value=np.nan), floats, name)
    return X


def _read_decimals(X: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table with decimals as floats; what no model can use is refused."""
    decimals = []
    for label, dtype in X.dtypes.items():
        column = f"Column {label!r} of {name}"
        if dtype.kind == "c":
            raise ValueError(f"Complex data not supported: {column} is complex. Use its real and imaginary part.")
        is_object = pd.api.types.is_object_dtype(dtype) or (isinstance(dtype, pd.ArrowDtype) and dtype.kind == "O")
        if is_object and _has_decimals(X[label], column):
            decimals.append(label)
    X = X.copy(deep=False) if decimals else X
    for label in decimals:
        X[label] = [np.nan if pd.isna(cell) else float(cell) for cell in X[label]]
    return X


def _has_decimals(values: pd.Series[Any], column: str) -> bool:
    """Whether a column of objects has decimals; one that has something else than single values is refused."""
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    if inferred in PLAIN:
        return False
    present = values.dropna().tolist()
    for cell in present:
        if not isinstance(cell, SINGLE):
            raise ValueError(f"{column} has a cell of type {type(cell).__name__}. {NOT_A_CELL}")
        if isinstance(cell, complex):
            raise ValueError(f"Complex data not supported: {column} is complex. Use its real and imaginary part.")
    if inferred == "datetime" and len({str(cell.tzinfo) for cell in present}) > 1:
        raise ValueError(
            f"{column} has dates of several time zones, or with and without one. Convert them to one, for instance "
            "with pandas.to_datetime(..., utc=True)."
        )
    return inferred == "decimal"


def refuse_infinity(numbers: Floats, names: Sequence[Any], table: str = "X") -> None:
    """Refuse columns with infinite numbers: they have no density, while missing ones do."""
    infinite = np.flatnonzero(np.isinf(numbers).any(axis=0)).tolist()
    if infinite:
        raise ValueError(
            f"Input {table} contains infinity or a value too large for float in column "
            f"{', '.join(repr(names[at]) for at in infinite[:10])}. Replace such cells by missing values or a bound."
        )


def _read_array(X: Any, name: str) -> NDArray[Any]:
    """Anything but a DataFrame as finite numbers; missing values of any kind, and masked cells, are NaN."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        X = np.where(np.ma.getmaskarray(X), np.nan, X.data)
    try:
        array = check_array(X, ensure_all_finite="allow-nan", input_name=name, estimator="tabcast")
    except NOT_A_NUMBER:  # what is wrong is only looked for in an array that is refused
        array = _as_cells(X, name)
        array = _read_cells(array, name)
    if array.dtype.kind in "fiub":
        return array
    return _read_cells(pd.DataFrame(array).astype(object).to_numpy(), name)  # dates; numpy makes integers of some


def _as_cells(X: Any, name: str) -> NDArray[Any]:
    """An array of what is not an array of numbers; what is no array at all is refused."""
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            array = np.asarray(X, dtype=object)  # a list of text and numbers: the numbers stay numbers
    except ValueError:
        raise ValueError(f"Rows of {name} must all have the same number of cells, each a single value.") from None
    are_dicts = array.ndim == 1 and array.size > 0 and isinstance(array[0], dict)
    if array.dtype.names is not None or are_dicts or (array.ndim == 0 and array.dtype.kind in "OUS"):
        kind = "a structured array" if array.dtype.names else "a list of dicts" if are_dicts else describe_type(X)
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got {kind} instead. Pass a DataFrame, for instance "
            f"pandas.DataFrame({name})."
        )
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got a {array.ndim}D array instead. Reshape your data: "
            "array.reshape(-1, 1) has one column, array.reshape(1, -1) one row."
        )
    _refuse_empty(array.shape, name)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is complex. Use its real and imaginary part.")
    return array


def _refuse_empty(shape: tuple[int, ...], name: str) -> None:
    """Refuse a table without rows or columns."""
    if 0 in shape:
        kind = "sample(s)" if shape[0] == 0 else "feature(s)"
        raise ValueError(f"Found array with 0 {kind} (shape={shape}) while a minimum of 1 is required for {name}.")


def _read_cells(array: NDArray[Any], name: str) -> Floats:
    """The array as finite floats, cell by cell; the first one that is no number is named."""
    numbers = np.empty(array.shape)
    for (row, column), cell in np.ndenumerate(array):
        try:
            numbers[row, column] = np.nan if cell is None or cell is pd.NA or cell is pd.NaT else float(cell)
        except NOT_A_NUMBER as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            advice = f"Pass a DataFrame, for instance pandas.DataFrame({name}), which may have text and dates."
            raise kind(
                f"{name} has cells that are not numbers: row {row} of column {column} has a {type(cell).__name__} "
                f"({' '.join(str(error).split())}). {advice if isinstance(cell, SINGLE) else NOT_A_CELL}"
            ) from None
    refuse_infinity(numbers, range(array.shape[1]), name)
    return numbers


def plain_numbers(X: Any) -> Floats | None:
    """Return a table as one array of floats, or None if some column is not numeric."""
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else [X.dtype]
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in dtypes):
        return X.to_numpy(dtype=float) if isinstance(X, pd.DataFrame) else np.asarray(X, dtype=float)
    return None


def column_names(X: Any) -> tuple[Any, ...]:
    """Return the names of the columns; positions for an array."""
    # Iterating over an index of text, which pyarrow holds, is slow.
    return tuple(pd.Index(X.columns).tolist()) if hasattr(X, "columns") else tuple(range(np.shape(X)[1]))


def join_blocks(X: Any) -> Any:
    """Return a copy of a small DataFrame with columns of one type side by side in memory.

    Files are often read column by column, and pandas keeps them so; taking rows is then several times slower, which
    is up to 4% of a fit on a table of 72 columns.
    """
    return X.copy() if isinstance(X, pd.DataFrame) and X.size <= FEW_CELLS else X


def map_rows(function: Callable[..., NDArray[Any]], *tables: Any) -> NDArray[Any]:
    """Apply a function that treats every row by itself, block by block, so that what it computes stays small."""
    blocks = [slice(start, start + ROWS_AT_A_TIME) for start in range(0, max(1, len(tables[0])), ROWS_AT_A_TIME)]
    parts = [function(*(X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows] for X in tables)) for rows in blocks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def take_rows(X: Any, rows: Index) -> Any:
    """Take the rows at some positions of a table."""
    return X.take(rows) if isinstance(X, pd.DataFrame) else X[rows]


def take_columns(X: Any, positions: Index) -> Any:
    """Take the columns at some positions of a table."""
    X = to_pandas(X)
    return X.iloc[:, positions] if isinstance(X, pd.DataFrame) else X[:, positions]


def describe_type(value: Any) -> str:
    """Return what an object is called in an error message: "list", or with its library "pandas DataFrame"."""
    library = type(value).__module__.partition(".")[0]
    return type(value).__name__ if library == "builtins" else f"{library} {type(value).__name__}"


def describe_difference(expected: Any, got: Any) -> str:
    """Return which column names are missing and which are unexpected; empty if the names agree."""
    parts = {"missing": [one for one in expected if one not in set(got)]}
    parts["unexpected"] = [one for one in got if one not in set(expected)]
    return "; ".join(
        f"{what} {', '.join(map(repr, names[:10]))}{', ...' if len(names) > 10 else ''}"
        for what, names in parts.items()
        if names
    )


def check_lengths(X: Any, **others: Any) -> None:
    """Refuse arguments that do not have one entry per row of X; None is skipped."""
    expected = _num_samples(X)
    for name, values in others.items():
        if values is not None and _num_samples(values) != expected:
            raise ValueError(
                f"`{name}` must have one entry per row of X, that is {expected}; got {_num_samples(values)}."
            )


def warn_empty_columns(X: Any) -> Mask:
    """Warn about columns without any value, and return which these are."""
    numbers = plain_numbers(X)
    missing = X.isna().to_numpy() if numbers is None else np.isnan(numbers)
    empty = np.asarray(missing.all(axis=0))
    if empty.any():
        names = column_names(X)
        warnings.warn(
            f"Column {', '.join(repr(names[at]) for at in np.flatnonzero(empty))} has no value in any row: "
            "it carries no information. Leave it out.",
            EmptyColumnWarning,
            stacklevel=2,
        )
    return empty
