"""Records as one table, one row per trial: the border between the study and its analysis; and back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabcast.study.catalog import Catalog
from tabcast.study.config import Study
from tabcast.study.records import Learner, Record, Setting, Store, Trial

STATES = ("done", "failed", "skipped", "missing")
# n_fits counts the fits of every setting tried, the supervised fit in each, as `search` counts seconds.
FACTS = ("validation_score", "alpha", "best_round", "n_rounds", "n_selected", "pseudo_accuracy", "n_fits")
RESULTS = "results.csv.gz"
DETAILS = "details.json.gz"  # beside it, where figures need more
METRICS = ("score", "accuracy", "balanced_accuracy", "f1", "macro_f1", "auc", "log_loss")
SECONDS = {
    "seconds": "trial",
    "fit_seconds": "fit",
    "search_seconds": "search",
    "density_seconds": "density",
    "selection_seconds": "selection",
}


def collect_results(study: Study, profile: str) -> pd.DataFrame:
    """Collect the results table of a profile: one row per trial, whether done, failed, skipped or missing."""
    store = Store(study.records)
    rows = pd.DataFrame([_row(trial, study.catalog, store) for trial in study.trials(profile)])
    missing = [name for name in (*METRICS, *FACTS, *SECONDS) if name not in rows.columns]
    return rows.assign(**dict.fromkeys(missing, np.nan))


def read_results(path: Path) -> pd.DataFrame:
    """Read a results table from a CSV file, as written by `tabcast study write`."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no results table {path}.")
    text = ("dataset", "model", "tuning", "method", "strategy", "noise_filter", "preprocessing", "metric", "status")
    return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dict.fromkeys((*text, "caps"), str))


def read_details(results: Path) -> list[dict[str, Any]]:
    """Read what figures need beyond the results table from the file beside it; nothing where there is none."""
    beside = results.with_name(DETAILS)
    return json.loads(gzip.decompress(beside.read_bytes())) if beside.is_file() else []


def collect_details(study: Study, profile: str) -> list[dict[str, Any]]:
    """Collect what figures need beyond the results table: the details of each done trial, with its columns."""
    store, found = Store(study.records), []
    for trial in study.trials(profile):
        record = store.read(trial, study.catalog.configuration(trial))
        if record is not None and record["status"] == "done" and record["details"]:
            found.append({**trial.columns(), **record["details"]})
    return found


def _row(trial: Trial, catalog: Catalog, store: Store) -> dict[str, Any]:
    """Make one row of the results table."""
    row = {**trial.columns(), "metric": catalog.datasets[trial.setting.dataset].metric}
    reason = catalog.why_skip(trial.learner.model, trial.method)
    record = None if reason else store.read(trial, catalog.configuration(trial))
    if record is None:
        return {**row, "status": "skipped" if reason else "missing", "reason": reason}
    if record["status"] != "done":
        return {**row, "status": record["status"], "reason": record["reason"]}
    return {**row, "status": "done", "reason": None, **_numbers(record)}


def _numbers(record: Record) -> dict[str, Any]:
    """Collect the numbers of a done trial."""
    seconds = record["seconds"]
    fixed = {
        **{name: record["metrics"].get(name) for name in METRICS},
        **{name: record["facts"].get(name) for name in FACTS},
        **{column: seconds.get(name) for column, name in SECONDS.items()},
    }
    return fixed | {name: value for name, value in record["facts"].items() if name not in fixed}


def count_states(results: pd.DataFrame) -> pd.DataFrame:
    """Count the trials in each state, with one row per dataset."""
    counts = pd.crosstab(results["dataset"], results["status"]).reindex(columns=list(STATES), fill_value=0)
    return counts.loc[results["dataset"].unique()]


def estimate_seconds(results: pd.DataFrame) -> float | None:
    """Estimate the seconds of the trials to run from done ones that are most alike.

    Those are trials of the same dataset, model, method and strategy; where none is done, of the dataset and the model,
    then of the model (models differ most), then of the dataset, then all. Shared costs, which the first trial of a kind
    pays, average out in the means.
    """
    waiting, done = results[results["status"].isin(["missing", "failed"])], results[results["status"] == "done"]
    if len(waiting) == 0:
        return 0.0
    if len(done) == 0:
        return None
    guess = pd.Series(float(done["seconds"].mean()), index=waiting.index)
    for keys in (["dataset"], ["model"], ["dataset", "model"], ["dataset", "model", "method", "strategy"]):
        means = done.groupby(keys)["seconds"].mean().rename("mean")
        known = waiting.join(means, on=keys)["mean"]
        guess = known.fillna(guess)
    return float(guess.sum())


NAMES = tuple(Trial(Setting(""), Learner(""), 0, "").columns())  # what every results table names trials by
WHOLE = ("best_round", "n_rounds", "n_selected", "n_fits")  # facts that a column with gaps has turned into floats


def restore_records(study: Study, profile: str, results: Path) -> int:
    """Write a record for each trial of a profile that a results table has as done and that has no record yet.

    It returns how many. The table does not say which code computed it: whoever restores says that today's would give
    the same numbers. Each record names the table. What figures need beyond the table comes from the details beside it.
    Histories and tuned parameters are not restored: a search for parameters runs again if a new trial needs it.
    """
    table = read_results(results)
    lacking = [name for name in (*NAMES, "metric", "status") if name not in table.columns]
    if lacking:
        raise ValueError(f"{results} is not a results table of a study: it lacks the column {lacking[0]!r}.")
    details = read_details(results)
    rows: dict[Hashable, Mapping[Hashable, Any]] = {}
    store, n_restored = Store(study.records), 0
    for trial in study.trials(profile):
        columns = trial.columns()
        names = tuple(columns)
        if names not in rows:
            rows[names] = _index(table, names)
        row = rows[names].get(tuple(columns.values()))
        if row is None or not study.catalog.is_missing(trial, store):
            continue
        own = next((one for one in details if columns.items() <= one.items()), {})
        drawn = {name: value for name, value in own.items() if name not in columns}
        store.write(trial, study.catalog.configuration(trial), _record(row, names, results) | {"details": drawn})
        n_restored += 1
    return n_restored


def _index(table: pd.DataFrame, names: tuple[str, ...]) -> dict[Hashable, Mapping[Hashable, Any]]:
    """Index the done rows by the columns that name a trial; rows with caps are other trials than those without."""
    done = table[table["status"] == "done"].reindex(columns=list(dict.fromkeys([*table.columns, *names])))
    if "caps" not in names and "caps" in done.columns:
        done = done[done["caps"].isna()]
    plain = done.astype(object).where(done.notna(), None).to_dict("records")
    return {tuple(row[name] for name in names): row for row in plain}


def _record(row: Mapping[Hashable, Any], names: tuple[str, ...], results: Path) -> Record:
    """Make the record of a trial from its row."""
    named = {*names, *METRICS, *SECONDS, "caps", "metric", "status", "reason"}
    facts = {name: value for name, value in row.items() if name not in named}
    facts |= {name: int(facts[name]) for name in WHOLE if facts.get(name) is not None}
    return {
        "status": "done",
        "metrics": {name: row[name] for name in METRICS if row.get(name) is not None},
        "metric": row["metric"],
        "params": None,
        "facts": facts,
        "history": [],
        "seconds": {name: row[column] for column, name in SECONDS.items() if row.get(column) is not None},
        "warnings": [],
        "versions": {},
        "restored_from": results.name,
    }
