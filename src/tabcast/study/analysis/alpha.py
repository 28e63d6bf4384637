"""Which alpha won: how often the search chose each value of its grid, and the range that covers most of the winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from tabcast.study.analysis._trials import finished_trials, require_columns

GRID_DIGITS = 4  # alphas equal to this many digits are the same value of the grid
LOW, HIGH = 0.05, 0.95  # quantiles at the ends of the 90 % interval
INTERPOLATION: Literal["inverted_cdf"] = "inverted_cdf"  # none: a quantile is a value of the grid; numpy's name


@dataclass(frozen=True)
class AlphaWinners:
    """What :func:`alpha_winners` gives.

    Attributes
    ----------
    shares : a row for each value: alpha, n (trials that chose it), share.
    low, high : 5 % and 95 % quantile of the chosen alphas: ends of the interval that holds 90 % of them.
    interpolation : how quantiles are found. "inverted_cdf": there is no interpolation, the quantile is the smallest
        chosen value with at least 5 % or 95 % of the winners at or below it.
    n : number of trials.
    """

    shares: pd.DataFrame
    low: float
    high: float
    interpolation: str
    n: int

    @property
    def upper_bound(self) -> float:
        """Upper end of the 90 % interval: the paper's advice for the search (it says 0.7)."""
        return self.high


def alpha_winners(
    results: pd.DataFrame,
    *,
    methods: Sequence[str] = ("cast-d", "cast-l"),
    grid: Sequence[float] | None = None,
) -> AlphaWinners:
    """Distribution over trials of the alpha that the search chose.

    Parameters
    ----------
    results : the results table.
    methods : whose trials count.
    grid : values that could be chosen, so that those which never were are shown with share 0; None: only chosen ones.

    Notes
    -----
    Each finished trial counts once. The interval describes the winners; it is no confidence interval of a mean. Where
    no round beats the supervised model all alphas tie, and the winner only says how ties are broken; count without
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
    """Counts of every value of the grid, 0 where none chose it."""
    values = np.unique(np.round(np.asarray(grid, dtype=float), GRID_DIGITS))
    strange = counts.index.difference(pd.Index(values))
    if len(strange):
        raise ValueError(f"`grid` of alpha_winners must hold every alpha that was chosen; {strange[0]:g} is not in it.")
    return counts.reindex(values, fill_value=0)
