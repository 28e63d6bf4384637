"""Worker processes on this machine, each with one item at a time, so that it is known which item ended a worker."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from time import monotonic
from typing import Any

from tabcast.study.backends._base import ONE_THREAD, Backend, Crashed, Function, Job, Results, Ticker, set_environment
from tabcast.study.backends._calls import call_packed, check_importable, pack, unpack

MOST_DEATHS = 2
MOST_FAILED_STARTS = 3
END_SECONDS = 5.0
READY = b"ready"


class Processes(Backend):
    """Worker processes on this machine, one thread each.

    Workers are started fresh ("spawn"), not forked. A worker that dies (killed, out of memory, a crash in compiled
    code) is replaced. The item it worked on is tried once more, since memory may have been short for a moment; after
    its second death it is given up. No other item is touched.

    Examples
    --------
    >>> from tabcast.study.backends import Processes
    >>> sorted(Processes().run(abs, [-1, 2, -3], n_workers=2))
    [1, 2, 3]
    """

    name = "processes"

    def _run(self, function: Function, items: Iterable[Any], n_workers: int, ticker: Ticker) -> Results:
        check_importable(function, self.name)
        crew = Crew(function, deque(Job(item) for item in items), n_workers)
        try:
            while crew.has_work:
                yield from crew.hand_out()
                ticker.tick()
                results = crew.collect(ticker.seconds_left)
                results += crew.hand_out()  # workers go on while the caller looks at the results
                yield from results
        finally:
            crew.end()


class Worker:
    """A process and the line to it.

    Attributes
    ----------
    ready : object
        Whether it has come up.
    job : object
        What it works on, None if nothing.
    """

    def __init__(self) -> None:
        self.ready = False
        self.job: Job | None = None
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), name="tabcast-worker", daemon=True)
        with set_environment(ONE_THREAD), interrupts_held():
            self._process.start()
        theirs.close()  # now the line breaks when the worker dies

    @property
    def idle(self) -> bool:
        """Whether it could take a job."""
        return self.ready and self.job is None

    def take(self, job: Job, packed: bytes) -> None:
        """Begin a job. If it died while it was idle, `receive` finds out."""
        self.job = job
        with suppress(OSError):
            self.connection.send_bytes(packed)

    def receive(self) -> bytes | None:
        """The message that is there; None if the worker is dead."""
        try:
            return self.connection.recv_bytes()
        except (EOFError, OSError):
            return None

    def how_it_ended(self) -> str:
        """A sentence for the record of a worker that is dead."""
        self._process.join(END_SECONDS)
        code = self._process.exitcode
        if code is None:
            return "The worker process closed its line and did not end."
        if code >= 0:
            return f"The worker process ended with exit code {code} before it gave a result."
        return f"The worker process was killed by {name_signal(-code)} before it gave a result."

    def stop(self) -> None:
        """Ask it to end: the line is enough for one that waits, one that works is terminated."""
        self.connection.close()
        if not self.idle:
            self._process.terminate()

    def join(self, seconds: float) -> None:
        """Wait for its end; after that time it is killed."""
        self._process.join(seconds)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


@dataclass
class Crew:
    """The workers and the jobs that wait for them.

    Parameters
    ----------
    function : callable
        What workers call.
    waiting : deque
        Jobs that no worker has.
    size : int
        How many workers there may be.
    """

    function: Function
    waiting: deque[Job]
    size: int
    workers: list[Worker] = field(default_factory=list)
    failed_starts: int = 0

    @property
    def has_work(self) -> bool:
        """Whether a job waits or is being worked on."""
        return bool(self.waiting) or any(worker.job for worker in self.workers)

    def hand_out(self) -> list[Crashed]:
        """Give waiting jobs to idle workers and start the workers that are missing; jobs that cannot be pickled."""
        crashed = []
        for worker in self.workers:
            while worker.idle and self.waiting:
                job = self.waiting.popleft()
                packed = pack(self.function, job.item)
                if isinstance(packed, Crashed):
                    crashed.append(packed)
                else:
                    worker.take(job, packed)
        n_starting = sum(not worker.ready for worker in self.workers)
        for _ in range(min(self.size - len(self.workers), len(self.waiting) - n_starting)):
            self.workers.append(Worker())
        return crashed

    def collect(self, seconds: float) -> list[Any]:
        """Results that come within this time, as soon as there is one; may be none."""
        lines: dict[Any, Worker] = {worker.connection: worker for worker in self.workers if not worker.idle}
        results = []
        for line in wait(list(lines), timeout=seconds) if lines else []:
            worker = lines[line]
            message = worker.receive()
            job, worker.job = worker.job, None
            if message is None:
                self.workers.remove(worker)
                results += self._bury(worker, job)
            elif job is None:
                worker.ready, self.failed_starts = True, 0
            else:
                results.append(unpack(job.item, message))
        return results

    def _bury(self, worker: Worker, job: Job | None) -> list[Crashed]:
        """After a death: the job goes back to the front, or is given up."""
        ending = worker.how_it_ended()
        if job is None:
            self.failed_starts += 1
            if self.failed_starts >= MOST_FAILED_STARTS:
                raise RuntimeError(
                    f"{self.failed_starts} worker processes in a row could not start; see their output above. "
                    f"{ending} "
                    'A script that runs a study needs its calls under `if __name__ == "__main__":`.'
                )
            return []
        job.deaths.append(ending)
        if len(job.deaths) < MOST_DEATHS:
            self.waiting.appendleft(job)
            return []
        return [Crashed(job.item, "\n".join(job.deaths))]

    def end(self) -> None:
        """End all workers, at once or nearly so."""
        for worker in self.workers:
            worker.stop()
        until = monotonic() + END_SECONDS
        for worker in self.workers:
            worker.join(max(0.0, until - monotonic()))


def serve(connection: Connection) -> None:
    """Run a worker: report that it is ready, then call what arrives until the connection closes."""
    # An interrupt goes to the whole group of processes; the parent hears it, too, and decides what becomes of us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with_parent, daemon=True).start()
    try:
        connection.send_bytes(READY)
        while True:
            connection.send_bytes(call_packed(connection.recv_bytes()))
    except (EOFError, OSError):
        return


def end_with_parent() -> None:
    """End this process when the one that started it is gone, in the middle of a job: nobody waits for the result.

    A record is written whole or not at all, so nothing is lost but the job.
    """
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """An interrupt waits until the end of the block; a process started in it does not hear any."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def name_signal(number: int) -> str:
    """The name of a signal, with what usually sends it where that helps."""
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"{name} (out of memory?)" if name == "SIGKILL" else name
