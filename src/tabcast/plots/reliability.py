"""The reliability diagram: are 80% of the predictions made with 80% confidence right?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from tabcast.statistics import expected_gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OVER, UNDER, INK, PALE = "#bb3344", "#33779f", "#222222", "#999999"
FOOT = 0.15  # height of the bar of the fullest bin
LIMITS = (-0.02, 1.02)  # points at 0 and 1 stay whole
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def draw_reliability(curve: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw accuracy against confidence, one point per bin, with its distance from perfect calibration.

    A point is the mean confidence and the accuracy of a bin, its thin whiskers the 95% interval of the accuracy. The
    thick line to the diagonal is the gap: red below, where the classifier is overconfident, blue above, where it is
    underconfident. Pale bars at the bottom show how the rows are distributed over the bins, because an almost empty
    bin means little.

    Parameters
    ----------
    curve : DataFrame
        The curve, as :func:`tabcast.statistics.reliability_curve` gives it.
    ax : matplotlib Axes, default=None
        Axes to draw on. None creates a new figure.
    title : str, default=None
        Title of the Axes.

    Returns
    -------
    matplotlib Axes
        The Axes with the diagram.

    See Also
    --------
    tabcast.statistics.reliability_curve : The data of the diagram.

    Examples
    --------
    >>> from tabcast.statistics import reliability_curve
    >>> from tabcast.plots import draw_reliability
    >>> curve = reliability_curve([0, 1, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])
    >>> ax = draw_reliability(curve, title="XGBoost")  # doctest: +SKIP
    >>> ax.figure.savefig("reliability.png")  # doctest: +SKIP
    """
    ax = _new_axes() if ax is None else ax
    ax.plot([0, 1], [0, 1], color=PALE, linestyle="--", linewidth=1, zorder=1)
    seen = curve[curve["count"] > 0]
    _draw_counts(seen, ax)
    _draw_bins(seen, ax)
    ax.set(xlim=LIMITS, ylim=LIMITS, xlabel="confidence", ylabel="accuracy", xticks=TICKS, yticks=TICKS)
    ax.set_box_aspect(1)
    ax.grid(color="#eeeeee", zorder=0)
    ax.set_axisbelow(True)
    ax.legend(
        loc="upper left",
        fontsize="small",
        title=_summary(curve),
        title_fontsize="small",
        alignment="left",
        frameon=False,
    )
    if title is not None:
        ax.set_title(title)
    return ax


def _draw_bins(seen: pd.DataFrame, ax: Axes) -> None:
    """The point of each bin, its interval and its gap."""
    confidence, accuracy = seen["confidence"], seen["accuracy"]
    over, under = accuracy < confidence, accuracy > confidence
    for side, color, label in ((over, OVER, "overconfident"), (under, UNDER, "underconfident")):
        if side.any():
            x, y = confidence[side], accuracy[side]
            ax.vlines(x, y, x, color=color, alpha=0.5, linewidth=6, label=label, zorder=2)
    interval = [accuracy - seen["accuracy_low"], seen["accuracy_high"] - accuracy]
    ax.errorbar(confidence, accuracy, yerr=interval, fmt="none", ecolor=INK, elinewidth=0.8, capsize=2.5, zorder=3)
    ax.plot(
        confidence,
        accuracy,
        color=INK,
        linewidth=1,
        marker="o",
        markersize=5,
        label="accuracy, 95% interval",
        zorder=4,
    )


def _draw_counts(seen: pd.DataFrame, ax: Axes) -> None:
    """How the rows are distributed over the bins, as pale bars at the bottom of the diagram."""
    most = int(seen["count"].max())
    height, width = FOOT * seen["count"] / most, seen["upper"] - seen["lower"]
    label = f"rows, at most {most:,} in a bin"
    ax.bar(seen["lower"], height, width, align="edge", color="#dddddd", edgecolor="white", label=label, zorder=0.9)


def _summary(curve: pd.DataFrame) -> str:
    """Calibration error and number of rows as text."""
    return f"ECE {expected_gap(curve):.3f}, {int(curve['count'].sum()):,} rows"


def _new_axes() -> Axes:
    """Axes of a new figure, or an error that says how to install matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "draw_reliability needs matplotlib. Install it with: pip install 'tabcast[plots]'."
        ) from error
    return plt.figure(figsize=(4.6, 4.8), layout="constrained").add_subplot()
