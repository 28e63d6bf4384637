"""`tabcast label`: a page on which the rows of a table are labeled, one after the other."""

from __future__ import annotations

import warnings
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from tabcast.cli.fit import default_folder
from tabcast.cli.stop import ending_at_once, stop


def label(
    table: Annotated[str, typer.Argument(help="CSV, TSV, gzipped, Parquet, Feather or Excel; it is never written to.")],
    target: Annotated[
        str,
        Option(help="The column of labels, an existing or a new one; rows with an empty cell are unlabeled.", show_default="required"),
    ] = "",
    precision: Annotated[
        float | None,
        Option(
            metavar="P",
            help="Label for a filled table in which a proportion of at least P, such as 0.95, is right: all rows are "
            "drawn at random.",
        ),
    ] = None,
    labels: Annotated[
        str | None, Option(metavar="FILE", help="The label file. Default: the table's name with -labels.csv.")
    ] = None,
    out: Annotated[
        str | None, Option(metavar="PATH", help="Folder for the results. Default: the table's name with -tabcast.")
    ] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the results of an earlier run.")] = False,
    seed: Annotated[int, Option(min=0, max=2**32 - 1, help="Seed of everything random.")] = 0,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    export: Annotated[
        str | None,
        Option(metavar="label-studio", help="Write the rows to label next as tasks for Label Studio; serve no page."),
    ] = None,
) -> None:
    """Label rows of a table on a page in your browser, those first that teach the model most.

    Every answer is on the disk before the next row is shown; whenever you start again, you go on where you stopped.
    """
    name = str(default_folder(table)).removesuffix("-tabcast")
    path, folder = Path(labels or f"{name}-labels.csv"), Path(out or default_folder(table))
    with ending_at_once(f"Stopped: every answer is in {path}. Start the same command to go on."):
        from tabcast.exceptions import TabcastWarning
        from tabcast.labeling._server import Server
        from tabcast.labeling._session import Session

        warnings.simplefilter("ignore", TabcastWarning)  # the page has its own words
        try:
            session = Session(
                table, target, path, folder, precision=precision, overwrite=overwrite, seed=seed
            )
            server = Server(session)
        except OSError as error:
            stop(f"{error.filename or path}: {error.strerror or error}.")
        except (ValueError, TypeError, ImportError) as error:
            stop(error)
        session.begin()
        typer.echo(f"Label {table} at {server.address}")
        typer.echo(f"Answers go to {path}. Stop with Ctrl-C; nothing is lost.")
        if browser:
            webbrowser.open(server.address)
        server.serve_forever()
