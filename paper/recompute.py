"""Do the committed results still hold? Computes some trials of XGBoost again and compares them with results.csv.gz.

    python paper/recompute.py                                  # diabetes and kc2, seed 0: five minutes
    python paper/recompute.py table_1 --dataset cmc --seed 3

Nothing is written to the repository. Scores count as equal if they differ by less than 1e-12.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from tabcast.study.config import Study, read_study
from tabcast.study.results import RESULTS, collect_results, read_results
from tabcast.study.run import run_studies

PAPER = Path(__file__).parent
CHECKED = {
    "table_1": "diabetes",
    "corrupted_features": "diabetes",
    "label_fractions": "diabetes",
    "seventeen_datasets": "kc2",
}


def choose_trials(name: str, dataset: str, seed: int, records: Path) -> Study:
    """Read a configuration whose quick profile has the trials of one dataset and seed, without networks."""
    study = read_study(PAPER / "configs" / f"{name}.toml", records=records)
    trees = tuple(grid for grid in study.grids if "mlp" not in grid.models)
    changes = {**study.profiles["quick"], "datasets": (dataset,), "seeds": (seed,)}
    return replace(study, grids=trees, profiles={"quick": changes})


def compare(study: Study) -> pd.DataFrame:
    """Run the trials and put their scores beside the committed ones."""
    run_studies([study], "quick")
    now = collect_results(study, "quick")
    then = read_results(PAPER / "results" / study.name / RESULTS)
    keys = ["dataset", "label_fraction", "model", "tuning", "method", "strategy", "noise_filter", "seed", "fold"]
    both = now.merge(then[then["status"] == "done"], on=keys, suffixes=("", "_then"), how="left")
    return both.assign(equal=(both["score"] - both["score_then"]).abs() < 1e-12)


def main() -> None:
    """Compare, and name the methods whose numbers differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("items", nargs="*", default=list(CHECKED), help="configurations, by default four")
    parser.add_argument("--dataset", help="by default diabetes, of the seventeen kc2")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        for name in given.items:
            dataset = given.dataset or CHECKED.get(name, "diabetes")
            found = compare(choose_trials(name, dataset, given.seed, Path(folder) / "records"))
            if (found["status"] != "done").any():
                raise SystemExit(f"{name}: trials failed: {found['reason'].dropna().iloc[0]}")
            others = found.loc[~found["equal"], "method"].unique().tolist()
            counts = f"{int(found['equal'].sum())} of {len(found)} trials are equal"
            but = f"; not those of {', '.join(others)}" if others else ""
            print(f"{name}, {dataset}, seed {given.seed}: {counts}{but}", flush=True)


if __name__ == "__main__":
    main()
