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

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import mean
    >>> mean(np.array([0.1, 0.2, 0.3])) == mean(np.array([0.3, 0.2, 0.1]))
    True
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

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.statistics import standard_error
    >>> round(standard_error(np.array([0.70, 0.74, 0.78])), 4)
    0.0231
    """
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
