"""Progress of long work: nothing, or a bar with the remaining time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any

LONGEST = 7 * 24 * 3600.0  # seconds that the speed is measured over; rich forgets steps that are older


class Progress(AbstractContextManager["Progress"]):
    """Base class of progress displays; this one shows nothing."""

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        """Restore the terminal."""

    def describe(self, text: str) -> None:
        """Describe the current step."""

    def advance(self) -> None:
        """Count one more fit."""

    def reach(self, completed: int) -> None:
        """Set the number of completed fits."""


class Bar(Progress):
    """A bar on the terminal: title, progress, elapsed and remaining time.

    `total` is the maximum number of fits; fewer are needed when training sets repeat or the loop stops early. `left`
    are the words before the remaining time.
    """

    def __init__(self, title: str, total: int, *, unit: str = "fits", left: str = "left at most") -> None:
        from rich import progress

        self._bar = progress.Progress(
            "{task.description}",
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            unit,
            progress.TimeElapsedColumn(),
            left,
            progress.TimeRemainingColumn(),
            speed_estimate_period=LONGEST,
        )
        self._title = title
        self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        """Fill the bar where fewer fits were needed than planned, and stop drawing."""
        if kind is None:
            self._bar.update(self._task, total=self._bar.tasks[0].completed)
        self._bar.stop()

    def describe(self, text: str) -> None:
        """Show the title and the current step."""
        self._bar.update(self._task, description=f"{self._title}: {text}")

    def advance(self) -> None:
        """Advance by one."""
        self._bar.advance(self._task)

    def reach(self, completed: int) -> None:
        """Advance to this number."""
        self._bar.update(self._task, completed=completed)


class Lines(Progress):
    """Progress as lines of plain text, at most one per tenth of the work: for notebooks that cannot draw a bar."""

    def __init__(self, title: str, total: int, *, unit: str = "fits") -> None:
        self._title, self._total, self._unit = title, total, unit
        self._completed, self._tenth, self._text = 0, -1, ""

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        """Print the end, unless there was an error."""
        if kind is None:
            print(f"{self._title}: done, {self._completed} {self._unit}", flush=True)

    def describe(self, text: str) -> None:
        """Remember the step for the next line."""
        self._text = f", {text}"

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


def make_bar(title: str, total: int, *, unit: str = "fits", left: str = "left at most") -> Progress:
    """A bar, or lines of text in a notebook without ipywidgets, where rich warns at every step instead of drawing."""
    import rich

    draws_no_bar = rich.get_console().is_jupyter and find_spec("ipywidgets") is None
    return Lines(title, total, unit=unit) if draws_no_bar else Bar(title, total, unit=unit, left=left)


def show_progress(title: str, total: int, verbose: int) -> Progress:
    """A display for `verbose` of 1 or more, nothing for 0."""
    return make_bar(title, total) if verbose else Progress()
