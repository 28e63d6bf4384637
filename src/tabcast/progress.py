"""What long work shows while it goes on: nothing, or a bar with the time left."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class Progress:
    """Shows nothing: the do-nothing member, and the contract."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the screen tidy."""

    def describe(self, text: str) -> None:
        """Say what is being done now."""

    def advance(self) -> None:
        """One more fit is done."""

    def reach(self, completed: int) -> None:
        """So much is done by now."""


class Bar(Progress):
    """A bar on the terminal: what, how far, how long it took, how long it may still take.

    Parameters
    ----------
    title : what the work is.
    total : most fits there can be; fewer are needed when training sets repeat or the loop stops early.
    unit : what is counted.
    left : words before the time left.
    """

    def __init__(self, title: str, total: int, *, unit: str = "fits", left: str = "left at most") -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._bar: Any = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            TextColumn(left),
            TimeRemainingColumn(),
        )
        self._title = title
        self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Fill the bar where fewer fits were needed than planned, and stop drawing."""
        if kind is None:
            self._bar.update(self._task, total=self._bar.tasks[0].completed)
        self._bar.stop()

    def describe(self, text: str) -> None:
        """Title and what is being done now."""
        self._bar.update(self._task, description=f"{self._title}: {text}")

    def advance(self) -> None:
        """Move on by one."""
        self._bar.advance(self._task)

    def reach(self, completed: int) -> None:
        """Move on to so many."""
        self._bar.update(self._task, completed=completed)


def show_progress(title: str, total: int, verbose: int) -> Progress:
    """A bar for `verbose` of 1 or more, nothing for 0."""
    return Bar(title, total) if verbose else Progress()
