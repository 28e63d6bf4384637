"""Tables of the guard's calibration from the records of research/configs/guard.toml.

    python research/guard/_summarize.py [PROFILE]

Writes research/results/guard/verdicts.csv (a row a seed) and summary.csv and summary.md (a row a problem).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tabcast.study.config import read_study
from tabcast.study.results import collect_details

RESEARCH = Path(__file__).parents[1]
WORDS = ("helped", "probably helped", "no difference seen", "hurt")


def collect(profile: str) -> pd.DataFrame:
    """A row a seed: what the guard said and chose, and what was true."""
    details = collect_details(read_study(RESEARCH / "configs" / "guard.toml"), profile)
    return pd.DataFrame(
        {
            "problem": one["dataset"],
            "model": one["model"],
            "seed": one["seed"],
            **{name: one["verdict"][name] for name in ("word", "chosen", "gain", "low", "high")},
            "true_gain": one["true_gain"],
            **{f"test_{name}": score for name, score in one["test"].items()},
        }
        for one in details
    )


def summarize(verdicts: pd.DataFrame) -> pd.DataFrame:
    """A row a problem; the last rows are means over the problems of a kind."""
    rows = [{"problem": name, **_summarize_one(group)} for name, group in verdicts.groupby("problem", sort=False)]
    helpful = verdicts["problem"].str.startswith("helpful")
    for name, group in (("all null problems", verdicts[~helpful]), ("all helpful problems", verdicts[helpful])):
        rows.append({"problem": name, **_summarize_one(group)})
    return pd.DataFrame(rows)


def _summarize_one(group: pd.DataFrame) -> dict[str, object]:
    loss = group["test_chosen"] - group["test_supervised"]
    covered = group["true_gain"].between(group["low"], group["high"])
    return {
        "model": "/".join(sorted(group["model"].unique())),
        "seeds": len(group),
        "supervised": group["test_supervised"].mean(),
        "true_gain": group["true_gain"].mean(),
        "true_gain_sd": group["true_gain"].std(),
        "estimated_gain": group["gain"].mean(),
        "half_width": (group["high"] - group["gain"]).mean(),
        **{word: int((group["word"] == word).sum()) for word in WORDS},
        "chosen": int((group["chosen"] == "self-trained").sum()),
        "covered": int(covered.sum()),
        "chosen_minus_supervised": loss.mean(),
        "its_std_error": loss.std() / np.sqrt(len(loss)),
    }


def write_markdown(summary: pd.DataFrame) -> str:
    """The summary as a table for people: scores in points, counts as they are."""
    head = (
        "| problem | model | seeds | supervised | true gain | estimated | half width | helped | probably helped "
        "| no difference | hurt | self-trained chosen | interval covers | chosen - supervised |"
    )
    lines = [head, "|" + " --- |" * 14]
    for row in summary.to_dict("records"):
        counts = [f"{row[name]}" for name in (*WORDS, "chosen", "covered")]
        lines.append(
            f"| {row['problem']} | {row['model']} | {row['seeds']} | {100 * row['supervised']:.1f} "
            f"| {100 * row['true_gain']:+.1f} | {100 * row['estimated_gain']:+.1f} | {100 * row['half_width']:.1f} "
            f"| {' | '.join(counts)} "
            f"| {100 * row['chosen_minus_supervised']:+.2f} +- {100 * row['its_std_error']:.2f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    verdicts = collect(sys.argv[1] if len(sys.argv) > 1 else "full")
    summary = summarize(verdicts)
    folder = RESEARCH / "results" / "guard"
    folder.mkdir(parents=True, exist_ok=True)
    verdicts.to_csv(folder / "verdicts.csv", index=False, float_format="%.5f")
    summary.to_csv(folder / "summary.csv", index=False, float_format="%.5f")
    (folder / "summary.md").write_text(write_markdown(summary), encoding="utf-8")
    print(write_markdown(summary))
