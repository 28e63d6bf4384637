"""`tabcast predict`: a saved model and a table in, a table of labels and probabilities out."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabcast.cli.ctrl_c import CTRL_C
from tabcast.cli.stop import stop

if TYPE_CHECKING:
    from tabcast.runs import Predicted


def predict(
    model: Annotated[Path, typer.Argument(help="The model file, or the folder that `tabcast fit` wrote.")],
    table: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, Feather, Excel or a folder of files, with the training columns.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Output: .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .feather or a new folder."),
    ],
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="COL", help="Pass a column through; repeatable.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Pass all columns through.")] = False,
    batch_rows: Annotated[int, typer.Option(min=1, help="Rows at a time: fewer need less memory.")] = 100_000,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers predict the files of a folder.")
    ] = None,
) -> None:
    """Predict every row of a table: a label, and one probability per class.

    Rows keep their order; columns that identify rows are passed through.
    """
    CTRL_C.expect(f"Stopped: {out} was not written.", out)
    from rich.console import Console

    from tabcast.files._parts import is_folder
    from tabcast.progress import Bar
    from tabcast.runs import DaskError, load_model, predict_file

    unit = "files" if is_folder(table) else "rows"
    bar = partial(Bar, "Predicting", unit=unit, left="left about") if Console().is_terminal else None
    try:
        if out.exists() and model.exists() and out.samefile(model):
            raise ValueError(f"{out.name} is the model itself; give the predictions another name.")
        saved = load_model(model)
        predicted = predict_file(
            saved,
            table,
            out,
            keep=keep or [],
            keep_all=keep_all,
            batch_rows=batch_rows,
            dask=dask,
            progress=bar,
        )
    except DaskError as error:
        stop(error, 1)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else " ".join(str(error).split())
        stop(f"{out} could not be written: {reason}.", 2)
    except (ValueError, ImportError) as error:
        stop(error)
    for line in word_predicted(predicted, out):
        typer.echo(line)


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
