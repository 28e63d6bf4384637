"""Predicting a table file with a saved model, in batches, into another file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files import Notation, Problem, TableFileError, TableWriter, Understanding, open_table_file
from tabcast.files._atomic import write_whole
from tabcast.files._errors import list_names, suggest
from tabcast.files._read import TableFile
from tabcast.files._write import find_ending
from tabcast.progress import Progress
from tabcast.runs._model_file import SavedModel, read_understanding
from tabcast.runs._predictions import name_columns

BATCH_ROWS = 100_000
SETTLE_ROWS = 10_000  # at a time in the first pass, whose result must not depend on the size of batches


@dataclass(frozen=True)
class Predicted:
    """What was predicted.

    Parameters
    ----------
    n_rows : int
        Rows written.
    label : str
        Name of the column with the predicted class.
    probabilities : tuple of str
        Names of the columns with probabilities, one per class.
    kept : tuple of str
        Columns passed through.
    counts : dict
        Number of rows per predicted class.
    notes : tuple of str, default=()
        What was noticed about the table file and its cells.
    meaning : str, default=""
        Which class is predicted, in words.

    See Also
    --------
    predict_file : Returns it.
    """

    n_rows: int
    label: str
    probabilities: tuple[str, ...]
    kept: tuple[str, ...]
    counts: dict[Any, int]
    notes: tuple[str, ...] = ()
    meaning: str = ""


def predict_file(
    model: SavedModel,
    table: str | Path,
    out: str | Path,
    *,
    keep: Sequence[str] = (),
    keep_all: bool = False,
    batch_rows: int = BATCH_ROWS,
    sheet: str | None = None,
    spreadsheet_safe: bool = True,
    progress: Callable[[int], Progress] | None = None,
) -> Predicted:
    """Predict every row of a table file, in its order, into another file.

    The file is read twice: how it writes numbers and dates is settled from all rows first, so that no result depends on
    the size of batches. Memory does not grow with the number of rows, and `out` is there whole or not at all.

    Parameters
    ----------
    model : SavedModel
        From :func:`load_model`.
    table : str or Path
        CSV, TSV (also gzipped), Parquet, Feather or Excel, with the columns of the training table.
    out : str or Path
        CSV, TSV (also gzipped), Parquet or Feather by its ending; not `table`.
    keep : sequence of str, default=()
        Columns of the table to pass through, besides the identifiers.
    keep_all : bool, default=False
        Whether to pass all columns through.
    batch_rows : int, default=100_000
        Rows at a time.
    sheet : str, default=None
        Which sheet to read if `table` is an Excel file. None: the first.
    spreadsheet_safe : bool, default=True
        Whether text that begins with =, +, - or @ gets an apostrophe in front in CSV and TSV, so that no spreadsheet
        takes it for a formula. Numbers stay as they are.
    progress : callable, default=None
        Given the number of rows (of a text table, approximately), returns the progress to report to.

    Returns
    -------
    Predicted
        What was written.

    See Also
    --------
    Run.predict : Predict a table in memory.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tabcast import fit_table
    >>> from tabcast.runs import load_model, predict_file
    >>> table = pd.DataFrame({"length": [1, 9] * 10, "kind": ["short", "long"] * 5 + [None] * 10})
    >>> run = fit_table(table, "kind", method="supervised", model="logistic_regression")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run.save(Path(place, "run"))
    ...     table[["length"]].to_csv(Path(place, "new.csv"), index=False)
    ...     predicted = predict_file(load_model(Path(place, "run")), Path(place, "new.csv"), Path(place, "out.csv"))
    ...
    >>> predicted.n_rows, predicted.counts
    (20, {'long': 10, 'short': 10})
    """
    table, out = Path(table), Path(out)
    ending = find_ending(out)
    _check_places(table, out)
    understanding = read_understanding(model)
    file = open_table_file(table, sheet)
    understanding.check_columns(file.names)
    kept = choose_kept(file.names, understanding, keep, keep_all=keep_all)
    label, probabilities = name_columns(model.classes, kept)
    labels = pd.Index(model.classes.tolist())
    counts, n_rows = np.zeros(len(labels), dtype=np.int64), 0
    problems: list[Problem] = []
    notation = _settle(file, understanding)
    shown = Progress() if progress is None else progress(file.count_rows())
    with (
        shown,
        write_whole(out) as unfinished,
        TableWriter(unfinished, ending, spreadsheet_safe=spreadsheet_safe) as writer,
    ):
        for frame, passed in file.batches(batch_rows, understanding.feature_names, kept):
            converted = understanding.convert(frame, notation)
            proba = np.asarray(model.classifier.predict_proba(converted.features))
            codes = model.decision.decide(proba)
            writer.write(put_beside(passed, label, labels.take(codes), probabilities, proba))
            counts += np.bincount(codes, minlength=len(labels))
            n_rows, problems = n_rows + len(codes), add_problems(problems, converted.problems)
            shown.reach(n_rows)
    by_class = dict(zip(model.classes.tolist(), counts.tolist(), strict=True))
    notes = (*file.notes, *notation.notes, *(problem.say() for problem in problems))
    return Predicted(n_rows, label, tuple(probabilities), tuple(kept), by_class, notes, model.decision.meaning)


def _settle(file: TableFile, understanding: Understanding) -> Notation:
    """How the file writes numbers and dates, from a first pass over these columns."""
    names = understanding.text_columns
    return (
        understanding.settle_notation(batch for batch, _ in file.batches(SETTLE_ROWS, names)) if names else Notation({})
    )


def add_problems(known: list[Problem], more: list[Problem]) -> list[Problem]:
    """Problems of several batches, one entry per column and kind."""
    total = {(problem.column, problem.what): problem for problem in known}
    for problem in more:
        key = (problem.column, problem.what)
        total[key] = replace(total[key], n=total[key].n + problem.n) if key in total else problem
    return list(total.values())


def choose_kept(
    names: Sequence[str], understanding: Understanding, keep: Sequence[str] = (), *, keep_all: bool = False
) -> list[str]:
    """Which columns of a table are passed through, in the table's order."""
    unknown = [name for name in keep if name not in names]
    if unknown:
        raise TableFileError(f"There is no column {list_names(unknown)} to keep{suggest(unknown[0], names)}.")
    wanted = {note.name for note in understanding.columns if note.kind == "identifier"} | set(keep)
    return [name for name in names if keep_all or name in wanted]


def put_beside(
    kept: pd.DataFrame, label: str, labels: pd.Index[Any], probabilities: list[str], proba: NDArray[Any]
) -> pd.DataFrame:
    """The columns of the result."""
    columns: dict[str, Any] = {name: kept[name].array for name in kept.columns}
    columns[label] = labels
    columns.update(zip(probabilities, proba.T, strict=True))
    return pd.DataFrame(columns, index=pd.RangeIndex(len(labels)), copy=False)


def _check_places(table: Path, out: Path) -> None:
    """What can be known before the work: the result must not take the table's place, and must have a folder."""
    if out.is_dir():
        raise TableFileError(f"{out} is a directory; name a file in it for the predictions.")
    if not out.parent.is_dir():
        raise TableFileError(f"There is no folder {out.parent} for the predictions; make it first.")
    if out.exists() and table.exists() and out.samefile(table):
        raise TableFileError(f"{out.name} is the table itself; give the predictions another name.")
