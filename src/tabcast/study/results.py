"""Records as one table, one row per trial, and back; and what is made of it: tables, figures, a page with both."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from tabcast.checks import check_choice
from tabcast.study.analysis.table import Table
from tabcast.study.analysis.views import make_table, read_printed
from tabcast.study.catalog import Catalog
from tabcast.study.config import Study
from tabcast.study.protocol import N_FOLDS
from tabcast.study.records import Learner, Record, Setting, Store, Task, Trial, TuningTask, write_bytes

AnyTask = TypeVar("AnyTask", bound=Task)
STATES = ("done", "failed", "skipped", "missing")
# n_fits counts the fits of every setting tried, the supervised fit in each, as `search` counts seconds.
FACTS = ("validation_score", "alpha", "best_round", "n_rounds", "n_selected", "pseudo_accuracy", "n_fits")
RESULTS = "results.csv.gz"
DETAILS = "details.json.gz"  # beside it, where figures need more
TUNED = "tuned.json.gz"  # beside it: the parameters that were searched for, and the columns that Boruta chose
RUN = "run.json"
METRICS = ("score", "accuracy", "balanced_accuracy", "f1", "macro_f1", "auc", "log_loss")
SECONDS = {"seconds": "trial"} | {f"{part}_seconds": part for part in ("fit", "search", "density", "selection")}


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


def read_beside(results: Path, name: str = DETAILS) -> list[dict[str, Any]]:
    """Read what lies beside a results table, for instance what figures need; nothing where there is no such file."""
    beside = results.with_name(name)
    return json.loads(gzip.decompress(beside.read_bytes())) if beside.is_file() else []


def read_done(study: Study, tasks: Sequence[AnyTask]) -> Iterator[tuple[AnyTask, Record]]:
    """Read the records of tasks that are done."""
    store = Store(study.records)
    for task in tasks:
        record = store.read(task, study.catalog.configuration(task))
        if record is not None and record["status"] == "done":
            yield task, record


def collect_details(study: Study, profile: str) -> list[dict[str, Any]]:
    """Collect what figures need beyond the results table: the details of each done trial, with its columns."""
    found = read_done(study, study.trials(profile))
    return [{**trial.columns(), **record["details"]} for trial, record in found if record["details"]]


def collect_tuned(study: Study, profile: str) -> list[dict[str, Any]]:
    """Collect what trials share, as far as it is recorded: parameters with their score, and columns of every fold."""
    names, found = ("params", "value", "columns", "seconds"), read_done(study, study.preparations(profile))
    return [
        {"task": task.columns(), **{name: record[name] for name in names if name in record}} for task, record in found
    ]


def collect_versions(study: Study, profile: str) -> dict[str, str]:
    """Collect the versions that computed the trials, not those that write the page; several are joined by commas."""
    found: dict[str, set[str]] = {}
    for _, record in read_done(study, study.trials(profile)):
        for name, version in record["versions"].items():
            found.setdefault(name, set()).update(version.split(", "))
    return {name: ", ".join(sorted(known)) for name, known in found.items()}


def _row(trial: Trial, catalog: Catalog, store: Store) -> dict[str, Any]:
    """Make one row of the results table."""
    row = {**trial.columns(), "metric": catalog.datasets[trial.setting.dataset].metric}
    reason = catalog.why_skip(trial.learner.model, trial.method)
    record = None if reason else store.read(trial, catalog.configuration(trial))
    if record is None:
        return {**row, "status": "skipped" if reason else "missing", "reason": reason}
    if record["status"] != "done":
        return {**row, "status": record["status"], "reason": record["reason"]}
    facts = record["facts"]
    numbers = {name: record["metrics"].get(name) for name in METRICS} | {name: facts.get(name) for name in FACTS}
    numbers |= {column: record["seconds"].get(name) for column, name in SECONDS.items()}
    others = {name: value for name, value in facts.items() if name not in numbers}
    return {**row, "status": "done", "reason": None, **numbers, **others}


def count_states(results: pd.DataFrame) -> pd.DataFrame:
    """Count the trials in each state, with one row per dataset."""
    counts = pd.crosstab(results["dataset"], results["status"]).reindex(columns=list(STATES), fill_value=0)
    return counts.loc[results["dataset"].unique()]


def estimate_seconds(results: pd.DataFrame, searches: pd.DataFrame | None = None) -> float | None:
    """Estimate the seconds of the trials to run, and of searches for parameters, from done trials that are most alike.

    Those are trials of the same dataset, model, method and strategy; where none is done, of the dataset and the model,
    then of the model (models differ most), then of the dataset, then all. Shared costs, which the first trial of a kind
    pays, average out in the means. A search takes as long as its supervised fits.
    """
    done, waiting = results[results["status"] == "done"], results[results["status"].isin(["missing", "failed"])]
    if len(done) == 0:
        return None if len(waiting) else 0.0
    seconds = _guess(waiting, done, "seconds").sum()
    if searches is not None and len(searches):
        seconds += (_guess(searches, done, "fit_seconds") * searches["n_fits"]).sum()
    return float(seconds)


def _guess(waiting: pd.DataFrame, done: pd.DataFrame, value: str) -> pd.Series[Any]:
    """Seconds of trials from those that are most alike."""
    guess = pd.Series(float(done[value].mean()), index=waiting.index)
    for keys in (["dataset"], ["model"], ["dataset", "model"], ["dataset", "model", "method", "strategy"]):
        means = done.groupby(keys)[value].mean().rename("mean")
        guess = waiting.join(means, on=keys)["mean"].fillna(guess)
    return guess


def list_searches(study: Study, profile: str) -> pd.DataFrame:
    """List the searches for parameters that trials to run wait for, as supervised trials with their number of fits."""
    store, catalog = Store(study.records), study.catalog
    missing = [trial for trial in study.trials(profile) if catalog.is_missing(trial, store)]
    tasks = dict.fromkeys(
        TuningTask(trial.setting, trial.learner) for trial in missing if trial.learner.n_tuning_trials
    )
    return pd.DataFrame(
        {**task.columns(), "method": "supervised", "strategy": "none", "n_fits": task.learner.n_tuning_trials * N_FOLDS}
        for task in tasks
        if catalog.is_missing(task, store)
    )


NAMES = tuple(Trial(Setting(""), Learner(""), 0, "").columns())  # what every results table names trials by
WHOLE = ("best_round", "n_rounds", "n_selected", "n_fits")  # facts that a column with gaps has turned into floats


def restore_records(study: Study, profile: str, results: Path) -> int:
    """Write a record for each trial of a profile that a results table has as done and that has no record yet.

    It returns how many. The table does not say which code computed it: whoever restores says that today's would give
    the same numbers. Each record names the table. What figures need beyond the table comes from the details beside it,
    and so do tuned parameters and chosen columns, with which new trials start. Histories are not restored.
    """
    table = read_results(results)
    lacking = [name for name in (*NAMES, "metric", "status") if name not in table.columns]
    if lacking:
        raise ValueError(f"{results} is not a results table of a study: it lacks the column {lacking[0]!r}.")
    details, keys = read_beside(results), (*NAMES, "caps")  # without caps, it is another trial
    origin = describe_origin(results)
    done = table[table["status"] == "done"].reindex(columns=list(dict.fromkeys([*table.columns, *keys])))
    plain = done.astype(object).where(done.notna(), None).to_dict("records")
    rows = {tuple(row[name] for name in keys): row for row in plain}
    store, n_restored = Store(study.records), 0
    for trial in study.trials(profile):
        columns = trial.columns()
        row = rows.get(tuple(columns.get(name) for name in keys))
        if row is None or not study.catalog.is_missing(trial, store):
            continue
        own = next((one for one in details if columns.items() <= one.items()), {})
        drawn = {name: value for name, value in own.items() if name not in columns}
        store.write(trial, study.catalog.configuration(trial), {**_record(row), **origin, "details": drawn})
        n_restored += 1
    restore_tuned(study, profile, results)
    return n_restored


def restore_tuned(study: Study, profile: str, results: Path) -> int:
    """Write the parameters and columns that lie beside a results table as records, where there are none; count them."""
    tuned = {json.dumps(one.pop("task")): one for one in read_beside(results, TUNED)}
    store, catalog, origin = Store(study.records), study.catalog, describe_origin(results)
    found = {task: tuned.get(json.dumps(task.columns())) for task in study.preparations(profile)}
    lacking = {task: one for task, one in found.items() if one is not None and catalog.is_missing(task, store)}
    for task, one in lacking.items():
        store.write(task, catalog.configuration(task), one | origin)
    return len(lacking)


def describe_origin(results: Path) -> Record:
    """Tell the versions that computed a results table, as its `run.json` has them, for records made from it."""
    beside = results.with_name(RUN)
    known = json.loads(beside.read_bytes())["versions"] if beside.is_file() else {}
    return {"status": "done", "versions": known, "restored_from": results.name}


def _record(row: Mapping[Hashable, Any]) -> Record:
    """Make the record of a trial from its row."""
    named = {*NAMES, *METRICS, *SECONDS, "caps", "metric", "status", "reason"}
    facts = {name: value for name, value in row.items() if name not in named}
    facts |= {name: int(facts[name]) for name in WHOLE if facts.get(name) is not None}
    return {
        "metrics": {name: row[name] for name in METRICS if row.get(name) is not None},
        "metric": row["metric"],
        "params": None,
        "facts": facts,
        "history": [],
        "seconds": {name: row[column] for column, name in SECONDS.items() if row.get(column) is not None},
        "warnings": [],
    }


def make_tables(study: Study, results: pd.DataFrame) -> dict[str, Table]:
    """Make the tables of a configuration from its results."""
    papers: tuple[Any, ...] = ()
    if study.published is not None:
        scores = pd.read_csv(study.published, keep_default_na=False, na_values=[""])
        papers = scores, read_printed(study.published)
    return {spec["name"]: make_table(spec, results, *papers) for spec in study.tables}


def render_tables(study: Study, profile: str, style: str, results: Path | None = None, name: str | None = None) -> str:
    """Join the tables of a study, or one of them, in one text; from its records or a file of results."""
    if not study.tables:
        raise ValueError(f"{study.path.name} has no tables; try: tabcast study figure {study.path} --out DIR")
    found = collect_results(study, profile) if results is None else read_results(results)
    if (found["status"] == "failed").any() and not (found["status"] == "done").any():
        raise ValueError(f"No trial of {study.path.name} is done; why: tabcast study status {study.path}")
    tables = make_tables(study, found)
    if name is not None:
        check_choice(name, tables, f"table of {study.path.name}")
        tables = {name: tables[name]}
    return "\n\n".join(table.render(style, study.catalog.labels).rstrip("\n") for table in tables.values())


def write_figures(
    study: Study, profile: str, folder: Path, kinds: Sequence[str] = ("png",), results: Path | None = None
) -> list[Path]:
    """Draw each figure of a configuration to a file of every kind; from its records or a file of results."""
    from matplotlib import pyplot as plt

    from tabcast.study.figures import make_figure

    for kind in kinds:
        check_choice(kind, ("png", "svg", "pdf"), "format of a figure")
    if not study.figures:
        raise ValueError(f"{study.path.name} has no figures; try: tabcast study table {study.path}")
    found = collect_results(study, profile) if results is None else read_results(results)
    details = collect_details(study, profile) if results is None else read_beside(results)
    paths = []
    for spec in study.figures:
        figure = make_figure(spec, found, details, study.catalog.labels)
        for kind in kinds:
            target, image = folder / f"{spec['name']}.{kind}", io.BytesIO()
            # Without dates, the same results give the same file.
            undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
            figure.savefig(image, format=kind, dpi=150, metadata=undated)
            write_bytes(target, image.getvalue())
            paths.append(target)
        plt.close(figure)
    return paths


def write_folder(study: Study, profile: str, folder: Path) -> None:
    """Write a page with all tables and figures, and the results behind them."""
    found = collect_results(study, profile)
    _write(folder / RESULTS, found.to_csv(index=False, lineterminator="\n"))
    tuned = collect_tuned(study, profile)
    _write(folder / RUN, json.dumps(_describe_run(study, profile, found, tuned), indent=1) + "\n")
    if tuned:
        _write(folder / TUNED, json.dumps(tuned) + "\n")
    if study.figures:
        details = collect_details(study, profile)
        if details:
            _write(folder / DETAILS, json.dumps(details) + "\n")
        write_figures(study, profile, folder)
    config = f"{name_place(study.path)} --profile {profile}"
    how = (
        f"Made by `tabcast study run {config}`, then `tabcast study write {config} --out {name_place(folder.parent)}`; "
        f"`{RESULTS}` has the trials, `run.json` versions and seeds."
    )
    tables = [table.render(labels=study.catalog.labels) for table in make_tables(study, found).values()]
    figures = [f"![{spec['name']}]({spec['name']}.png)" for spec in study.figures]
    page = [f"# {study.item}: {study.title}", study.notes, how, *tables, *figures]
    _write(folder / "README.md", "\n\n".join(part.rstrip("\n") for part in page if part) + "\n")


def _describe_run(study: Study, profile: str, results: pd.DataFrame, tuned: list[dict[str, Any]]) -> Mapping[str, Any]:
    """Collect what is needed to run the study again."""
    done = results[results["status"] == "done"]
    return {
        "command": f"tabcast study run {name_place(study.path)} --profile {profile}",
        "profile": dict(study.profiles[profile]),
        "seeds": sorted(int(seed) for seed in results["seed"].unique()),
        "trials": {str(state): int(count) for state, count in results["status"].value_counts().items()},
        "hours_of_one_worker": round(float(done["seconds"].sum()) / 3600, 2) if len(done) else 0.0,
        "hours_of_tuning": round(sum(one["seconds"].get("tuning", 0.0) for one in tuned) / 3600, 2),
        "versions": collect_versions(study, profile),
    }


def _write(path: Path, text: str) -> None:
    """Write text, compressed if the name says so; without a time stamp inside, the same text gives the same file."""
    content = text.encode("utf-8")
    write_bytes(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def name_place(path: Path) -> str:
    """Name a file or folder as typed from the root of a repository: with the two folders around it."""
    return "/".join(path.absolute().parts[-3 if path.suffix else -2 :])
