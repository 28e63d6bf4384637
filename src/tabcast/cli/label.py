"""`tabcast label`: a page on which the rows of a table are labeled, one after the other."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any
from xml.sax.saxutils import quoteattr

import typer
from typer import Option

from tabcast.cli.fit import default_folder
from tabcast.cli.stop import ending_at_once, stop
from tabcast.files._atomic import write_text

if TYPE_CHECKING:
    from tabcast.labeling._session import Session

N_TASKS = 100


def label(
    table: Annotated[str, typer.Argument(help="CSV, TSV, gzipped, Parquet, Feather or Excel; it is never written to.")],
    target: Annotated[
        str,
        Option(
            help="The column of labels, an existing or a new one; rows with an empty cell are unlabeled.",
            show_default="required",
        ),
    ] = "",
    estimator: Annotated[
        str,
        Option(
            metavar="NAME",
            help="auto: soft self-training with an ensemble; xgboost, lightgbm, catboost, random_forest, ...: with "
            "that base classifier, for quick fits; cast: CAST.",
        ),
    ] = "auto",
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
    folder = default_folder(table) if out is None else Path(out)
    name = default_folder(table).name.removesuffix("-tabcast")
    path = Path(labels or f"{name}-labels.csv")
    with ending_at_once(f"Stopped: every answer is in {path}; the same command goes on from there."):
        from tabcast.labeling._server import Server
        from tabcast.labeling._session import Session

        try:
            if export not in (None, "label-studio"):
                raise ValueError(f"--export must be label-studio; got {export!r}.")
            options: Any = {"estimator": estimator, "precision": precision, "overwrite": overwrite, "seed": seed}
            session = Session(table, target, path, folder, **options)
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
            webbrowser.open(server.address)
        server.serve_forever()


def export_tasks(session: Session, path: Path, *, overwrite: bool) -> None:
    """Write the rows to label next as tasks of Label Studio, and print the labeling interface for them."""
    if path.exists() and not overwrite:
        raise ValueError(f"{path} exists; move it, or replace it with --overwrite.")
    if session.is_enough():
        session.fit()
    tasks = session.tasks(N_TASKS)
    write_text(path, json.dumps(tasks, indent=1))
    choices = "".join(f"<Choice value={quoteattr(name)}/>" for name in session.classes)
    typer.echo(f"{len(tasks)} tasks for Label Studio are in {path}; its labeling interface:")
    typer.echo(f'<View><Table name="row" value="$cells"/><Choices name="label" toName="row">{choices}</Choices></View>')
    options = f"--target {quote(session.target)} --labels FILE.json"
    typer.echo(f"Export the labeled project as JSON; then: tabcast fit {quote(session.table)} {options}")
