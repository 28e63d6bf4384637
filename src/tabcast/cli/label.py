"""`tabcast label`: a page on which the rows of a table are labeled, one after the other."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from shlex import quote
from threading import Thread
from typing import TYPE_CHECKING, Annotated
from xml.sax.saxutils import quoteattr

import typer
from typer import Argument, Option

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.fit import Estimator, Out, Overwrite, Seed, default_folder
from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.labeling._session import Session

LABEL_STUDIO = "label-studio"
N_TASKS, MOST_UNLABELED = 100, 50_000  # tasks that are exported; unlabeled rows that train


def label(
    table: Annotated[str, Argument(help="CSV, TSV, gzipped, Parquet, Feather or Excel; it is never written to.")],
    target: Annotated[
        str, Option(help="The column of labels: a new one, or one with empty cells.", show_default="required")
    ] = "",
    precision: Annotated[
        float | None, Option(metavar="P", help="The precision of a filled table to label for: all rows are random.")
    ] = None,
    labels: Annotated[
        str | None, Option(metavar="FILE", help="The label file. Default: the table's name with -labels.csv.")
    ] = None,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    export: Annotated[
        str | None, Option(metavar=LABEL_STUDIO, help="Write the rows to label next as tasks; serve no page.")
    ] = None,
    estimator: Estimator = "auto",
    out: Out = None,
    seed: Seed = 0,
    overwrite: Overwrite = False,
) -> None:
    """Label rows on a page in your browser, those first whose labels tell the model most.

    Every answer is on the disk before the next row is shown. Starting the same command again goes on from there.
    """
    folder, name = Path(out or default_folder(table)), default_folder(table).name.removesuffix("-tabcast")
    path = Path(labels or f"{name}-labels.csv")
    CTRL_C.sentence = f"Stopped: every answer is in {path}; the same command goes on from there."
    from tabcast.labeling._server import Server
    from tabcast.labeling._session import Session
    from tabcast.runs._fit_table import read_options

    try:
        if export not in (None, LABEL_STUDIO):
            raise ValueError(f"--export must be {LABEL_STUDIO}; got {export!r}.")
        # One process trains: the other cores are left to whoever labels, and a killed server leaves none behind.
        training = {"estimator": estimator, "precision": precision, "random_state": seed, "n_jobs": 1}
        others = {"max_pool": MOST_UNLABELED, "verbose": 0} | dict.fromkeys(("scoring", "decision", "dask"))
        session = Session(table, target, path, folder, read_options(**training | others), overwrite)
        if export is not None:
            export_tasks(session, Path(f"{name}-tasks.json"), overwrite=overwrite)
            return
        server = Server(session)
    except OSError as error:
        stop(f"{error.filename or path}: {error.strerror or error}.")
    except (ValueError, TypeError, ImportError) as error:
        stop(error)
    typer.echo(f"Label the rows of {table} at {server.address}")
    typer.echo(f"Every answer is appended to {path}. End with Ctrl-C; the same command goes on from there.")
    if browser:
        Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()  # one in the terminal blocks
    server.serve_forever()


def export_tasks(session: Session, path: Path, *, overwrite: bool) -> None:
    """Write the rows to label next as tasks of Label Studio, and print the labeling interface for them."""
    from tabcast.files._atomic import write_text
    from tabcast.labeling._file import digest_rows

    if path.exists() and not overwrite:
        raise ValueError(f"{path} exists; move it, or replace it with --overwrite.")
    if session.is_enough:
        session.fit()
    cards = session.suggest(N_TASKS)
    digests = digest_rows(session.frame, [row for row, _ in cards], session.target)
    named = [{"row": row, "how": how, "cells": dict(session.cells(row))} for row, how in cards]
    tasks = [{"data": one | {"digest": digest}} for one, digest in zip(named, digests, strict=True)]
    write_text(path, json.dumps(tasks, indent=1))
    choices = "".join(f"<Choice value={quoteattr(name)}/>" for name in session.classes)
    parts = f'<Table name="row" value="$cells"/><Choices name="label" toName="row">{choices}</Choices>'
    typer.echo(f"{len(tasks)} tasks for Label Studio are in {path}. Its labeling interface: <View>{parts}</View>")
    command = f"tabcast fit {quote(session.table)} --target {quote(session.target)} --labels EXPORT.json"
    typer.echo(f"Label, export the project as JSON, and train: {command}")
