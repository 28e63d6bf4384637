"""The steps of the verdict: your model, the committee, with the unlabeled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabcast.plots._source import ACCENT, PALE, find_verdict, make_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_verdict(source: Any) -> Figure:
    """Draw the scores of the models that were compared, and the interval of the gain.

    Parameters
    ----------
    source : Run or GuardedClassifier
        The comparison.

    Returns
    -------
    matplotlib Figure
        One dot per model.

    See Also
    --------
    tabcast.guard.Verdict : The data.

    Examples
    --------
    >>> from tabcast.plots import plot_verdict
    >>> plot_verdict(run).savefig("verdict.png")  # doctest: +SKIP
    """
    found = find_verdict(source, "plot_verdict")
    steps = [
        ("your model alone", found["supervised"]),
        ("committee, labeled rows only", found.get("committee")),
        ("with the unlabeled rows", found["self_trained"]),
    ]
    shown = [(name, score) for name, score in steps if score is not None]
    figure = make_figure("plot_verdict", (6.4, 1.4 + 0.5 * len(shown)))
    ax = figure.add_subplot()
    own, total, last = found["supervised"], found["total"], len(shown) - 1
    ax.axvline(own, color=PALE, linewidth=1, linestyle="--")
    ax.plot([own + total["low"], own + total["high"]], [last, last], color=ACCENT, alpha=0.4, linewidth=7)
    for place, (_, score) in enumerate(shown):
        ax.plot([score], [place], "o", color=ACCENT if place == last else PALE, markersize=8)
        ax.annotate(f"{score:.3f}", (score, place), (0, 9), textcoords="offset points", ha="center", fontsize="small")
    ax.set_yticks(range(len(shown)), [name for name, _ in shown])
    ax.set(ylim=(last + 0.6, -0.8), xlabel=str(found["metric"]).replace("_", " "))
    ax.set_title(f"{found['word']}; the bar is the {found['level']:.0%} interval of the gain", fontsize="medium")
    tidy(ax)
    return figure
