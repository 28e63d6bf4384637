"""Which alpha wins: how often the search chooses each value of its grid, and the range of most winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from tabcast.study.analysis._trials import finished_trials, require_columns

GRID_DIGITS = 4  # alphas equal to this many digits are the same value of the grid
LOW, HIGH = 0.05, 0.95  # quantiles at the ends of the 90% interval
INTERPOLATION: Literal["inverted_cdf"] = "inverted_cdf"  # a quantile is a value of the grid


@dataclass(frozen=True)
class AlphaWinners:
    """The result of :func:`alpha_winners`.

    Parameters
    ----------
    shares : DataFrame
        One row per value: alpha, n (trials that chose it), share (their proportion).
    low, high : float
        The 5% and 95% quantiles of the chosen alphas, the ends of the interval that holds 90% of them.
    interpolation : str
        NumPy's name of the quantile method. With "inverted_cdf" a quantile is a value of the grid, not interpolated.
    n : int
        Number of trials.

    See Also
    --------
    alpha_winners : Computes it.
    """

    shares: pd.DataFrame
    low: float
    high: float
    interpolation: str
    n: int

    @property
    def upper_bound(self) -> float:
        """Upper end of the 90% interval: the paper's advice for the search (it finds 0.7)."""
        return self.high


def alpha_winners(
    results: pd.DataFrame,
    *,
    methods: Sequence[str] = ("cast-d", "cast-l"),
    grid: Sequence[float] | None = None,
) -> AlphaWinners:
    """Compute the distribution over trials of the alpha that the search chose.

    Parameters
    ----------
    results : DataFrame
        The results table.
    methods : sequence of str, default=("cast-d", "cast-l")
        Methods whose trials count.
    grid : sequence of float, default=None
        Values that could be chosen, so that values that never were are listed with share 0. By default only chosen
        values are listed.

    Returns
    -------
    AlphaWinners
        The proportions and the interval.

    Notes
    -----
    Each finished trial counts once. The interval describes the winners; it is not a confidence interval of a mean.
    Where no round beats the supervised model all alphas tie, and the winner only shows how ties are broken. Leave out
    these trials by passing ``results[results["best_round"] > 0]``.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import alpha_winners
    >>> results = pd.DataFrame({"method": "cast-l", "seed": range(5), "alpha": [0.2, 0.2, 0.3, 0.4, 0.2]})
    >>> winners = alpha_winners(results)
    >>> winners.shares
       alpha  n  share
    0    0.2  3    0.6
    1    0.3  1    0.2
    2    0.4  1    0.2
    >>> round(winners.low, 2), round(winners.upper_bound, 2)
    (0.2, 0.4)
    """
    require_columns(results, ["method", "alpha"], "alpha_winners")
    trials = finished_trials(results, "alpha", "alpha_winners")
    alphas = trials.loc[trials["method"].isin(list(methods)), "alpha"]
    if alphas.empty:
        raise ValueError(
            f"`results` of alpha_winners must hold finished trials of {', '.join(map(repr, methods))} with an alpha; "
            f"it has none among {len(results)} rows."
        )
    counts = alphas.round(GRID_DIGITS).value_counts().sort_index()
    if grid is not None:
        counts = _count_on_grid(counts, grid)
    shares = pd.DataFrame(
        {"alpha": counts.index.to_numpy(), "n": counts.to_numpy(), "share": counts.to_numpy() / len(alphas)}
    )
    low, high = np.quantile(alphas.to_numpy(), [LOW, HIGH], method=INTERPOLATION)
    return AlphaWinners(shares, float(low), float(high), INTERPOLATION, len(alphas))


def _count_on_grid(counts: pd.Series[int], grid: Sequence[float]) -> pd.Series[int]:
    """Count the trials of every value of the grid, 0 included."""
    values = np.unique(np.round(np.asarray(grid, dtype=float), GRID_DIGITS))
    strange = counts.index.difference(pd.Index(values))
    if len(strange):
        raise ValueError(f"`grid` of alpha_winners must hold every alpha that was chosen; {strange[0]:g} is not in it.")
    return counts.reindex(values, fill_value=0)
