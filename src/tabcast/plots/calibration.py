"""Accuracy by confidence of the model and of the supervised one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabcast.plots._source import ACCENT, PALE, find_diagnostic, make_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_calibration(source: Any) -> Figure:
    """Draw accuracy against confidence, of the model that was kept and of the supervised one.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        The run or the model whose calibration is drawn.

    Returns
    -------
    matplotlib Figure
        A new figure with the two lines.

    See Also
    --------
    draw_reliability : One curve with its bins, on Axes of your own.
    tabcast.diagnostics.reliability : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_calibration
    >>> plot_calibration(run).savefig("calibration.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "reliability", "plot_calibration")
    figure = make_figure("plot_calibration", (4.8, 4.6))
    ax = figure.add_subplot()
    ax.plot([0, 1], [0, 1], color=PALE, linestyle="--", linewidth=1)
    shown = {"your model alone": (found["supervised"], PALE), "the model": (found["kept"], ACCENT)}
    for name, (model, color) in shown.items():
        bins = model["bins"]
        x, y = [one["confidence"] for one in bins], [one["accuracy"] for one in bins]
        ends = [(max(one["accuracy"] - one["low"], 0), max(one["high"] - one["accuracy"], 0)) for one in bins]
        errors = list(zip(*ends, strict=True))
        ax.errorbar(x, y, yerr=errors, color=color, marker="o", capsize=2.5, label=f"{name}, ECE {model['ece']:.3f}")
    ax.set(xlabel="confidence", ylabel="accuracy", title="held-out rows", ylim=(-0.02, 1.02))
    ax.legend(loc="upper left", fontsize="small", frameon=False)
    tidy(ax)
    return figure
