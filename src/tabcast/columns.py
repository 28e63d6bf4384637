"""What the columns of a table are: continuous or categorical, with which levels, with what missing.

The first stage of the walk. Densities do not look at tables themselves: they see an :class:`EncodedTable`, made here
from numpy arrays, pandas or polars DataFrames, so that every density means the same by "level", "missing" and "unseen".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

MISSING = -1  # code of a categorical cell without a value
UNSEEN = -2  # code of a level that was not there when the columns were learned


@dataclass(frozen=True)
class ContinuousColumn:
    """A column of numbers, and what the labeled rows say about it (missing values aside)."""

    name: Any
    low: float
    high: float
    center: float
    scale: float
    has_missing: bool


@dataclass(frozen=True)
class CategoricalColumn:
    """A column of levels, in sorted order where the values can be sorted."""

    name: Any
    levels: pd.Index[Any]
    has_missing: bool

    @property
    def level_numbers(self) -> NDArray[np.float64]:
        """The levels as numbers: themselves where they are numbers, else their position."""
        if pd.api.types.is_numeric_dtype(self.levels):
            return self.levels.to_numpy(dtype=float)
        return np.arange(len(self.levels), dtype=float)


@dataclass(frozen=True)
class EncodedTable:
    """A table as densities see it.

    Attributes
    ----------
    columns : the description that made the encoding.
    continuous : (n_rows, n_continuous), missing is NaN.
    codes : (n_rows, n_categorical), position of the level, or MISSING, or UNSEEN.
    """

    columns: Columns
    continuous: NDArray[np.float64]
    codes: NDArray[np.int32]
    _cells: dict[int, NDArray[np.intp]] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.continuous)

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """The same columns, some of the rows (positions or a mask)."""
        return EncodedTable(self.columns, self.continuous[rows], self.codes[rows])

    def cells(self, n_bins: int) -> NDArray[np.intp]:
        """Which cell of its column each value falls in, columns in order continuous then categorical.

        A continuous column has `n_bins` cells of equal width over the learned range, a categorical one a cell a level;
        then comes one for missing and one for everything else (outside the range, unseen level). The result is
        remembered, because a density per class asks for it once a class.
        """
        if n_bins not in self._cells:
            self._cells[n_bins] = _find_cells(self, n_bins)
        return self._cells[n_bins]


@dataclass(frozen=True)
class Columns:
    """The columns of a table, learned from its labeled rows with :func:`learn_columns`."""

    names: tuple[Any, ...]
    continuous: tuple[ContinuousColumn, ...]
    categorical: tuple[CategoricalColumn, ...]
    continuous_index: NDArray[np.intp]
    categorical_index: NDArray[np.intp]

    def encode(self, X: Any) -> EncodedTable:
        """A table with these columns, as densities see it."""
        if isinstance(X, EncodedTable):
            return X
        n_columns = _n_columns(X)
        if n_columns != len(self.names):
            raise ValueError(f"X must have the {len(self.names)} columns that were learned; got {n_columns}.")
        if not self.categorical and not hasattr(X, "columns"):
            values = np.asarray(X, dtype=float)
            return EncodedTable(self, values, np.empty((len(values), 0), dtype=np.int32))
        series = [_column(X, position) for position in range(n_columns)]
        n_rows = len(series[0]) if series else 0
        continuous = np.empty((n_rows, len(self.continuous)))
        for j, position in enumerate(self.continuous_index):
            continuous[:, j] = _to_numbers(series[position], self.names[position])
        codes = np.empty((n_rows, len(self.categorical)), dtype=np.int32)
        for j, position in enumerate(self.categorical_index):
            codes[:, j] = _to_codes(series[position], self.categorical[j].levels)
        return EncodedTable(self, continuous, codes)


def learn_columns(X: Any, categorical_features: ArrayLike | None = None) -> Columns:
    """Say what the columns of a table are, from its (labeled) rows.

    Parameters
    ----------
    X : array or DataFrame.
    categorical_features : names, positions or a mask of the categorical columns. None: by type; text, category and
        truth values are categorical, numbers and dates are continuous (so everything in a numeric array is).
    """
    names = column_names(X)
    series = [_column(X, position) for position in range(len(names))]
    is_categorical = find_categorical(X, categorical_features)
    continuous, categorical = [], []
    for name, values, as_levels in zip(names, series, is_categorical, strict=True):
        if as_levels:
            categorical.append(CategoricalColumn(name, _sorted_levels(values), bool(values.isna().any())))
        else:
            continuous.append(_describe_numbers(name, _to_numbers(values, name)))
    return Columns(
        names,
        tuple(continuous),
        tuple(categorical),
        np.flatnonzero(~is_categorical),
        np.flatnonzero(is_categorical),
    )


def column_names(X: Any) -> tuple[Any, ...]:
    """Names of the columns; positions for an array."""
    return tuple(X.columns) if hasattr(X, "columns") else tuple(range(np.shape(X)[1]))


def find_categorical(X: Any, categorical_features: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Mask of the categorical columns: as asked for, or by type."""
    names = column_names(X)
    if categorical_features is None:
        if not hasattr(X, "columns"):
            return np.zeros(len(names), dtype=bool)
        return np.array([_is_levels(_column(X, position)) for position in range(len(names))], dtype=bool)
    wanted = np.asarray(categorical_features)
    if wanted.dtype == bool:
        if len(wanted) != len(names):
            raise ValueError(
                f"A mask `categorical_features` must have one entry per column, {len(names)}; got {len(wanted)}."
            )
        return wanted
    chosen = np.zeros(len(names), dtype=bool)
    for entry in wanted.tolist():
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


def _n_columns(X: Any) -> int:
    return len(X.columns) if hasattr(X, "columns") else int(np.shape(X)[1])


def _column(X: Any, position: int) -> pd.Series[Any]:
    """One column as a pandas Series, whatever the table is."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, position]
    if hasattr(X, "columns"):
        return _foreign_column(X, position)
    values = np.asarray(X)[:, position]
    return pd.Series(values.tolist() if values.dtype == object else values)


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


def _is_levels(values: pd.Series[Any]) -> bool:
    """Whether a column counts as categorical by its type."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return True
    return not (pd.api.types.is_numeric_dtype(dtype) or _is_time(dtype))


def _is_time(dtype: Any) -> bool:
    """Dates, times of day with a date, and durations."""
    return pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype)


def _to_numbers(values: pd.Series[Any], name: Any) -> NDArray[np.float64]:
    """A continuous column as float, missing as NaN, dates as seconds."""
    if _is_time(values.dtype):
        as_ns = values.astype("int64").to_numpy(dtype=float) / 1e9
        return np.where(values.isna().to_numpy(), np.nan, as_ns)
    try:
        return values.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name!r} is treated as continuous but holds values that are not numbers ({error}). "
            "Convert it, or name it in `categorical_features`."
        ) from None


def _to_codes(values: pd.Series[Any], levels: pd.Index[Any]) -> NDArray[np.int32]:
    """Position of each value among the levels; MISSING and UNSEEN where there is none."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        # Translate the few categories, not the many rows.
        translation = levels.get_indexer(values.cat.categories).astype(np.int32)
        translation[translation < 0] = UNSEEN
        own = values.cat.codes.to_numpy()
        return np.where(own < 0, MISSING, np.append(translation, MISSING)[own]).astype(np.int32)
    codes = levels.get_indexer(pd.Index(values)).astype(np.int32)
    codes[codes < 0] = UNSEEN
    codes[values.isna().to_numpy()] = MISSING
    return codes


def _sorted_levels(values: pd.Series[Any]) -> pd.Index[Any]:
    """The distinct values of a column, sorted; by type and text where they do not compare."""
    distinct: Iterable[Any] = values.dropna().unique().tolist()
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=lambda value: (type(value).__name__, str(value)))
    return pd.Index(ordered, dtype=None if ordered else object)


def _describe_numbers(name: Any, values: NDArray[np.float64]) -> ContinuousColumn:
    """Range, center and spread of a continuous column; zeros where there is nothing to see."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return ContinuousColumn(name, 0.0, 0.0, 0.0, 0.0, True)
    # The mean of equal numbers may round away from them and leave a spread of 1e-17: a constant has none.
    low, high = float(present.min()), float(present.max())
    scale = 0.0 if low == high else float(present.std())
    return ContinuousColumn(name, low, high, float(present.mean()), scale, len(present) < len(values))


def _find_cells(table: EncodedTable, n_bins: int) -> NDArray[np.intp]:
    """See :meth:`EncodedTable.cells`."""
    n_continuous = table.continuous.shape[1]
    cells = np.empty((len(table), n_continuous + table.codes.shape[1]), dtype=np.intp)
    low = np.array([column.low for column in table.columns.continuous])
    high = np.array([column.high for column in table.columns.continuous])
    block = 16_384  # rows at a time: the temporaries stay in the processor's cache
    for start in range(0, len(table), block):
        rows = slice(start, start + block)
        if n_continuous:
            cells[rows, :n_continuous] = equal_width_bins(table.continuous[rows], low, high, n_bins)
        codes = table.codes[rows]
        n_levels = np.array([len(column.levels) for column in table.columns.categorical], dtype=np.intp)
        cells[rows, n_continuous:] = np.where(codes >= 0, codes, np.where(codes == MISSING, n_levels, n_levels + 1))
    return cells


def equal_width_bins(
    values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], n_bins: int
) -> NDArray[np.intp]:
    """Bin of each value, columns at once; `n_bins` for missing, `n_bins + 1` for outside the range.

    Bin b of a column holds the values in [edge_b, edge_(b+1)), the last one also its upper edge, with
    edges = linspace(low, high, n_bins + 1). A constant column has all its values in bin 0.
    """
    edges = np.linspace(low, high, n_bins + 1)
    width = (high - low) / n_bins
    flat = ~(width > 0)  # constant, or too narrow for the edges to differ
    with np.errstate(invalid="ignore", over="ignore"):
        guess = (values - low) / np.where(flat, 1.0, width)
    inside = (values >= low) & (values <= high)
    bins = np.where(inside, guess, 0.0).astype(np.intp)
    np.minimum(bins, n_bins - 1, out=bins)
    # The division may land one bin off at an edge: the edges decide.
    column = np.arange(values.shape[1])
    bins -= inside & (values < edges[bins, column])
    bins += inside & (bins < n_bins - 1) & (values >= edges[bins + 1, column])
    bins[:, flat] = 0
    bins[~inside] = n_bins + 1
    bins[np.isnan(values)] = n_bins
    return bins
