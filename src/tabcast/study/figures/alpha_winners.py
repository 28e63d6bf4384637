"""How often the search chooses each alpha (the paper's appendix on the choice of alpha)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tabcast.study.analysis import AlphaWinners
from tabcast.study.figures._panels import INK, take_panels, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR, BAND = "#0072b2", "#cfe3f0"


def draw_alpha_winners(winners: AlphaWinners, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the proportion of each alpha as a bar, and behind it the interval that holds 90% of the winners.

    Parameters
    ----------
    winners : AlphaWinners
        The result of :func:`tabcast.study.analysis.alpha_winners`.
    ax : Axes, default=None
        Axes to draw on. By default those of a new figure.
    title : str, default=None
        Text above.

    Returns
    -------
    Axes
        The Axes of the bars.

    Examples
    --------
    >>> from tabcast.study.analysis import alpha_winners
    >>> from tabcast.study.figures import draw_alpha_winners
    >>> ax = draw_alpha_winners(alpha_winners(results))  # doctest: +SKIP
    >>> ax.figure.savefig("alpha_winners.pdf")  # doctest: +SKIP
    """
    ax = take_panels(ax, (1, 1), (4.6, 3.0), "draw_alpha_winners")[0, 0]
    alpha, share = winners.shares["alpha"].to_numpy(), 100 * winners.shares["share"].to_numpy()
    step = float(np.diff(alpha).min()) if len(alpha) > 1 else 0.1
    tidy(ax)
    ax.grid(False, axis="x")
    ax.axvspan(winners.low - step / 2, winners.high + step / 2, color=BAND, linewidth=0, zorder=0.5)
    ax.bar(alpha, share, 0.7 * step, color=BAR, zorder=2)
    words = f"shaded: 90% of the winners, {winners.low:.2f} to {winners.high:.2f}"
    ax.set_title(words, loc="right", fontsize="small", color=INK)
    ax.set_xticks(alpha, [f"{value:.2f}" for value in alpha])
    ax.set(xlim=(alpha[0] - step, alpha[-1] + step))
    ax.set_xlabel(r"winning $\alpha$", fontsize="small")
    ax.set_ylabel(f"proportion of {winners.n:,} trials (%)", fontsize="small")
    if title is not None:
        ax.set_title(title, loc="left", fontsize="medium")
    return ax
