"""Equal-width bins: which one a number is in, decided by their edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabcast.table._arrays import Floats

AT_ONCE = 8_192  # numbers handled at a time: long loops, and what is computed on the way stays in the cache


def equal_width_bins(values: Floats, low: Floats, high: Floats, n_bins: int) -> NDArray[np.int32]:
    """Find the bin of each value, all columns at once.

    Bin b of a column holds the values in [edge_b, edge_(b+1)), the last one also its upper edge, with
    edges = linspace(low, high, n_bins + 1). A constant column has all its values in bin 0.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The values; missing is NaN.
    low : ndarray of shape (n_columns,)
        Lower end of each column's range.
    high : ndarray of shape (n_columns,)
        Upper end of each column's range.
    n_bins : int
        Number of bins.

    Returns
    -------
    ndarray of int of shape (n_rows, n_columns)
        The bins; `n_bins` for missing, `n_bins + 1` for a value outside the range.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import equal_width_bins
    >>> equal_width_bins(np.array([[0.1], [0.5], [9.0]]), low=np.array([0.0]), high=np.array([1.0]), n_bins=4)
    array([[0],
           [2],
           [5]], dtype=int32)
    """
    bins = np.empty(values.shape[::-1], dtype=np.int32)
    # With a constant, tiny or huge range, or one of a few neighboring floats, only the edges know.
    size, width = np.maximum(np.abs(low), np.abs(high)), high / n_bins - low / n_bins
    ordinary = (width > 1e-300) & (width > 1e-14 * size) & (size < 1e300)
    values, step = np.ascontiguousarray(values.T), max(1, AT_ONCE // max(1, len(values)))
    for first in range(0, len(bins), step):
        some = slice(first, first + step)
        columns, lows, highs = values[some], low[some, None], high[some, None]
        inside = (columns >= lows) & (columns <= highs)
        everything = inside.all()
        known = columns if everything else np.where(inside, columns, lows)
        find = _find_by_width if ordinary[some].all() else _find_by_edges
        bins[some] = find(known, lows, highs, n_bins)
        if not everything:
            bins[some][~inside] = n_bins + 1
            bins[some][np.isnan(columns)] = n_bins
    return bins.T


def _find_by_width(values: Floats, low: Floats, high: Floats, n_bins: int) -> NDArray[np.int32]:
    """Bins of numbers inside the range of their column, one column per row, by arithmetic."""
    width = (high - low) / n_bins
    position = values - low
    position /= width
    nearest, bins = np.rint(position), position.astype(np.int32)
    # Where rounding could have put a value on the wrong side of an edge, the edge decides.
    uncertain = 1e-9 + 1e-15 * np.maximum(np.abs(low), np.abs(high)) / width
    position -= nearest
    at = np.flatnonzero(np.abs(position, out=position) < uncertain)
    edge, column = nearest.ravel()[at], at // values.shape[1]
    bins.ravel()[at] = edge - (values.ravel()[at] < edge * width[column, 0] + low[column, 0])  # as linspace has it
    return np.minimum(bins, n_bins - 1, out=bins)


def _find_by_edges(values: Floats, low: Floats, high: Floats, n_bins: int) -> NDArray[np.int32]:
    """As _find_by_width for any range, by searching."""
    bins = np.zeros(values.shape, dtype=np.int32)
    for found, column, lowest, highest in zip(bins, values, low[:, 0], high[:, 0], strict=True):
        if highest / n_bins - lowest / n_bins > 0:  # in this order, because their difference may not fit in a float
            found[:] = np.searchsorted(bin_edges(lowest, highest, n_bins)[1:-1], column, side="right")
    return bins


def bin_edges(low: float, high: float, n_bins: int) -> Floats:
    """Return the edges of equal-width bins.

    Parameters
    ----------
    low : float
        Lower end of the range.
    high : float
        Upper end of the range.
    n_bins : int
        Number of bins.

    Returns
    -------
    ndarray of shape (n_bins + 1,)
        The edges, as numpy's linspace gives them where the range is not too large for it.

    Examples
    --------
    >>> from tabcast.table import bin_edges
    >>> bin_edges(0.0, 1.0, 4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if max(abs(low), abs(high)) < 1e300:
        return np.linspace(low, high, n_bins + 1)
    return np.linspace(low / 2, high / 2, n_bins + 1) * 2  # the range itself may not fit in a float
