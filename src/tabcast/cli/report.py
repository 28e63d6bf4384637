"""`tabcast report`: the page of a run once more, from the files that it left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tabcast.cli.stop import stop


def report(
    folder: Annotated[Path, typer.Argument(help="The folder that `tabcast fit` wrote.")],
    table: Annotated[
        Path | None, typer.Option(help="The table it was fitted on, to show the values of its rows.")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Which sheet of an Excel file to read. Default: the first.")] = None,
) -> None:
    """Draw the page of a run again, for instance with a newer tabcast."""
    from tabcast.runs import redraw_report

    try:
        path = redraw_report(folder, table, sheet=sheet)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}.")
    except (ValueError, ImportError) as error:
        stop(error)
    typer.echo(f"Written: {path}")
