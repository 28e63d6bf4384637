"""Columns cut to at most 255 values: a byte per cell, from reading to training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from tabcast.table import MISSING, UNSEEN, Columns, Floats, learn_columns

NO_VALUE = 255  # code of a missing cell
MOST_VALUES = 255  # codes of a column besides it

Codes = NDArray[np.uint8]


class CutColumns(TransformerMixin, BaseEstimator):
    """Encode a table as bytes: numbers by the quantile bin they are in, levels by their position.

    Parameters
    ----------
    max_values : int, default=255
        Most values of a column, missing aside.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table, with the levels of all rows.
    edges_ : list of ndarray
        For each continuous column the numbers between its bins, in increasing order.
    kept_ : list of ndarray
        For each categorical column the code of each level; levels beyond `max_values`, the rarest in the sample, have
        that of a missing cell.

    See Also
    --------
    tabcast.models.NativeColumns : Keeps numbers as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.partitions import CutColumns
    >>> table = pd.DataFrame({"age": [20.0, 30.0, None], "city": ["Ulm", "Kiel", "Ulm"]})
    >>> CutColumns().fit(table).transform(pd.DataFrame({"age": [24.0, 99.0, None], "city": ["Kiel", "Ulm", "Rom"]}))
    array([[  0,   0],
           [  1,   1],
           [255, 255]], dtype=uint8)
    """

    def __init__(self, max_values: int = MOST_VALUES) -> None:
        self.max_values = max_values

    def fit(self, X: Any, y: Any = None, *, levels: Mapping[Any, Sequence[Any]] | None = None) -> CutColumns:
        """Learn bins and levels.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
            A sample of the rows.
        y : object, default=None
            Not used.
        levels : mapping, default=None
            Levels of categorical columns in all rows, by name; those of the sample come on top. None: those of the
            sample.

        Returns
        -------
        CutColumns
            The fitted encoder itself.
        """
        columns = learn_columns(X)
        more = {} if levels is None else levels
        united = tuple(
            replace(column, levels=_unite_levels(column.levels, more.get(column.name, ())))
            for column in columns.categorical
        )
        self.columns_: Columns = replace(columns, categorical=united)
        table = self.columns_.encode(X)
        self.edges_ = [find_edges(values, self.max_values) for values in table.continuous.T]
        self.kept_ = [
            _keep_frequent(codes, len(column.levels), self.max_values)
            for codes, column in zip(table.codes.T, united, strict=True)
        ]
        return self

    def transform(self, X: Any) -> Codes:
        """Encode a table.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray of uint8 of shape (n_rows, n_columns)
            The codes; 255 is missing.
        """
        table = self.columns_.encode(X)
        codes = np.empty((len(table), len(self.columns_.names)), dtype=np.uint8)
        for j, position in enumerate(self.columns_.continuous_index):
            codes[:, position] = cut(table.continuous[:, j], self.edges_[j])
        for j, position in enumerate(self.columns_.categorical_index):
            codes[:, position] = self.kept_[j][table.codes[:, j]]
        return codes

    @property
    def feature_types(self) -> list[str]:
        """XGBoost's types of the columns: "q" for numbers, "c" for levels."""
        types = np.full(len(self.columns_.names), "q")
        types[self.columns_.categorical_index] = "c"
        return types.tolist()


def find_edges(values: Floats, max_values: int) -> Floats:
    """Numbers between bins that hold about equally many values; each value is a bin where there are few.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        A column; NaN is missing.
    max_values : int
        Most bins.

    Returns
    -------
    ndarray
        In increasing order, one fewer than there are bins.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.partitions._cuts import find_edges
    >>> find_edges(np.array([1.0, 1.0, 2.0, 9.0, np.nan]), 255), find_edges(np.arange(100.0), 4)
    (array([1.5, 5.5]), array([24.5, 49.5, 74.5]))
    """
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    bins = np.arange(len(distinct))
    if len(distinct) > max_values:
        up_to = np.cumsum(counts)
        bins = ((up_to - counts / 2) / up_to[-1] * max_values).astype(np.intp)
    last = np.flatnonzero(np.diff(bins))
    below, above = distinct[last], distinct[last + 1]
    with np.errstate(over="ignore"):
        middle = below / 2 + above / 2
    return np.where((middle >= below) & (middle < above), middle, below)


def cut(values: Floats, edges: Floats) -> Codes:
    """Find the bin of each value.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        A column; NaN is missing.
    edges : ndarray
        From :func:`find_edges`. A value that equals an edge is below it.

    Returns
    -------
    ndarray of uint8 of shape (n_rows,)
        The bins; 255 is missing.
    """
    codes = np.searchsorted(edges, values, side="left").astype(np.uint8)
    codes[np.isnan(values)] = NO_VALUE
    return codes


def _unite_levels(own: pd.Index[Any], more: Sequence[Any]) -> pd.Index[Any]:
    """The levels of a column in all rows, in an order that does not depend on where they were found."""
    united = sort_levels({*own.tolist(), *more})
    return pd.Index(united, dtype=None if united else object)


def _keep_frequent(codes: NDArray[np.int32], n_levels: int, max_values: int) -> Codes:
    """The code of each level, the most frequent ones in the order of their levels; then of UNSEEN and MISSING."""
    assert (UNSEEN, MISSING) == (-2, -1)
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    kept = np.sort(np.argsort(-counts, kind="stable")[:max_values])
    result = np.full(n_levels + 2, NO_VALUE, dtype=np.uint8)
    result[kept] = np.arange(len(kept), dtype=np.uint8)
    return result


def sort_levels(values: set[Any]) -> list[Any]:
    """Levels in order; by type and text where they do not compare."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))
