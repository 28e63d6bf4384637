"""The confusion matrix of held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tabcast.plots._source import find_diagnostic, make_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_confusion(source: Any) -> Figure:
    """Draw held-out rows by true and predicted class.

    Parameters
    ----------
    source : Run, GuardedClassifier or Diagnostics
        The run or the model whose errors are counted.

    Returns
    -------
    matplotlib Figure
        The matrix in a new figure.

    See Also
    --------
    tabcast.diagnostics.quality : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_confusion
    >>> plot_confusion(run).savefig("confusion.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "quality", "plot_confusion")
    counts, names = np.array(found["confusion"]), [str(one) for one in found["classes"]]
    size = 2.4 + 0.6 * len(names)
    figure = make_figure("plot_confusion", (size, size))
    ax = figure.add_subplot()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for row, line in enumerate(counts):
        for column, value in enumerate(line):
            dark = shares[row, column] > 0.55
            ax.text(column, row, f"{value:,}", ha="center", va="center", color="white" if dark else "black")
    ax.set_xticks(range(len(names)), names, rotation=30 if len(names) > 4 else 0)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="predicted class", ylabel="true class")
    accuracy = f"{found['accuracy']:.0%} right ({found['accuracy_low']:.0%} to {found['accuracy_high']:.0%})"
    ax.set_title(f"{found['n_rows']:,} held-out rows\n{accuracy}", fontsize="medium")
    return figure
