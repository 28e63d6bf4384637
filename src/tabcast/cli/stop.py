"""How a command ends when it cannot go on: one sentence in terms of its options, a code, no traceback."""

from __future__ import annotations

from shlex import quote
from typing import Any, NoReturn

import typer

from tabcast.wording import Argument, ArgumentError, Wording

# Options that are not called like the Python argument; the rest differ by dashes only.
OPTIONS = {"categories": "--category", "id_columns": "--id", "folder": "--out", "random_state": "--seed"}


class CommandLine(Wording):
    """Arguments as options: `--ignore`, `--missing-label -1`, `--overwrite`."""

    def name(self, argument: Argument) -> str:
        """The option, with its value if it has one; once per entry of a list."""
        option = OPTIONS.get(argument.name, f"--{argument.name.replace('_', '-')}")
        value: Any = argument.value
        if value is ... or value is True:
            return "TABLE" if argument.name == "table" else option
        return " ".join(f"{option} {quote(str(one))}" for one in (value if isinstance(value, list) else [value]))


COMMAND_LINE = CommandLine()


def stop(problem: str | Exception, code: int = 2) -> NoReturn:
    """Print what is wrong on one line and end."""
    sentence = problem.say(COMMAND_LINE) if isinstance(problem, ArgumentError) else str(problem)
    typer.echo(" ".join(sentence.split()), err=True)
    raise typer.Exit(code)
