"""The reliability diagram: does a confidence of 80 % mean that 80 % are right?"""

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
    """Draw accuracy against confidence, a point for each bin, with its distance from perfect calibration.

    A point is the mean confidence and the accuracy of a bin, its thin whiskers the 95 % interval of the accuracy. The
    thick line to the diagonal is the gap: red below, where the classifier claims too much, blue above, where it claims
    too little. Pale bars at the foot show how the rows are spread over the bins, so that nobody reads much into an
    almost empty one.

    Parameters
    ----------
    curve : what :func:`tabcast.statistics.reliability_curve` gives.
    ax : Axes to draw on; None: those of a new figure.
    title : text above; None: none.

    Returns
    -------
    The Axes.

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
    for side, color, label in ((over, OVER, "claims too much"), (under, UNDER, "claims too little")):
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
        label="accuracy, 95 % interval",
        zorder=4,
    )


def _draw_counts(seen: pd.DataFrame, ax: Axes) -> None:
    """How the rows are spread over the bins, as pale bars at the foot of the diagram."""
    most = int(seen["count"].max())
    height, width = FOOT * seen["count"] / most, seen["upper"] - seen["lower"]
    label = f"rows, at most {most:,} in a bin"
    ax.bar(seen["lower"], height, width, align="edge", color="#dddddd", edgecolor="white", label=label, zorder=0.9)


def _summary(curve: pd.DataFrame) -> str:
    """Calibration error and number of rows in words."""
    return f"ECE {expected_gap(curve):.3f}, {int(curve['count'].sum()):,} rows"


def _new_axes() -> Axes:
    """Axes of a new figure, or a sentence that says how to get matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "draw_reliability needs matplotlib. Install it with: pip install 'tabcast[plots]'."
        ) from error
    return plt.figure(figsize=(4.6, 4.8), layout="constrained").add_subplot()
