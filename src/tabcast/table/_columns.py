"""The columns of a table: continuous or categorical, with their levels and missing values.

The first stage of the walk. Densities do not use tables themselves: they use an :class:`EncodedTable`, made here
from numpy arrays, pandas or polars DataFrames, so that "level", "missing" and "unseen" mean the same in every density.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.table._arrays import Floats, Index, Mask
from tabcast.table._bins import equal_width_bins
from tabcast.table._tables import describe_difference, plain_numbers

TEXT = pd.Index([""]).dtype  # what pandas makes of text: a type for it, or plain objects
MISSING = -1  # code of a categorical cell without a value
UNSEEN = -2  # code of a level that was not there when the columns were learned
LARGEST_SPREAD = 1e300
BLOCK = 8_192  # rows of a column handled at a time: what is computed on the way stays in the processor's cache


@dataclass(frozen=True)
class ContinuousColumn:
    """A numeric column and its distribution in the labeled rows, missing values aside.

    Attributes
    ----------
    name : object
        Name of the column, or its position.
    low : float
        Smallest value.
    high : float
        Largest value.
    center : float
        Mean.
    scale : float
        Standard deviation.
    has_missing : bool
        Whether values are missing.

    See Also
    --------
    learn_columns : Learns it from rows.
    """

    name: Any
    low: float
    high: float
    center: float
    scale: float
    has_missing: bool


@dataclass(frozen=True)
class CategoricalColumn:
    """A column of levels.

    Attributes
    ----------
    name : object
        Name of the column, or its position.
    levels : Index
        The levels, sorted where the values can be sorted.
    has_missing : bool
        Whether some values are missing.

    See Also
    --------
    learn_columns : Learns it from rows.
    """

    name: Any
    levels: pd.Index[Any]
    has_missing: bool

    @property
    def level_numbers(self) -> Floats:
        """The levels as numbers: themselves where they are numbers, else their positions."""
        if pd.api.types.is_numeric_dtype(self.levels):
            return self.levels.to_numpy(dtype=float)
        return np.arange(len(self.levels), dtype=float)


class EncodedTable:
    """A table as densities use it.

    Parameters
    ----------
    columns : Columns
        The description that made the encoding.
    continuous : ndarray of shape (n_rows, n_continuous)
        Numeric columns; missing is NaN.
    codes : ndarray of int of shape (n_rows, n_categorical)
        Categorical columns: position of the level, or MISSING, or UNSEEN.

    See Also
    --------
    learn_and_encode : Makes one from a table.
    """

    def __init__(self, columns: Columns, continuous: Floats, codes: NDArray[np.int32]) -> None:
        self.columns = columns
        self.continuous = continuous
        self.codes = codes
        self._cells: dict[int, NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self.continuous)

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """Return the same columns for some of the rows.

        Parameters
        ----------
        rows : ndarray of int or bool
            Positions or a mask.

        Returns
        -------
        EncodedTable
            The rows; copied only when they are accessed.
        """
        return _PartOfTable(self, np.arange(len(self))[rows])

    def cells(self, n_bins: int) -> NDArray[Any]:
        """Return the cell of its column that each value is in.

        A continuous column has `n_bins` cells of equal width over the learned range, a categorical one a cell per
        level; then comes one for missing and one for everything else (outside the range, unseen level). The result is
        cached, because the density of each class needs it.

        Parameters
        ----------
        n_bins : int
            Number of bins of a continuous column.

        Returns
        -------
        ndarray of int of shape (n_columns, n_rows)
            The cells, continuous columns first.
        """
        if n_bins not in self._cells:
            self._cells[n_bins] = _find_cells(self, n_bins)
        return self._cells[n_bins]


class _PartOfTable(EncodedTable):
    """Some rows of a table, copied only when they are accessed."""

    def __init__(self, whole: EncodedTable, rows: Index) -> None:
        self.columns = whole.columns
        self._whole = whole
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def continuous(self) -> Floats:  # type: ignore[override]
        return self._whole.continuous[self._rows]

    @cached_property
    def codes(self) -> NDArray[np.int32]:  # type: ignore[override]
        return self._whole.codes[self._rows]

    def cells(self, n_bins: int) -> NDArray[Any]:
        return self._whole.cells(n_bins)[:, self._rows]


@dataclass(frozen=True)
class Columns:
    """The columns of a table, learned from its labeled rows with :func:`learn_columns`.

    Attributes
    ----------
    names : tuple
        Names of the columns, or positions.
    named : bool
        Whether the names are those of a DataFrame.
    continuous : tuple of ContinuousColumn
        The continuous columns.
    categorical : tuple of CategoricalColumn
        The categorical columns.
    continuous_index : ndarray of int
        Positions of the continuous columns.
    categorical_index : ndarray of int
        Positions of the categorical columns.

    See Also
    --------
    learn_columns : Learns it from rows.
    """

    names: tuple[Any, ...]
    named: bool  # whether the names are a DataFrame's, or just positions
    continuous: tuple[ContinuousColumn, ...]
    categorical: tuple[CategoricalColumn, ...]
    continuous_index: Index
    categorical_index: Index

    def encode(self, X: Any) -> EncodedTable:
        """Encode a table with these columns.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable
            The table; columns of a DataFrame may be in another order.

        Returns
        -------
        EncodedTable
            The table as densities use it.
        """
        if isinstance(X, EncodedTable):
            return X
        X = self._in_order(_as_table(X))
        array = None if self.categorical else plain_numbers(X)
        if array is not None:
            return EncodedTable(self, array, np.empty((len(array), 0), dtype=np.int32))
        n_rows = X.shape[0]
        continuous = np.empty((n_rows, len(self.continuous)))
        codes = np.empty((n_rows, len(self.categorical)), dtype=np.int32)
        places = {position: continuous[:, j] for j, position in enumerate(self.continuous_index.tolist())}
        places |= {position: codes[:, j] for j, position in enumerate(self.categorical_index.tolist())}
        for position, values in enumerate(self.encode_each(X)):
            places[position][:] = values
        return EncodedTable(self, continuous, codes)

    def encode_each(self, X: Any) -> Iterator[NDArray[Any]]:
        """Encode a table column by column, so that no second table is made.

        Parameters
        ----------
        X : array-like or DataFrame
            A table with these columns.

        Yields
        ------
        ndarray of shape (n_rows,)
            The numbers of a column, without a copy where possible, or the codes of its levels; in the learned order.
        """
        X = self._in_order(_as_table(X))
        levels = dict(zip(self.categorical_index.tolist(), (column.levels for column in self.categorical), strict=True))
        for position, (name, values) in enumerate(zip(self.names, _each_column(X), strict=True)):
            yield _to_codes(values, levels[position]) if position in levels else _to_numbers(values, name)

    def _in_order(self, X: Any) -> Any:
        """The table with its columns in the learned order, where they have names."""
        names = column_names(X)
        if len(names) != len(self.names):
            raise ValueError(f"X must have the {len(self.names)} columns that were learned; got {len(names)}.")
        if names == self.names or not hasattr(X, "columns") or not self.named:
            return X
        difference = describe_difference(self.names, names)
        if difference:
            raise ValueError(f"Columns of X differ from those that were learned: {difference}.")
        return X[list(self.names)]


def learn_columns(X: Any, categorical_features: ArrayLike | None = None) -> Columns:
    """Learn the columns of a table from its (labeled) rows.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_columns)
        The rows.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or a mask of the categorical columns. None infers them from the types: text, category and
        boolean columns are categorical, numbers and dates are continuous (so everything in a numeric array is).

    Returns
    -------
    Columns
        The description of the columns.

    See Also
    --------
    learn_and_encode : Learn and encode in one step.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import learn_columns
    >>> columns = learn_columns(pd.DataFrame({"age": [30.0, 40.0], "city": ["Bern", "Ulm"]}))
    >>> columns.continuous[0].high, list(columns.categorical[0].levels)
    (40.0, ['Bern', 'Ulm'])
    """
    return _learn(_as_table(X), categorical_features)[0]


def learn_and_encode(X: Any, categorical_features: ArrayLike | None = None) -> EncodedTable:
    """Encode a table by columns learned from its own rows.

    Parameters
    ----------
    X : array-like, DataFrame or EncodedTable
        The rows. An encoded table is returned as it is.
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns, as in :func:`learn_columns`.

    Returns
    -------
    EncodedTable
        The encoded rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import learn_and_encode
    >>> table = learn_and_encode(pd.DataFrame({"age": [30.0, 40.0], "city": ["Bern", "Ulm"]}))
    >>> table.codes
    array([[0],
           [1]], dtype=int32)
    """
    if isinstance(X, EncodedTable):
        return X
    X = _as_table(X)
    columns, array = _learn(X, categorical_features)
    return columns.encode(X if array is None else array)


def _learn(X: Any, categorical_features: ArrayLike | None) -> tuple[Columns, Floats | None]:
    """The columns, and all of them as one array where every column is numeric."""
    names = column_names(X)
    is_categorical = find_categorical(X, categorical_features)
    array = None if is_categorical.any() else plain_numbers(X)
    if array is not None:
        _refuse_infinity(array, names)
        described = _describe_array(array, names)
        return (
            Columns(names, hasattr(X, "columns"), described, (), np.arange(len(names)), np.empty(0, dtype=np.intp)),
            array,
        )
    continuous, categorical = [], []
    for name, values, as_levels in zip(names, _each_column(X), is_categorical, strict=True):
        if as_levels:
            categorical.append(CategoricalColumn(name, _sorted_levels(values), _has_missing(values)))
        else:
            numbers = _to_numbers(values, name)
            _refuse_infinity(numbers[:, None], [name])
            continuous.append(_describe_numbers(name, numbers))
    columns = Columns(
        names,
        hasattr(X, "columns"),
        tuple(continuous),
        tuple(categorical),
        np.flatnonzero(~is_categorical),
        np.flatnonzero(is_categorical),
    )
    return columns, None


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


def find_categorical(X: Any, categorical_features: ArrayLike | None = None) -> Mask:
    """Return a mask of the categorical columns.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_columns)
        A table.
    categorical_features : array-like of str, int or bool, default=None
        What the user passed. None infers them from the types.

    Returns
    -------
    ndarray of bool of shape (n_columns,)
        True for categorical columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import find_categorical
    >>> find_categorical(pd.DataFrame({"age": [31, 40], "city": ["Bern", "Ulm"]}))
    array([False,  True])
    """
    X = _as_table(X)
    names = column_names(X)
    if categorical_features is None:
        if not hasattr(X, "columns"):
            return np.zeros(len(names), dtype=bool)
        if isinstance(X, pd.DataFrame):
            return np.array([_is_levels(dtype) for dtype in X.dtypes], dtype=bool)
        return np.array([_is_levels(values.dtype) for values in _each_column(X)], dtype=bool)
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


def _as_table(X: Any) -> Any:
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


def _refuse_infinity(values: Floats, names: Sequence[Any]) -> None:
    """Infinite numbers have no density; missing ones do."""
    infinite = [repr(names[position]) for position in np.flatnonzero(np.isinf(values).any(axis=0)).tolist()]
    if infinite:
        raise ValueError(f"Column {', '.join(infinite[:10])} holds infinity; replace it by a missing value or a bound.")


def _column(X: Any, position: int) -> pd.Series[Any]:
    """One column as a pandas Series, whatever the table is."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, position]
    if hasattr(X, "columns"):
        return _foreign_column(X, position)
    values = np.asarray(X)[:, position]
    return pd.Series(values.tolist() if values.dtype == object else values)


def _each_column(X: Any) -> Iterator[pd.Series[Any]]:
    """The columns as pandas Series, in order; `iloc` takes several times as long."""
    if isinstance(X, pd.DataFrame):
        return (values for _, values in X.items())
    return (_column(X, position) for position in range(len(column_names(X))))


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


def _is_levels(dtype: Any) -> bool:
    """Whether a column counts as categorical by its type."""
    if isinstance(dtype, np.dtype):
        return dtype.kind not in "iufcmM"  # numbers, durations, dates
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return True
    return not (pd.api.types.is_numeric_dtype(dtype) or _is_time(dtype))


def _is_time(dtype: Any) -> bool:
    """Dates, times of day with a date, and durations."""
    return pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype)


def _to_numbers(values: pd.Series[Any], name: Any) -> Floats:
    """A continuous column as float, missing as NaN, dates as seconds."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub":
        return values.to_numpy(dtype=float)
    if _is_time(values.dtype):
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


def _to_codes(values: pd.Series[Any], levels: pd.Index[Any]) -> NDArray[np.int32]:
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


def _has_missing(values: pd.Series[Any]) -> bool:
    """Whether a column has missing values."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return bool((_categories(values)[0] < 0).any())
    return bool(values.isna().any())


def _sorted_levels(values: pd.Series[Any]) -> pd.Index[Any]:
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


def _describe_numbers(name: Any, values: Floats) -> ContinuousColumn:
    """Range, mean and standard deviation of a continuous column; zeros where all values are missing."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return ContinuousColumn(name, 0.0, 0.0, 0.0, 0.0, True)
    low, high = float(present.min()), float(present.max())
    center, scale = mean_and_spread(present)
    return ContinuousColumn(name, low, high, center, scale, len(present) < len(values))


def mean_and_spread(values: Floats) -> tuple[float, float]:
    """Compute mean and standard deviation of numbers however large.

    Parameters
    ----------
    values : ndarray
        At least one number, none missing.

    Returns
    -------
    mean : float
        The mean.
    spread : float
        The standard deviation; exactly 0 for a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import mean_and_spread
    >>> mean_and_spread(np.array([1e308, 1e308]))
    (1e+308, 0.0)
    >>> mean_and_spread(np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    size = max(abs(low), abs(high))
    unit = size if size > 1e150 else 1.0  # squares of larger numbers do not fit in a float
    scaled = values / unit
    return float(scaled.mean() * unit), float(min(scaled.std() * unit, LARGEST_SPREAD))


def _describe_array(values: Floats, names: Sequence[Any]) -> tuple[ContinuousColumn, ...]:
    """As _describe_numbers for every column of an array, block by block where nothing is missing."""
    starts = range(0, len(values), BLOCK)
    if values.size == 0 or not np.abs(values).max() < 1e150:  # empty, missing or huge
        return tuple(_describe_numbers(name, column) for name, column in zip(names, values.T, strict=True))
    low, high = values.min(axis=0), values.max(axis=0)
    center = values.mean(axis=0)
    square = np.zeros(len(low))
    for start in starts:
        deviation = values[start : start + BLOCK] - center
        square += np.einsum("ij,ij->j", deviation, deviation)
    scale = np.where(low == high, 0.0, np.sqrt(square / len(values)))
    numbers = zip(low.tolist(), high.tolist(), center.tolist(), scale.tolist(), strict=True)
    return tuple(ContinuousColumn(name, *four, has_missing=False) for name, four in zip(names, numbers, strict=True))


def _find_cells(table: EncodedTable, n_bins: int) -> NDArray[Any]:
    """See :meth:`EncodedTable.cells`."""
    columns = table.columns
    n_continuous = len(columns.continuous)
    n_levels = np.array([len(column.levels) for column in columns.categorical], dtype=np.int64)
    largest = max([n_bins, *n_levels.tolist()]) + 1
    cells = np.empty((n_continuous + len(n_levels), len(table)), dtype=np.min_scalar_type(largest))
    low = np.array([column.low for column in columns.continuous])
    high = np.array([column.high for column in columns.continuous])
    for start in range(0, len(table), BLOCK):
        rows = slice(start, start + BLOCK)
        if n_continuous:
            cells[:n_continuous, rows] = equal_width_bins(table.continuous[rows], low, high, n_bins).T
        if len(n_levels):
            codes = table.codes[rows]
            cells[n_continuous:, rows] = np.where(codes >= 0, codes, n_levels + (codes == UNSEEN)).T
    return cells
