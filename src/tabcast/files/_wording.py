"""How messages name arguments: as Python arguments here, as options where the command line translates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Argument:
    """An argument within a message, named as data so that each audience can read its own name for it.

    Parameters
    ----------
    name : str
        The Python argument, for example "ignore".
    value : object, default=Ellipsis
        A value to show with it. Without one, the argument itself is meant.

    See Also
    --------
    Wording : Names it for an audience.
    """

    name: str
    value: Any = ...


class Wording:
    """How arguments are named for an audience; this class is for readers of Python.

    Examples
    --------
    >>> from tabcast.files import PYTHON, Argument
    >>> PYTHON.sentence("Leave a column out with ", Argument("ignore", ["age"]), ".")
    "Leave a column out with `ignore=['age']`."
    """

    def name(self, argument: Argument) -> str:
        """Name an argument, with its value if it has one.

        Parameters
        ----------
        argument : Argument
            The argument to name.

        Returns
        -------
        str
            The name as it appears within a sentence.
        """
        return f"`{argument.name}`" if argument.value is ... else f"`{argument.name}={argument.value!r}`"

    def sentence(self, *parts: str | Argument) -> str:
        """Join text and arguments to a sentence.

        Parameters
        ----------
        *parts : str or Argument
            The pieces of the sentence.

        Returns
        -------
        str
            The sentence on one line, with printable characters only: names from a file may hold anything.
        """
        text = "".join(part if isinstance(part, str) else self.name(part) for part in parts)
        return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


PYTHON = Wording()


class ArgumentError(ValueError):
    """An invalid argument, in one sentence that any audience can be given in its own words.

    Parameters
    ----------
    *parts : str or Argument
        The pieces of the sentence.
    """

    def __init__(self, *parts: str | Argument) -> None:
        self._parts = parts
        super().__init__(PYTHON.sentence(*parts))

    def say(self, wording: Wording) -> str:
        """Word the error for an audience.

        Parameters
        ----------
        wording : Wording
            How arguments are named.

        Returns
        -------
        str
            One sentence.
        """
        return wording.sentence(*self._parts)

    def renamed(self, old: str, new: str) -> ArgumentError:
        """Name an argument as the caller does who passed it on.

        Parameters
        ----------
        old : str
            The name within the error.
        new : str
            The name of the caller's argument.

        Returns
        -------
        ArgumentError
            The same sentence about the other argument.
        """
        return ArgumentError(*(Argument(new) if part == Argument(old) else part for part in self._parts))
