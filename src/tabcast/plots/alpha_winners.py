"""Which alpha the search chooses how often (the paper's appendix on the choice of alpha)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.cast_classifier import ALPHA_GRID
from tabcast.plots._panels import INK, check_table, take_panels, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER_GRID = tuple(alpha for alpha in ALPHA_GRID if alpha > 0)
SEARCHING = ("cast-l", "cast-d")  # methods that search alpha
LEVEL = 0.9
NEAR = 1e-4  # alphas closer than this are the same step of the grid, written with more or fewer digits
BAR, BAND = "#0072b2", "#cfe3f0"


@dataclass(frozen=True, eq=False)
class AlphaShares:
    """How often each alpha won.

    Attributes
    ----------
    table : a row for each step of the grid: alpha, count, share.
    low, high : the steps between which 90 % of the winners lie: the smallest with at least 5 % and the smallest with at
        least 95 % of the winners at or below it.
    n_trials : number of winners.
    """

    table: pd.DataFrame
    low: float
    high: float
    n_trials: int


def alpha_shares(results: pd.DataFrame, *, grid: Sequence[float] = PAPER_GRID) -> AlphaShares:
    """Count the winners of the alpha search over the done trials of CAST-L and CAST-D.

    Parameters
    ----------
    results : the results table of a study, a row per trial.
    grid : the alphas that were tried; default: the paper's eight steps over [0.2, 0.75].

    Notes
    -----
    Where no round beats the supervised model, every alpha gives that same model, and the winner says only how ties are
    broken. Count without these trials: ``alpha_shares(results[results["best_round"] > 0])``.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.plots.alpha_winners import alpha_shares
    >>> results = pd.DataFrame({"method": "cast-l", "status": "done", "alpha": [0.2, 0.2, 0.4, 0.6]})
    >>> shares = alpha_shares(results, grid=[0.2, 0.4, 0.6, 0.8])
    >>> shares.table
       alpha  count  share
    0    0.2      2   0.50
    1    0.4      1   0.25
    2    0.6      1   0.25
    3    0.8      0   0.00
    >>> shares.low, shares.high
    (0.2, 0.6)
    """
    check_table(results, ["method", "status", "alpha"], "results", "alpha_shares")
    searched = results[results["method"].isin(SEARCHING) & (results["status"] == "done")]
    winners = searched["alpha"].dropna().to_numpy(float)
    if len(winners) == 0:
        raise ValueError(
            f"`results` of alpha_shares has no done trial of {' or '.join(SEARCHING)} with an alpha; "
            f"its methods are {sorted(results['method'].unique())}."
        )
    steps = np.sort(np.asarray(grid, dtype=float))
    distance = np.abs(winners[:, None] - steps)
    if (distance.min(axis=1) > NEAR).any():
        strange = sorted(set(winners[distance.min(axis=1) > NEAR].round(4).tolist()))
        raise ValueError(f"`grid` of alpha_shares must hold every alpha of the results; {strange} is not in it.")
    count = np.bincount(distance.argmin(axis=1), minlength=len(steps))
    low, high = interval_of_counts(steps, count)
    table = pd.DataFrame({"alpha": steps, "count": count, "share": count / count.sum()})
    return AlphaShares(table, low, high, int(count.sum()))


def interval_of_counts(steps: NDArray[np.float64], count: NDArray[np.intp]) -> tuple[float, float]:
    """The steps that hold the middle 90 % of the counts: the 5 % and 95 % quantiles, each a step that occurred."""
    tail = (1 - LEVEL) / 2
    below = np.cumsum(count) / count.sum()
    rounding = 1e-12
    return float(steps[np.argmax(below >= tail - rounding)]), float(steps[np.argmax(below >= 1 - tail - rounding)])


def draw_alpha_winners(shares: AlphaShares, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the share of each alpha as a bar, with the interval that holds 90 % of the winners behind.

    Parameters
    ----------
    shares : what :func:`alpha_shares` gives.
    ax : Axes to draw on; None: those of a new figure.
    title : text above; None: none.

    Returns
    -------
    The Axes.

    Examples
    --------
    >>> from tabcast.plots.alpha_winners import alpha_shares, draw_alpha_winners
    >>> ax = draw_alpha_winners(alpha_shares(results))  # doctest: +SKIP
    >>> ax.figure.savefig("alpha_winners.pdf")  # doctest: +SKIP
    """
    ax = take_panels(ax, (1, 1), (4.6, 3.0), "draw_alpha_winners")[0, 0]
    alpha, share = shares.table["alpha"].to_numpy(), 100 * shares.table["share"].to_numpy()
    step = float(np.diff(alpha).min()) if len(alpha) > 1 else 0.1
    tidy(ax)
    ax.grid(False, axis="x")
    ax.axvspan(shares.low - step / 2, shares.high + step / 2, color=BAND, linewidth=0, zorder=0.5)
    ax.bar(alpha, share, 0.7 * step, color=BAR, zorder=2)
    words = f"shaded: 90 % of the winners, {shares.low:.2f} to {shares.high:.2f}"
    ax.set_title(words, loc="right", fontsize="small", color=INK)
    ax.set_xticks(alpha, [f"{value:.2f}" for value in alpha])
    ax.set(xlim=(alpha[0] - step, alpha[-1] + step))
    ax.set_xlabel(r"winning $\alpha$", fontsize="small")
    ax.set_ylabel(f"share of {shares.n_trials:,} trials (%)", fontsize="small")
    if title is not None:
        ax.set_title(title, loc="left", fontsize="medium")
    return ax
