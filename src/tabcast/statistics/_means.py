"""Mean and standard error of scores over splits."""

from __future__ import annotations

import math

import numpy as np

from tabcast.table import Floats


def mean(values: Floats) -> float:
    """Return a mean that does not depend on the order of the values.

    Equal scores in another order are then no improvement.

    Parameters
    ----------
    values : ndarray
        The values.

    Returns
    -------
    float
        Their mean.
    """
    return math.fsum(values) / len(values)


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean.

    Parameters
    ----------
    values : ndarray
        Independent values.

    Returns
    -------
    float
        0 for a single value.
    """
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
