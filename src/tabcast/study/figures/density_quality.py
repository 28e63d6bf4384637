"""Are pseudo-labels better where labeled rows are dense? (The paper's figure 2.)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from tabcast.statistics import wilson_interval
from tabcast.study.analysis.names import Labels, display_name
from tabcast.study.figures._panels import INK, PALE, Panels, check_table, draw_legend, take_panels, tidy, wrap_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

TRIAL_KEYS = ("dataset", "seed", "fold", "metric", "bins")
BIN_KEYS = ("low", "high", "n", "correct", "score")
MEASURES = ("accuracy", "score", "both")
METRICS = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "f1": "F1"}
POINT = "#0072b2"


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


def density_quality(trials: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Measure the quality of pseudo-labels by bin of density, pooled over the trials of a dataset.

    Parameters
    ----------
    trials : sequence of mapping of str to object
        One dictionary per trial, as in its record: dataset, seed, fold, metric (name of the dataset's metric)
        and bins, a list of dictionaries: low, high (quantiles of density between which the rows of the bin lie), n
        (rows), correct (those with the right pseudo-label), score (value of the metric, or None where it has none).

    Returns
    -------
    DataFrame
        One row per dataset and bin, sparse bins first, with columns dataset, metric, low, high, and:

        - n_seeds, n, correct: seeds, rows and right pseudo-labels
        - accuracy, accuracy_low, accuracy_high: proportion of right ones among the rows of all trials, its 95%
          interval; NaN without rows
        - score, score_low, score_high: mean over seeds of the metric, its 95% interval; NaN where no trial has one

    Notes
    -----
    The same rows occur in every seed and fold, so they are not independent. Intervals therefore come from the spread
    between seeds (the folds of a seed are put together first) and are clipped to [0, 1]. With a single seed there is no
    such spread: the accuracy has Wilson's interval of a proportion of independent rows, too narrow if its folds
    overlap, and the score has none.

    Examples
    --------
    >>> from tabcast.study.figures.density_quality import density_quality
    >>> def trial(seed, sparse, dense):
    ...     bins = [dict(low=0.0, high=0.5, n=10, correct=sparse, score=None),
    ...             dict(low=0.5, high=1.0, n=10, correct=dense, score=None)]
    ...     return dict(dataset="diabetes", seed=seed, fold=0, metric="accuracy", bins=bins)
    >>> quality = density_quality([trial(0, 5, 9), trial(1, 7, 9)])
    >>> quality[["dataset", "low", "high", "n", "correct", "accuracy"]]
        dataset  low  high   n  correct  accuracy
    0  diabetes  0.0   0.5  20       12       0.6
    1  diabetes  0.5   1.0  20       18       0.9
    """
    bins = _flatten(trials)
    rows = []
    for (dataset, low, high), part in bins.groupby(["dataset", "low", "high"], sort=False):
        n, correct = int(part["n"].sum()), int(part["correct"].sum())
        seeds = part[part["n"] > 0].groupby("seed")[["n", "correct"]].sum()
        scores = part.dropna(subset="score").groupby("seed")["score"].mean().to_numpy(float)
        ends = _accuracy_interval(seeds["correct"].to_numpy(float), seeds["n"].to_numpy(float))
        score_ends = np.clip(ratio_interval(scores, np.ones(len(scores))), 0.0, 1.0)
        rows.append(
            {
                "dataset": dataset,
                "metric": part["metric"].iloc[0],
                "low": low,
                "high": high,
                "n_seeds": len(seeds),
                "n": n,
                "correct": correct,
                "accuracy": correct / n if n else np.nan,
                "accuracy_low": ends[0],
                "accuracy_high": ends[1],
                "score": scores.mean() if len(scores) else np.nan,
                "score_low": score_ends[0],
                "score_high": score_ends[1],
            }
        )
    order = {name: place for place, name in enumerate(bins["dataset"].unique())}
    table = pd.DataFrame(rows)
    table = table.sort_values(
        ["dataset", "low"], key=lambda column: column.map(order) if column.name == "dataset" else column
    )
    return table.reset_index(drop=True)


def draw_density_quality(
    quality: pd.DataFrame,
    axes: Axes | Sequence[Axes] | Panels | None = None,
    *,
    measure: str = "accuracy",
    n_columns: int = 4,
    labels: Labels | None = None,
) -> Panels:
    """Draw the quality of pseudo-labels against the density of the row, one panel per dataset.

    A point stands in the middle of its bin, whiskers are the 95% interval, the dashed line is the mean of the bins,
    weighted by their rows: the accuracy of all rows, but not their F1.

    Parameters
    ----------
    quality : DataFrame
        The result of :func:`density_quality`.
    axes : Axes or sequence of Axes or ndarray of Axes, default=None
        As many Axes as there are panels, row by row. By default those of a new figure.
    measure : str, default="accuracy"
        "accuracy" is the proportion of right pseudo-labels, "score" the dataset's own metric. "both" draws the accuracy
        and below it the metric, which may rise and fall the other way; the panel stays empty if it is the accuracy.
    n_columns : int, default=4
        Maximum number of panels side by side.
    labels : mapping of str to mapping, default=None
        Labels of the datasets, as in :func:`tabcast.study.analysis.display_name`.

    Returns
    -------
    ndarray of Axes
        One Axes per panel, in rows and columns.

    Examples
    --------
    >>> from tabcast.study.figures.density_quality import density_quality, draw_density_quality
    >>> panels = draw_density_quality(density_quality(trials))  # doctest: +SKIP
    >>> panels[0, 0].figure.savefig("density_quality.pdf")  # doctest: +SKIP
    """
    if measure not in MEASURES:
        raise ValueError(f"`measure` of draw_density_quality must be one of {MEASURES}; got {measure!r}.")
    if n_columns < 1:
        raise ValueError(f"`n_columns` of draw_density_quality must be at least 1; got {n_columns}.")
    drawn = ("accuracy", "score") if measure == "both" else (measure,)
    numbers = [f"{name}{end}" for name in drawn for end in ("", "_low", "_high")]
    check_table(quality, ["dataset", "metric", "low", "high", "n", *numbers], "quality", "draw_density_quality")
    datasets = list(quality["dataset"].unique())
    width = min(len(datasets), n_columns)
    shape = ceil(len(datasets) / width) * len(drawn), width
    size = max(1.8 * width + 0.4, 3.2), 1.7 * shape[0] + 0.3
    panels = take_panels(axes, shape, size, "draw_density_quality")
    for ax in panels.flat:
        ax.set_axis_off()
    for place, dataset in enumerate(datasets):
        rows = quality[quality["dataset"] == dataset]
        column = panels[place // width * len(drawn) :, place % width][: len(drawn)]
        shown = [name for name in drawn if name == "accuracy" or len(drawn) == 1 or _metric_of(rows) != "accuracy"]
        for ax, name in zip(column, shown, strict=False):
            ax.set_axis_on()
            _draw_panel(ax, rows, name)
            if name == "score" or place % width == 0:
                metric = "accuracy" if name == "accuracy" else _metric_of(rows)
                ax.set_ylabel(METRICS.get(metric, metric), fontsize="small")
        column[0].set_title(wrap_name(display_name("dataset", dataset, labels)), fontsize="small")
        if place >= len(datasets) - width:
            column[len(shown) - 1].set_xlabel("density (percentile)", fontsize="small")
    draw_legend(panels, _legend_entries(measure), own=axes is None)
    return panels


def _metric_of(rows: pd.DataFrame) -> str:
    """Return the name of a dataset's metric."""
    return str(rows["metric"].iloc[0])


def _flatten(trials: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each bin of each trial, checked."""
    if len(trials) == 0:
        raise ValueError("`trials` of density_quality is empty: it needs a dictionary for each trial.")
    rows = []
    for number, trial in enumerate(trials):
        missing = [key for key in TRIAL_KEYS if key not in trial]
        missing += sorted({f"bins: {key}" for part in trial.get("bins", ()) for key in BIN_KEYS if key not in part})
        if missing or not trial["bins"]:
            raise ValueError(f"Trial {number} in `trials` of density_quality lacks {', '.join(missing) or 'bins'}.")
        for part in trial["bins"]:
            if not 0 <= part["correct"] <= part["n"]:
                raise ValueError(
                    f"`correct` of a bin in `trials` of density_quality must be between 0 and its n = {part['n']}; "
                    f"got {part['correct']} in trial {number}."
                )
            ends = {"low": round(float(part["low"]), 6), "high": round(float(part["high"]), 6)}
            rows.append({key: trial[key] for key in TRIAL_KEYS[:-1]} | {key: part[key] for key in BIN_KEYS} | ends)
    bins = pd.DataFrame(rows).astype({"score": float})
    twice = bins[bins.duplicated(["dataset", "seed", "fold", "low", "high"])]
    if len(twice):
        where = ", ".join(f"{name} {twice.iloc[0][name]}" for name in ("dataset", "seed", "fold"))
        raise ValueError(f"`trials` of density_quality holds the same trial twice: {where}. Its rows count once.")
    metrics = bins.groupby("dataset", sort=False)["metric"].unique()
    for dataset, names in metrics.items():
        if len(names) > 1:
            raise ValueError(f"`trials` of density_quality has several metrics for {dataset}: {', '.join(names)}.")
    return bins


def _accuracy_interval(correct: Floats, n: Floats) -> tuple[float, float]:
    """Ends of the 95% interval of the accuracy, from the right rows and the rows of each seed."""
    if len(n) == 0:
        return np.nan, np.nan
    if len(n) > 1:
        low, high = np.clip(ratio_interval(correct, n), 0.0, 1.0)
    else:
        low, high = (end[0] for end in wilson_interval(correct / n, n.astype(np.intp)))
    return float(low), float(high)


def _draw_panel(ax: Axes, rows: pd.DataFrame, measure: str) -> None:
    """The points of one dataset and their common value."""
    tidy(ax)
    ax.set(xlim=(0, 100), xticks=(0, 25, 50, 75, 100))
    seen = rows[rows[measure].notna()]
    if seen.empty:
        ax.text(0.5, 0.5, "no results", transform=ax.transAxes, ha="center", va="center", color=PALE, fontsize="small")
        return
    ax.axhline(np.average(seen[measure], weights=seen["n"]), color=INK, linewidth=1, linestyle="--", zorder=1.5)
    at, value = 50 * (rows["low"] + rows["high"]), rows[measure]
    interval = np.nan_to_num([value - rows[f"{measure}_low"], rows[f"{measure}_high"] - value])
    ax.errorbar(at, value, yerr=interval, fmt="none", ecolor=POINT, elinewidth=0.8, capsize=2, zorder=2)
    ax.plot(at, value, color=POINT, linewidth=1.2, marker="o", markersize=3.5, zorder=3)


def _legend_entries(measure: str) -> list[Any]:
    """What the points and the dashed line are."""
    from matplotlib.lines import Line2D

    common = "all rows" if measure == "accuracy" else "mean of the bins"
    return [
        Line2D([], [], color=POINT, linewidth=1.2, marker="o", markersize=3.5, label="pseudo-labels, 95% interval"),
        Line2D([], [], color=INK, linewidth=1, linestyle="--", label=common),
    ]
