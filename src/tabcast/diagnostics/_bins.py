"""Bins of about the same number of rows, no more of them than the rows can fill."""

from __future__ import annotations

import numpy as np

from tabcast.table import Floats, Index

ROWS_PER_BIN = 10  # an accuracy over fewer rows is not even known to one digit


def affordable_bins(n_rows: int, most: int) -> int:
    """As many bins as have ten rows each, at most `most`; two from four rows on, below that one."""
    if n_rows < 4:
        return 1
    return int(np.clip(n_rows // ROWS_PER_BIN, 2, most))


def equal_bins(values: Floats, n_bins: int) -> Index:
    """Bin of each value, 0 for the smallest; about the same number of values in each, equal values together.

    Where values repeat there are fewer bins, numbered consecutively.
    """
    if len(values) == 0:
        return np.empty(0, dtype=np.intp)
    ordered = np.sort(values)
    # The last value of each bin.
    last = ordered[[part[-1] for part in np.array_split(np.arange(len(values)), n_bins) if len(part)]]
    bins = np.searchsorted(np.unique(last), values, side="left")
    return np.unique(bins, return_inverse=True)[1].astype(np.intp)
