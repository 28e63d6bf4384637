"""Progress of long work: nothing, or a bar with the remaining time."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from importlib.util import find_spec
from types import TracebackType
from typing import Any

LONGEST = 7 * 24 * 3600.0  # seconds that the speed is measured over; rich forgets steps that are older


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
    get_time : callable, default=None
        The clock, in seconds. None: that of the computer.
    """

    _token: Token[Progress] | None = None  # while it is shown

    def __init__(
        self,
        title: str,
        total: int,
        *,
        unit: str = "fits",
        left: str = "left at most",
        get_time: Callable[[], float] | None = None,
    ) -> None:
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
            speed_estimate_period=LONGEST,
            get_time=get_time,
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


class Lines(Progress):
    """Progress as lines of plain text, at most one per tenth of the work: for notebooks that cannot draw a bar.

    Parameters
    ----------
    title : str
        Title of the work.
    total : int
        Maximum number of fits.
    unit : str, default="fits"
        What is counted.
    """

    _token: Token[Progress] | None = None  # while it is shown

    def __init__(self, title: str, total: int, *, unit: str = "fits") -> None:
        self._title, self._total, self._unit = title, total, unit
        self._completed, self._tenth, self._text = 0, -1, ""

    def __enter__(self) -> Lines:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Print the end, unless there was an error."""
        if kind is None:
            print(f"{self._title}: done, {self._completed} {self._unit}", flush=True)
        if self._token is not None:
            _CURRENT.reset(self._token)

    def describe(self, text: str) -> None:
        """Remember the step for the next line."""
        self._text = f", {text}" if text else ""

    def advance(self) -> None:
        """Count one, and print a line where another tenth is done."""
        self.reach(self._completed + 1)

    def reach(self, completed: int) -> None:
        """Set the number, and print a line where another tenth is done."""
        self._completed = completed
        tenth = 10 * completed // max(self._total, 1)
        if tenth > self._tenth:
            self._tenth = tenth
            print(f"{self._title}: {completed} of at most {self._total} {self._unit}{self._text}", flush=True)


def draws_no_bar() -> bool:
    """Whether this is a notebook without ipywidgets, in which rich warns at every step instead of drawing."""
    import rich

    return rich.get_console().is_jupyter and find_spec("ipywidgets") is None


def make_bar(title: str, total: int, *, unit: str = "fits", left: str = "left at most") -> Progress:
    """Return a bar, or lines of text where a bar cannot be drawn."""
    return Lines(title, total, unit=unit) if draws_no_bar() else Bar(title, total, unit=unit, left=left)


def show_progress(title: str, total: int, verbose: int) -> Progress:
    """Return a display for `verbose` of 1 or more, nothing for 0."""
    return make_bar(title, total) if verbose else Progress()
