"""The figures of docs/when_it_helps.md, from committed results.

    python research/figures/when_it_helps.py

Writes docs/images/gains_by_table.png (research/results/decisions/default.csv: soft self-training against the supervised
model, per table) and docs/images/gains_by_method.png (paper/results/seventeen_datasets/results.csv.gz: CAST against the
baseline and the baseline against no self-training).
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
MODELS = {"sane_xgboost": "XGBoost", "hist_gradient_boosting": "HistGradientBoosting"}


def draw_tables() -> None:
    """Gain in AUC and accuracy of every table, for two models."""
    scores = pd.read_csv(ROOT / "research" / "results" / "decisions" / "default.csv")
    scores = scores[scores["decision"] == "accuracy"].set_index(["base", "dataset", "contender"])[["auc", "accuracy"]]
    gains = 100 * (scores.xs("default", level="contender") - scores.xs("supervised", level="contender"))
    order = gains["auc"].groupby("dataset").mean().sort_values().index
    fig, axes = plt.subplots(1, 2, figsize=(8, 5.5), sharey=True)
    for ax, (value, title) in zip(axes, {"auc": "AUC", "accuracy": "accuracy"}.items(), strict=True):
        for (name, label), marker in zip(MODELS.items(), "os", strict=True):
            ax.plot(gains.loc[name].loc[order, value], order, marker, label=label, alpha=0.8)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_xlabel(f"gain in {title}, points")
        ax.grid(axis="y", alpha=0.3)
    axes[0].legend(loc="lower right")
    fig.tight_layout()
    fig.savefig(IMAGES / "gains_by_table.png", dpi=110)


def draw_methods() -> None:
    """Hard self-training on seventeen datasets: mean gain with two standard errors over datasets."""
    trials = pd.read_csv(ROOT / "paper" / "results" / "seventeen_datasets" / "results.csv.gz")
    trials = trials[(trials["tuning"] == "paper") & (trials["status"] == "done")]
    means = trials.groupby(["dataset", "method", "strategy"], dropna=False)["score"].mean()
    pairs = [("baseline", "supervised"), ("cast-l", "baseline"), ("cast-d", "baseline"), ("cast-l", "supervised")]
    rows = []
    for strategy in ("threshold", "curriculum"):
        table = means.unstack("method")
        chosen = table.xs(strategy, level="strategy")
        alone = means.xs("supervised", level="method").groupby("dataset").mean()
        for first, second in pairs:
            reference = alone if second == "supervised" else chosen[second]
            gain = 100 * (chosen[first] - reference).dropna()
            rows.append((f"{first} - {second}, {strategy}", gain.mean(), gain.std(ddof=1) / np.sqrt(len(gain))))
    fig, ax = plt.subplots(figsize=(7, 3.4))
    names, values, errors = zip(*rows, strict=True)
    ax.errorbar(values, names, xerr=2 * np.array(errors), fmt="o", capsize=3)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel("gain in the dataset's metric, points (bars: two standard errors)")
    ax.invert_yaxis()
    fig.tight_layout()
    fig.savefig(IMAGES / "gains_by_method.png", dpi=110)
    for row in rows:
        print("{:35} {:+.2f} ± {:.2f}".format(*row))


if __name__ == "__main__":
    draw_tables()
    draw_methods()
