"""The chart of the README: what tabcast delivers on the 20 datasets, beside XGBoost and scikit-learn's own learners.

    python research/figures/evidence.py

Reads research/results/fit/draws.csv (research/fit/evaluate.py) and writes docs/images/evidence.png. It also prints the
dataset of the examples: of those whose columns have plain names, the one with the median gain over XGBoost.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd

ROOT = Path(__file__).parents[2]
MODELS = {
    "delivered": ("tabcast", "#0b7a56", "o", 1.0),
    "without": ("the same ensemble without the unlabeled rows", "#c98500", "D", 0.9),
    "self_training": ("scikit-learn's SelfTrainingClassifier (XGBoost)", "#3a6ea5", "s", 0.8),
    "spreading": ("scikit-learn's LabelSpreading", "#888888", "^", 0.8),
}
MEAN = "mean of the 20"
PLAIN_NAMES = ["adult", "car", "churn", "cmc", "credit-g"]
LOWEST = -12.0  # points; what lies below is drawn as an arrow with its number


def gains(draws: pd.DataFrame) -> pd.DataFrame:
    """Accuracy above XGBoost in points: a row per dataset, a column per model; draws of both sizes count equally."""
    differences = {name: 100 * (draws[f"{name}_accuracy"] - draws["xgboost_accuracy"]) for name in MODELS}
    keys = [draws["dataset"], draws["labels"]]
    return pd.DataFrame(differences).groupby(keys).mean().groupby("dataset").mean()


def draw(table: pd.DataFrame) -> plt.Figure:
    """One row per dataset, and their mean with its standard error on top."""
    table = table.sort_values("delivered")
    figure, ax = plt.subplots(figsize=(8.4, 6.6))
    names, top = list(table.index), len(table) + 0.6
    for name, (label, color, marker, alpha) in MODELS.items():
        values = table[name]
        style = {"color": color, "marker": marker, "linestyle": "none", "alpha": alpha, "markeredgewidth": 0}
        shown = values.where(values > LOWEST)
        ax.plot(shown, range(len(table)), markersize=6, label=label, **style)
        ax.errorbar(values.mean(), top, xerr=values.sem(), color=color, marker=marker, markersize=9, capsize=4, lw=2)
        for place, value in enumerate(values):
            if value <= LOWEST:
                ax.annotate(
                    f"{value:.0f}", (LOWEST, place), (LOWEST + 0.5, place), color=color, fontsize=8, va="center",
                    arrowprops={"arrowstyle": "->", "color": color},
                )  # fmt: skip
    ax.axvline(0, color="#333333", linewidth=1)
    ax.axhline(len(table) - 0.2, color="#bbbbbb", linewidth=0.8)
    ax.set_yticks([*range(len(table)), top], [*names, MEAN])
    ax.get_yticklabels()[-1].set_fontweight("bold")
    ax.set_xlabel("accuracy minus that of XGBoost trained on the labeled rows, points")
    ax.set(xlim=(LOWEST - 0.4, None), ylim=(-0.7, top + 0.9))
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="upper center", ncols=2, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    return figure


def main() -> None:
    """Draw, and name the dataset of the examples."""
    draws = pd.read_csv(ROOT / "research" / "results" / "fit" / "draws.csv")
    table = gains(draws)
    draw(table).savefig(ROOT / "docs" / "images" / "evidence.png", dpi=130, metadata={"Software": None})
    for name, (label, *_) in MODELS.items():
        values = table[name]
        print(f"{label}: {values.mean():+.2f} ± {values.sem():.2f} points, {(values > 0).sum()} of {len(table)} above 0")
    plain = table.loc[PLAIN_NAMES, "delivered"].sort_values()
    print(f"Examples: {plain.index[len(plain) // 2]} ({', '.join(f'{n} {v:+.1f}' for n, v in plain.items())})")


if __name__ == "__main__":
    main()
