"""Do the committed results still hold? Computes some trials of XGBoost again and compares them with results.csv.gz.

    python paper/recompute.py                                  # diabetes, ozone and kc2, seed 0: ten minutes
    python paper/recompute.py table_1 --dataset cmc --seed 3
    python paper/recompute.py --tuned                          # starts from the committed parameters and columns

Nothing is written to the repository. Scores count as equal if they differ by less than 1e-12. The numbers depend on the
build of XGBoost: `xgboost` and `xgboost-cpu` of the same version choose other columns on some folds of ozone-level-8hr.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from tabcast.study.config import Study, read_study
from tabcast.study.results import RESULTS, RUN, collect_results, read_results, restore_tuned
from tabcast.study.run import plan_jobs, run_jobs, versions

PAPER = Path(__file__).parent
CHECKED = [
    ("table_1", "diabetes"),
    ("table_1", "ozone-level-8hr"),
    ("corrupted_features", "diabetes"),
    ("label_fractions", "diabetes"),
    ("seventeen_datasets", "kc2"),
]


def choose_trials(name: str, dataset: str, seed: int, records: Path) -> Study:
    """Read a configuration whose quick profile has the trials of one dataset and seed, without networks."""
    study = read_study(PAPER / "configs" / f"{name}.toml", records=records)
    trees = tuple(grid for grid in study.grids if "mlp" not in grid.models)
    changes = {**study.profiles["quick"], "datasets": (dataset,), "seeds": (seed,)}
    return replace(study, grids=trees, profiles={"quick": changes})


def compare(study: Study, tuned: bool) -> pd.DataFrame:
    """Run the trials and put their scores beside the committed ones."""
    if tuned:
        n_tuned = restore_tuned(study, "quick", PAPER / "results" / study.name / RESULTS)
        if n_tuned < len(study.preparations("quick")):
            raise SystemExit(
                f"{study.name}: parameters or columns of these trials are not committed; leave --tuned out."
            )
    run_jobs(plan_jobs([study], "quick"))
    now = collect_results(study, "quick")
    then = read_results(PAPER / "results" / study.name / RESULTS)
    keys = ["dataset", "label_fraction", "model", "tuning", "method", "strategy", "noise_filter", "seed", "fold"]
    both = now.merge(then[then["status"] == "done"], on=keys, suffixes=("", "_then"), how="left")
    return both.assign(equal=(both["score"] - both["score_then"]).abs() < 1e-12)


def name_build(found: Mapping[str, str]) -> str:
    """Name the build of XGBoost and its version, as in "xgboost-cpu 3.2.0"."""
    return ", ".join(f"{name} {found[name]}" for name in ("xgboost", "xgboost-cpu") if name in found)


def explain(item: str) -> str:
    """Say what may make the trials of an item differ: another build of XGBoost, or the code."""
    then = name_build(json.loads((PAPER / "results" / item / RUN).read_text(encoding="utf-8"))["versions"])
    now = name_build(versions())
    if then == now:
        return f"The build of XGBoost is the same ({now}): the code, or another package, computes something else."
    return (
        f"The results were computed with {then}, and this environment has {now}. Builds of XGBoost round differently, "
        f"so Boruta may choose other columns. Install {then} to compare the code."
    )


def main() -> None:
    """Compare, name the methods whose numbers differ, and why that may be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("items", nargs="*", help="configurations, by default four")
    parser.add_argument("--dataset", help="by default diabetes and ozone-level-8hr, of the seventeen kc2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tuned", action="store_true", help="start from the committed parameters and columns")
    given = parser.parse_args()
    items = given.items or list(dict.fromkeys(name for name, _ in CHECKED))
    checked = (
        [(name, given.dataset) for name in items] if given.dataset else [one for one in CHECKED if one[0] in items]
    )
    different = None
    with TemporaryDirectory() as folder:
        for name, dataset in checked or [(name, "diabetes") for name in items]:
            found = compare(choose_trials(name, dataset, given.seed, Path(folder) / "records"), given.tuned)
            if (found["status"] != "done").any():
                raise SystemExit(f"{name}: trials failed: {found['reason'].dropna().iloc[0]}")
            others = found.loc[~found["equal"], "method"].unique().tolist()
            counts = f"{int(found['equal'].sum())} of {len(found)} trials are equal"
            but = f"; not those of {', '.join(others)}" if others else ""
            print(f"{name}, {dataset}, seed {given.seed}: {counts}{but}", flush=True)
            different = different or (name if others else None)
    if different is not None:
        raise SystemExit(explain(different))


if __name__ == "__main__":
    main()
