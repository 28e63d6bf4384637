"""`tabcast predict`: a saved model and a table in, a table of labels and probabilities out."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.runs import Predicted

GUARD_HELP = "Write text that begins with =, +, - or @ to CSV as it is, not with an apostrophe in front."


def predict(
    model: Annotated[Path, typer.Argument(help="The model file, or the folder that `tabcast fit` wrote.")],
    table: Annotated[
        Path,
        typer.Argument(help="CSV, TSV, Parquet, Feather, Excel or a folder, with the training columns."),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Output: .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .feather or a folder."),
    ],
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="COL", help="Pass a column through; repeatable.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Pass all columns through.")] = False,
    batch_rows: Annotated[int, typer.Option(min=1, help="Rows at a time: fewer need less memory.")] = 100_000,
    sheet: Annotated[str | None, typer.Option(help="Which sheet of an Excel file to read. Default: the first.")] = None,
    no_spreadsheet_guard: Annotated[bool, typer.Option("--no-spreadsheet-guard", help=GUARD_HELP)] = False,
    engine: Annotated[
        str | None,
        typer.Option(metavar="stream|ADDRESS", help="Where a folder is predicted: in this process, or on Dask."),
    ] = None,
) -> None:
    """Predict every row of a table: a label, and one probability per class.

    Rows keep their order; columns that identify rows are passed through.
    """
    try:
        options: dict[str, Any] = {"batch_rows": batch_rows, "sheet": sheet}
        options["spreadsheet_safe"] = not no_spreadsheet_guard
        predicted = run_predict(model, table, out, keep=keep or [], keep_all=keep_all, engine=engine, **options)
    except KeyboardInterrupt:
        stop(f"Stopped: {out} was not written.", 130)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        stop(f"{out} could not be written: {reason}.", 2)
    except (ValueError, ImportError) as error:
        stop(error)
    for line in word_predicted(predicted, out):
        typer.echo(line)


def run_predict(
    model_path: Path,
    table_path: Path,
    out_path: Path,
    *,
    keep: list[str],
    keep_all: bool = False,
    engine: str | None = None,
    **options: Any,
) -> Predicted:
    """Load, predict, write, with a bar on a terminal."""
    from rich.console import Console

    from tabcast.progress import Bar
    from tabcast.runs import load_model, predict_file, predict_partitions
    from tabcast.runs._fit_partitions import is_folder

    saved = load_model(model_path)
    if is_folder(table_path):
        bar = partial(Bar, "Predicting", unit="files", left="left about") if Console().is_terminal else None
        return predict_partitions(
            saved, table_path, out_path, keep=keep, keep_all=keep_all, engine=engine, progress=bar
        )
    if engine is not None:
        raise ValueError("--engine is for folders of tables; a single table is predicted in this process.")
    if out_path.exists() and out_path.samefile(model_path):
        raise ValueError(f"{out_path.name} is the model itself; give the predictions another name.")
    bar = partial(Bar, "Predicting", unit="rows", left="left about") if Console().is_terminal else None
    return predict_file(saved, table_path, out_path, keep=keep, keep_all=keep_all, progress=bar, **options)


def word_predicted(predicted: Predicted, out: Path) -> list[str]:
    """What was done, in words."""
    counts = ", ".join(f"{name!s} {n:,} ({n / predicted.n_rows:.0%})" for name, n in predicted.counts.items())
    kept = f" beside {', '.join(predicted.kept)}" if predicted.kept else ""
    return [
        *predicted.notes,
        f"{predicted.n_rows:,} rows in {out}: {predicted.label} and {len(predicted.probabilities)} columns "
        f"of probabilities{kept}.",
        f"Predicted: {counts}. The prediction is {predicted.meaning}.",
    ]
