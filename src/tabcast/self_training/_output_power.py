"""How extreme a student's probabilities should be: a power of them, learned from the teacher's held-out ones."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from tabcast.table import Floats, Index

SPREAD = 0.5  # standard deviation of the logarithm of the power, before any row is seen
LARGEST = 2.0  # of the logarithm of the power
SMALLEST_PROBABILITY = 1e-12


def calibrate_power(proba: Floats, y: Index) -> float:
    """Find the power of probabilities that has the best log-likelihood, drawn toward 1 where rows are few.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Out-of-fold probabilities.
    y : ndarray of int of shape (n_rows,)
        Class index of each row.

    Returns
    -------
    float
        The power: above 1 where the probabilities are too cautious, below 1 where they are too extreme, 1 without rows.

    Notes
    -----
    The power b minimizes ``sum_i -log(p_iy ** b / sum_k p_ik ** b) + log(b) ** 2 / (2 * 0.5 ** 2)``: the log-loss, and
    a normal prior of log b with mean 0 and standard deviation 0.5.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.self_training import calibrate_power
    >>> cautious = np.tile([[0.6, 0.4]], (200, 1))
    >>> round(calibrate_power(cautious, np.repeat([0, 1], [180, 20])), 1)  # 90% are of the first class
    5.0
    """
    if len(y) == 0:
        return 1.0
    logs, rows = np.log(np.maximum(proba, SMALLEST_PROBABILITY)), np.arange(len(y))

    def lose(log_power: float) -> float:
        powered = np.exp(log_power) * logs
        return float(logsumexp(powered, axis=1).sum() - powered[rows, y].sum() + (log_power / SPREAD) ** 2 / 2)

    found = minimize_scalar(lose, bounds=(-LARGEST, LARGEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))
