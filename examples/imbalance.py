"""Pseudo-labels for a class that makes up 5% of the rows.

In tables of 3,000 rows, 5% belong to class 1. 200 rows are labeled (10 of them
of class 1), 1,600 are unlabeled, and the models are tested on 1,200 new rows.
A random forest is rarely confident about so rare a class: scikit-learn's
self-training with a threshold of 0.75 labels only rows of the majority class.
The printed table compares it with the strategies of tabcast, averaged over
several tables.

    python examples/imbalance.py [number of tables, default 5]
"""

import sys

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import (
    average_precision_score,
    precision_score,
    recall_score,
)
from sklearn.model_selection import train_test_split
from sklearn.semi_supervised import (
    SelfTrainingClassifier as ScikitLearnSelfTraining,
)

from tabcast import SelfTrainingClassifier
from tabcast.confidence import DistributionAlignment
from tabcast.pseudo_labels import (
    Curriculum,
    FixedThreshold,
    PerClassCurriculum,
)

N_TABLES = 5
BEST = "DistributionAlignment + PerClassCurriculum"
STRATEGIES = {
    "FixedThreshold(0.75)": {"strategy": FixedThreshold(0.75)},
    "Curriculum": {"strategy": Curriculum()},
    "PerClassCurriculum": {"strategy": PerClassCurriculum()},
    "FixedThreshold([0.95, 0.6])": {"strategy": FixedThreshold([0.95, 0.6])},
    BEST: {
        "confidence": DistributionAlignment(temperature=0.1),
        "strategy": PerClassCurriculum(),
    },
}


def draw_table(seed):
    """Labeled, unlabeled and new rows: X, y, X, y, X, y."""
    X, y = make_classification(
        3000,
        n_features=8,
        n_informative=4,
        n_redundant=0,
        n_clusters_per_class=1,
        weights=[0.95],
        class_sep=1.4,
        flip_y=0,
        random_state=seed,
    )
    X, X_new, y, y_new = train_test_split(
        X, y, test_size=1200, stratify=y, random_state=seed
    )
    X, X_pool, y, y_pool = train_test_split(
        X, y, train_size=200, stratify=y, random_state=seed
    )
    return X, y, X_pool, y_pool, X_new, y_new


def make_forest():
    """The base classifier of all methods."""
    return RandomForestClassifier(30, min_samples_leaf=5, random_state=0)


def compare(seed):
    """One row per method: its pseudo-labels, its predictions for new rows."""
    X, y, X_pool, y_pool, X_new, y_new = draw_table(seed)
    everything, half_labeled = (
        np.concatenate([X, X_pool]),
        np.concatenate([y, np.full(len(y_pool), -1)]),
    )

    def describe(model, pseudo_labels):
        used, minority = pseudo_labels != -1, pseudo_labels == 1
        predicted = model.predict(X_new)
        return {
            "pseudo-labels": used.sum(),
            "of class 1": minority.sum(),
            "right": (minority & (y_pool == 1)).sum(),
            "share": minority.sum() / max(used.sum(), 1),
            "true share": y_pool.mean(),
            "recall": recall_score(y_new, predicted),
            "precision": precision_score(y_new, predicted, zero_division=0),
            "average precision": average_precision_score(
                y_new, model.predict_proba(X_new)[:, 1]
            ),
        }

    rows = {
        "no pseudo-labels": describe(
            make_forest().fit(X, y), np.full(len(y_pool), -1)
        )
    }
    theirs = ScikitLearnSelfTraining(make_forest(), threshold=0.75).fit(
        everything, half_labeled
    )
    rows["scikit-learn"] = describe(theirs, theirs.transduction_[len(y) :])
    for name, parts in STRATEGIES.items():
        ours = SelfTrainingClassifier(
            make_forest(),
            validation=None,
            max_rounds=5,
            random_state=0,
            **parts,
        )
        ours.fit(everything, half_labeled)
        rows[name] = describe(ours, ours.transduction_[len(y) :])
    return pd.DataFrame(rows).T


def within_factor_2(table):
    """Whether the proportion of class 1 is between half and twice the truth."""
    return (table["share"] >= table["true share"] / 2) & (
        table["share"] <= table["true share"] * 2
    )


def summarize(tables):
    """Means over tables, and in how many the class proportions are right."""
    mean = sum(tables) / len(tables)
    kept = sum(within_factor_2(table).astype(int) for table in tables)
    summary = pd.DataFrame(
        {
            "pseudo-labels": mean["pseudo-labels"].map("{:.0f}".format),
            "of class 1": mean["of class 1"].map("{:.0f}".format),
            "of these right": mean["right"].map("{:.0f}".format),
            "proportion of class 1": mean["share"].map("{:.1%}".format),
            "within factor 2": kept.map(f"{{}} of {len(tables)}".format),
            "recall": mean["recall"].map("{:.2f}".format),
            "precision": mean["precision"].map("{:.2f}".format),
            "average precision": mean["average precision"].map("{:.2f}".format),
        }
    )
    summary.loc[
        mean["pseudo-labels"] == 0, ["proportion of class 1", "within factor 2"]
    ] = "-"
    return summary


def to_markdown(table):
    """The table as Markdown."""
    cells = [
        ["method", *table.columns],
        *(
            [name, *row]
            for name, row in zip(table.index, table.to_numpy(), strict=True)
        ),
    ]
    widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
    lines = [
        "| "
        + " | ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        )
        + " |"
        for row in cells
    ]
    return "\n".join(
        [
            lines[0],
            "| " + " | ".join("-" * width for width in widths) + " |",
            *lines[1:],
        ]
    )


def main(n_tables=N_TABLES):
    """Print the comparison."""
    tables = [compare(seed) for seed in range(n_tables)]
    share = np.mean([table["true share"].iloc[0] for table in tables])
    print(
        f"{n_tables} tables, 1,600 unlabeled rows each; "
        f"{share:.1%} of them are of class 1."
    )
    print("Recall, precision and average precision: of class 1, on new rows.\n")
    print(to_markdown(summarize(tables)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
