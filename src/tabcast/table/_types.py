"""The types of the columns of a table, remembered so that another table can be given the same ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from tabcast.exceptions import UnseenLevelsWarning
from tabcast.table import Mask
from tabcast.table._columns import UNSEEN, sorted_levels, to_codes
from tabcast.table._tables import column_names, describe_difference, describe_type

NOTHING, MIXED = "no value", "values of several types"  # columns of such a type take anything
INFERRED = {  # by pandas, of columns of objects
    "text": ("string",),
    "booleans": ("boolean",),
    "numbers": ("integer", "floating", "mixed-integer-float"),
    "dates": ("datetime64", "datetime", "date"),
    "durations": ("timedelta64", "timedelta"),
    NOTHING: ("empty",),
}
BOOLEANS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
FIRST_ROWS = 1_000  # looked at before all rows are: a level that was seen is nearly always among them


@dataclass(frozen=True)
class ColumnType:
    """What the values of a column are: numbers, booleans, text, dates, durations, nothing, or several of these."""

    kind: str
    continuous: bool = True  # numbers, dates or durations that are not levels
    has_zone: bool = False  # of dates
    levels: pd.Index[Any] | None = None  # of a column that is not continuous

    def matches(self, other: ColumnType) -> bool:
        """Tell whether a column of another type can stay as it is."""
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
    """The types and names of all columns of a table, learned with :func:`learn_types`."""

    columns: tuple[ColumnType, ...]
    names: tuple[Any, ...]

    def align(self, X: Any, *, name: str = "X", known: str = "fit", warn: bool = True) -> Any:
        """Return a checked table with the learned types: converted where nothing is lost, refused otherwise.

        `name` and `known` are what an error calls the table and the one that the types were learned from; `warn` is
        whether to warn of columns without any level that was learned.
        """
        if not isinstance(X, pd.DataFrame):
            if all(column.kind == "numbers" and column.continuous for column in self.columns):
                return X
            X = pd.DataFrame(X, columns=list(self.names))
        self._check_order(X, name, known)
        changed = {
            label: _convert(X[label], column, found, f"Column {label!r} has {column} in {known} but {found} in {name}")
            for label, column, found in zip(column_names(X), self.columns, _find_types(X), strict=True)
            if not column.matches(found)
        }
        if changed:
            X = X.copy(deep=False)  # the user's own table does not change
            for label, values in changed.items():
                X[label] = values
        if warn:
            self.warn_unseen(X, name, known)
        return X

    def _check_order(self, X: pd.DataFrame, name: str, known: str) -> None:
        """Refuse columns in another order where their names are no text: scikit-learn compares only text."""
        names = column_names(X)
        is_text = any(isinstance(one, str) for one in (*names, *self.names))
        if not is_text and not pd.Index(names).equals(pd.Index(self.names)):
            raise ValueError(
                f"Columns of {name} must be those of {known}, in the same order; {known} had {list(self.names)[:10]}, "
                f"{name} has {list(names)[:10]}. Select them by name: {name}[{list(self.names)[:10]}]."
            )

    def warn_unseen(self, X: Any, name: str, known: str = "fit") -> None:
        """Warn of the columns in which no cell has a known level."""
        unseen = [
            label
            for label, column in zip(column_names(X), self.columns, strict=True)
            if column.levels is not None and len(column.levels) and _has_only_unseen(X[label], column.levels)
        ]
        if unseen:
            listed = ", ".join(map(repr, unseen[:10])) + (", ..." if len(unseen) > 10 else "")
            warnings.warn(
                f"No cell of column {listed} in {name} has a level that was there in {known}, so the column carries "
                f"no information. Compare the spelling and the type of its values with those of {known}.",
                UnseenLevelsWarning,
                stacklevel=5,
            )


def learn_types(X: Any, empty: Mask | None = None) -> ColumnTypes:
    """Learn the types of the columns of a checked table; `empty` columns have no value, where that is known already."""
    names = column_names(X)
    if not isinstance(X, pd.DataFrame):
        return ColumnTypes((NUMBERS,) * len(names), names)
    empty = np.asarray(X.isna().all()) if empty is None else empty
    columns = zip(names, _find_types(X), empty.tolist(), strict=True)
    return ColumnTypes(tuple(_learn_type(X, *one) for one in columns), names)


def _learn_type(X: pd.DataFrame, name: Any, found: ColumnType, empty: bool) -> ColumnType:
    """The type of a column, with its levels; without a value it has no type."""
    if empty:
        return ColumnType(NOTHING, found.continuous)
    return found if found.continuous else ColumnType(found.kind, False, found.has_zone, sorted_levels(X[name]))


def _find_types(X: pd.DataFrame) -> list[ColumnType]:
    """The types of all columns, without their levels."""
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes]
    return [NUMBERS if one else _find_type(X[label]) for one, label in zip(plain, X.columns, strict=True)]


def _find_type(values: pd.Series[Any] | pd.Index[Any]) -> ColumnType:
    dtype, types = values.dtype, pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        inner = _find_type(dtype.categories)
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
    return ColumnType(next((kind for kind, names in INFERRED.items() if inferred in names), MIXED), continuous=False)


def _has_only_unseen(values: pd.Series[Any], levels: pd.Index[Any]) -> bool:
    """Whether a column has values, and none of them is a known level."""
    if (to_codes(values.iloc[:FIRST_ROWS], levels) >= 0).any():
        return False
    codes = to_codes(values, levels)
    return bool((codes == UNSEEN).any() and not (codes >= 0).any())


def _convert(values: pd.Series[Any], column: ColumnType, found: ColumnType, where: str) -> pd.Series[Any]:
    """The values of a column in the type of another one."""
    missing = values.isna()
    if not missing.all() and column.has_zone != found.has_zone and column.continuous and found.kind == "dates":
        raise ValueError(f"{where}. Give them the same, for instance with dt.tz_localize.")
    converted = _coerce(values.astype(object), column)
    lost = values[converted.isna() & ~missing].tolist()
    if lost:
        raise ValueError(
            f"{where}, and {lost[0]!r} cannot be converted without loss. Convert the column to one type in both."
        )
    return converted.astype(bool) if column.kind == "booleans" and not missing.any() else converted


def _coerce(values: pd.Series[Any], column: ColumnType) -> pd.Series[Any]:
    """Objects as values of a type; what is none, and no text or number that stands for one, becomes missing."""
    if column.kind == "numbers":
        are_dates = values.map(lambda value: isinstance(value, date | np.datetime64 | timedelta | np.timedelta64))
        return pd.to_numeric(values.mask(are_dates), errors="coerce").astype(float).replace([np.inf, -np.inf], np.nan)
    if column.kind == "booleans":
        return values.map(lambda value: BOOLEANS.get(str(value).casefold())).astype(object)
    if column.kind == "dates":
        dates = values.where(values.map(lambda value: isinstance(value, str | date | np.datetime64)))
        return pd.to_datetime(dates, format="ISO8601", errors="coerce", utc=column.has_zone)
    if column.kind == "durations":
        durations = values.where(values.map(lambda value: isinstance(value, timedelta | np.timedelta64)))
        return pd.to_timedelta(durations)
    return values.map(_find_spelling([] if column.levels is None else column.levels.tolist()))


def _find_spelling(levels: list[Any]) -> Callable[[Any], str | None]:
    """What gives the text of a value: of numbers and booleans only where every known level is the text of one."""
    numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors="coerce").map(_spell, na_action="ignore")
    are_numbers, are_booleans = numbers.tolist() == levels, set(levels) <= {"True", "False"}

    def spell(value: Any) -> str | None:
        is_same = are_booleans if isinstance(value, bool | np.bool_) else are_numbers
        return value if isinstance(value, str) else _spell(value) if is_same else None

    return spell


def _spell(value: Any) -> str | None:
    """A number or a boolean as text: whole numbers without a decimal point."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if not isinstance(value, int | float | np.number) or not isfinite(value):
        return None
    return str(int(value)) if int(value) == value else repr(float(value))


def stack_rows(X: Any, X_unlabeled: Any) -> Any:
    """Stack two checked tables with the same columns.

    Levels of category columns are united; other types are converted to those of `X` where nothing is lost, and refused
    otherwise.
    """
    if isinstance(X, pd.DataFrame) != isinstance(X_unlabeled, pd.DataFrame):
        raise TypeError(
            f"X and X_unlabeled must be the same kind of table; got a {describe_type(X)} and a "
            f"{describe_type(X_unlabeled)}. Convert one of them, for instance with to_numpy()."
        )
    if not isinstance(X, pd.DataFrame):
        if X.shape[1] != X_unlabeled.shape[1]:
            raise ValueError(
                f"X and X_unlabeled must have the same columns; got {X.shape[1]} and {X_unlabeled.shape[1]} columns."
            )
        return np.concatenate([X, X_unlabeled])
    difference = describe_difference(X.columns, X_unlabeled.columns)
    if difference:
        raise ValueError(f"Columns differ between X and X_unlabeled: {difference}.")
    X_unlabeled = X_unlabeled[list(X.columns)]
    pairs = zip(X.dtypes, X_unlabeled.dtypes, strict=True)
    if not all(ours == theirs and not pd.api.types.is_object_dtype(ours) for ours, theirs in pairs):
        X, X_unlabeled = _unite(*_align_unlabeled(X, X_unlabeled))
    return pd.concat([X, X_unlabeled], ignore_index=True)


def _align_unlabeled(X: pd.DataFrame, X_unlabeled: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two tables with the same types of columns: those of X, except in columns where it has no value."""
    types = learn_types(X)
    if any(column.kind == NOTHING for column in types.columns):
        pairs = zip(types.columns, learn_types(X_unlabeled).columns, strict=True)
        only = tuple(theirs if ours.kind == NOTHING else ColumnType(MIXED) for ours, theirs in pairs)
        X = ColumnTypes(only, types.names).align(X, warn=False)
    return X, types.align(X_unlabeled, name="X_unlabeled", known="X", warn=False)


def _unite(X: pd.DataFrame, X_unlabeled: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Unite the levels of category columns, time zones, and types of numbers, of which pandas may make objects."""
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
        elif _find_type(X[name]) == _find_type(X_unlabeled[name]) == NUMBERS:
            first[name], second[name] = _to_floats(X[name]), _to_floats(X_unlabeled[name])
    return first, second


def _to_floats(values: pd.Series[Any]) -> pd.Series[Any]:
    return pd.Series(values.to_numpy(dtype=float, na_value=np.nan), index=values.index)
