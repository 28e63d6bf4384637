"""The critical-difference diagram: average ranks on a line, and bars over methods that a test cannot tell apart."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import pandas as pd

from tabcast.study.analysis.names import Labels, display_name
from tabcast.study.figures._panels import INK, take_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = {"color": "#bb3344", "linewidth": 3.5, "marker": "o", "markersize": 6}
INCH = 0.3  # height of a line of labels in a new figure


def draw_critical_difference(
    ranks: pd.Series[float] | pd.DataFrame,
    pvalues: pd.DataFrame,
    ax: Axes | None = None,
    *,
    alpha: float = 0.05,
    labels: Labels | None = None,
    title: str | None = None,
) -> Axes:
    """Draw average ranks, the best on the left, and a bar over each group without significant differences.

    A bar has a dot at each of its methods: a method under a bar without a dot does not belong to it, which happens with
    tests of pairs such as Wilcoxon's. scikit-posthocs draws the diagram.

    Parameters
    ----------
    ranks : Series or DataFrame
        Series or DataFrame Average rank of each method, or what :func:`tabcast.study.analysis.average_ranks` returns.
    pvalues : DataFrame
        P-value of each pair, from :func:`tabcast.study.analysis.conover_posthoc` or
        :func:`tabcast.study.analysis.wilcoxon_holm`.
    ax : Axes, default=None
        Axes to draw on. By default those of a new figure.
    alpha : float, default=0.05
        Pairs with a p-value below this differ.
    labels : mapping of str to mapping, default=None
        Labels of the methods, as in :func:`tabcast.study.analysis.display_name`.
    title : str, default=None
        Text above the diagram.

    Returns
    -------
    Axes
        The Axes of the diagram.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. JMLR.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import average_ranks, wilcoxon_holm
    >>> from tabcast.study.figures import draw_critical_difference
    >>> scores = pd.DataFrame({"baseline": [0.5, 0.6], "ts": [0.4, 0.7], "cast-l": [0.8, 0.9]})
    >>> ax = draw_critical_difference(average_ranks(scores), wilcoxon_holm(scores))  # doctest: +SKIP
    >>> ax.figure.savefig("critical_difference.png")  # doctest: +SKIP
    """
    mean = (ranks["rank"] if isinstance(ranks, pd.DataFrame) else ranks).sort_values(kind="stable")
    _check(mean, pvalues, alpha)
    size = (7.0, INCH * (ceil(len(mean) / 2) + 4))
    ax = take_panels(ax, (1, 1), size, "draw_critical_difference")[0, 0]
    try:
        from scikit_posthocs import critical_difference_diagram
    except ImportError as error:
        raise ImportError(
            "draw_critical_difference needs scikit-posthocs. Install it with: pip install 'tabcast[study]'."
        ) from error
    # By number, not by name: sets of text have another order in every process, and so would the bars.
    places = range(len(mean))
    drawn = critical_difference_diagram(
        mean.set_axis(places),
        pvalues.loc[mean.index, mean.index].set_axis(places).set_axis(places, axis=1),
        alpha=alpha,
        ax=ax,
        label_fmt_left="{label}",
        label_fmt_right="{label}",
        label_props={"fontsize": "small"},
        marker_props={"s": 12},
        elbow_props={"color": INK, "linewidth": 0.9},
        crossbar_props=BAR,
        text_h_margin=0.02 * (mean.iloc[-1] - mean.iloc[0]),
    )
    for text in drawn["labels"]:
        place = int(text.get_text())
        name, rank = display_name("method", mean.index[place], labels), f"{mean.iloc[place]:.2f}"
        text.set_text(f"{name}  {rank} " if text.get_ha() == "right" else f" {rank}  {name}")
    ax.set_xlabel("average rank (1 is best)", fontsize="x-small")
    ax.xaxis.set_label_position("top")
    ax.tick_params(labelsize="small")
    if title is not None:
        ax.set_title(title, fontsize="medium")
    return ax


def _check(mean: pd.Series[float], pvalues: pd.DataFrame, alpha: float) -> None:
    """Refuse ranks and p-values that do not belong together."""
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
