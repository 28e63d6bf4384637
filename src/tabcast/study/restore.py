"""Records from a results table: a clone has the table without its records, and may go on with more seeds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.study.config import Study
from tabcast.study.results import METRICS, SECONDS, read_details, read_results
from tabcast.study.run import is_missing
from tabcast.study.store import Record, Store
from tabcast.study.trial import Learner, Setting, Trial

NAMES = tuple(Trial(Setting(""), Learner(""), 0, "").columns())  # what every results table names trials by
WHOLE = ("best_round", "n_rounds", "n_selected", "n_fits")  # facts that a column with gaps has turned into floats


def restore_records(study: Study, profile: str, results: Path) -> int:
    """Write a record for each trial of a profile that a results table has as done and that has no record yet.

    The table does not say which code computed it: whoever restores says that today's would give the same numbers. Each
    record names the table. What figures need beyond the table comes from details.json beside it. Histories and tuned
    parameters are not restored: a search for parameters runs again if a new trial needs it.

    Parameters
    ----------
    study, profile : Study
        The trials.
    results : Path
        Results table (CSV), as written by `tabcast study table --out`.

    Returns
    -------
    n_restored : int
        How many records were written.
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
        if row is None or not is_missing(trial, study.catalog, store):
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
