"""What is raised when a user's table cannot be read or understood."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from tabcast.files._wording import ArgumentError


class TableFileError(ArgumentError):
    """A table file that cannot be read, written or understood, in one sentence on one line.

    Parameters
    ----------
    *parts : str or Argument
        The pieces of the sentence.
    """


def list_names(names: Iterable[Any], most: int = 10) -> str:
    """Names in quotes, the first few of them, with how many more there are."""
    names = list(names)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(repr(shorten(name, 80)) for name in names[:most]) + more


def show_value(value: Any) -> str:
    """A cell's value in quotes, cut where it is long."""
    return repr(shorten(value))


def suggest(name: str, names: Iterable[str]) -> str:
    """`; did you mean ...` when a name is like one of the others, else nothing."""
    names = list(names)
    by_folded = {other.strip().casefold(): other for other in reversed(names)}
    folded = name.strip().casefold()
    close = [folded] if folded in by_folded else get_close_matches(folded, by_folded, n=1)
    return f"; did you mean {show_value(by_folded[close[0]])}?" if close else ""


def shorten(value: Any, most: int = 40) -> str:
    """A value as text, cut with dots where it is long."""
    text = str(value)
    return text if len(text) <= most else text[: most - 3] + "..."
