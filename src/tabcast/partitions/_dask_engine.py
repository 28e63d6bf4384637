"""The engine of a Dask cluster: the same functions on workers; no row comes to this process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import add
from threading import Thread
from typing import Any

import pandas as pd

from tabcast.partitions._boosting import Boosting, TrainingRows, boost
from tabcast.partitions._engine import Engine, Placed
from tabcast.partitions._partition import DelayedPartition, FramePartition, Partition

LOG = logging.getLogger("tabcast.partitions")
ATTEMPTS = 4  # of a training: the first one and three more
JOINED = 16  # results that a worker joins at a time
POLL = 1.0  # seconds between looks at the workers that train
REPLY_WAIT = 300  # seconds without a word from another worker, after which one stops waiting for it in training
CONNECT_WAIT = 10.0  # seconds for a scheduler to answer
WORKER_WAIT = 120.0  # seconds for a worker to come back when none is left


class WorkerLost(RuntimeError):
    """A worker went away while it was training."""


class DaskEngine(Engine):
    """The workers of a Dask cluster.

    Every result can be computed again from the partitions, so that a worker that goes away costs what it had. A
    training that loses a worker runs again on those that are left, three times at most; the log says so.

    Parameters
    ----------
    client : distributed.Client
        A connection to the cluster. Workers need tabcast and xgboost, and must be able to read the partitions.

    See Also
    --------
    StreamEngine : Needs no cluster, and serves some ten million rows on one machine.
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def place(self, members: Sequence[Any]) -> Placed:
        """Partitions of a Dask DataFrame as what computes them; anything else as it is."""
        return [_as_delayed(member) if isinstance(member, DelayedPartition) else member for member in members]

    def map(self, function: Callable[..., Any], *placed: Placed) -> Placed:
        """A task per partition; its result stays on the worker."""
        call, shared = self._share(function)
        return [self._submit(call, shared, one) for one in zip(*placed, strict=True)]

    def reduce(self, function: Callable[..., Any], *placed: Placed, join: Callable[[Any, Any], Any] = add) -> Any:
        """A task per partition, joined on workers."""
        results = list(self.map(function, *placed))
        while len(results) > 1:
            groups = [results[first : first + JOINED] for first in range(0, len(results), JOINED)]
            results = [self.client.submit(join_all, join, group, pure=False) for group in groups]
        return self.client.gather(results[0])

    def collect(self, function: Callable[..., Any], *placed: Placed) -> list[Any]:
        """A task per partition."""
        return list(self.client.gather(list(self.map(function, *placed))))

    def train(
        self, labeled: TrainingRows, plan: Boosting, function: Callable[..., TrainingRows], *placed: Placed
    ) -> bytes:
        """On the workers that have partitions, together; once more where one of them goes away."""
        import distributed
        import xgboost

        lost = (xgboost.core.XGBoostError, distributed.KilledWorker, WorkerLost, OSError)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._train_once(labeled, plan, function, *placed)
            except lost as error:
                if attempt == ATTEMPTS:
                    raise
                reason = " ".join(str(error).split())[:200]
                LOG.warning(
                    "Training failed (%s) and runs again on the workers that are left: %d of %d.",
                    reason,
                    attempt,
                    ATTEMPTS - 1,
                )
                self.client.wait_for_workers(1, timeout=WORKER_WAIT)
        raise AssertionError("unreachable")

    def tabulate(self, function: Callable[..., pd.DataFrame], *placed: Placed) -> Any:
        """A Dask DataFrame."""
        import dask.dataframe

        parts = list(self.map(function, *placed))
        meta = self.client.submit(pd.DataFrame.head, parts[0], 0, pure=False).result()
        return dask.dataframe.from_delayed(parts, meta=meta, verify_meta=False)

    def _share(self, function: Callable[..., Any]) -> tuple[Callable[..., Any], Any]:
        """What a function brings along, as a task of its own: sent once, and computed again if it is lost."""
        if isinstance(function, partial) and function.keywords and not function.args:
            return function.func, self.client.submit(identity, function.keywords, pure=False)
        return function, {}

    def _submit(self, function: Callable[..., Any], shared: Any, one: Sequence[Any]) -> Any:
        """A task, whose arguments may be computed by other tasks."""
        if any(type(argument).__name__ == "Delayed" for argument in one):
            from dask.delayed import delayed

            return self.client.compute(delayed(call_with, pure=False)(function, shared, *one))
        return self.client.submit(call_with, function, shared, *one, pure=False)

    def _train_once(
        self, labeled: TrainingRows, plan: Boosting, function: Callable[..., TrainingRows], *placed: Placed
    ) -> bytes:
        """Train on the workers that have partitions now."""
        import distributed

        sizes = self.collect(partial(count_training, function=function), *placed)
        kept = [one for one, size in zip(zip(*placed, strict=True), sizes, strict=True) if size]
        by_worker: dict[str, list[Any]] = {}
        holders = self.client.who_has([one[0] for one in kept])
        for one in kept:
            # The worker that already has the fewest of those that hold it.
            holding = sorted(holders.get(one[0].key) or self.client.nthreads())
            worker = min(holding, key=lambda address: len(by_worker.get(address, ())))
            by_worker.setdefault(worker, []).append(one)
        if not by_worker:
            by_worker[min(self.client.nthreads())] = []
        workers = sorted(by_worker)
        contact = self._start_tracker(len(workers))
        futures = [
            self.client.submit(
                train_here,
                contact,
                number,
                labeled if number == 0 else None,
                plan,
                function,
                [list(one) for one in by_worker[worker]],
                workers=[worker],
                allow_other_workers=False,
                pure=False,
            )
            for number, worker in enumerate(workers)
        ]
        try:
            waiting = set(futures)
            while waiting:
                _, waiting = _wait_some(waiting, distributed)
                for future in futures:
                    if future.status == "error":
                        future.result()  # raises what the worker raised
                # A result of a worker that is gone is computed again, on that worker: never.
                if gone := sorted(set(workers) - set(self.client.nthreads())):
                    raise WorkerLost(f"worker {', '.join(gone)} is gone")
            return next(model for model in (one.result(REPLY_WAIT) for one in futures) if model is not None)
        finally:
            self.client.cancel([future for future in futures if not future.done()], force=True)

    def _start_tracker(self, n_workers: int) -> dict[str, Any]:
        """Where the workers that train find each other: at the scheduler, which all of them can reach."""
        contact = self.client.run_on_scheduler(start_tracker, n_workers=n_workers)
        return {**contact, "dmlc_timeout": REPLY_WAIT}


def _as_delayed(member: DelayedPartition) -> Any:
    from dask.delayed import delayed

    return delayed(FramePartition, pure=False)(member.delayed, member.where)


def _wait_some(waiting: set[Any], distributed: Any) -> tuple[set[Any], set[Any]]:
    """Futures that are done, and others, after at most a second."""
    try:
        done, left = distributed.wait(list(waiting), timeout=POLL, return_when="FIRST_COMPLETED")
        return set(done), set(left)
    except (TimeoutError, distributed.TimeoutError):
        return set(), waiting


def identity(value: Any) -> Any:
    """What functions bring along, as the result of a task."""
    return value


def call_with(function: Callable[..., Any], shared: dict[str, Any], *arguments: Any) -> Any:
    """Call a function with what it brings along."""
    return function(*arguments, **shared)


def join_all(join: Callable[[Any, Any], Any], results: list[Any]) -> Any:
    """Join some results."""
    return reduce(join, results)


def count_training(*arguments: Any, function: Callable[..., TrainingRows]) -> int:
    """Rows of a partition that train."""
    return function(*arguments).n_rows


def start_tracker(n_workers: int, dask_scheduler: Any = None) -> dict[str, Any]:
    """Start what XGBoost's workers meet at, in the process of the scheduler; how to reach it."""
    from distributed.comm.addressing import get_address_host
    from xgboost.tracker import RabitTracker

    tracker = RabitTracker(n_workers=n_workers, host_ip=get_address_host(dask_scheduler.address), sortby="task")
    tracker.start()
    Thread(target=_wait_quietly, args=(tracker,), daemon=True).start()
    return {name: value for name, value in tracker.worker_args().items() if isinstance(value, str | int)}


def _wait_quietly(tracker: Any) -> None:
    """Until all workers are done; what goes wrong is reported by the workers."""
    import xgboost

    try:
        tracker.wait_for()
    except xgboost.core.XGBoostError:
        LOG.debug("The tracker stopped.", exc_info=True)


def train_here(
    contact: dict[str, Any],
    number: int,
    labeled: TrainingRows | None,
    plan: Boosting,
    function: Callable[..., TrainingRows],
    parts: list[list[Any]],
) -> bytes | None:
    """Train on the partitions of this worker, together with the other workers; the first one returns the model."""
    import distributed
    import xgboost

    threads = plan.parameters.get("nthread") or distributed.get_worker().state.nthreads
    plan = replace(plan, parameters={**plan.parameters, "nthread": threads})
    rows = ([] if labeled is None else [labeled]) + [function(*one) for one in parts]
    with xgboost.collective.CommunicatorContext(**contact, dmlc_task_id=f"tabcast-{number:06}"):
        model = boost(rows, plan)
        return model if xgboost.collective.get_rank() == 0 else None


def find_client(members: Sequence[Partition]) -> Any | None:
    """The current Dask client, if partitions are those of a Dask DataFrame and there is one."""
    if not any(isinstance(member, DelayedPartition) for member in members):
        return None
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def connect(given: Any) -> DaskEngine:
    """Connect to a Dask cluster.

    Parameters
    ----------
    given : str or distributed.Client
        Address of the scheduler, or a client.

    Returns
    -------
    DaskEngine
        The engine.
    """
    try:
        import distributed
    except ImportError:
        raise ImportError("The Dask engine needs distributed: install tabcast[dask].") from None
    if isinstance(given, distributed.Client):
        return DaskEngine(given)
    if not isinstance(given, str) or "://" not in given:
        raise ValueError(
            "`engine` must be 'stream', the address of a Dask scheduler such as 'tcp://host:8786', or a client; got "
            f"{given!r}."
        )
    try:
        return DaskEngine(distributed.Client(given, timeout=CONNECT_WAIT))
    except OSError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"No Dask scheduler answers at {given} ({reason}).") from error
