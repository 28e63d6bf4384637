"""How a command ends when it cannot go on: one sentence, a code, no traceback."""

from __future__ import annotations

from typing import NoReturn

import typer


def stop(message: str, code: int = 2) -> NoReturn:
    """Say what was wrong on one line, and end."""
    typer.echo(" ".join(message.split()), err=True)
    raise typer.Exit(code)
