"""The columns of a table: continuous or categorical, with their levels, bins and missing values.

The first stage of the walk. Densities and models do not use tables themselves: they use an :class:`EncodedTable`, made
here, so that "level", "missing" and "unseen" mean the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.table import Floats, Index, Mask
from tabcast.table._tables import column_names, describe_difference, plain_numbers, refuse_infinity, to_pandas

MISSING = -1  # code of a categorical cell without a value
UNSEEN = -2  # code of a level that was not there when the columns were learned
BLOCK = 8_192  # rows handled at a time: what is computed on the way stays in the processor's cache
LARGEST_SPREAD = 1e300


@dataclass(frozen=True)
class ContinuousColumn:
    """A numeric column and its distribution in the rows it was learned from, missing values aside."""

    name: Any
    low: float
    high: float
    center: float  # mean
    scale: float  # standard deviation
    has_missing: bool


@dataclass(frozen=True)
class CategoricalColumn:
    """A column of levels, sorted where the values can be sorted."""

    name: Any
    levels: pd.Index[Any]
    has_missing: bool

    @property
    def level_numbers(self) -> Floats:
        """The levels as numbers: themselves where they are numbers, else their positions."""
        if pd.api.types.is_numeric_dtype(self.levels):
            return self.levels.to_numpy(dtype=float)
        return np.arange(len(self.levels), dtype=float)

    def __getstate__(self) -> dict[str, Any]:
        """Levels as plain values: a model file cannot hold an Index."""
        values = self.levels.to_numpy() if isinstance(self.levels.dtype, np.dtype) else self.levels.tolist()
        return {**vars(self), "levels": values, "dtype": str(self.levels.dtype)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        dtype, values = state.pop("dtype"), state.pop("levels")
        vars(self).update(state, levels=pd.Index(values, dtype=dtype))


@dataclass(frozen=True)
class Columns:
    """The columns of a table, learned from its rows with :func:`learn_columns`."""

    names: tuple[Any, ...]
    named: bool  # whether the names are a DataFrame's, or just positions
    continuous: tuple[ContinuousColumn, ...]
    categorical: tuple[CategoricalColumn, ...]
    continuous_index: Index  # positions of the continuous columns in the table
    categorical_index: Index

    def encode(self, X: Any) -> EncodedTable:
        """Encode a table with these columns; those of a DataFrame may be in another order."""
        if isinstance(X, EncodedTable):
            return X
        X = self._in_order(_as_table(X))
        array = None if self.categorical else plain_numbers(X)
        if array is not None:
            return EncodedTable(self, array, np.empty((len(array), 0), dtype=np.int32))
        continuous = np.empty((len(X), len(self.continuous)))
        codes = np.empty((len(X), len(self.categorical)), dtype=np.int32)
        columns = list(each_column(X))
        for j, (at, number) in enumerate(zip(self.continuous_index, self.continuous, strict=True)):
            continuous[:, j] = _to_numbers(columns[at], number.name)
        for j, (at, column) in enumerate(zip(self.categorical_index, self.categorical, strict=True)):
            codes[:, j] = to_codes(columns[at], column.levels)
        return EncodedTable(self, continuous, codes)

    def _in_order(self, X: Any) -> Any:
        """The table with its columns in the learned order, where they have names."""
        names = column_names(X)
        if len(names) != len(self.names):
            raise ValueError(f"X must have the {len(self.names)} columns that were learned; got {len(names)}.")
        if names == self.names or not isinstance(X, pd.DataFrame) or not self.named:
            return X
        difference = describe_difference(self.names, names)
        if difference:
            raise ValueError(f"Columns of X differ from those that were learned: {difference}.")
        return X[list(self.names)]


@dataclass
class EncodedTable:
    """A table as densities use it: numbers, with NaN for missing, and codes of levels, or MISSING, or UNSEEN."""

    columns: Columns
    continuous: Floats
    codes: NDArray[np.int32]
    _cells: dict[int, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.continuous)

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """Return the same columns for some of the rows, given as positions or a mask."""
        return EncodedTable(self.columns, self.continuous[rows], self.codes[rows])

    def cells(self, n_bins: int) -> NDArray[Any]:
        """Return the cell of its column that each value is in, as an array of shape (n_columns, n_rows).

        A continuous column has `n_bins` cells of equal width over the learned range, a categorical one a cell per
        level; then comes one for missing and one for everything else (outside the range, unseen level). Continuous
        columns come first. The result is kept, because the density of each class needs it.
        """
        if n_bins not in self._cells:
            self._cells[n_bins] = self._find_cells(n_bins)
        return self._cells[n_bins]

    def _find_cells(self, n_bins: int) -> NDArray[Any]:
        """See `cells`."""
        continuous, categorical = self.columns.continuous, self.columns.categorical
        n_levels = np.array([len(column.levels) for column in categorical], dtype=np.int64)
        largest = max([n_bins, *n_levels.tolist()]) + 1
        cells = np.empty((len(continuous) + len(n_levels), len(self)), dtype=np.min_scalar_type(largest))
        low, high = np.array([(column.low, column.high) for column in continuous]).reshape(-1, 2).T
        for start in range(0, len(self), BLOCK):
            rows = slice(start, start + BLOCK)
            cells[: len(continuous), rows] = equal_width_bins(self.continuous[rows], low, high, n_bins).T
            codes = self.codes[rows]
            cells[len(continuous) :, rows] = np.where(codes >= 0, codes, n_levels + (codes == UNSEEN)).T
        return cells


def learn_columns(X: Any, categorical_features: ArrayLike | None = None) -> Columns:
    """Learn the columns of a table from its rows; without `categorical_features`, their types tell them apart."""
    X = _as_table(X)
    names = column_names(X)
    is_categorical = find_categorical(X, categorical_features)
    array = None if is_categorical.any() else plain_numbers(X)
    continuous, categorical = list[ContinuousColumn](), list[CategoricalColumn]()
    if array is not None:
        refuse_infinity(array, names)
        continuous = _describe_array(array, names)
    else:
        for name, values, as_levels in zip(names, each_column(X), is_categorical, strict=True):
            if as_levels:
                categorical.append(CategoricalColumn(name, sorted_levels(values), bool(values.isna().any())))
            else:
                numbers = _to_numbers(values, name)
                refuse_infinity(numbers[:, None], [name])
                continuous.append(_describe_numbers(name, numbers))
    positions = np.flatnonzero(~is_categorical), np.flatnonzero(is_categorical)
    return Columns(names, isinstance(X, pd.DataFrame), tuple(continuous), tuple(categorical), *positions)


def learn_and_encode(X: Any, categorical_features: ArrayLike | None = None) -> EncodedTable:
    """Encode a table by columns learned from its own rows; an encoded one is returned as it is."""
    return X if isinstance(X, EncodedTable) else learn_columns(X, categorical_features).encode(X)


def find_categorical(X: Any, categorical_features: ArrayLike | None = None) -> Mask:
    """Return a mask of the categorical columns: those of the user's list or mask, or by their types.

    Text, category and boolean columns are categorical; numbers and dates, and everything in an array, are not.
    """
    X = _as_table(X)
    names = column_names(X)
    if categorical_features is None:
        by_type = [_is_levels(dtype) for dtype in X.dtypes] if isinstance(X, pd.DataFrame) else [False] * len(names)
        return np.array(by_type, dtype=bool)
    if isinstance(categorical_features, str) or not np.iterable(categorical_features):
        raise ValueError(
            f"`categorical_features` must be a list of names or positions, or a mask; got {categorical_features!r}."
        )
    wanted = [entry.item() if isinstance(entry, np.generic) else entry for entry in categorical_features]
    if wanted and all(isinstance(entry, bool) for entry in wanted):
        if len(wanted) != len(names):
            raise ValueError(
                f"A mask `categorical_features` must have one entry per column, {len(names)}; got {len(wanted)}."
            )
        return np.array(wanted)
    chosen = np.zeros(len(names), dtype=bool)
    for entry in wanted:
        chosen[_find_column(entry, names)] = True
    return chosen


def _find_column(entry: Any, names: Sequence[Any]) -> int:
    """Position of the column called `entry`, or of column number `entry`."""
    if entry in names:
        return names.index(entry)
    if isinstance(entry, int) and -len(names) <= entry < len(names):
        return entry
    known = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    raise ValueError(f"`categorical_features` names column {entry!r}, which X does not have. Columns: {known}.")


def _describe_numbers(name: Any, values: Floats) -> ContinuousColumn:
    """Range, mean and standard deviation of a continuous column; zeros where all values are missing."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return ContinuousColumn(name, 0.0, 0.0, 0.0, 0.0, True)
    low, high = float(present.min()), float(present.max())
    return ContinuousColumn(name, low, high, *mean_and_spread(present), len(present) < len(values))


def mean_and_spread(values: Floats) -> tuple[float, float]:
    """Compute mean and standard deviation, exactly 0 for a constant, of numbers however large; none is missing."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    size = max(abs(low), abs(high))
    unit = size if size > 1e150 else 1.0  # squares of larger numbers do not fit in a float
    scaled = values / unit
    return float(scaled.mean() * unit), float(min(scaled.std() * unit, LARGEST_SPREAD))


def _describe_array(values: Floats, names: Sequence[Any]) -> list[ContinuousColumn]:
    """As _describe_numbers for every column of an array, all at once where nothing is missing or huge."""
    if values.size == 0 or not max(-values.min(), values.max()) < 1e150:
        return [_describe_numbers(name, column) for name, column in zip(names, values.T, strict=True)]
    low, high, center = values.min(axis=0), values.max(axis=0), values.mean(axis=0)
    square = np.zeros(len(low))
    for start in range(0, len(values), BLOCK):
        deviation = values[start : start + BLOCK] - center
        square += np.einsum("ij,ij->j", deviation, deviation)
    scale = np.where(low == high, 0.0, np.sqrt(square / len(values)))
    numbers = zip(low.tolist(), high.tolist(), center.tolist(), scale.tolist(), strict=True)
    return [ContinuousColumn(name, *four, has_missing=False) for name, four in zip(names, numbers, strict=True)]


def equal_width_bins(values: Floats, low: Floats, high: Floats, n_bins: int) -> NDArray[Any]:
    """Find the bin of each value of a table, given the range of each column.

    Bin b of a column holds the values in [edge_b, edge_(b+1)), the last one also its upper edge; `n_bins` stands for
    missing and `n_bins + 1` for a value outside the range. A constant column has all its values in bin 0.
    """
    bins = np.zeros(values.shape, dtype=np.min_scalar_type(n_bins + 1))
    edges = [bin_edges(*ends, n_bins)[1:-1] for ends in zip(low.tolist(), high.tolist(), strict=True)]
    for edge in np.transpose(edges):  # counting the edges below takes less time than searching among them
        bins += values >= edge
    bins[~((values >= low) & (values <= high))] = n_bins + 1
    bins[np.isnan(values)] = n_bins
    return bins


@lru_cache(maxsize=10_000)  # those of a column are needed for labeled and for unlabeled rows
def bin_edges(low: float, high: float, n_bins: int) -> Floats:
    """Return the edges of equal-width bins; a range without width has one bin, the others begin at infinity."""
    if not high / n_bins - low / n_bins > 0:  # in this order, because their difference may not fit in a float
        return np.append(low, np.full(n_bins, np.inf))
    if max(abs(low), abs(high)) < 1e300:
        return np.linspace(low, high, n_bins + 1)
    return np.linspace(low / 2, high / 2, n_bins + 1) * 2  # the range itself may not fit in a float


def _as_table(X: Any) -> Any:
    """A DataFrame as one of pandas, anything else as a two-dimensional array."""
    X = to_pandas(X)
    if isinstance(X, pd.DataFrame):
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


def each_column(X: Any) -> Iterator[pd.Series[Any]]:
    """The columns as pandas Series, in order; `iloc` takes several times as long."""
    if isinstance(X, pd.DataFrame):
        return (values for _, values in X.items())
    return (pd.Series(column.tolist() if column.dtype == object else column) for column in X.T)


def _is_levels(dtype: Any) -> bool:
    """Whether a column counts as categorical by its type: neither numbers nor dates nor durations."""
    if isinstance(dtype, np.dtype):
        return dtype.kind not in "iufcmM"
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    return not (is_number or is_time(dtype))


def is_time(dtype: Any) -> bool:
    """Dates, times of day with a date, and durations."""
    return pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype)


def _to_numbers(values: pd.Series[Any], name: Any) -> Floats:
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
        array: Any = values.array  # the accessor `cat` would build a Series of the codes first
        if array.categories is levels:
            return array.codes.astype(np.int32)
        # Translate the few categories, not the many rows; the last entry is for code -1, a missing value.
        return np.append(to_codes(pd.Series(array.categories), levels), np.int32(MISSING))[array.codes]
    codes = levels.get_indexer(pd.Index(values)).astype(np.int32)
    codes[codes < 0] = UNSEEN
    codes[values.isna().to_numpy()] = MISSING
    return codes


def sorted_levels(values: pd.Series[Any]) -> pd.Index[Any]:
    """The distinct values of a column, sorted; by type and text where they do not compare."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        array: Any = values.array
        used = np.bincount(array.codes + 1, minlength=len(array.categories) + 1)[1:] > 0  # code -1 is a missing value
        if used.all() and array.categories.dtype == "str" and array.categories.is_monotonic_increasing:
            return array.categories
        distinct: Iterable[Any] = array.categories[used].tolist()
    else:
        distinct = values.dropna().unique().tolist()
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=lambda value: (type(value).__name__, str(value)))
    return pd.Index(ordered, dtype=None if ordered else object)
