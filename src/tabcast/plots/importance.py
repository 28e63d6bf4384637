"""Which columns the model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabcast.plots._source import ACCENT, INK, find_diagnostic, make_figure, tidy

MOST_COLUMNS = 20

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_importance(source: Any) -> Figure:
    """Draw the most important columns with their intervals.

    Parameters
    ----------
    source : Run or Diagnostics
        The run, or what `diagnose` gave.

    Returns
    -------
    matplotlib Figure
        One dot per column.

    See Also
    --------
    tabcast.diagnostics.importance : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_importance
    >>> plot_importance(run).savefig("importance.png")  # doctest: +SKIP
    """
    found = find_diagnostic(source, "importance", "plot_importance")
    columns = found["columns"][:MOST_COLUMNS][::-1]
    figure = make_figure("plot_importance", (6.4, 1.2 + 0.28 * len(columns)))
    ax = figure.add_subplot()
    values = [100 * one["importance"] for one in columns]
    errors = [
        [100 * (one["importance"] - one["low"]) for one in columns],
        [100 * (one["high"] - one["importance"]) for one in columns],
    ]
    ax.axvline(0, color=INK, linewidth=1)
    ax.errorbar(values, range(len(columns)), xerr=errors, fmt="o", color=ACCENT, capsize=2.5)
    ax.set_yticks(range(len(columns)), [str(one["name"]) for one in columns])
    ax.set(xlabel="probability of the true class lost, points", title=f"{found['n_rows']:,} held-out rows")
    tidy(ax)
    return figure
