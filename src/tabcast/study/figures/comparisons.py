"""Pictures of comparisons: critical-difference diagram, forest plot of paired differences, winning alphas."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tabcast.study.analysis.ranks import average_ranks, conover_posthoc
from tabcast.study.analysis.summary import OVERALL, Labels, display_name
from tabcast.study.analysis.views import RANKED, alpha_winners, complete_scores, differences_of
from tabcast.study.figures._panels import INK, PALE, make_panels, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = {"color": "#bb3344", "linewidth": 3.5, "marker": "o", "markersize": 6}
LEVEL = 0.05  # pairs with a p-value below this differ
INCH = 0.3  # height of a line of labels in a new figure


def draw_critical_difference(
    results: pd.DataFrame,
    details: Any,
    labels: Labels,
    *,
    strategy: str,
    settings: Sequence[str] = ("dataset", "model"),
    methods: Sequence[str] = RANKED,
    value: str = "score",
) -> Figure:
    """Draw average ranks, the best on the left, and a bar over each group without significant differences.

    A bar has a dot at each of its methods: a method under a bar without a dot does not belong to it, which happens with
    tests of pairs such as Wilcoxon's. scikit-posthocs draws the diagram (Demšar, 2006).
    """
    scores = complete_scores(results, strategy, settings, methods, value)
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        raise ValueError(
            f"A critical-difference diagram needs at least two settings in which all of three or more methods have "
            f"finished; {strategy} has {scores.shape[0]} settings and {scores.shape[1]} methods."
        )
    mean, pvalues = average_ranks(scores)["rank"].sort_values(kind="stable"), conover_posthoc(scores)
    ax = make_panels((1, 1), (7.0, INCH * (ceil(len(mean) / 2) + 4)))[0, 0]
    from scikit_posthocs import critical_difference_diagram

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
    ax.set_title(f"{display_name('strategy', strategy)}, {len(scores)} settings", fontsize="medium")
    return ax.figure


GAIN, LOSS, OPEN = "#0072b2", "#d55e00", "#777777"
LINE = 0.24  # inches of a line of the figure
DIAMOND = 0.32  # half the height of the overall diamond, in lines


def draw_gains(
    results: pd.DataFrame,
    details: Any,
    labels: Labels,
    *,
    method: str,
    reference: str = "baseline",
    by: str = "tuning",
    value: str = "score",
) -> Figure:
    """Draw the paired differences of two methods as a forest plot, in a block for each value of `by`.

    Each dataset has a point with its interval, and the overall difference is a diamond, with their numbers. Blue: the
    whole interval is above 0; orange: below 0; gray: it holds 0.
    """
    found = differences_of(results, method, reference, [by], value)
    if found.empty:
        raise ValueError(f"There is no finished trial of both {method!r} and {reference!r} to draw.")
    gains = arrange_gains(found, by)
    names = [display_name("dataset", name, labels) for name in gains["dataset"]]
    ends = -0.6, gains["line"].iloc[-1] + 0.6
    ax = make_panels((1, 1), (4.6 + 0.065 * max(map(len, names)), LINE * (ends[1] - ends[0]) + 0.8))[0, 0]
    tidy(ax)
    ax.grid(False, axis="y")
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    decimals, paper = count_decimals(gains), {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
    for _, row in gains.iterrows():
        _draw_row(ax, row, decimals, beside)
    for group, line in gains.groupby(by, sort=False)["line"].min().items():
        words = display_name(by, group, labels)
        ax.text(0.0, line - 1, words, fontsize="small", style="italic", bbox=paper, **beside)
    ax.set_yticks(gains["line"], names, fontsize="small")
    for tick, dataset in zip(ax.get_yticklabels(), gains["dataset"], strict=True):
        tick.set_fontweight("bold" if dataset == OVERALL else "normal")
    ax.set_ylim(ends[::-1])
    ax.locator_params(axis="x", nbins=5)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    shown = " minus ".join(display_name("method", name, labels) for name in (method, reference))
    ax.set_xlabel(f"{shown}: difference in {value.replace('_', '-')}", fontsize="small")
    return ax.figure


def arrange_gains(differences: pd.DataFrame, by: str) -> pd.DataFrame:
    """Bring differences into the order of a forest plot: largest first, the overall one of each block last.

    The column `line` is the place in the figure, counted from above; blocks begin with a free line for their name.
    """
    table = differences.sort_values("mean", ascending=False, kind="stable")
    table = table.sort_values("dataset", key=lambda names: names == OVERALL, kind="stable")
    blocks = [table[table[by] == group] for group in differences[by].unique()]
    table = pd.concat(blocks, ignore_index=True)
    return table.assign(line=table.index + 1 + table[by].ne(table[by].shift()).cumsum() - 1)


def count_decimals(gains: pd.DataFrame) -> int:
    """Decimals that show two to three digits of the typical half interval, or difference where there is no interval."""
    sizes = ((gains["high"] - gains["low"]) / 2).fillna(gains["mean"].abs())
    typical = sizes[sizes > 0].median()
    return 3 if np.isnan(typical) else int(np.clip(np.ceil(1.5 - np.log10(typical)), 0, 6))


def _draw_row(ax: Axes, row: pd.Series, decimals: int, beside: dict[str, Any]) -> None:
    """One difference: point, or diamond below a thin line; interval; numbers on the right."""
    at, mean, low, high = (float(row[name]) for name in ("line", "mean", "low", "high"))
    color = GAIN if low > 0 else LOSS if high < 0 else OPEN
    is_overall, has_interval = row["dataset"] == OVERALL, not np.isnan([low, high]).any()
    if is_overall:
        ax.axhline(at - 0.5, color=PALE, linewidth=0.6, zorder=1)
    if is_overall and has_interval:
        ax.fill([low, mean, high, mean], [at, at - DIAMOND, at, at + DIAMOND], color=color, zorder=3)
    else:
        ax.plot(mean, at, marker="D" if is_overall else "o", markersize=4.5, color=color, zorder=3)
    words = _signed(mean, decimals)
    if has_interval:
        ax.hlines(at, low, high, color=color, linewidth=1.4, zorder=2)
        words += f"  [{_signed(low, decimals)}, {_signed(high, decimals)}]"
    weight = "bold" if is_overall else "normal"
    ax.text(1.02, at, words, color=INK, fontweight=weight, fontsize="x-small", **beside)


def _signed(value: float, decimals: int) -> str:
    """A number with its sign, a real minus, and no negative zero."""
    return f"{value:+z.{decimals}f}".replace("-", "\N{MINUS SIGN}")


ALPHA_BAR, ALPHA_BAND = "#0072b2", "#cfe3f0"


def draw_alpha_winners(results: pd.DataFrame, details: Any, labels: Labels) -> Figure:
    """Draw the proportion of each alpha as a bar, and behind it the interval that holds 90% of the winners."""
    winners = alpha_winners(results)
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
    return ax.figure
