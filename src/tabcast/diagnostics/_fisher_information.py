"""The information in unlabeled rows by density: the Fisher information of the paper's Theorem 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tabcast.diagnostics._quality import affordable_bins
from tabcast.table import Floats

REGIONS = {1: ["all"], 2: ["sparse", "dense"], 3: ["sparse", "middle", "dense"]}


def row_information(proba: Floats, shares: Floats) -> Floats:
    """Information that each row has about the class proportions without its label, relative to a labeled row."""
    return ((proba - shares) ** 2 / shares).sum(axis=1) / (len(shares) - 1)


def fisher_information(proba: Floats, shares: Floats, density: Floats) -> pd.DataFrame:
    """Estimate the information of the paper's Theorem 1 by region of density.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities of rows that did not train the classifier. An overconfident classifier overstates the information:
        pass calibrated ones.
    shares : ndarray of shape (n_classes,)
        Proportions of the classes among the labeled rows; all positive.
    density : ndarray of shape (n_rows,)
        Density of each row.

    Returns
    -------
    DataFrame
        One row per region, sparse first: `region`, `n`, `density_low`, `density_high`, `information` (mean over its
        rows; 1 is the average of a labeled row), `low` and `high` (95% interval over rows). Three regions,
        two with fewer than 30 rows.

    Notes
    -----
    Theorem 1 has ``I_u(p) = integral of (D_1 - D_2)^2 / (p D_1 + (1 - p) D_2)``. The denominator f is the density of
    unlabeled rows, and by Bayes ``D_1 / f = eta / p`` and ``D_2 / f = (1 - eta) / (1 - p)`` with eta the probability of
    class 1 given the row. So ``I_u(p) = E[((eta - p) / (p (1 - p)))^2]``, an expectation over unlabeled rows, and a
    row's own contribution needs the classifier's probability only. A labeled row has ``1 / (p (1 - p))``; relative to
    that a row has ``(eta - p)^2 / (p (1 - p))``: on average 0 where densities are equal, 1 where classes are separated.

    With more classes each is compared with the rest, as the paper proposes, and the results are averaged with weights
    ``(1 - p_k) / (K - 1)``: ``sum_k (eta_k - p_k)^2 / p_k / (K - 1)``. For two classes this is the formula above, and
    it is the trace of the multinomial Fisher information relative to a labeled row's. The intervals account for the
    rows only, not for the classifier's errors.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import fisher_information
    >>> proba = np.repeat([[0.5, 0.5], [0.9, 0.1], [0.0, 1.0]], 20, axis=0)
    >>> found = fisher_information(proba, np.array([0.5, 0.5]), np.repeat([0.1, 0.5, 0.9], 20))
    >>> found[["region", "n", "information"]]
       region   n  information
    0  sparse  20         0.00
    1  middle  20         0.64
    2   dense  20         1.00
    """
    information, density = row_information(np.asarray(proba, float), np.asarray(shares, float)), np.asarray(density)
    parts = pd.qcut(density, affordable_bins(len(density), 3), labels=False, duplicates="drop")
    bins = np.unique(parts, return_inverse=True)[1]  # where densities repeat there are fewer
    grouped = pd.DataFrame({"density": density, "information": information}).groupby(bins)
    mean, half = grouped["information"].mean(), 1.96 * grouped["information"].sem().fillna(0.0)
    low, high, n = grouped["density"].min(), grouped["density"].max(), grouped.size()
    table = {"region": REGIONS[len(n)], "n": n, "density_low": low, "density_high": high, "information": mean}
    return pd.DataFrame(table).assign(low=mean - half, high=mean + half)
