"""ROC and precision-recall curves of held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabcast.plots._source import ACCENT, COLORS, PALE, find_diagnostic, make_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_curves(source: Any) -> Figure:
    """Draw the ROC curve and the precision-recall curve of each class.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        Where the held-out probabilities come from.

    Returns
    -------
    matplotlib Figure
        Two Axes side by side.

    See Also
    --------
    tabcast.diagnostics.curves : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_curves
    >>> plot_curves(run).savefig("curves.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "curves", "plot_curves")
    figure = make_figure("plot_curves", (8.4, 4.2))
    ranking, picking = figure.subplots(1, 2)
    ranking.plot([0, 1], [0, 1], color=PALE, linestyle="--", linewidth=1)
    colors = [ACCENT] if len(found["areas"]) == 1 else COLORS
    for area, color in zip(found["areas"], colors, strict=False):
        label = f"{area['class']}: {area['auc']:.2f} ({area['low']:.2f} to {area['high']:.2f})"
        for ax, key, x, y in (
            (ranking, "roc", "false_positive_rate", "recall"),
            (picking, "precision_recall", "recall", "precision"),
        ):
            points = [(one[x], one[y]) for one in found[key] if one["class"] == area["class"]]
            ax.plot(*zip(*points, strict=True), color=color, label=label)
    ranking.set(xlabel="false positive rate", ylabel="recall", title="ROC")
    picking.set(xlabel="recall", ylabel="precision", title="precision and recall")
    ranking.legend(title="area under the curve", fontsize="small", title_fontsize="small", frameon=False)
    for ax in (ranking, picking):
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        tidy(ax)
    return figure
