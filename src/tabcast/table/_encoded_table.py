"""A table as densities use it: numbers, codes of levels, and the cell of its column that each value is in."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tabcast.table._arrays import Floats, Index
from tabcast.table._bins import equal_width_bins
from tabcast.table._column_values import UNSEEN

if TYPE_CHECKING:
    from tabcast.table._columns import Columns

BLOCK = 8_192  # rows of a column handled at a time: what is computed on the way stays in the processor's cache


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
