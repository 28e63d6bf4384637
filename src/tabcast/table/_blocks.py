"""Large tables, block by block: what is computed on the way to a result stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MANY_ROWS = 50_000  # a table with more rows is large; others are handled in one piece, bit for bit
ROWS_AT_A_TIME = 25_000


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Divide the rows of a large table into blocks; those of another table are one block.

    Parameters
    ----------
    n_rows : int
        Number of rows.

    Yields
    ------
    slice
        Consecutive rows.

    Examples
    --------
    >>> from tabcast.table import row_blocks
    >>> list(row_blocks(60_000))
    [slice(0, 25000, None), slice(25000, 50000, None), slice(50000, 60000, None)]
    """
    step = n_rows if n_rows <= MANY_ROWS else ROWS_AT_A_TIME
    for start in range(0, n_rows, max(step, 1)):
        yield slice(start, min(start + step, n_rows))


def map_rows(function: Callable[..., NDArray[Any]], *tables: Any) -> NDArray[Any]:
    """Apply a function that treats every row by itself, to large tables block by block.

    Parameters
    ----------
    function : callable
        From tables to an array with one entry per row.
    *tables : ndarray or DataFrame
        Tables with the same number of rows, at least one of them.

    Returns
    -------
    ndarray
        What the function returns for all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import map_rows
    >>> map_rows(np.add, np.array([1, 2]), np.array([3, 4]))
    array([4, 6])
    """
    n_rows = len(tables[0])
    if n_rows <= MANY_ROWS:
        return function(*tables)
    return join_rows((function(*(slice_rows(table, rows) for table in tables)) for rows in row_blocks(n_rows)), n_rows)


def join_rows(parts: Iterator[NDArray[Any]], n_rows: int) -> NDArray[Any]:
    """Put the arrays of consecutive blocks together, one at a time.

    Parameters
    ----------
    parts : iterator of ndarray
        At least one; all have the type and the columns of the first.
    n_rows : int
        Number of rows of all of them together.

    Returns
    -------
    ndarray
        All rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import join_rows
    >>> join_rows(iter([np.array([1, 2]), np.array([3])]), 3)
    array([1, 2, 3])
    """
    first = next(parts)
    if len(first) == n_rows:
        return first
    result = np.empty((n_rows, *first.shape[1:]), dtype=first.dtype)
    result[: len(first)] = first
    start = len(first)
    for part in parts:
        result[start : start + len(part)] = part
        start += len(part)
    return result


def slice_rows(X: Any, rows: slice) -> Any:
    """Take consecutive rows of a table, without a copy where possible.

    Parameters
    ----------
    X : ndarray or DataFrame
        The table.
    rows : slice
        Which rows.

    Returns
    -------
    ndarray or DataFrame
        A table of the same kind.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import slice_rows
    >>> slice_rows(np.array([1, 2, 3]), slice(1, 3))
    array([2, 3])
    """
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
