"""Tables of the guard's calibration from the records of research/configs/guard.toml.

    python research/guard/_summarize.py [PROFILE]

Writes research/results/guard/verdicts.csv (one row per seed) and summary.csv and summary.md (one row per problem).
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
    """One row per seed: what the guard said and chose, and what was true."""
    details = collect_details(read_study(RESEARCH / "configs" / "guard.toml"), profile)
    return pd.DataFrame(
        {
            "problem": one["dataset"],
            "model": one["model"],
            "seed": one["seed"],
            **{name: one["verdict"][name] for name in ("word", "chosen", "without", "gain", "low", "high")},
            **{f"total_{name}": value for name, value in one["verdict"]["total"].items()},
            "true_gain": one["true_gain"],
            "true_total": one["true_total"],
            **{f"test_{name}": score for name, score in one["test"].items()},
        }
        for one in details
    )


def summarize(verdicts: pd.DataFrame) -> pd.DataFrame:
    """One row per problem, then one per kind: nothing helps, only a committee helps, unlabeled rows help."""
    rows = [{"problem": name, **_summarize_one(group)} for name, group in verdicts.groupby("problem", sort=False)]
    kinds = verdicts["problem"].str.extract("^(committee|helpful)", expand=False).fillna("null")
    for kind in ("null", "committee", "helpful"):
        rows.append({"problem": f"all {kind} problems", **_summarize_one(verdicts[kinds == kind])})
    return pd.DataFrame(rows)


def _summarize_one(group: pd.DataFrame) -> dict[str, object]:
    loss = group["test_chosen"] - group["test_supervised"]
    covered = group["true_gain"].between(group["low"], group["high"])
    return {
        "model": "/".join(sorted(group["model"].unique())),
        "seeds": len(group),
        "supervised": group["test_supervised"].mean(),
        "committee": group["test_committee"].mean(),
        "true_total": group["true_total"].mean(),
        "true_gain": group["true_gain"].mean(),
        "true_gain_sd": group["true_gain"].std(),
        "estimated_gain": group["gain"].mean(),
        "half_width": (group["high"] - group["gain"]).mean(),
        **{word: int((group["word"] == word).sum()) for word in WORDS},
        "chosen": int((group["chosen"] == "self-trained").sum()),
        "covered": int(covered.sum()),
        "better": int(group["total_word"].isin(["helped", "probably helped"]).sum()),
        "total_covered": int(group["true_total"].between(group["total_low"], group["total_high"]).sum()),
        "chosen_minus_supervised": loss.mean(),
        "its_std_error": loss.std() / np.sqrt(len(loss)),
    }


def write_markdown(summary: pd.DataFrame) -> str:
    """The summary as a table for people: scores in points, counts as they are."""
    head = (
        "| problem | model | seeds | supervised | committee | self-trained minus supervised | called better | covered "
        "| self-trained minus best without | estimated | helped | probably helped | no difference | hurt | covered "
        "| self-trained chosen | chosen - supervised |"
    )
    lines = [head, "|" + " --- |" * 17]
    for row in summary.to_dict("records"):
        words = " | ".join(f"{row[name]}" for name in WORDS)
        numbers = [
            f"{100 * row['supervised']:.1f} | {100 * row['committee']:.1f}",
            f"{100 * row['true_total']:+.1f} | {row['better']} | {row['total_covered']}",
            f"{100 * row['true_gain']:+.1f} | {100 * row['estimated_gain']:+.1f} | {words} | {row['covered']}",
            f"{row['chosen']}",
            f"{100 * row['chosen_minus_supervised']:+.2f} +- {100 * row['its_std_error']:.2f}",
        ]
        lines.append(f"| {row['problem']} | {row['model']} | {row['seeds']} | {' | '.join(numbers)} |")
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
