"""Progress of a study: trials done, failed, skipped and missing, and an estimate of the time left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tabcast.study.config import Study
from tabcast.study.results import collect_results
from tabcast.study.run import is_missing
from tabcast.study.store import Store

STATES = ("done", "failed", "skipped", "missing")


@dataclass(frozen=True)
class Status:
    """Progress of a profile of a study.

    Parameters
    ----------
    counts : dict of str to int
        Number of trials by state.
    by_dataset : DataFrame
        The same with one row per dataset.
    reasons : dict of str to int
        Why trials were skipped or failed, most frequent first, with counts.
    seconds_left : float or None
        Estimated time of one worker for the missing trials; None while no trial is done.
    """

    counts: dict[str, int]
    by_dataset: pd.DataFrame
    reasons: dict[str, int]
    seconds_left: float | None


def find_status(study: Study, profile: str) -> Status:
    """Find the progress of a profile of a study."""
    results = collect_results(study, profile)
    counts = results["status"].value_counts()
    by_dataset = pd.crosstab(results["dataset"], results["status"]).reindex(columns=list(STATES), fill_value=0)
    reasons = results.loc[results["status"].isin(["failed", "skipped"]), "reason"].value_counts()
    return Status(
        {state: int(counts.get(state, 0)) for state in STATES},
        by_dataset.loc[results["dataset"].unique()],
        {str(reason): int(count) for reason, count in reasons.items()},
        estimate_seconds(results),
    )


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


def missing_records(studies: Sequence[Study], profile: str) -> list[Path]:
    """List the paths of the records that a run is going to write."""
    paths: dict[Path, None] = {}
    for study in studies:
        store, catalog = Store(study.records), study.catalog
        for trial in study.trials(profile):
            if is_missing(trial, catalog, store):
                paths[store.path(trial, catalog.configuration(trial))] = None
    return list(paths)


def count_written(paths: Sequence[Path], since: float) -> int:
    """Count the records that have been written since a time."""
    written = 0
    for path in paths:
        try:
            written += path.stat().st_mtime >= since
        except FileNotFoundError:
            continue
    return written
