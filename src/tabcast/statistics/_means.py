"""Mean and standard error of scores over splits."""

from __future__ import annotations

import math

import numpy as np

from tabcast.table import Floats


def mean(values: Floats) -> float:
    """Mean that does not depend on the order of the values, so that equal scores on other splits are no improvement."""
    return math.fsum(values) / len(values)


def standard_error(values: Floats) -> float:
    """Standard error of the mean; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
