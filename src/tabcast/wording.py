"""Errors in one sentence, and how sentences name arguments, columns and values.

A sentence consists of text and of arguments, because each audience has its own name for an argument: `ignore=[...]` in
Python, `--ignore` on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any


@dataclass(frozen=True)
class Argument:
    """An argument within a sentence, with a value to show if there is one."""

    name: str
    value: Any = ...


class Wording:
    """How arguments are named for an audience; this class is for readers of Python."""

    def name(self, argument: Argument) -> str:
        """The argument as it appears within a sentence."""
        return f"`{argument.name}`" if argument.value is ... else f"`{argument.name}={argument.value!r}`"

    def sentence(self, *parts: str | Argument) -> str:
        """The parts on one line, with printable characters only: names from a file may hold anything."""
        text = "".join(part if isinstance(part, str) else self.name(part) for part in parts)
        return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


PYTHON = Wording()


class ArgumentError(ValueError):
    """An invalid argument, in one sentence that any audience can be given in its own words."""

    def __init__(self, *parts: str | Argument) -> None:
        self._parts = parts
        super().__init__(PYTHON.sentence(*parts))

    def say(self, wording: Wording) -> str:
        """The sentence for an audience."""
        return wording.sentence(*self._parts)

    def renamed(self, old: str, new: str) -> ArgumentError:
        """The same sentence about an argument that the caller calls otherwise."""
        return ArgumentError(*(Argument(new) if part == Argument(old) else part for part in self._parts))


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
    by_folded = {other.strip().casefold(): other for other in reversed(list(names))}
    folded = name.strip().casefold()
    close = [folded] if folded in by_folded else get_close_matches(folded, by_folded, n=1)
    return f"; did you mean {show_value(by_folded[close[0]])}?" if close else ""


def shorten(value: Any, most: int = 40) -> str:
    """A value as text, cut with dots where it is long."""
    text = str(value)
    return text if len(text) <= most else text[: most - 3] + "..."
