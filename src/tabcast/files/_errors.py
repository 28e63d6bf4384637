"""What is raised when a user's table cannot be read or understood."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class TableFileError(ValueError):
    """A table file that cannot be read, written or understood, in one sentence on one line.

    The command line prints the sentence and ends with code 2; no traceback helps somebody whose file is broken.
    """

    def __init__(self, sentence: str) -> None:
        # Names from the user's file may hold anything; the sentence stays on one line, and printable.
        super().__init__("".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in sentence))


def list_names(names: Iterable[Any], most: int = 10) -> str:
    """Names in quotes, the first few of them, with how many more there are."""
    names = list(names)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(repr(_shorten(str(name), 80)) for name in names[:most]) + more


def show_value(value: Any) -> str:
    """A cell's value in quotes, cut where it is long."""
    return repr(_shorten(str(value), 40))


def suggest(name: str, names: Iterable[str]) -> str:
    """`; did you mean ...` when a name is like one of the others, else nothing."""
    names = list(names)
    by_folded = {other.strip().casefold(): other for other in reversed(names)}
    folded = name.strip().casefold()
    close = [folded] if folded in by_folded else get_close_matches(folded, by_folded, n=1)
    return f"; did you mean {show_value(by_folded[close[0]])}?" if close else ""


def _shorten(text: str, most: int) -> str:
    """The text, or its beginning with dots."""
    return text if len(text) <= most else text[: most - 3] + "..."
