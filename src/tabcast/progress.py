"""Progress of long work: nothing, or a bar with the remaining time."""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any


class Progress:
    """Base class of progress displays; this one shows nothing."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the terminal."""

    def describe(self, text: str) -> None:
        """Describe the current step."""

    def detail(self, text: str) -> None:
        """Describe what happens within the current step; empty text removes it."""

    def advance(self) -> None:
        """Count one more fit."""

    def reach(self, completed: int) -> None:
        """Set the number of completed fits."""


_CURRENT: ContextVar[Progress] = ContextVar("progress")


def current_progress() -> Progress:
    """Return the bar on the terminal, or one that shows nothing; for long steps within a fit."""
    return _CURRENT.get(Progress())


class Bar(Progress):
    """A progress bar on the terminal: title, progress, elapsed and remaining time.

    Parameters
    ----------
    title : str
        Title of the work.
    total : int
        Maximum number of fits; fewer are needed when training sets repeat or the loop stops early.
    unit : str, default="fits"
        What is counted.
    left : str, default="left at most"
        Words before the remaining time.
    """

    _token: Token[Progress] | None = None  # while it is shown

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
        self._title = self._text = title
        self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> Bar:
        self._bar.start()
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Fill the bar where fewer fits were needed than planned, and stop drawing."""
        if kind is None:
            self._bar.update(self._task, total=self._bar.tasks[0].completed)
        self._bar.stop()
        if self._token is not None:
            _CURRENT.reset(self._token)

    def describe(self, text: str) -> None:
        """Show the title and the current step."""
        self._text = f"{self._title}: {text}"
        self._bar.update(self._task, description=self._text)

    def detail(self, text: str) -> None:
        """Show it after the current step."""
        self._bar.update(self._task, description=f"{self._text}, {text}" if text else self._text)

    def advance(self) -> None:
        """Advance by one."""
        self._bar.advance(self._task)

    def reach(self, completed: int) -> None:
        """Advance to this number."""
        self._bar.update(self._task, completed=completed)


def show_progress(title: str, total: int, verbose: int) -> Progress:
    """Return a bar for `verbose` of 1 or more, nothing for 0."""
    return Bar(title, total) if verbose else Progress()
