"""Run what is missing: the plan minus what is done, one job per setting, one record per trial."""

from __future__ import annotations

import platform
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

from tabcast.study.backends import Backend, Crashed, Serial
from tabcast.study.catalog import Catalog, load_catalog
from tabcast.study.config import Study
from tabcast.study.datasets import DatasetInfo, load_dataset
from tabcast.study.methods import Request
from tabcast.study.models._space import import_optuna
from tabcast.study.protocol import Fold, make_folds, measure
from tabcast.study.store import Record, Store
from tabcast.study.trial import Learner, Setting, Trial, TuningTask
from tabcast.study.tuning import tune
from tabcast.study.work import Work


@dataclass(frozen=True)
class Job:
    """Trials of one setting, run by one worker.

    Parameters
    ----------
    trials : tuple of Trial
        The trials to run.
    records, plugins, data_dir : Path
        Folders.
    """

    trials: tuple[Trial, ...]
    records: Path
    plugins: tuple[Path, ...] = ()
    data_dir: Path | None = None

    def __str__(self) -> str:
        setting = self.trials[0].setting
        return f"{setting.dataset}, seed {setting.seed} ({len(self.trials)} trials)"


def run_studies(
    studies: Sequence[Study],
    profile: str,
    *,
    backend: Backend | None = None,
    n_workers: int = 1,
    data_dir: Path | None = None,
    poll: Callable[[], None] | None = None,
) -> list[Crashed]:
    """Run the trials of a profile that have no record yet, and return the jobs that crashed.

    Parameters
    ----------
    studies, profile : sequence of Study
        What to run. Trials that several studies have in common run once, and trials of different studies on the same
        rows share their fits, densities and chosen columns.
    backend : Backend, optional
        Where trials run. By default in this process.
    n_workers : int, default=1
        Number of workers.
    data_dir : Path, optional
        Folder of the datasets. By default as in `load_dataset`.
    poll : callable, optional
        Called about once per second while waiting.
    """
    for study in studies:
        Store(study.records).sweep()
    jobs, backend = plan_jobs(studies, profile, data_dir), backend or Serial()
    # Closing ends the workers, also after an interrupt or an error.
    with closing(backend.run(run_job, jobs, n_workers=n_workers, poll=poll)) as results:
        return [result for result in results if isinstance(result, Crashed)]


def plan_jobs(studies: Sequence[Study], profile: str, data_dir: Path | None = None) -> list[Job]:
    """Plan what is missing as jobs, the largest first, so that no large one runs alone at the end."""
    missing: dict[tuple[Path, tuple[Path, ...], Setting], dict[Trial, None]] = {}
    sizes: dict[Setting, int] = {}
    for study in studies:
        store = Store(study.records)
        for trial in study.trials(profile):
            if is_missing(trial, study.catalog, store):
                missing.setdefault((study.records, study.plugins, trial.setting), {})[trial] = None
                sizes[trial.setting] = _size(study.catalog.datasets[trial.setting.dataset])
    jobs = [
        Job(tuple(sorted(trials, key=order_of)), records, plugins, data_dir)
        for (records, plugins, _), trials in missing.items()
    ]
    return sorted(jobs, key=lambda job: -sizes[job.trials[0].setting] * len(job.trials))


def _size(info: DatasetInfo) -> int:
    """Estimate the size of a dataset for a classifier: cells times classes."""
    return info.n_rows * info.n_columns * (info.n_classes if info.n_classes > 2 else 1)


def check_tools(studies: Sequence[Study], profile: str) -> None:
    """Raise an ImportError that names what to install, before any long run, if trials need it."""
    for study in studies:
        learners = dict.fromkeys(trial.learner for trial in study.trials(profile))
        for learner in learners:
            model = study.catalog.models[learner.model]
            if model.unavailable is None:
                model.build({}, 0)
                if learner.n_tuning_trials:
                    import_optuna()


def is_missing(trial: Trial, catalog: Catalog, store: Store) -> bool:
    """Whether a trial can run and is not recorded as done."""
    if catalog.why_skip(trial.learner.model, trial.method):
        return False
    return not store.is_done(trial, catalog.configuration(trial))


def run_job(job: Job) -> int:
    """Run the trials of a job, compute what they share once, and return how many are done.

    A trial that fails leaves a record with its traceback and does not stop the others.
    """
    catalog, store = load_catalog(job.plugins), Store(job.records)
    setting = job.trials[0].setting
    n_done = 0
    found: dict[Learner, dict[str, Any]] = {}
    try:
        info = catalog.datasets[setting.dataset]
        folds = list(make_folds(load_dataset(info, data_dir=job.data_dir), setting))
    except Exception:
        for trial in job.trials:
            _write_failure(trial, catalog, store)
        return 0
    for learner in dict.fromkeys(trial.learner for trial in job.trials):
        try:
            found[learner] = find_params(TuningTask(setting, learner), folds, catalog, store)
        except Exception:
            for trial in job.trials:
                if trial.learner == learner:
                    _write_failure(trial, catalog, store)
    ready = sorted((trial for trial in job.trials if trial.learner in found), key=order_of)
    for number, of_fold in groupby(ready, key=lambda trial: trial.fold):
        work = Work(folds[number], setting.seed)
        for learner, trials in groupby(of_fold, key=lambda trial: trial.learner):
            for trial in trials:
                n_done += run_trial(trial, work, found[learner], catalog, store)
            work.forget_fits()
    return n_done


def order_of(trial: Trial) -> tuple[Any, ...]:
    """Sort key that keeps trials together that share most: by fold, then by model."""
    learner = trial.learner
    tuned = (learner.model, learner.tuning, learner.n_tuning_trials, learner.max_trees or 0, learner.caps)
    return trial.fold, tuned, trial.method, trial.strategy, trial.noise_filter


def run_trial(trial: Trial, work: Work, params: dict[str, Any], catalog: Catalog, store: Store) -> bool:
    """Run one trial, write its record, and return whether it is done."""
    request = Request(
        catalog.models[trial.learner.model], params, trial.setting.seed, trial.strategy, trial.noise_filter
    )
    start = perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = catalog.methods[trial.method].run(work, request)
        record: Record = {
            "status": "done",
            "metrics": measure(work.fold.y_test, answer.proba, work.fold.metric),
            "metric": work.fold.metric,
            "params": params,
            "facts": answer.facts,
            "history": answer.history,
            "details": answer.details,
            "seconds": {**answer.seconds, "trial": perf_counter() - start},
            "warnings": sorted({f"{one.category.__name__}: {one.message}" for one in caught}),
            "versions": versions(),
        }
        store.write(trial, catalog.configuration(trial), record)
    except Exception:
        _write_failure(trial, catalog, store)
        return False
    return True


def _write_failure(trial: Trial, catalog: Catalog, store: Store) -> None:
    """Write the record of a trial that raised the exception being handled."""
    error = sys.exception()
    first_line = next(iter(str(error).splitlines()), "")
    record = {
        "status": "failed",
        "reason": f"{type(error).__name__}: {first_line}",
        "traceback": traceback.format_exc(),
        "versions": versions(),
    }
    store.write(trial, catalog.configuration(trial), record)


def find_params(task: TuningTask, folds: Sequence[Fold], catalog: Catalog, store: Store) -> dict[str, Any]:
    """Find the parameters of a model on a setting: from the store, or by a search that is then stored.

    Parameters are scored by the mean validation score of the supervised model over the folds.
    """
    learner, model = task.learner, catalog.models[task.learner.model]
    caps = dict(learner.caps)
    fixed = model.capped_sizes(caps)
    if learner.tuning == "none" or learner.n_tuning_trials == 0:
        return fixed
    config = catalog.configuration(task)
    record = store.read(task, config)
    if record is None or record["status"] != "done":
        works = [Work(fold, task.setting.seed) for fold in folds]

        def objective(params: Mapping[str, Any]) -> float:
            scores = [work.supervised_score(model.build({**fixed, **params}, task.setting.seed)) for work in works]
            return sum(scores) / len(scores)

        start = perf_counter()
        space = model.space(learner.tuning, max_trees=learner.max_trees, caps=caps)
        result = tune(model, space, objective, learner.n_tuning_trials, task.setting.seed)
        record = {
            "status": "done",
            "params": dict(result.params),
            "value": result.value,
            "values": list(result.values),
            "seconds": {"tuning": perf_counter() - start},
            "versions": versions(),
        }
        store.write(task, config, record)
    return {**fixed, **record["params"]}


@cache
def versions() -> dict[str, str]:
    """Collect the versions that the numbers depend on."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    names = (
        "tabcast",
        "numpy",
        "scipy",
        "scikit-learn",
        "pandas",
        "xgboost",
        "xgboost-cpu",
        "optuna",
        "gpytorch",
        "torch",
    )
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
