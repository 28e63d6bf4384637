"""The contract of a backend: call a function on items and yield results as they come."""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

Function = Callable[[Any], Any]
Poll = Callable[[], None]
Results = Generator[Any, None, None]

POLL_SECONDS = 1.0

# Keep the numeric libraries of a worker on one thread.
ONE_THREAD = dict.fromkeys(
    [
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ],
    "1",
)


@dataclass(frozen=True)
class Crashed:
    """The outcome of an item that failed, in place of its result.

    Parameters
    ----------
    item : object
        What the function was called on.
    traceback_text : str
        The traceback of its exception, or how its worker ended.

    See Also
    --------
    Serial : Yields it for an item that failed.
    """

    item: Any
    traceback_text: str


@dataclass
class Job:
    """An item, and how the workers that ran it ended."""

    item: Any
    deaths: list[str] = field(default_factory=list)


class Backend(ABC):
    """Where the trials of a study run.

    Attributes
    ----------
    name : str
        What the command line calls it.
    most_workers : float
        Maximum number of workers.

    See Also
    --------
    Serial : One item after the other, in this process.
    """

    name: ClassVar[str]
    most_workers: ClassVar[float] = math.inf

    def run(self, function: Function, items: Iterable[Any], *, n_workers: int = 1, poll: Poll | None = None) -> Results:
        """Call a function on every item and yield results as they come, in no particular order.

        An exception in an item, and where workers are processes also the death of its worker, gives a `Crashed` for
        this item and does not affect the others. When the caller stops early (an interrupt, or the generator is
        closed), waiting items are dropped and workers are ended.

        Parameters
        ----------
        function : callable
            Function to call. Workers import it, so it must stand at the top level of a module.
        items : iterable of object
            Arguments of the calls; each is pickled, unless the calls run in this process.
        n_workers : int, default=1
            Number of items that run at the same time.
        poll : callable, optional
            Called about once per second while waiting for results, for instance to show progress.

        Returns
        -------
        generator
            Results and :class:`Crashed` items.
        """
        if isinstance(n_workers, bool) or not isinstance(n_workers, int) or not 1 <= n_workers <= self.most_workers:
            allowed = "1" if self.most_workers == 1 else "a whole number from 1"
            raise ValueError(f"`n_workers` of the {self.name} backend must be {allowed}; got {n_workers!r}.")
        return self._run(function, items, n_workers, Ticker(poll))

    @abstractmethod
    def _run(self, function: Function, items: Iterable[Any], n_workers: int, ticker: Ticker) -> Results:
        """The generator behind `run`."""


class Ticker:
    """Calls a function at most about once per second.

    Parameters
    ----------
    poll : callable or None
        Function to call, if any.
    """

    def __init__(self, poll: Poll | None) -> None:
        self._poll = poll
        self._due = time.monotonic()

    def tick(self) -> None:
        """Call it, if it is due."""
        if self._poll is not None and time.monotonic() >= self._due:
            self._poll()
            self._due = time.monotonic() + POLL_SECONDS

    @property
    def seconds_left(self) -> float:
        """How long one may wait before it is due again."""
        return max(0.0, self._due - time.monotonic()) if self._poll is not None else POLL_SECONDS


@contextmanager
def set_environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for a while: a process started now reads them before it imports anything."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
