"""Whether the cluster assumption holds: are predictions better where labeled rows of their class are dense?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from tabcast.diagnostics._base import Diagnostic
from tabcast.diagnostics._bins import affordable_bins, equal_bins
from tabcast.statistics import area_under_curve, rank_biserial, wilson_interval
from tabcast.table import Floats, Mask

MOST_BINS = 10
FEWEST_ROWS = 5  # right and wrong predictions each, below which nothing is concluded
SIGNIFICANT = 0.05
NEGLIGIBLE = 0.1  # a correlation below this would be of no use to anybody who chooses rows by density


@dataclass(frozen=True, eq=False)
class ClusterAssumption(Diagnostic):
    """Accuracy of held-out predictions by density of the predicted class (the paper's figure 2).

    Attributes
    ----------
    deciles : DataFrame
        One row per bin, sparse first: `decile` (from 1), `n`, `density_low` and `density_high` (of its rows),
        `accuracy`, and `low` and `high`, its 95% interval (Wilson). Ten bins where each has ten rows, else fewer; rows
        of equal density are together.
    correlation : float
        Rank-biserial correlation of density and correctness: the probability that a right prediction is denser than a
        wrong one, minus the probability that it is sparser. NaN where all are right, or all wrong.
    p_value : float
        P-value of that correlation (Mann-Whitney test, one-sided).
    holds : str
        "yes" if the p-value is below 0.05; "no" if even the upper end of the correlation's 90% interval is below 0.1;
        "unclear" otherwise, and with fewer than five right or five wrong predictions.
    n_rows : int
        Number of predictions.

    See Also
    --------
    cluster_assumption : Computes it.
    """

    deciles: pd.DataFrame
    correlation: float
    p_value: float
    holds: str
    n_rows: int


def cluster_assumption(density: Floats, right: Mask) -> ClusterAssumption:
    """Test whether predictions for held-out rows are better where rows are denser.

    Parameters
    ----------
    density : ndarray of shape (n_rows,)
        Density of the predicted class at each row, from rows that trained the classifier, on any common scale.
    right : ndarray of bool of shape (n_rows,)
        Whether the prediction was right.

    Returns
    -------
    ClusterAssumption
        Accuracy by density, and the test.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import cluster_assumption
    >>> density = np.linspace(0, 1, 60)
    >>> right = np.where(density < 0.5, np.arange(60) % 2 == 0, True)  # a coin where sparse, always where dense
    >>> found = cluster_assumption(density, right)
    >>> found.holds, found.deciles["accuracy"].round(1).tolist()
    ('yes', [0.5, 0.5, 0.5, 1.0, 1.0, 1.0])
    """
    density, right = np.asarray(density, dtype=float), np.asarray(right, dtype=bool)
    bins = equal_bins(density, affordable_bins(len(density), MOST_BINS))
    count = np.bincount(bins)
    accuracy = np.bincount(bins, weights=right) / count
    low, high = wilson_interval(accuracy, count)
    members = [density[bins == one] for one in range(len(count))]
    deciles = pd.DataFrame(
        {
            "decile": np.arange(1, len(count) + 1),
            "n": count,
            "density_low": [float(some.min()) for some in members],
            "density_high": [float(some.max()) for some in members],
            "accuracy": accuracy,
            "low": low,
            "high": high,
        }
    )
    return ClusterAssumption(deciles, *_test(density, right), len(density))


def _test(density: Floats, right: Mask) -> tuple[float, float, str]:
    """Correlation, p-value and the conclusion."""
    n_right = int(right.sum())
    fewest = min(n_right, len(right) - n_right)
    if fewest == 0:
        return np.nan, np.nan, "unclear"
    area = area_under_curve(density, right, level=0.9)
    p_value = float(mannwhitneyu(density[right], density[~right], alternative="greater", method="asymptotic").pvalue)
    holds = "unclear"
    if fewest >= FEWEST_ROWS and p_value < SIGNIFICANT:
        holds = "yes"
    elif fewest >= FEWEST_ROWS and rank_biserial(area.high) < NEGLIGIBLE:
        holds = "no"
    return rank_biserial(area.auc), p_value, holds
