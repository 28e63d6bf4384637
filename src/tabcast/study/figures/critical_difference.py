"""The critical-difference diagram: average ranks on a line, and bars over methods that a test cannot tell apart."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tabcast.study.analysis.names import display_name
from tabcast.study.analysis.significance import indistinguishable_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PALE, BAR = "#222222", "#999999", "#bb3344"
LINE = 1.0  # height of a line of labels
BAR_STEP = 0.5  # height between two bars
TICK = 0.25  # length of a tick of the line of ranks
SIDE = 0.22  # room for labels on each side, as a share of the line's length
INCH = 0.26  # height of a line of labels in a new figure


def draw_critical_difference(
    ranks: pd.Series[float] | pd.DataFrame,
    pvalues: pd.DataFrame,
    ax: Axes | None = None,
    *,
    alpha: float = 0.05,
    title: str | None = None,
) -> Axes:
    """Draw average ranks, the best on the left, and a bar over each group without significant differences.

    A bar has a dot at each of its methods: a method under a bar without a dot does not belong to it, which happens with
    tests of pairs such as Wilcoxon's.

    Parameters
    ----------
    ranks : average rank of each method, or what :func:`tabcast.study.analysis.average_ranks` gives.
    pvalues : p-value of each pair, from :func:`tabcast.study.analysis.conover_posthoc` or
        :func:`tabcast.study.analysis.wilcoxon_holm`.
    ax : Axes to draw on; None: those of a new figure.
    alpha : pairs with p below this differ.
    title : text above; None: none.

    Returns
    -------
    The Axes.

    References
    ----------
    Demšar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import average_ranks, wilcoxon_holm
    >>> from tabcast.study.figures.critical_difference import draw_critical_difference
    >>> scores = pd.DataFrame({"baseline": [0.5, 0.6], "ts": [0.4, 0.7], "cast-l": [0.8, 0.9]})
    >>> ax = draw_critical_difference(average_ranks(scores), wilcoxon_holm(scores))  # doctest: +SKIP
    >>> ax.figure.savefig("critical_difference.png")  # doctest: +SKIP
    """
    mean = (ranks["rank"] if isinstance(ranks, pd.DataFrame) else ranks).sort_values(kind="stable")
    _check(mean, pvalues, alpha)
    groups = indistinguishable_groups(mean, pvalues, alpha=alpha)
    n_left = ceil(len(mean) / 2)
    depth = BAR_STEP * (len(groups) + 1) + LINE * n_left
    ax = _new_axes(depth) if ax is None else ax
    low, high = _ends(mean)
    _draw_line(ax, low, high)
    _draw_bars(ax, mean, groups)
    _draw_methods(ax, mean, n_left, BAR_STEP * (len(groups) + 1), low, high)
    room = SIDE * (high - low)
    ax.set(xlim=(low - room, high + room), ylim=(-depth - 0.2 * LINE, 1.6 * LINE))
    ax.axis("off")
    if title is not None:
        ax.set_title(title)
    return ax


def _draw_line(ax: Axes, low: int, high: int) -> None:
    """The line of ranks with its ticks and numbers."""
    ax.hlines(0, low, high, color=INK, linewidth=1)
    ticks = np.arange(low, high + 1)
    ax.vlines(ticks, 0, TICK, color=INK, linewidth=1)
    ax.vlines(ticks[:-1] + 0.5, 0, TICK / 2, color=INK, linewidth=0.8)
    for tick in range(low, high + 1):
        ax.text(tick, 1.5 * TICK, str(tick), ha="center", va="bottom", fontsize="small", color=INK)
    ax.text(low, 1.5 * TICK + 0.75 * LINE, "average rank (1 is best)", va="bottom", fontsize="x-small", color=PALE)


def _draw_bars(ax: Axes, mean: pd.Series[float], groups: list[tuple[str, ...]]) -> None:
    """A bar over each group, with dots at its methods."""
    for step, group in enumerate(groups, start=1):
        places = mean[list(group)].to_numpy()
        height = -BAR_STEP * step
        ax.hlines(height, places.min(), places.max(), color=BAR, linewidth=3.5, capstyle="round", zorder=3)
        ax.plot(places, np.full(len(places), height), "o", color=BAR, markersize=6, zorder=3, gid=" ".join(group))


def _draw_methods(ax: Axes, mean: pd.Series[float], n_left: int, start: float, low: int, high: int) -> None:
    """From each rank down and out to the method's name: the better half to the left, the others to the right."""
    for i, (name, rank) in enumerate(mean.items()):
        left = i < n_left
        line = i if left else len(mean) - 1 - i
        height, end = -start - LINE * line - 0.5 * LINE, low if left else high
        ax.plot([rank, rank, end], [0, height, height], color=INK, linewidth=0.9, zorder=2)
        label, number = display_name("method", name), f"{rank:.2f}"
        gap = 0.01 * (high - low)
        ax.text(
            end - gap if left else end + gap,
            height,
            f"{label}  {number}" if left else f"{number}  {label}",
            ha="right" if left else "left",
            va="center",
            fontsize="small",
            color=INK,
        )


def _ends(mean: pd.Series[float]) -> tuple[int, int]:
    """Whole ranks at the ends of the line: from 1, or below the best, to above the worst."""
    low = min(1, floor(mean.min()))
    return low, max(ceil(mean.max()), low + 1)


def _check(mean: pd.Series[float], pvalues: pd.DataFrame, alpha: float) -> None:
    """Complain about ranks and p-values that do not belong together."""
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` of draw_critical_difference must be in (0, 1); got {alpha!r}.")
    if len(mean) < 2 or mean.isna().any():
        raise ValueError(
            f"`ranks` of draw_critical_difference must hold the average rank of at least two methods; "
            f"got {mean.to_dict()}."
        )
    for axis in (pvalues.index, pvalues.columns):
        lacking = [str(name) for name in mean.index if name not in axis]
        if lacking:
            raise ValueError(
                f"`pvalues` of draw_critical_difference must have a row and a column for each method of `ranks`; "
                f"it lacks {', '.join(lacking)}."
            )


def _new_axes(depth: float) -> Axes:
    """Axes of a new figure, or a sentence that says how to get matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "draw_critical_difference needs matplotlib. Install it with: pip install 'tabcast[plots]'."
        ) from error
    return plt.figure(figsize=(7.0, INCH * (depth + 3.0)), layout="constrained").add_subplot()
