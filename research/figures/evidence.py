"""The chart of the README: what tabcast delivers on the 20 datasets, beside XGBoost and scikit-learn's own learners.

    python research/figures/evidence.py [--table]

Reads research/results/fit/draws.csv (research/fit/evaluate.py) and writes docs/images/evidence.png. It also names the
dataset of the examples. The rule: of the tables that were observed (car was computed by rules) and whose columns have
plain names, the one whose gain in AUC over XGBoost is closest to the median of the 20. `--table` also writes the rows
of it that `tabcast demo` uses, drawn at random with seed 0 (needs TABCAST_DATA_DIR): src/tabcast/cli/census.csv.gz.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from tabcast.study.datasets._load import find_folder, read_files

ROOT = Path(__file__).parents[2]
MODELS = {
    "delivered": ("tabcast", "#0b7a56", "o"),
    "without": ("the same ensemble without the unlabeled rows", "#c98500", "D"),
    "self_training": ("scikit-learn's SelfTrainingClassifier (XGBoost)", "#3a6ea5", "s"),
    "spreading": ("scikit-learn's LabelSpreading", "#8a8a8a", "^"),
}
SCORES = {"accuracy": "accuracy", "auc": "AUC"}
MEAN = "mean of 20"
PLAIN_NAMES = ["adult", "churn", "cmc", "credit-g"]
LOWEST, HIGHEST = -12.0, 15.0  # points; what lies below is drawn as an arrow with its number


def gains(draws: pd.DataFrame, score: str) -> pd.DataFrame:
    """Score above XGBoost in points: a row per dataset, a column per model; draws of both sizes count equally."""
    differences = {name: 100 * (draws[f"{name}_{score}"] - draws[f"xgboost_{score}"]) for name in MODELS}
    return pd.DataFrame(differences).groupby([draws["dataset"], draws["labels"]]).mean().groupby("dataset").mean()


def draw(tables: dict[str, pd.DataFrame]) -> plt.Figure:
    """One row per dataset, above them the mean with its standard error; one panel per score."""
    order = tables["auc"]["delivered"].sort_values().index
    figure, axes = plt.subplots(1, len(tables), figsize=(9.6, 6.4), sharey=True)
    top = len(order) + 0.7
    for ax, (score, table) in zip(axes, tables.items(), strict=True):
        for name, (label, color, marker) in reversed(MODELS.items()):
            values = table.loc[order, name]
            ax.plot(values, range(len(order)), marker, color=color, markersize=6, alpha=0.85, label=label)
            ax.errorbar(values.mean(), top, xerr=values.sem(), fmt=marker, color=color, markersize=8, capsize=4, lw=2)
            for place, value in enumerate(values):
                if value < LOWEST:
                    arrow = {"arrowstyle": "->", "color": color}
                    ends = {"xy": (LOWEST, place), "xytext": (LOWEST + 0.8, place)}
                    ax.annotate(f"{value:.0f}", **ends, color=color, fontsize=8, va="center", arrowprops=arrow)
        ax.axvline(0, color="#333333", linewidth=1)
        ax.axhline(len(order) - 0.15, color="#bbbbbb", linewidth=0.8)
        ax.set(xlim=(LOWEST - 0.6, HIGHEST), ylim=(-0.7, top + 0.9))
        ax.set_xlabel(f"{SCORES[score]} minus XGBoost's, points")
        ax.grid(axis="x", alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks([*range(len(order)), top], [*order, MEAN])
    axes[0].get_yticklabels()[-1].set_fontweight("bold")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="upper center", ncols=2, frameon=False, fontsize=9.5)
    figure.tight_layout(rect=(0, 0, 1, 0.92))
    return figure


def write_table() -> None:
    """Write 1,800 rows of adult, as many as a draw of the study has."""
    whole = read_files(find_folder("adult"), "adult").rename(columns={"class": "income"})
    table = whole.iloc[np.random.default_rng(0).permutation(len(whole))[:1800]]
    packed = gzip.compress(table.to_csv(index=False, lineterminator="\n").encode(), mtime=0)
    (ROOT / "src" / "tabcast" / "cli" / "census.csv.gz").write_bytes(packed)


def main() -> None:
    """Draw, print the means, and name the dataset of the examples."""
    if "--table" in sys.argv[1:]:
        write_table()
    draws = pd.read_csv(ROOT / "research" / "results" / "fit" / "draws.csv")
    tables = {score: gains(draws, score) for score in SCORES}
    draw(tables).savefig(ROOT / "docs" / "images" / "evidence.png", dpi=120, metadata={"Software": None})
    for score, table in tables.items():
        print(f"{SCORES[score]} above XGBoost, {len(draws)} draws of {len(table)} datasets:")
        for name, (label, *_) in MODELS.items():
            values = table[name]
            print(f"  {label}: {values.mean():+.1f} ± {values.sem():.1f} points, better on {(values > 0).sum()}")
    gain = tables["auc"]["delivered"]
    plain = (gain[PLAIN_NAMES] - gain.median()).abs().sort_values()
    print(f"Median gain in AUC {gain.median():+.1f}; examples: {plain.index[0]} ({gain[plain.index[0]]:+.1f})")


if __name__ == "__main__":
    main()
