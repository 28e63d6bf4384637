"""How a command ends when it cannot go on: one sentence, a code, no traceback."""

from __future__ import annotations

from typing import NoReturn

import typer


def stop(problem: str | Exception, code: int = 2) -> NoReturn:
    """Print what is wrong on one line, in terms of options, and end."""
    if isinstance(problem, Exception):
        from tabcast.cli.wording import COMMAND_LINE
        from tabcast.files import ArgumentError

        problem = problem.say(COMMAND_LINE) if isinstance(problem, ArgumentError) else str(problem)
    typer.echo(" ".join(problem.split()), err=True)
    raise typer.Exit(code)
