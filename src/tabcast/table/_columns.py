"""The columns of a table: continuous or categorical, with their levels and missing values.

The first stage of the walk. Densities do not use tables themselves: they use an :class:`EncodedTable`, made here
from numpy arrays, pandas or polars DataFrames, so that "level", "missing" and "unseen" mean the same in every density.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.table._arrays import Floats, Index
from tabcast.table._categorical import find_categorical
from tabcast.table._column_values import (
    as_table,
    column_names,
    each_column,
    has_missing,
    sorted_levels,
    to_codes,
    to_numbers,
)
from tabcast.table._encoded_table import BLOCK, EncodedTable
from tabcast.table._tables import describe_difference, plain_numbers

LARGEST_SPREAD = 1e300


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
        X = self._in_order(as_table(X))
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
        X = self._in_order(as_table(X))
        levels = dict(zip(self.categorical_index.tolist(), (column.levels for column in self.categorical), strict=True))
        for position, (name, values) in enumerate(zip(self.names, each_column(X), strict=True)):
            yield to_codes(values, levels[position]) if position in levels else to_numbers(values, name)

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
    return _learn(as_table(X), categorical_features)[0]


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
    X = as_table(X)
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
    for name, values, as_levels in zip(names, each_column(X), is_categorical, strict=True):
        if as_levels:
            categorical.append(CategoricalColumn(name, sorted_levels(values), has_missing(values)))
        else:
            numbers = to_numbers(values, name)
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


def _refuse_infinity(values: Floats, names: Sequence[Any]) -> None:
    """Infinite numbers have no density; missing ones do."""
    infinite = [repr(names[position]) for position in np.flatnonzero(np.isinf(values).any(axis=0)).tolist()]
    if infinite:
        raise ValueError(f"Column {', '.join(infinite[:10])} holds infinity; replace it by a missing value or a bound.")


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
