"""Equal-width bins: which one a number falls in, decided by their edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def equal_width_bins(
    values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], n_bins: int
) -> NDArray[np.int32]:
    """Bin of each value, columns at once; `n_bins` for missing, `n_bins + 1` for outside the range.

    Bin b of a column holds the values in [edge_b, edge_(b+1)), the last one also its upper edge, with
    edges = linspace(low, high, n_bins + 1). A constant column has all its values in bin 0.
    """
    bins = np.empty(values.shape[::-1], dtype=np.int32)
    for j, column in enumerate(np.ascontiguousarray(values.T)):  # a column at a time: long loops with one number
        bins[j] = _bins_of_column(column, low[j], high[j], n_bins)
    return bins.T


def _bins_of_column(values: NDArray[np.float64], low: float, high: float, n_bins: int) -> NDArray[np.int32]:
    """See :func:`equal_width_bins`."""
    inside = (values >= low) & (values <= high)
    everything = inside.all()
    width = high / n_bins - low / n_bins  # in this order, because high - low may be more than a float can hold
    if not width > 0:
        bins = np.zeros(len(values), dtype=np.int32)
    else:
        # Half the numbers, so that the difference of two huge ones stays finite.
        share = (values if everything else np.where(inside, values, low)) * 0.5
        share -= 0.5 * low
        share /= 0.5 * width
        bins = share.astype(np.int32)
        # Where rounding could have put a value on the wrong side of an edge, the edges decide.
        unsure = 1e-9 + 1e-15 * max(abs(low), abs(high)) / width
        share -= bins
        share -= 0.5
        at = np.nonzero(np.abs(share, out=share) > 0.5 - unsure)[0]
        if len(at):
            bins[at] = np.searchsorted(bin_edges(low, high, n_bins)[1:], values[at], side="right")
        np.minimum(bins, n_bins - 1, out=bins)
    if not everything:
        bins[~inside] = n_bins + 1
        bins[np.isnan(values)] = n_bins
    return bins


def bin_edges(low: float, high: float, n_bins: int) -> NDArray[np.float64]:
    """Edges of equal-width bins, as numpy's linspace gives them where the range is not too large for it."""
    if max(abs(low), abs(high)) < 1e300:
        return np.linspace(low, high, n_bins + 1)
    return np.linspace(low / 2, high / 2, n_bins + 1) * 2  # the range itself may not fit in a float
