"""Pictures of comparisons: ranks, a forest plot of differences, winning alphas, gains by the proportion of labels."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tabcast.study.analysis.ranks import average_ranks, conover_posthoc
from tabcast.study.analysis.summary import OVERALL, WAY, Floats, Labels, display_name, order_values
from tabcast.study.analysis.views import RANKED, alpha_winners, complete_scores, differences_of
from tabcast.study.figures._panels import INK, PALE, draw_legend, draw_nothing, make_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = {"color": "#bb3344", "linewidth": 3.5, "marker": "o", "markersize": 6}
LEVEL = 0.05  # pairs with a p-value below this differ
INCH = 0.3  # height of a line of labels in a new figure


def draw_critical_difference(
    results: pd.DataFrame,
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
    return table.assign(line=table.index + table[by].ne(table[by].shift()).cumsum())


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


def draw_alpha_winners(results: pd.DataFrame, labels: Labels) -> Figure:
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


REFERENCE = "supervised"
SETTING = ["dataset", "model", "tuning", "label_fraction", "corruption", "preprocessing"]
UNIT = [*SETTING, "seed", "fold"]  # a method and the supervised model are compared on the same rows
ONE_OF = ["model", "tuning", "noise_filter", "corruption", "preprocessing"]  # a figure shows one of each

# Of the methods, in the order of the results; colors after Okabe and Ito, which color-blind readers tell apart.
COLORS = ("#222222", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#0072b2", "#d55e00", "#882255", "#44aa99", "#999933")
MARKERS = "os^vPDX"
N_COLUMNS = 6  # panels side by side; further datasets go below
SPREAD = 0.44  # of the distance between two fractions is shared by the methods' points, so that whiskers stand apart


def ratio_of_means(scores: Floats, references: Floats) -> tuple[float, float]:
    """By how many percent the mean score exceeds the mean reference, and its standard error.

    ``r = mean(s) / mean(b)``, ``se(r) = std(s - r * b) / (sqrt(n) * mean(b))``: the error of a ratio of means of n
    pairs (the delta method). NaN without pairs or with a mean reference of 0; the error also with one pair.
    """
    if len(scores) == 0 or references.mean() == 0:
        return np.nan, np.nan
    ratio = scores.mean() / references.mean()
    if len(scores) == 1:
        return float(100 * (ratio - 1)), np.nan
    error = (scores - ratio * references).std(ddof=1) / (np.sqrt(len(scores)) * references.mean())
    return float(100 * (ratio - 1)), float(100 * error)


def relative_improvements(results: pd.DataFrame) -> pd.DataFrame:
    """Compute by how many percent each method beats the supervised model on the same rows.

    There is one row per setting and method: improvement, NaN if there is nothing to compare; standard_error over seeds;
    n_seeds; n_pairs, trials that are done as is the supervised one of the same seed and fold; n_trials, done or not.

    Scores are averaged over the folds of a seed first, because the folds of a seed share their test rows. The
    improvement is that of the mean over seeds, as in the paper, not the mean of improvements: a single seed where the
    supervised model finds nothing (F1 = 0) would make the latter infinite.
    """
    found = results[(results["method"] == REFERENCE) & (results["status"] == "done")]
    if found.empty:
        raise ValueError(
            "There is no finished trial of method 'supervised', which improvement is measured against. Add it to the "
            "methods of the study."
        )
    references = found[[*UNIT, "score"]].rename(columns={"score": "reference"})
    pairs = results[results["method"] != REFERENCE].merge(references, on=UNIT, how="left")
    pairs["counts"] = (pairs["status"] == "done") & pairs["score"].notna() & pairs["reference"].notna()
    rows = []
    for key, part in pairs.groupby([*SETTING, *WAY], sort=False, dropna=False):
        used = part[part["counts"]]
        seeds = used.groupby("seed")[["score", "reference"]].mean()
        improvement, error = ratio_of_means(seeds["score"].to_numpy(float), seeds["reference"].to_numpy(float))
        rows.append([*key, improvement, error, len(seeds), len(used), len(part)])
    columns = [*SETTING, *WAY, "improvement", "standard_error", "n_seeds", "n_pairs", "n_trials"]
    return pd.DataFrame(rows, columns=columns)


def draw_label_fractions(results: pd.DataFrame, labels: Labels) -> Figure:
    """Draw improvement against the proportion of labeled rows: strategies as rows, datasets as columns.

    Whiskers are one standard error long to each side. The line at 0 is the supervised model. Hollow markers rest on
    fewer trials than planned. The panels of a dataset have the same vertical axis. Methods without a strategy are drawn
    in all of them.
    """
    improvements = relative_improvements(results)
    for name in ONE_OF:
        values = improvements[name].unique()
        if len(values) > 1:
            raise ValueError(
                f"A figure of label fractions shows one {name}; got {', '.join(map(str, values))}. Choose with `where`."
            )
    datasets = list(improvements["dataset"].unique())
    strategies = [name for name in order_values("strategy", improvements["strategy"]) if name != "none"] or ["none"]
    methods = list(improvements["method"].unique())
    fractions = sorted(improvements["label_fraction"].unique())
    width = min(len(datasets), N_COLUMNS)
    shape = ceil(len(datasets) / width) * len(strategies), width
    size = max(1.75 * shape[1] + 0.5, 3.4), 1.55 * shape[0] + 0.4
    panels = make_panels(shape, size)
    for number, dataset in enumerate(datasets):
        of_dataset = improvements[improvements["dataset"] == dataset]
        top = number // width * len(strategies)
        column = panels[top : top + len(strategies), number % width]
        for ax, strategy in zip(column, strategies, strict=True):
            _draw_panel(ax, of_dataset[of_dataset["strategy"].isin([strategy, "none"])], methods, fractions)
            if number % width == 0:
                name = f"{display_name('strategy', strategy)}\n" if strategy != "none" else ""
                ax.set_ylabel(f"{name}improvement (%)", fontsize="small")
        column[0].set_title(wrap_name(display_name("dataset", dataset, labels)), fontsize="small")
        lows, highs = zip(*(ax.get_ylim() for ax in column), strict=True)
        for ax in column:
            ax.set_ylim(min(lows), max(highs))
        column[-1].set_xlabel("labeled rows (%)", fontsize="small")
    for ax in panels[-len(strategies) :, (len(datasets) - 1) % width + 1 :].flat:
        ax.set_axis_off()
    return draw_legend(panels, _legend_entries(improvements, methods, labels))


def _draw_panel(ax: Axes, rows: pd.DataFrame, methods: Sequence[str], fractions: list[float]) -> None:
    """One strategy on one dataset: a line for each method."""
    tidy(ax)
    ax.axhline(0, color=PALE, linewidth=1, zorder=1)
    for number, method in enumerate(methods):
        shift = SPREAD * ((number + 0.5) / len(methods) - 0.5)
        line = rows[rows["method"] == method].set_index("label_fraction").reindex(fractions)
        at, style, error = np.arange(len(fractions)) + shift, _style(number), line["standard_error"].fillna(0.0)
        ax.errorbar(at, line["improvement"], yerr=error, elinewidth=0.8, linewidth=0.9, zorder=3, **style)
        short = (line["n_pairs"] < line["n_trials"]).to_numpy()
        ax.plot(at[short], line["improvement"][short], linestyle="none", zorder=4, **style, markerfacecolor="white")
    if rows["improvement"].isna().all():
        draw_nothing(ax)
    ax.set_xticks(range(len(fractions)), [f"{100 * fraction:.3g}" for fraction in fractions])
    ax.set_xlim(-0.5, len(fractions) - 0.5)


def _style(number: int) -> dict[str, Any]:
    """Color and marker of a method, by its place."""
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)], "markersize": 4}


def _legend_entries(improvements: pd.DataFrame, methods: Sequence[str], labels: Labels | None) -> list[Any]:
    """The supervised model, each method, and what hollow points are if there are any."""
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], color=PALE, linewidth=1, label=display_name("method", REFERENCE, labels))]
    for number, name in enumerate(methods):
        entries.append(Line2D([], [], linewidth=0.9, label=display_name("method", name, labels), **_style(number)))
    if (improvements["n_pairs"] < improvements["n_trials"]).any():
        hollow: dict[str, Any] = {"color": INK, "marker": "o", "markersize": 4, "markerfacecolor": "white"}
        entries.append(Line2D([], [], linestyle="none", label="some trials missing", **hollow))
    return entries
