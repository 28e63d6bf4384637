"""Pictures of comparisons: critical-difference diagram, forest plot of paired differences, winning alphas."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.study.analysis.findings import AlphaWinners
from tabcast.study.analysis.trials import Labels, display_name
from tabcast.study.figures._panels import INK, PALE, make_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

BAR = {"color": "#bb3344", "linewidth": 3.5, "marker": "o", "markersize": 6}
LEVEL = 0.05  # pairs with a p-value below this differ
INCH = 0.3  # height of a line of labels in a new figure


def draw_critical_difference(
    ranks: pd.Series[float], pvalues: pd.DataFrame, *, labels: Labels | None = None, title: str = ""
) -> Axes:
    """Draw average ranks, the best on the left, and a bar over each group without significant differences.

    A bar has a dot at each of its methods: a method under a bar without a dot does not belong to it, which happens with
    tests of pairs such as Wilcoxon's. scikit-posthocs draws the diagram (Demšar, 2006).
    """
    mean = ranks.sort_values(kind="stable")
    size = (7.0, INCH * (ceil(len(mean) / 2) + 4))
    ax = make_panels((1, 1), size)[0, 0]
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
        alpha=LEVEL,
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
    ax.set_title(title, fontsize="medium")
    return ax


OVERALL = "overall"
GAIN, LOSS, OPEN = "#0072b2", "#d55e00", "#777777"
LABEL_WIDTH = 34  # characters of a label in a line
LINE = 0.24  # inches of a line of the figure
TEXT_LINE = 0.6  # lines of the figure that a further line of a label takes
DIAMOND = 0.32  # half the height of the overall diamond, in lines


def arrange_gains(differences: pd.DataFrame) -> pd.DataFrame:
    """Bring paired differences into the order of a forest plot: largest first, the overall one of each group last.

    `differences` has label (a dataset), difference, low, high (ends of its 95% interval) and group (the name of a
    block). The result adds is_overall and line, the place in the figure counted from above; groups keep their order and
    begin with a free line for their name.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.figures.comparisons import arrange_gains
    >>> differences = pd.DataFrame({"label": ["overall", "cmc", "diabetes"], "difference": [0.01, -0.01, 0.03],
    ...                             "low": [0.0, -0.02, 0.01], "high": [0.02, 0.0, 0.05], "group": "sane tuning"})
    >>> arrange_gains(differences)[["label", "difference", "is_overall", "line"]]
          label  difference  is_overall  line
    0  diabetes        0.03       False     1
    1       cmc       -0.01       False     2
    2   overall        0.01        True     3
    """
    table = differences.assign(is_overall=differences["label"] == OVERALL)
    table = table.sort_values("difference", ascending=False, kind="stable").sort_values("is_overall", kind="stable")
    blocks, line = [], 0
    for group in differences["group"].unique():
        block = table[table["group"] == group]
        blocks.append(block.assign(line=np.arange(line + 1, line + 1 + len(block))))
        line += 1 + len(block)
    return pd.concat(blocks, ignore_index=True)


def draw_gains(gains: pd.DataFrame, *, xlabel: str) -> Axes:
    """Draw each arranged difference as a point with its interval, the overall ones as diamonds, with their numbers.

    Blue: the whole interval is above 0; orange: below 0; gray: it holds 0.
    """
    labels = [wrap_name(label, LABEL_WIDTH) for label in gains["label"]]
    at, half = line_places(gains["line"].to_numpy(), np.array([1 + label.count("\n") for label in labels]))
    letters = max(len(part) for label in labels for part in label.split("\n"))
    ends = -0.6, at[-1] + half[-1] + 0.1
    size = 4.6 + 0.065 * letters, LINE * (ends[1] - ends[0]) + 0.8
    ax = make_panels((1, 1), size)[0, 0]
    tidy(ax)
    ax.grid(False, axis="y")
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    decimals = count_decimals(gains)
    for place, (_, row) in zip(at, gains.iterrows(), strict=True):
        _draw_row(ax, row, place, decimals)
    _draw_groups(ax, gains, at - half)
    ax.set_yticks(at, labels, fontsize="small")
    for tick, is_overall in zip(ax.get_yticklabels(), gains["is_overall"], strict=True):
        tick.set_fontweight("bold" if is_overall else "normal")
    ax.set_ylim(ends[::-1])
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(xlabel, fontsize="small")
    return ax


def line_places(line: NDArray[np.intp], n_lines: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Middle and half height of each row, where a label broken into several lines pushes the rows below it down."""
    half = 0.5 + TEXT_LINE * (n_lines - 1) / 2
    pushed = np.cumsum(2 * half - 1)
    return line + pushed - (half - 0.5), half


def count_decimals(gains: pd.DataFrame) -> int:
    """Decimals that show two to three digits of the typical half interval, or difference where there is no interval."""
    sizes = ((gains["high"] - gains["low"]) / 2).fillna(gains["difference"].abs())
    typical = sizes[sizes > 0].median()
    return 3 if np.isnan(typical) else int(np.clip(np.ceil(1.5 - np.log10(typical)), 0, 6))


def _draw_row(ax: Axes, row: pd.Series, at: float, decimals: int) -> None:
    """One difference: point or diamond, interval, numbers on the right."""
    difference, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "x-small"}
    color = GAIN if low > 0 else LOSS if high < 0 else OPEN
    has_interval = not np.isnan([low, high]).any()
    if row["is_overall"] and has_interval:
        ax.fill([low, difference, high, difference], [at, at - DIAMOND, at, at + DIAMOND], color=color, zorder=3)
    else:
        ax.plot(difference, at, marker="D" if row["is_overall"] else "o", markersize=4.5, color=color, zorder=3)
    words = _signed(difference, decimals)
    if has_interval:
        ax.hlines(at, low, high, color=color, linewidth=1.4, zorder=2)
        words += f"  [{_signed(low, decimals)}, {_signed(high, decimals)}]"
    ax.text(1.02, at, words, color=INK, fontweight="bold" if row["is_overall"] else "normal", **beside)


def _draw_groups(ax: Axes, gains: pd.DataFrame, top: Floats) -> None:
    """The name of each group on the free line above it, and a thin line above each sum."""
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    for group in gains["group"].unique():
        place = top[(gains["group"] == group).to_numpy().argmax()] - 0.5
        across = ax.get_yaxis_transform()
        ax.text(0.0, place, group, transform=across, va="center", fontsize="small", style="italic", bbox=paper)
    for place in top[gains["is_overall"].to_numpy()]:
        ax.axhline(place, color=PALE, linewidth=0.6, zorder=1)


def _signed(value: float, decimals: int) -> str:
    """A number with its sign, a real minus, and no negative zero."""
    return f"{value:+z.{decimals}f}".replace("-", "\N{MINUS SIGN}")


ALPHA_BAR, ALPHA_BAND = "#0072b2", "#cfe3f0"


def draw_alpha_winners(winners: AlphaWinners) -> Axes:
    """Draw the proportion of each alpha as a bar, and behind it the interval that holds 90% of the winners."""
    ax = make_panels((1, 1), (4.6, 3.0))[0, 0]
    alpha, share = winners.shares["alpha"].to_numpy(), 100 * winners.shares["share"].to_numpy()
    step = float(np.diff(alpha).min())
    tidy(ax)
    ax.grid(False, axis="x")
    ax.axvspan(winners.low - step / 2, winners.high + step / 2, color=ALPHA_BAND, linewidth=0, zorder=0.5)
    ax.bar(alpha, share, 0.7 * step, color=ALPHA_BAR, zorder=2)
    words = f"shaded: 90% of the winners, {winners.low:.2f} to {winners.high:.2f}"
    ax.set_title(words, loc="right", fontsize="small", color=INK)
    ax.set_xticks(alpha, [f"{value:.2f}" for value in alpha])
    ax.set(xlim=(alpha[0] - step, alpha[-1] + step))
    ax.set_xlabel(r"winning $\alpha$", fontsize="small")
    ax.set_ylabel(f"proportion of {winners.n:,} trials (%)", fontsize="small")
    return ax
