"""A Dask cluster: one started for the run on this machine, or an existing one."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tabcast.study.backends._base import (
    ONE_THREAD,
    POLL_SECONDS,
    Backend,
    Crashed,
    Function,
    Job,
    Results,
    Ticker,
    set_environment,
)
from tabcast.study.backends._calls import call_packed, check_importable, pack, unpack


class Dask(Backend):
    """A Dask cluster.

    Without an address, workers are processes of this machine, one thread each, reachable from this machine only. With
    one, tabcast has to be installed on the workers, which should have one thread each.

    Dask cannot tell which of the items that lay on a dead worker killed it. So all of them wait until the others are
    done and are then tried again, each alone; the one whose worker dies once more is given up.

    When the caller stops early, the own cluster is ended; on another one, items that wait are withdrawn, and what a
    worker has begun is finished there for nothing.

    Parameters
    ----------
    scheduler : str, default=None
        Address of a running scheduler, for instance "tcp://10.0.0.5:8786". By default workers start on this machine.

    Examples
    --------
    >>> from tabcast.study.backends import Dask
    >>> backend = Dask("tcp://10.0.0.5:8786")
    >>> results = backend.run(abs, [-1, 2], n_workers=32)  # connects with the first result
    """

    name = "dask"

    def __init__(self, scheduler: str | None = None) -> None:
        self.scheduler = scheduler

    def _run(self, function: Function, items: Iterable[Any], n_workers: int, ticker: Ticker) -> Results:
        check_importable(function, self.name)
        distributed = _import_distributed()
        jobs = deque(Job(item) for item in items)
        if not jobs:
            return
        with self._connected(distributed, min(n_workers, len(jobs))) as client:
            queue = Queue(client, function, jobs, n_workers)
            while queue.has_work:
                yield from queue.submit()
                ticker.tick()
                results = queue.collect(ticker.seconds_left)
                results += queue.submit()  # workers go on while the caller looks at the results
                yield from results

    @contextmanager
    def _connected(self, distributed: ModuleType, n_workers: int) -> Iterator[Any]:
        """A client, and its cluster where it is our own; both are closed in the end."""
        if self.scheduler is not None:
            with distributed.Client(self.scheduler, set_as_default=False) as client:
                yield client
            return
        import dask

        settings = {
            "distributed.scheduler.allowed-failures": 0,
            "distributed.nanny.pre-spawn-environ": ONE_THREAD,
        }
        # Variables of this process would win over Dask's settings: hence the environment, too.
        with dask.config.set(settings), set_environment(ONE_THREAD):
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client


@dataclass
class Queue:
    """The jobs of a run: those that wait, those on the cluster, and those whose worker died.

    Parameters
    ----------
    client : object
        The line to the cluster.
    function : callable
        What workers call.
    waiting : deque
        Jobs that were not handed over yet.
    size : int
        How many may be on the cluster. It is one per worker: whatever lies on a worker that dies is a suspect.
    running : dict of object to Job
        Jobs on the cluster, by future.
    suspects : deque
        Jobs to be tried again, each alone.
    """

    client: Any
    function: Function
    waiting: deque[Job]
    size: int
    running: dict[Any, Job] = field(default_factory=dict)
    suspects: deque[Job] = field(default_factory=deque)

    @property
    def has_work(self) -> bool:
        """Whether a job is not done."""
        return bool(self.waiting or self.running or self.suspects)

    def submit(self) -> list[Crashed]:
        """Hand over as many jobs as there may be, suspects one by one after all others; jobs that cannot be pickled."""
        crashed = []
        while self.waiting and len(self.running) < self.size:
            crashed += self._send(self.waiting.popleft())
        if self.suspects and not self.running and not self.waiting:
            crashed += self._send(self.suspects.popleft())
        return crashed

    def _send(self, job: Job) -> list[Crashed]:
        """Hand over one job, unless it cannot be pickled."""
        packed = pack(self.function, job.item)
        if isinstance(packed, Crashed):
            return [packed]
        self.running[self.client.submit(call_packed, packed, pure=False)] = job
        return []

    def collect(self, seconds: float) -> list[Any]:
        """Results that come within this time, as soon as there is one; may be none."""
        from distributed import KilledWorker, wait

        if not self.running:
            return []
        results = []
        try:
            with self.client.as_current():
                finished = wait(list(self.running), timeout=seconds, return_when="FIRST_COMPLETED").done
            for future in finished:
                try:
                    outcome = future.result(timeout=POLL_SECONDS)
                except KilledWorker as error:
                    results += self._suspect(self.running.pop(future), str(error))
                else:
                    results.append(unpack(self.running.pop(future).item, outcome))
        except TimeoutError:
            pass  # nothing is finished, or a worker died with a result, which Dask now computes anew
        except CancelledError as error:
            raise ConnectionError(
                "The Dask scheduler is gone. Run the study again: what is done stays done."
            ) from error
        return results

    def _suspect(self, job: Job, ending: str) -> list[Crashed]:
        """After a death: the job is to be tried alone; if it was alone, it is given up."""
        job.deaths.append(ending)
        if len(job.deaths) == 1:
            self.suspects.append(job)
            return []
        return [Crashed(job.item, "\n".join(job.deaths))]


def _import_distributed() -> ModuleType:
    """Import dask.distributed, or raise an ImportError that says how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            "The dask backend needs dask.distributed. Install it with: pip install 'tabcast[dask]'."
        ) from error
    return distributed
