"""What may be in a cell: numbers, booleans, text, dates and durations; decimals become floats."""

from __future__ import annotations

import datetime
from enum import Enum
from numbers import Number
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

SINGLE = (
    str,
    bytes,
    Number,
    np.generic,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    pd.Period,
    pd.Interval,
    UUID,
    Enum,
)
PLAIN = ("string", "boolean", "integer", "floating", "mixed-integer-float", "empty", "date", "categorical", "bytes")
NOT_A_CELL = "A cell must be a number, a boolean, text or a date: make columns of its entries, or text of it."


def read_cells(X: Any, name: str) -> Any:
    """Return a DataFrame with decimals as floats; what no model can use is refused.

    Parameters
    ----------
    X : DataFrame
        A table of pandas or polars.
    name : str
        What to call it in an error.

    Returns
    -------
    DataFrame
        The same table where it has no decimals.
    """
    return _read_pandas(X, name) if isinstance(X, pd.DataFrame) else _read_foreign(X, name)


def _read_pandas(X: pd.DataFrame, name: str) -> pd.DataFrame:
    decimals = []
    for position, (label, dtype) in enumerate(zip(X.columns.tolist(), X.dtypes, strict=True)):
        if isinstance(dtype, np.dtype) and dtype.kind in "iufbmM":  # every value of these types can be a cell
            continue
        column = f"Column {label!r} of {name}"
        if dtype.kind == "c":
            raise ValueError(f"Complex data not supported: {column} is complex. Use its real and imaginary part.")
        if isinstance(dtype, pd.ArrowDtype) and not _is_single(dtype):
            raise ValueError(f"{column} has the type {dtype}. {NOT_A_CELL}")
        if _is_decimal(dtype) or (pd.api.types.is_object_dtype(dtype) and _has_decimals(X.iloc[:, position], column)):
            decimals.append(label)
    if decimals:
        X = X.copy(deep=False)
        for label in decimals:
            X[label] = [np.nan if pd.isna(cell) else float(cell) for cell in X[label]]
    return X


def _is_single(dtype: pd.ArrowDtype) -> bool:
    """Whether cells of a type of pyarrow are single values."""
    import pyarrow as pa

    return not pa.types.is_nested(dtype.pyarrow_dtype)


def _is_decimal(dtype: Any) -> bool:
    return isinstance(dtype, pd.ArrowDtype) and "decimal" in str(dtype.pyarrow_dtype)


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


def _read_foreign(X: Any, name: str) -> Any:
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    refused = (nw.List, nw.Array, nw.Struct, nw.Object, nw.Binary)
    for label, dtype in frame.schema.items():
        if dtype in refused or (dtype == nw.Unknown and str(X.schema[label]) != "Null"):
            kind = X.schema[label] if dtype == nw.Unknown else dtype
            raise ValueError(f"Column {label!r} of {name} has the type {kind}. {NOT_A_CELL}")
    decimals = [label for label, dtype in frame.schema.items() if dtype == nw.Decimal]
    return frame.with_columns(nw.col(*decimals).cast(nw.Float64)).to_native() if decimals else X
