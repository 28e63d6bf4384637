"""`tabcast report`: the page of a run once more, from the files that it left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tabcast.cli.stop import stop


def report(folder: Annotated[Path, typer.Argument(help="The folder that `tabcast fit` wrote.")]) -> None:
    """Draw the page of a run again, for instance with a newer tabcast."""
    from tabcast.runs import load_run

    try:
        load_run(folder).report.save(folder / "report.html")
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}.")
    except (ValueError, ImportError) as error:
        stop(error)
    typer.echo(f"Written: {folder / 'report.html'}")
