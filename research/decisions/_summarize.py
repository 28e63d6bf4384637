"""Tables of research/configs/decisions.toml from its records.

    python research/decisions/_summarize.py [PROFILE]

Writes research/results/decisions/PROFILE.csv (one row per table, model and combination, means over seeds and folds) and
PROFILE.md: differences to the supervised model that predicts the most probable class, in points, means and standard
errors over the tables.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from tabcast.study.config import read_study
from tabcast.study.results import collect_details

RESEARCH = Path(__file__).parents[1]
KNOWN = ["dataset", "seed", "fold", "base"]
NAMES = ["contender", "temperature", "power", "decision"]
VALUES = ["auc", "log_loss", "accuracy", "balanced_accuracy", "macro_f1"]


def collect(profile: str) -> pd.DataFrame:
    """One row per table, model and combination; means over seeds and folds."""
    rows = []
    for trial in collect_details(read_study(RESEARCH / "configs" / "decisions.toml"), profile):
        known = {name: trial[name] for name in ("dataset", "seed", "fold")} | {"base": trial["model"]}
        rows += [
            {**known, "contender": one["model"], **{k: v for k, v in one.items() if k != "model"}}
            for one in trial["rows"]
        ]
    table = pd.DataFrame(rows, columns=[*KNOWN, *NAMES, *VALUES])
    table["temperature"] = ["" if pd.isna(value) else str(value) for value in table["temperature"]]
    return table.groupby(["base", "dataset", *NAMES], sort=False)[VALUES].mean().reset_index()


def compare(scores: pd.DataFrame) -> pd.DataFrame:
    """Differences to the supervised model, means and errors over tables, and on how many the log-loss is no worse."""
    first = scores[(scores["contender"] == "supervised") & (scores["decision"] == "accuracy")]
    alone = first.set_index(["base", "dataset"])[VALUES]
    keys = pd.MultiIndex.from_frame(scores[["base", "dataset"]])
    gains = scores.copy()
    gains[VALUES] = scores[VALUES].to_numpy() - alone.loc[keys].to_numpy()
    gains["no_worse"] = gains["log_loss"] <= 0
    grouped = gains.groupby(["base", *NAMES], sort=False)
    means, errors = 100 * grouped[VALUES].mean(), 100 * grouped[VALUES].sem().add_suffix("_se")
    return means.join(errors).assign(no_worse=grouped["no_worse"].sum(), tables=grouped.size()).reset_index()


def write_markdown(means: pd.DataFrame) -> str:
    """The comparison as a table for people."""
    lines = [
        "| model | contender | T | power | decision | AUC | log-loss | accuracy | balanced accuracy "
        "| macro F1 | log-loss no worse |",
        "|" + " --- |" * 11,
    ]
    for row in means.to_dict("records"):
        names = " | ".join(str(row[name]) for name in ("base", *NAMES))
        values = " | ".join(f"{row[name]:+.2f} ± {row[f'{name}_se']:.2f}" for name in VALUES)
        lines.append(f"| {names} | {values} | {row['no_worse']} of {row['tables']} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "full"
    scores = collect(profile)
    folder = RESEARCH / "results" / "decisions"
    folder.mkdir(parents=True, exist_ok=True)
    scores.to_csv(folder / f"{profile}.csv", index=False, float_format="%.5f")
    text = write_markdown(compare(scores))
    (folder / f"{profile}.md").write_text(text, encoding="utf-8")
    print(text)
