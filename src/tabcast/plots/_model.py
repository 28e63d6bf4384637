"""How good the model is on held-out rows, and which columns it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tabcast.plots._figure import ACCENT, COLORS, INK, PALE, SECOND, SOFT, find_diagnostic, new_figure, shorten, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COLUMNS = 15
MOST_CLASSES = 15


@styled
def plot_confusion(source: Any) -> Figure:
    """Draw held-out rows by true and predicted class.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        The run or the model whose errors are counted.

    Returns
    -------
    matplotlib Figure
        The matrix in a new figure; of many classes, the 15 with the most rows.

    See Also
    --------
    tabcast.diagnostics.quality : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_confusion
    >>> plot_confusion(run).savefig("confusion.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "quality", "plot_confusion")
    counts = np.array(found["confusion"])
    shown = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_CLASSES])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    counts, shares = counts[np.ix_(shown, shown)], shares[np.ix_(shown, shown)]
    names = [shorten(found["classes"][one], 20) for one in shown]
    figure = new_figure(1.9 + 0.55 * len(names), 1.4 + 0.5 * len(names))
    ax = figure.add_subplot()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), value in np.ndenumerate(counts):
        dark = shares[row, column] > 0.55
        ax.text(column, row, f"{value:,}", ha="center", va="center", color="white" if dark else INK)
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set(xlabel="predicted class", ylabel="true class")
    return figure


@styled
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
    figure = new_figure(7.2, 3.5)
    ranking, picking = figure.subplots(1, 2)
    ranking.plot([0, 1], [0, 1], color=PALE, linestyle="--", linewidth=1)
    colors = [ACCENT] if len(found["areas"]) == 1 else COLORS
    for area, color in zip(found["areas"], colors, strict=False):
        label = f"{shorten(area['class'], 20)}: {area['auc']:.2f} ({area['low']:.2f} to {area['high']:.2f})"
        for ax, key, x, y in (
            (ranking, "roc", "false_positive_rate", "recall"),
            (picking, "precision_recall", "recall", "precision"),
        ):
            points = [(one[x], one[y]) for one in found[key] if one["class"] == area["class"]]
            ax.plot(*zip(*points, strict=True), color=color, label=label)
    ranking.set(xlabel="false positive rate", ylabel="recall")
    picking.set(xlabel="recall", ylabel="precision")
    legend = ranking.legend(title="area under the ROC curve", title_fontsize="small", loc="lower right")
    legend.get_title().set_color(SOFT)
    for ax in (ranking, picking):
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return figure


@styled
def plot_calibration(source: Any) -> Figure:
    """Draw accuracy against confidence, of the model that was kept and of the supervised one.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        The run or the model whose calibration is drawn.

    Returns
    -------
    matplotlib Figure
        Two lines; on the dashed one, 80% of the predictions made with 80% confidence are right.

    See Also
    --------
    tabcast.diagnostics.reliability : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_calibration
    >>> plot_calibration(run).savefig("calibration.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "reliability", "plot_calibration")
    figure = new_figure(4.6, 3.6)
    ax = figure.add_subplot()
    ax.plot([0, 1], [0, 1], color=PALE, linestyle="--", linewidth=1)
    for name, key, color in (("your model alone", "supervised", PALE), ("the model", "kept", ACCENT)):
        bins = found[key]["bins"]
        x, y = [one["confidence"] for one in bins], [one["accuracy"] for one in bins]
        ends = [(max(one["accuracy"] - one["low"], 0), max(one["high"] - one["accuracy"], 0)) for one in bins]
        label = f"{name}, ECE {found[key]['ece']:.3f}"
        ax.errorbar(x, y, yerr=list(zip(*ends, strict=True)), color=color, marker="o", capsize=2.5, label=label)
    ax.set(xlabel="confidence", ylabel="accuracy", ylim=(-0.02, 1.02))
    ax.legend(loc="lower right")
    return figure


@styled
def plot_thresholds(source: Any) -> Figure:
    """Draw recall and precision of the second of two classes by threshold, with the threshold in use.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        Where the held-out probabilities come from.

    Returns
    -------
    matplotlib Figure
        Two lines over the threshold.

    See Also
    --------
    tabcast.diagnostics.thresholds : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_thresholds
    >>> plot_thresholds(run).savefig("thresholds.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "thresholds", "plot_thresholds")
    figure = new_figure(7.2, 2.9)
    ax = figure.add_subplot()
    steps = [one["threshold"] for one in found["counts"]]
    for name, color in (("recall", ACCENT), ("precision", SECOND)):
        values = [np.nan if one[name] is None else one[name] for one in found["counts"]]
        ax.plot(steps, values, color=color, label=name)
    ax.axvline(found["in_use"], color=INK, linestyle=":", label=f"in use: {found['in_use']:.2f}")
    ax.set(xlabel=f"threshold on the probability of {shorten(found['positive'])}", ylim=(-0.02, 1.02))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0)
    return figure


@styled
def plot_importance(source: Any) -> Figure:
    """Draw the most important columns with their intervals.

    Parameters
    ----------
    source : Run or Diagnostics
        The run, or what `diagnose` gave.

    Returns
    -------
    matplotlib Figure
        One dot per column, of the 15 most important.

    See Also
    --------
    tabcast.diagnostics.importance : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_importance
    >>> plot_importance(run).savefig("importance.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "importance", "plot_importance")
    columns = found["columns"][:MOST_COLUMNS]
    figure = new_figure(7.2, 0.9 + 0.27 * len(columns))
    ax = figure.add_subplot()
    mean, low, high = (np.array([100 * one[key] for one in columns]) for key in ("importance", "low", "high"))
    ax.axvline(0, color=INK, linewidth=1)
    # As lists: matplotlib 3.8 warns of an array of one number.
    ax.errorbar(mean, range(len(mean)), xerr=[[*(mean - low)], [*(high - mean)]], fmt="o", color=ACCENT, capsize=2.5)
    ax.set_yticks(range(len(columns)), [shorten(one["name"]) for one in columns])
    ax.grid(visible=False, axis="y")
    ax.set(ylim=(len(columns) - 0.4, -0.6), xlabel="probability of the true class lost when shuffled, points")
    return figure
