"""Records as one table, one row per trial: the border between the study and its analysis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabcast.study.catalog import Catalog
from tabcast.study.config import Study
from tabcast.study.store import Record, Store
from tabcast.study.trial import Trial

# n_fits counts the fits of every setting tried, the supervised fit in each, as `search` counts seconds.
FACTS = ("validation_score", "alpha", "best_round", "n_rounds", "n_selected", "pseudo_accuracy", "n_fits")
DETAILS = "details.json"  # beside a results table
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
    """Read a results table from a CSV file, as written by `tabcast study table --out`."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no results table {path}.")
    text = ("dataset", "model", "tuning", "method", "strategy", "noise_filter", "preprocessing", "metric", "status")
    return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dict.fromkeys((*text, "caps"), str))


def read_details(results: Path) -> list[dict[str, Any]]:
    """Read what figures need beyond the results table from the file beside it; nothing where there is none."""
    beside = results.with_name(DETAILS)
    return json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else []


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
