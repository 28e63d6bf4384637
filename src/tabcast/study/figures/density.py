"""The paper's pictures of density: pseudo-labels where it is low and high (figure 2), confidence in the plane (4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from tabcast.statistics import wilson_interval
from tabcast.study.analysis.summary import Floats, Labels, display_name
from tabcast.study.figures._panels import INK, draw_legend, draw_nothing, make_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Details = Sequence[Mapping[str, Any]]
METRICS = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "f1": "F1"}
POINT = "#0072b2"
N_COLUMNS = 4
# Fill and marker of the classes, after the palette of Okabe and Ito: apart from each other and from any gray.
CLASS_STYLES = (("#d55e00", "o"), ("#0072b2", "s"), ("#f0e442", "^"), ("#009e73", "D"), ("#cc79a7", "v"))


def ratio_interval(part: Floats, whole: Floats) -> tuple[float, float]:
    """Ends of the 95% interval of ``sum(part) / sum(whole)``, where each pair is an independent draw.

    ``r +- t * std(part - r * whole) * sqrt(n) / sum(whole)`` with the t quantile of n - 1 degrees of freedom: with a
    whole of 1 everywhere it is the usual interval of a mean. NaN with fewer than two pairs.
    """
    n = len(part)
    if n < 2:
        return np.nan, np.nan
    ratio = part.sum() / whole.sum()
    half = student.ppf(0.975, n - 1) * (part - ratio * whole).std(ddof=1) * np.sqrt(n) / whole.sum()
    return float(ratio - half), float(ratio + half)


def density_quality(trials: Details) -> pd.DataFrame:
    """Measure the quality of pseudo-labels by bin of density, pooled over the trials of a dataset.

    A trial has dataset, seed, fold, metric and bins: low and high quantile of density, n rows, how many are correct,
    and the dataset's score in them, None where it has none. There is one row per dataset and bin, sparse bins first:
    the proportion of right pseudo-labels in the rows of all trials (accuracy) and the mean over seeds of the metric
    (score), with 95% intervals.

    The same rows occur in every seed and fold, so they are not independent. Intervals therefore come from the spread
    between seeds (the folds of a seed are put together first) and are clipped to [0, 1]. With a single seed there is no
    such spread: the accuracy has Wilson's interval of a proportion of independent rows, too narrow if its folds
    overlap, and the score has none.
    """
    if not trials:
        raise ValueError("There is no finished trial of method 'density-quality' to draw.")
    keys = ("dataset", "seed", "fold", "metric")
    bins = pd.DataFrame([{**{key: trial[key] for key in keys}, **part} for trial in trials for part in trial["bins"]])
    bins = bins.astype({"score": float}).round({"low": 6, "high": 6})
    bins["dataset"] = pd.Categorical(bins["dataset"], bins["dataset"].unique())
    rows = []
    for (dataset, low, high), part in bins.groupby(["dataset", "low", "high"], observed=True):
        n, correct = int(part["n"].sum()), int(part["correct"].sum())
        seeds = part.groupby("seed")[["n", "correct"]].sum().to_numpy(float).T
        scores = part.dropna(subset="score").groupby("seed")["score"].mean().to_numpy(float)
        if seeds.shape[1] > 1:
            ends = np.clip(ratio_interval(seeds[1], seeds[0]), 0.0, 1.0)
        else:
            ends = np.concatenate(wilson_interval(seeds[1] / seeds[0], seeds[0].astype(np.intp)))
        score_ends = np.clip(ratio_interval(scores, np.ones(len(scores))), 0.0, 1.0)
        row = {"dataset": dataset, "metric": part["metric"].iloc[0], "low": low, "high": high}
        row |= {"n_seeds": seeds.shape[1], "n": n, "correct": correct}
        row |= {"accuracy": correct / n, "accuracy_low": ends[0], "accuracy_high": ends[1]}
        row["score"] = scores.mean() if len(scores) else np.nan
        rows.append(row | {"score_low": score_ends[0], "score_high": score_ends[1]})
    return pd.DataFrame(rows)


def draw_density_quality(details: Details, labels: Labels) -> Figure:
    """Draw accuracy against density, one panel per dataset, and below it the dataset's metric where it is another one.

    A point stands in the middle of its bin, whiskers are the 95% interval, the dashed line is the mean of the bins,
    weighted by their rows: the accuracy of all rows, but not their F1.
    """
    quality = density_quality(details)
    datasets = list(quality["dataset"].unique())
    width = min(len(datasets), N_COLUMNS)
    shape = ceil(len(datasets) / width) * 2, width
    panels = make_panels(shape, (max(1.8 * width + 0.4, 3.2), 1.7 * shape[0] + 0.3))
    for ax in panels.flat:
        ax.set_axis_off()
    for place, dataset in enumerate(datasets):
        rows = quality[quality["dataset"] == dataset]
        column = panels[place // width * 2 :, place % width][:2]
        metric = str(rows["metric"].iloc[0])
        shown = {"accuracy": "accuracy"} if metric == "accuracy" else {"accuracy": "accuracy", "score": metric}
        for ax, (name, title) in zip(column, shown.items(), strict=False):
            ax.set_axis_on()
            _draw_points(ax, rows, name)
            if name == "score" or place % width == 0:
                ax.set_ylabel(METRICS.get(title, title), fontsize="small")
        column[0].set_title(wrap_name(display_name("dataset", dataset, labels)), fontsize="small")
        if place >= len(datasets) - width:
            column[len(shown) - 1].set_xlabel("density (percentile)", fontsize="small")
    from matplotlib.lines import Line2D

    points = Line2D([], [], color=POINT, linewidth=1.2, marker="o", markersize=3.5, label="pseudo-labels, 95% interval")
    line = Line2D([], [], color=INK, linewidth=1, linestyle="--", label="mean of the bins")
    return draw_legend(panels, [points, line])


def _draw_points(ax: Axes, rows: pd.DataFrame, measure: str) -> None:
    """The points of one dataset and their common value."""
    tidy(ax)
    ax.set(xlim=(0, 100), xticks=(0, 25, 50, 75, 100))
    seen = rows[rows[measure].notna()]
    if seen.empty:
        return draw_nothing(ax)
    ax.axhline(np.average(seen[measure], weights=seen["n"]), color=INK, linewidth=1, linestyle="--", zorder=1.5)
    at, value = 50 * (rows["low"] + rows["high"]), rows[measure]
    interval = np.nan_to_num([value - rows[f"{measure}_low"], rows[f"{measure}_high"] - value])
    ax.errorbar(at, value, yerr=interval, fmt="none", ecolor=POINT, elinewidth=0.8, capsize=2, zorder=2)
    ax.plot(at, value, color=POINT, linewidth=1.2, marker="o", markersize=3.5, zorder=3)


def draw_confidence_map(details: Details, labels: Labels) -> Figure:
    """Draw the raw confidence and CAST's side by side, darker where more confident, with the labeled rows on top.

    The first trial has x and y (coordinates of a grid), raw and cast (a list for each y of the largest confidence at
    each x) and labeled (x, y and class of each labeled row).
    """
    from matplotlib.colors import LinearSegmentedColormap

    if not details:
        raise ValueError("There is no finished trial with a confidence map to draw.")
    data = details[0]
    panels = make_panels((1, 2), (6.4, 3.2))
    # From white to a gray dark enough to see and light enough for points on it; the same scale for both.
    colors = LinearSegmentedColormap.from_list("confidence", ["#ffffff", "#444444"])
    both = np.array([data["raw"], data["cast"]])
    low, high = np.floor(10 * both.min() + 1e-9) / 10, np.ceil(10 * both.max() - 1e-9) / 10
    for ax, values, title in zip(panels.flat, both, ("raw confidence", "CAST"), strict=True):
        mesh = ax.pcolormesh(
            data["x"], data["y"], values, cmap=colors, vmin=low, vmax=high, shading="nearest", rasterized=True
        )
        for number, kind in enumerate(sorted({row[2] for row in data["labeled"]})):
            points = np.array([row[:2] for row in data["labeled"] if row[2] == kind])
            color, marker = CLASS_STYLES[number % len(CLASS_STYLES)]
            style = {"s": 26, "c": color, "marker": marker, "edgecolors": "white", "linewidths": 0.7}
            ax.scatter(*points.T, label=f"labeled, class {kind}", **style)
        ax.set_title(title, fontsize="medium")
        ax.set_box_aspect(1)
        ax.set_xlabel("first feature", fontsize="small")
        ax.tick_params(labelsize="small")
        ax.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("second feature", fontsize="small")
    panels[0, 1].tick_params(labelleft=False)
    bar = panels[0, 0].figure.colorbar(mesh, ax=list(panels.flat), label="largest confidence", shrink=0.85)
    bar.ax.tick_params(labelsize="small")
    bar.outline.set_visible(False)
    return draw_legend(panels, panels[0, 0].get_legend_handles_labels()[0])
