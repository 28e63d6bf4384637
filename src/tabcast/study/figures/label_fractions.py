"""What self-training gains over the supervised model, by the proportion of labeled rows (the paper's figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tabcast.study.analysis.summary import Floats, Labels, display_name, order_values
from tabcast.study.figures._panels import INK, PALE, draw_legend, draw_nothing, make_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REFERENCE = "supervised"
SETTING = ["dataset", "model", "tuning", "label_fraction", "corruption", "preprocessing"]
WAY = ["method", "strategy", "noise_filter"]
UNIT = [*SETTING, "seed", "fold"]  # a method and the supervised model are compared on the same rows
ONE_OF = ["model", "tuning", "noise_filter", "corruption", "preprocessing"]  # a figure shows one of each

# Color and marker of the paper's methods; colors of Okabe and Ito, which color-blind readers tell apart.
STYLES = {
    "baseline": ("#222222", "o"),
    "ts": ("#56b4e9", "s"),
    "hb": ("#009e73", "^"),
    "sp": ("#cc79a7", "v"),
    "gp": ("#e69f00", "P"),
    "cast-d": ("#0072b2", "D"),
    "cast-l": ("#d55e00", "o"),
}
OTHER_COLORS = ("#882255", "#44aa99", "#999933", "#332288", "#888888")
STRONG = ("cast-d", "cast-l")
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


def draw_label_fractions(results: pd.DataFrame, details: Any, labels: Labels) -> Figure:
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
        column[0].set_title(wrap_name(display_name("dataset", dataset, labels)), fontsize="small")
        lows, highs = zip(*(ax.get_ylim() for ax in column), strict=True)
        for ax in column:
            ax.set_ylim(min(lows), max(highs))
        if number % width == 0:
            for ax, strategy in zip(column, strategies, strict=True):
                name = display_name("strategy", strategy)
                ax.set_ylabel("improvement (%)" if strategy == "none" else f"{name}\nimprovement (%)", fontsize="small")
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
        _draw_method(ax, np.arange(len(fractions), dtype=float) + shift, line, _line(method, methods))
    if rows["improvement"].isna().all():
        draw_nothing(ax)
    ax.set_xticks(range(len(fractions)), [f"{100 * fraction:.3g}" for fraction in fractions])
    ax.set_xlim(-0.5, len(fractions) - 0.5)


def _draw_method(ax: Axes, at: Floats, line: pd.DataFrame, style: Any) -> None:
    """The line of a method, open where a result is missing; its points, hollow where trials are; their whiskers."""
    improvement, color = line["improvement"].to_numpy(float), style.get_color()
    order = 3 + style.get_linewidth()  # what is thick lies on top
    error = np.nan_to_num(line["standard_error"].to_numpy(float))
    ax.errorbar(at, improvement, yerr=error, fmt="none", ecolor=color, elinewidth=0.8, alpha=0.7, zorder=order)
    ax.plot(at, improvement, color=color, ls=style.get_linestyle(), lw=style.get_linewidth(), zorder=order)
    short = (line["n_pairs"] < line["n_trials"]).to_numpy()
    points = {"color": color, "linestyle": "none", "marker": style.get_marker(), "markersize": style.get_markersize()}
    for which, face in ((~short, color), (short, "white")):
        ax.plot(at[which], improvement[which], markerfacecolor=face, zorder=order + 0.1, **points)


def _legend_entries(improvements: pd.DataFrame, methods: Sequence[str], labels: Labels | None) -> list[Any]:
    """The supervised model, each method, and what hollow points are if there are any."""
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], color=PALE, linewidth=1), *(_line(name, methods) for name in methods)]
    for entry, name in zip(entries, [REFERENCE, *methods], strict=True):
        entry.set_label(display_name("method", name, labels))
    if (improvements["n_pairs"] < improvements["n_trials"]).any():
        hollow: dict[str, Any] = {"color": INK, "marker": "o", "markersize": 4, "markerfacecolor": "white"}
        entries.append(Line2D([], [], linestyle="none", label="some trials missing", **hollow))
    return entries


def _line(method: str, methods: Sequence[str]) -> Any:
    """How a method is drawn, as an entry of the legend: a solid line if the paper has it, a dashed one if not."""
    from matplotlib.lines import Line2D

    others = [name for name in methods if name not in STYLES]
    place = others.index(method) if method in others else 0
    color, marker = STYLES.get(method, (OTHER_COLORS[place % len(OTHER_COLORS)], "X"))
    line = Line2D([], [], color=color, marker=marker, markersize=4, linewidth=1.6 if method in STRONG else 0.9)
    line.set_linestyle("-" if method in STYLES else "--")
    return line
