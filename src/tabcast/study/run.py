"""Run what is missing: the plan minus what is done, one job per setting, one record per trial."""

from __future__ import annotations

import math
import os
import platform
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import distributions
from itertools import groupby
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from tabcast.runs._predict import connect
from tabcast.study.catalog import Catalog, load_catalog
from tabcast.study.config import Study
from tabcast.study.datasets import load_dataset
from tabcast.study.methods import Request
from tabcast.study.models import Model, Space
from tabcast.study.models._model import import_optuna
from tabcast.study.protocol import Fold, make_folds, measure
from tabcast.study.records import Learner, Record, SelectionTask, Setting, Store, Task, Trial, TuningTask
from tabcast.study.work import Work, choose_columns
from tabcast.table import Mask

DEPENDENCIES = ("numpy", "scipy", "scikit-learn", "pandas", "xgboost", "xgboost-cpu", "optuna", "gpytorch", "torch")


@dataclass(frozen=True)
class Job:
    """Tasks of one setting, run by one worker, the paths of their records, and the folders of plug-ins and data."""

    tasks: tuple[Task, ...]
    paths: tuple[Path, ...]
    records: Path
    plugins: tuple[Path, ...] = ()
    data_dir: Path | None = None

    def __str__(self) -> str:
        return f"{self.tasks[0].setting.dataset}, seed {self.tasks[0].setting.seed} ({len(self.tasks)} trials)"


def plan_jobs(
    studies: Sequence[Study], profile: str, data_dir: Path | None = None, *, tuning_only: bool = False
) -> list[Job]:
    """Plan what is missing as jobs, the largest first, so that no large one runs alone at the end.

    Trials that several studies have in common run once, and trials of different studies on the same rows share their
    fits, densities and chosen columns.

    With `tuning_only` that is what trials share, also those that are done: searched parameters and chosen columns.
    """
    missing: dict[tuple[Path, tuple[Path, ...], Setting], dict[Task, Path]] = {}
    sizes: dict[Setting, int] = {}
    for study in studies:
        store = Store(study.records)
        for task in study.preparations(profile) if tuning_only else study.trials(profile):
            if study.catalog.is_missing(task, store):
                path = store.path(task, study.catalog.configuration(task))
                missing.setdefault((study.records, study.plugins, task.setting), {})[task] = path
                info = study.catalog.datasets[task.setting.dataset]
                # Cells times classes, of which boosting grows a tree each; two need one.
                sizes[task.setting] = info.n_rows * info.n_columns * (info.n_classes if info.n_classes > 2 else 1)
    jobs = [
        Job(tuple(tasks), tuple(tasks.values()), records, plugins, data_dir)
        for (records, plugins, _), tasks in missing.items()
    ]
    return sorted(jobs, key=lambda job: -sizes[job.tasks[0].setting] * len(job.tasks))


def check_tools(studies: Sequence[Study], profile: str) -> None:
    """Raise an ImportError that names what to install, before any long run, if trials need it."""
    for study in studies:
        for learner in dict.fromkeys(trial.learner for trial in study.trials(profile)):
            model = study.catalog.models[learner.model]
            if model.unavailable is None:
                model.build({}, 0)
                if learner.n_tuning_trials:
                    import_optuna()


def run_jobs(
    jobs: Sequence[Job], *, n_jobs: int = 1, dask: str | None = None, show: Callable[[int], None] | None = None
) -> None:
    """Run jobs in `n_jobs` processes (1: in this one), or on the Dask cluster at an address.

    `show` is called about once per second with the number of records that have been written. When a worker process
    dies, only the trials that were running are lost: the workers start again for as long as that finishes trials.
    """
    start, done = time.time(), -1
    paths = [path for job in jobs for path in job.paths]
    with _called_each_second(lambda: show and show(count_written(paths, start))), _workers(n_jobs, dask):
        while True:
            try:
                owner = os.getpid() if n_jobs > 1 and dask is None else None
                Parallel(batch_size=1)(delayed(run_job)(job, owner) for job in jobs)
                return
            except TerminatedWorkerError as error:
                before, done = done, count_written(paths, start)
                if done == before:
                    left = [job for job in jobs if count_written(job.paths, start) < len(job.paths)]
                    raise ChildProcessError(
                        f"A worker process was killed (out of memory?), twice without finishing a trial. What is done "
                        f"stays done; {len(paths) - done} trials are left, of {', '.join(map(str, left[:n_jobs]))}."
                    ) from error


def count_written(paths: Sequence[Path], since: float) -> int:
    """Count the records that have been written since a time."""
    return sum(path.exists() and path.stat().st_mtime >= since for path in paths)


@contextmanager
def _workers(n_jobs: int, dask: str | None) -> Iterator[None]:
    """Set where `Parallel` runs its calls."""
    if dask is None:
        threads = {"inner_max_num_threads": 1} if n_jobs > 1 else {}
        with warnings.catch_warnings(), parallel_config("loky", n_jobs=n_jobs, **threads):
            warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)  # loky replaces it
            yield
        return
    with connect(dask) as client, parallel_config("dask", client=client):
        yield


@contextmanager
def _called_each_second(call: Callable[[], object]) -> Iterator[None]:
    """Call a function every second while the block runs, and at its end."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(1.0):
            call()

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        call()


def run_job(job: Job, owner: int | None = None) -> None:
    """Run the trials of a job that have no record yet, and compute what they share once.

    A trial that fails leaves a record with its traceback and does not stop the others. A worker ends when the process
    that started it (`owner`) is gone, in the middle of a trial: nobody waits for it.
    """
    catalog, store = load_catalog(job.plugins), Store(job.records)
    setting = job.tasks[0].setting
    tasks = [task for task in job.tasks if catalog.is_missing(task, store)]  # it may have been begun before
    found: dict[Learner, dict[str, Any]] = {}
    watch = _called_each_second(lambda: owner in (None, os.getppid()) or os._exit(1))
    with watch, threadpool_limits(limits=1), parallel_config("sequential"):
        folds: list[Fold] = []
        with _failures_recorded(tasks, catalog, store):
            folds += make_folds(load_dataset(catalog.datasets[setting.dataset], data_dir=job.data_dir), setting)
        for task in [task for task in tasks if isinstance(task, SelectionTask) and folds]:
            with _failures_recorded([task], catalog, store):
                find_columns(task, catalog, store, "boruta", folds[task.fold], setting.seed)
        fitting = [task for task in tasks if not isinstance(task, SelectionTask) and folds]
        for learner in dict.fromkeys(task.learner for task in fitting):
            with _failures_recorded([task for task in fitting if task.learner == learner], catalog, store):
                found[learner] = find_params(TuningTask(setting, learner), folds, catalog, store)
        ready = (task for task in fitting if isinstance(task, Trial) and task.learner in found)
        for number, of_fold in groupby(sorted(ready, key=order_of), key=lambda trial: trial.fold):
            choose = partial(find_columns, SelectionTask(setting, number), catalog, store)
            work = Work(folds[number], setting.seed, choose)
            for learner, own in groupby(of_fold, key=lambda trial: trial.learner):
                for trial in own:
                    run_trial(trial, work, found[learner], catalog, store)
                work.forget_fits()


def order_of(trial: Trial) -> tuple[int, str, str]:
    """Sort key that keeps trials together that share most: by fold, then by model."""
    return trial.fold, repr(trial.learner), str(trial)


def run_trial(trial: Trial, work: Work, params: dict[str, Any], catalog: Catalog, store: Store) -> None:
    """Run one trial and write its record."""
    request = Request(
        catalog.models[trial.learner.model], params, trial.setting.seed, trial.strategy, trial.noise_filter
    )
    start = time.perf_counter()
    with _failures_recorded([trial], catalog, store):
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
            "seconds": {**answer.seconds, "trial": time.perf_counter() - start},
            "warnings": sorted({f"{one.category.__name__}: {one.message}" for one in caught}),
            "versions": versions(),
        }
        store.write(trial, catalog.configuration(trial), record)


@contextmanager
def _failures_recorded(tasks: Sequence[Task], catalog: Catalog, store: Store) -> Iterator[None]:
    """Write an exception as the record of each task, and go on."""
    try:
        yield
    except Exception as error:
        first_line = next(iter(str(error).splitlines()), "")
        reason = {"reason": f"{type(error).__name__}: {first_line}", "traceback": traceback.format_exc()}
        for task in tasks:
            store.write(task, catalog.configuration(task), {"status": "failed", **reason, "versions": versions()})


def remember(task: Task, catalog: Catalog, store: Store, compute: Callable[[], Record]) -> Record:
    """Read the record of a task, or compute and store it."""
    config = catalog.configuration(task)
    record = store.read(task, config)
    if record is None or record["status"] != "done":
        record = {"status": "done", **compute(), "versions": versions()}
        store.write(task, config, record)
    return record


def find_columns(
    task: SelectionTask, catalog: Catalog, store: Store, name: str, fold: Fold, seed: int
) -> tuple[Mask, float]:
    """Choose columns, and the seconds it took; Boruta's come from the store, or are stored."""
    if name != "boruta":
        return choose_columns(name, fold, seed)

    def choose() -> Record:
        support, seconds = choose_columns(name, fold, seed)
        return {"columns": np.flatnonzero(support).tolist(), "seconds": {"selection": seconds}}

    record = remember(task, catalog, store, choose)
    return np.isin(np.arange(fold.X_labeled.shape[1]), record["columns"]), record["seconds"]["selection"]


def find_params(task: TuningTask, folds: Sequence[Fold], catalog: Catalog, store: Store) -> dict[str, Any]:
    """Find the parameters of a model on a setting: from the store, or by a search that is then stored.

    Parameters are scored by the mean validation score of the supervised model over the folds.
    """
    learner, model = task.learner, catalog.models[task.learner.model]
    caps = dict(learner.caps)
    fixed = model.capped_sizes(caps)
    if learner.tuning == "none" or learner.n_tuning_trials == 0:
        return fixed

    def search() -> Record:
        works = [Work(fold, task.setting.seed) for fold in folds]

        def objective(params: Mapping[str, Any]) -> float:
            scores = [work.supervised_score(model.build({**fixed, **params}, task.setting.seed)) for work in works]
            return sum(scores) / len(scores)

        start = time.perf_counter()
        space = model.space(learner.tuning, max_trees=learner.max_trees, caps=caps)
        best, values = tune(model, space, objective, learner.n_tuning_trials, task.setting.seed)
        value = max(value for value in values if value is not None)
        seconds = {"tuning": time.perf_counter() - start}
        return {"params": best, "value": value, "values": values, "seconds": seconds}

    return {**fixed, **remember(task, catalog, store, search)["params"]}


def tune(
    model: Model, space: Space, objective: Callable[[Mapping[str, Any]], float], n_trials: int, seed: int
) -> tuple[dict[str, Any], list[float | None]]:
    """Search for the parameters with the largest objective by Optuna's TPE; the first of equals, and all values.

    The search begins at the `start` of the space, or at random without one, as in the paper. A trial whose objective
    raises ValueError or returns NaN fails (its value is None), and the search continues.
    """
    optuna = import_optuna()
    last_error: ValueError | None = None
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        search = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        if space.start is not None:
            search.enqueue_trial(dict(space.start))
        for _ in range(n_trials):
            trial = search.ask(dict(space.distributions))
            try:
                value = float(objective(dict(trial.params)))
            except ValueError as error:
                value, last_error = math.nan, error
            state = optuna.trial.TrialState.FAIL if math.isnan(value) else None
            search.tell(trial, None if math.isnan(value) else value, state=state)
    finally:
        optuna.logging.set_verbosity(verbosity)
    values = [trial.value for trial in search.trials]
    if all(value is None for value in values):
        said = "the objective was not a number." if last_error is None else f"the last error: {last_error}"
        raise ValueError(f"All {n_trials} tuning trials of model {model.name!r} failed; {said}") from last_error
    return dict(search.best_params), values


@cache
def versions() -> dict[str, str]:
    """Collect the versions that the numbers depend on."""
    installed = {one.metadata["Name"].lower(): one.version for one in distributions()}
    found = {name: installed[name] for name in ("tabcast", *DEPENDENCIES) if name in installed}
    return {"python": platform.python_version(), "platform": platform.platform(), **found}
