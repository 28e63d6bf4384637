"""The interval of a proportion."""

from __future__ import annotations

import numpy as np

from tabcast.table import Floats, Index

NORMAL_95 = 1.959963984540054  # 97.5% quantile of the normal distribution


def wilson_interval(proportion: Floats, count: Index) -> tuple[Floats, Floats]:
    """Compute the 95% interval of proportions (Wilson, 1927).

    Parameters
    ----------
    proportion : ndarray
        Observed proportions.
    count : ndarray of int
        Number of rows that each was observed in.

    Returns
    -------
    low : ndarray
        Lower ends.
    high : ndarray
        Upper ends.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import wilson_interval
    >>> low, high = wilson_interval(np.array([0.9]), np.array([50]))
    >>> low.round(3), high.round(3)
    (array([0.786]), array([0.957]))
    """
    z2 = NORMAL_95**2
    middle = (proportion + z2 / (2 * count)) / (1 + z2 / count)
    half = NORMAL_95 / (1 + z2 / count) * np.sqrt(proportion * (1 - proportion) / count + z2 / (4 * count**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
