"""Temperature and alignment apart: what each does to the soft student that predicts the most probable class.

    python research/decisions/_alignment.py [PROFILE]

reads research/results/decisions/PROFILE.csv (by default xgboost.csv, written by _summarize.py), and prints gains over
the supervised model and differences between the four combinations, in points, with standard errors over tables.
Three of the four also ran with three seeds, in soft_variants and soft_self_training; their gains follow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tabcast.study.analysis.summary import paired_differences

RESULTS = Path(__file__).parents[1] / "results"
VALUES = ["balanced_accuracy", "macro_f1", "auc", "accuracy", "log_loss"]
ALIGNED, UNALIGNED, COLD, WARM = "exact", "none", "0.5", "1.0"
COMPARED = {
    "T = 0.5, aligned, minus supervised": ((COLD, ALIGNED), None),
    "T = 0.5, not aligned, minus supervised": ((COLD, UNALIGNED), None),
    "T = 1, aligned, minus supervised": ((WARM, ALIGNED), None),
    "T = 1, not aligned, minus supervised": ((WARM, UNALIGNED), None),
    "alignment at T = 0.5": ((COLD, ALIGNED), (COLD, UNALIGNED)),
    "alignment at T = 1": ((WARM, ALIGNED), (WARM, UNALIGNED)),
    "T = 0.5 instead of 1, aligned": ((COLD, ALIGNED), (WARM, ALIGNED)),
    "T = 0.5 instead of 1, not aligned": ((COLD, UNALIGNED), (WARM, UNALIGNED)),
}


def read_scores(profile: str) -> pd.DataFrame:
    """Scores of the most probable class, by model, combination and table; supervised has no combination."""
    table = pd.read_csv(
        RESULTS / "decisions" / f"{profile}.csv", dtype={"temperature": str, "power": str}, keep_default_na=False
    )
    plain = table[(table["decision"] == "accuracy") & (table["power"] == "1")]
    plain = plain[plain["contender"].isin(["student", "supervised"])]
    return plain.set_index(["base", "temperature", "alignment", "dataset"])[VALUES].astype(float).sort_index()


def compare(scores: pd.DataFrame, base: str) -> pd.DataFrame:
    """Differences in points, as mean and standard error over tables."""
    rows = {}
    for name, (first, second) in COMPARED.items():
        difference = 100 * (scores.loc[(base, *first)] - scores.loc[(base, *(second or ("", "")))])
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        rows[name] = [f"{mean:+.1f} ± {se:.1f}" for mean, se in zip(difference.mean(), error, strict=True)]
    return pd.DataFrame(rows, index=VALUES).T


def three_seeds(study: str, method: str) -> pd.DataFrame:
    """Gains of a method over the supervised model in another study, in points."""
    table = pd.read_csv(RESULTS / study / "results.csv.gz", keep_default_na=False, na_values=[""])
    rows: dict[str, list[str]] = {}
    for value in VALUES:
        found = paired_differences(table, method, "supervised", ["model"], value=value)
        for row in found[found["dataset"] == "overall"].to_dict("records"):
            name = f"{row['model']}, {row['n_units']} tables"
            rows.setdefault(name, []).append(f"{100 * row['mean']:+.1f} ± {100 * row['standard_error']:.1f}")
    return pd.DataFrame(rows, index=VALUES).T


if __name__ == "__main__":
    scores = read_scores(sys.argv[1] if len(sys.argv) > 1 else "xgboost")
    for base in scores.index.unique("base"):
        print(f"\n{base}, {scores.loc[base].index.unique('dataset').size} tables")
        print(compare(scores, base).to_string())
    for study, method, name in (
        ("soft_variants", "soft", "T = 0.5, aligned"),
        ("soft_variants", "soft-warm", "T = 1, aligned"),
        ("soft_self_training", "soft-unaligned", "T = 1, not aligned"),
    ):
        print(f"\n{name}, minus supervised, three seeds ({study})")
        print(three_seeds(study, method).to_string())
