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
) -> None:
    """Draw the page of a run again, for instance with a newer tabcast."""
    try:
        path = run_report(folder, table)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror or error}.")
    except (ValueError, ImportError) as error:
        stop(str(error))
    typer.echo(f"Written: {path}")


def run_report(folder: Path, table: Path | None) -> Path:
    """Read what the run left, and write the page."""
    import pandas as pd

    from tabcast.files import Understanding, read_table_file
    from tabcast.files._atomic import write_text
    from tabcast.report import render_report
    from tabcast.runs import load_model
    from tabcast.runs._folder import PSEUDO_LABELS, REPORT, RunFolderError, read_summary

    summary = read_summary(folder)
    names = ["row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round"]
    pseudo = pd.read_csv(folder / PSEUDO_LABELS, usecols=names, dtype={"label": str, "raw_label": str})[names]
    values = None
    if table is not None:
        understanding, values = Understanding.from_dict(load_model(folder).understanding), read_table_file(table)
        understanding.features(values.head(1))  # names what is missing
        values = values[understanding.feature_names]
        if len(pseudo) and len(values) <= pseudo["row"].max():
            raise RunFolderError(
                f"{table.name} has {len(values):,} rows, fewer than the table of the run; give that table, with the "
                "rows of --unlabeled below."
            )
    write_text(folder / REPORT, render_report(summary, pseudo, values))
    return folder / REPORT
