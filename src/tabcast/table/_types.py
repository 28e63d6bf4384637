"""The types of the columns of a table, remembered so that another table can be given the same ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from tabcast.exceptions import UnseenLevelsWarning
from tabcast.table._arrays import Mask
from tabcast.table._column_values import UNSEEN, column_names, each_column, read_column, sorted_levels, to_codes
from tabcast.table._tables import find_empty_columns, is_dataframe, n_rows, take_rows

NOTHING, MIXED = "no value", "values of several types"  # columns of such a type take anything
KIND_OF_INFERRED = {
    "string": "text",
    "boolean": "booleans",
    "integer": "numbers",
    "floating": "numbers",
    "mixed-integer-float": "numbers",
    "datetime64": "dates",
    "datetime": "dates",
    "date": "dates",
    "timedelta64": "durations",
    "timedelta": "durations",
    "empty": NOTHING,
}
FIRST_ROWS = 1_000  # looked at before all rows are: a level that was seen is nearly always among them


@dataclass(frozen=True)
class ColumnType:
    """What the values of a column are.

    Attributes
    ----------
    kind : str
        "numbers", "booleans", "text", "dates", "durations", or that there is no value or values of several types.
    continuous : bool, default=True
        Whether the column is one of numbers, dates or durations, and not of levels.
    has_zone : bool, default=False
        Whether its dates have a time zone.
    levels : Index or None, default=None
        The levels of a column that is not continuous.

    See Also
    --------
    learn_types : Learns it from rows.
    """

    kind: str
    continuous: bool = True
    has_zone: bool = False
    levels: pd.Index[Any] | None = None

    def matches(self, other: ColumnType) -> bool:
        """Tell whether a column of another type can stay as it is.

        Parameters
        ----------
        other : ColumnType
            Type of that column.

        Returns
        -------
        bool
            Whether nothing has to be converted.
        """
        if self.kind in (NOTHING, MIXED):
            return True
        same = self.kind == other.kind and (other.continuous or not self.continuous)
        return same and not (self.continuous and self.has_zone != other.has_zone)

    def __str__(self) -> str:
        zone = (" with a time zone" if self.has_zone else " without a time zone") if self.kind == "dates" else ""
        return self.kind + zone


NUMBERS = ColumnType("numbers")


@dataclass(frozen=True)
class ColumnTypes:
    """The types of all columns of a table, learned with :func:`learn_types`.

    Attributes
    ----------
    columns : tuple of ColumnType
        The type of each column.
    names : tuple
        Names of the columns, or positions.

    See Also
    --------
    learn_types : Learns it from rows.
    """

    columns: tuple[ColumnType, ...]
    names: tuple[Any, ...]

    def align(self, X: Any, *, name: str = "X", known: str = "fit", warn: bool = True) -> Any:
        """Return a table with the learned types: converted where nothing is lost, refused otherwise.

        Parameters
        ----------
        X : ndarray or DataFrame
            A checked table with the same columns in the same order.
        name : str, default="X"
            What to call it in an error.
        known : str, default="fit"
            What to call the table that the types were learned from.
        warn : bool, default=True
            Whether to warn of columns without any level that was learned.

        Returns
        -------
        ndarray or DataFrame
            The same table where all types agree.
        """
        if not is_dataframe(X):
            if all(column.kind == "numbers" and column.continuous for column in self.columns):
                return X
            X = pd.DataFrame(X, columns=list(self.names))
        self._check_order(X, name, known)
        changed = {}
        for position, (label, column, found) in enumerate(
            zip(column_names(X), self.columns, _find_types(X), strict=True)
        ):
            if not column.matches(found):
                values = _convert(
                    read_column(X, position), column, found, _say_where(label, column, found, name, known)
                )
                changed[label] = values
        X = _replace_columns(X, changed)
        if warn:
            self._warn_unseen(X, name)
        return X

    def _check_order(self, X: Any, name: str, known: str) -> None:
        """Refuse columns in another order where their names are no text: scikit-learn compares only text."""
        names = column_names(X)
        if not any(isinstance(one, str) for one in (*names, *self.names)) and not pd.Index(names).equals(
            pd.Index(self.names)
        ):
            raise ValueError(
                f"Columns of {name} must be those of {known}, in the same order; {known} had {list(self.names)[:10]}, "
                f"{name} has {list(names)[:10]}. Select them by name: {name}[{list(self.names)[:10]}]."
            )

    def _warn_unseen(self, X: Any, name: str) -> None:
        """Warn of the columns in which no cell has a known level."""
        unseen = [
            label
            for position, (label, column) in enumerate(zip(column_names(X), self.columns, strict=True))
            if column.levels is not None and len(column.levels) and _has_only_unseen(X, position, column.levels)
        ]
        if unseen:
            listed = ", ".join(map(repr, unseen[:10])) + (", ..." if len(unseen) > 10 else "")
            warnings.warn(
                f"No cell of column {listed} in {name} has a level that was there in fit, so the column carries no "
                "information. Compare the spelling and the type of its values with those of fit.",
                UnseenLevelsWarning,
                stacklevel=5,
            )


def learn_types(X: Any, empty: Mask | None = None) -> ColumnTypes:
    """Learn the types of the columns of a table.

    Parameters
    ----------
    X : ndarray or DataFrame
        A checked table.
    empty : ndarray of bool of shape (n_columns,), default=None
        Which columns have no value, where that is known already.

    Returns
    -------
    ColumnTypes
        The types.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import learn_types
    >>> [column.kind for column in learn_types(pd.DataFrame({"age": [30.0], "city": ["Bern"]})).columns]
    ['numbers', 'text']
    """
    names = column_names(X)
    if not is_dataframe(X):
        return ColumnTypes((NUMBERS,) * len(names), names)
    empty = find_empty_columns(X) if empty is None else empty
    found = _find_types(X)
    if not empty.any() and all(one is NUMBERS for one in found):
        return ColumnTypes(tuple(found), names)
    columns = zip(each_column(X), found, empty.tolist(), strict=True)
    return ColumnTypes(tuple(_learn_type(*one) for one in columns), names)


def align_unlabeled(X: Any, X_unlabeled: Any) -> tuple[Any, Any]:
    """Return two tables of the same kind with the same types of columns.

    Parameters
    ----------
    X : ndarray or DataFrame
        A checked table. Its types count, except in columns where it has no value.
    X_unlabeled : ndarray or DataFrame
        The table to convert, with the same columns in the same order.

    Returns
    -------
    X : ndarray or DataFrame
        The first table.
    X_unlabeled : ndarray or DataFrame
        The second table.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import align_unlabeled
    >>> X, more = align_unlabeled(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [2.5]}))
    >>> more["a"].tolist()
    [2.5]
    """
    if not is_dataframe(X):
        return X, X_unlabeled
    types = learn_types(X)
    empty = [position for position, column in enumerate(types.columns) if column.kind == NOTHING]
    if empty:
        theirs = learn_types(X_unlabeled).columns
        only = [theirs[at] if at in empty else ColumnType(MIXED) for at in range(len(theirs))]
        X = ColumnTypes(tuple(only), types.names).align(X, warn=False)
    return X, types.align(X_unlabeled, name="X_unlabeled", known="X", warn=False)


def _learn_type(values: pd.Series[Any], found: ColumnType, empty: bool) -> ColumnType:
    """The type of a column, with its levels; without a value it has no type."""
    if empty:
        return ColumnType(NOTHING, found.continuous)
    if found.continuous:
        return found
    return ColumnType(found.kind, False, found.has_zone, sorted_levels(values))


def _find_types(X: Any) -> list[ColumnType]:
    """The types of all columns, without their levels."""
    if isinstance(X, pd.DataFrame):
        plain = [isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes]
        if all(plain):
            return [NUMBERS] * len(plain)
        columns = zip(plain, each_column(X), strict=True)
        return [NUMBERS if one else _find_pandas_type(values) for one, values in columns]
    return [_find_foreign_type(X, position) for position in range(X.shape[1])]


def _find_foreign_type(X: Any, position: int) -> ColumnType:
    """The type of a column of polars, or another library that narwhals knows."""
    import narwhals as nw

    dtype = nw.from_native(X, eager_only=True).schema[X.columns[position]]
    if dtype == nw.Boolean:
        return ColumnType("booleans", continuous=False)
    if dtype.is_numeric():
        return NUMBERS
    if dtype in (nw.Date, nw.Datetime):
        return ColumnType("dates", has_zone=getattr(dtype, "time_zone", None) is not None)
    if dtype == nw.Duration:
        return ColumnType("durations")
    return ColumnType("text" if dtype in (nw.String, nw.Categorical, nw.Enum) else MIXED, continuous=False)


def _find_pandas_type(values: pd.Series[Any] | pd.Index[Any]) -> ColumnType:
    dtype, types = values.dtype, pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        inner = _find_pandas_type(dtype.categories)
        return ColumnType(inner.kind, continuous=False, has_zone=inner.has_zone)
    if types.is_bool_dtype(dtype):
        return ColumnType("booleans", continuous=False)
    if types.is_numeric_dtype(dtype):
        return NUMBERS
    if types.is_datetime64_any_dtype(dtype):
        zone = getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)
        return ColumnType("dates", has_zone=zone is not None)
    if types.is_timedelta64_dtype(dtype):
        return ColumnType("durations")
    if isinstance(dtype, pd.StringDtype):
        return ColumnType("text", continuous=False)
    inferred = types.infer_dtype(values, skipna=True)
    return ColumnType(KIND_OF_INFERRED.get(inferred, MIXED), continuous=False)


def _has_only_unseen(X: Any, position: int, levels: pd.Index[Any]) -> bool:
    """Whether a column has values, and none of them is a known level."""
    first = read_column(take_rows(X, np.arange(min(FIRST_ROWS, n_rows(X)))), position)
    if (to_codes(first, levels) >= 0).any():
        return False
    codes = to_codes(read_column(X, position), levels)
    return bool((codes == UNSEEN).any() and not (codes >= 0).any())


def _say_where(label: Any, column: ColumnType, found: ColumnType, name: str, known: str) -> str:
    return f"Column {label!r} has {column} in {known} but {found} in {name}"


def _convert(values: pd.Series[Any], column: ColumnType, found: ColumnType, where: str) -> pd.Series[Any]:
    """The values of a column in the type of another one."""
    missing = values.isna().to_numpy()
    if not missing.all() and column.has_zone != found.has_zone and column.continuous and found.kind == "dates":
        raise ValueError(f"{where}. Give them the same, for instance with dt.tz_localize.")
    change = _find_conversion(column)
    plain = values.astype(object).to_numpy()
    result = np.full(len(plain), None, dtype=object)
    translated: dict[Any, Any] = {}
    for row in np.flatnonzero(~missing).tolist():
        value = plain[row]
        key = (type(value), value)
        if key not in translated:
            try:
                translated[key] = change(value)
            except (OverflowError, TypeError, ValueError):
                raise ValueError(
                    f"{where}, and {value!r} cannot be converted without loss. Convert the column to one type in both."
                ) from None
        result[row] = translated[key]
    return _to_series(result, column, values.index)


def _to_series(result: Any, column: ColumnType, index: Any) -> pd.Series[Any]:
    """Converted values as a column of the natural type."""
    if column.kind == "numbers":
        return pd.Series(result, index=index, dtype=float)
    if column.kind == "dates":
        return pd.to_datetime(pd.Series(result, index=index, dtype=object), utc=column.has_zone)
    if column.kind == "durations":
        return pd.to_timedelta(pd.Series(result, index=index, dtype=object))
    if column.kind == "booleans" and not pd.isna(result).any():
        return pd.Series(result.astype(bool), index=index)
    return pd.Series(result, index=index, dtype=object)


def _find_conversion(column: ColumnType) -> Callable[[Any], Any]:
    """What makes a value one of this type, or raises an error where something would be lost."""
    if column.kind == "text":
        levels = [] if column.levels is None else column.levels.tolist()
        spell = next((spell for spell in (_spell_number, _spell_boolean) if _are_spelled(levels, spell)), _refuse)
        return lambda value: value if isinstance(value, str) else spell(value)
    return {"numbers": _to_number, "booleans": _to_boolean, "dates": _to_date, "durations": _to_duration}[column.kind]


def _refuse(value: Any) -> Any:
    raise ValueError(value)


def _to_number(value: Any) -> float:
    """A number, or text that is one."""
    if not isinstance(value, str | Real | np.number | np.bool_) or (isinstance(value, str) and "_" in value):
        raise ValueError(value)
    number = float(value)
    return number if isfinite(number) else _refuse(value)


def _to_boolean(value: Any) -> bool:
    """A boolean, 0 or 1, or the text "true" or "false" in any case."""
    if isinstance(value, str):
        return (
            {"true": True, "false": False}[value.casefold()]
            if value.casefold() in ("true", "false")
            else _refuse(value)
        )
    return bool(value) if isinstance(value, Real | np.number | np.bool_) and value in (0, 1) else _refuse(value)


def _to_date(value: Any) -> pd.Timestamp:
    """A date, or text in ISO 8601."""
    if isinstance(value, str):
        return pd.to_datetime(value, format="ISO8601")
    return pd.Timestamp(value) if isinstance(value, date | np.datetime64) else _refuse(value)


def _to_duration(value: Any) -> pd.Timedelta:
    return pd.Timedelta(value) if isinstance(value, timedelta | np.timedelta64) else _refuse(value)


def _spell_number(value: Any) -> str:
    """A number as text: whole ones without a decimal point."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.number):
        raise ValueError(value)
    number: Any = value
    return str(int(number)) if int(number) == number else repr(float(number))


def _spell_boolean(value: Any) -> str:
    return str(bool(value)) if isinstance(value, bool | np.bool_) else _refuse(value)


def _are_spelled(levels: list[Any], spell: Callable[[Any], str]) -> bool:
    """Whether all levels are values that are spelled in this way, so that a value and its text are the same."""
    read = _to_number if spell is _spell_number else _to_boolean
    try:
        return bool(levels) and all(spell(read(level)) == level for level in levels)
    except ValueError:
        return False


def _replace_columns(X: Any, changed: dict[Any, pd.Series[Any]]) -> Any:
    """The table with other values in some columns; the user's own table does not change."""
    if not changed:
        return X
    if isinstance(X, pd.DataFrame):
        X = X.copy(deep=False)
        for label, values in changed.items():
            X[label] = values
        return X
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns = []
    for label, values in changed.items():
        cells = [None if cell is None or pd.isna(cell) else cell for cell in values.tolist()]
        columns.append(nw.new_series(label, cells, backend=frame.implementation))
    return frame.with_columns(*columns).to_native()
