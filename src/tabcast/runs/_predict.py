"""Predicting a table file with a saved model, a batch at a time, into another file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files import Problem, TableFileError, Understanding
from tabcast.files._atomic import write_whole
from tabcast.files._errors import list_names, suggest
from tabcast.progress import Progress
from tabcast.runs._batches import TableBatches
from tabcast.runs._model_file import ModelFileError, SavedModel
from tabcast.runs._writers import TableWriter, find_ending

BATCH_ROWS = 100_000
LABEL = "prediction"
PROBABILITY = "probability_"
LONGEST_NAME = 80


@dataclass(frozen=True)
class Predicted:
    """What was predicted.

    Attributes
    ----------
    n_rows : rows written.
    label : name of the column with the class of the highest probability (of equals, the first).
    probabilities : names of the columns with probabilities, one a class.
    kept : columns passed through.
    counts : how many rows got each class.
    notes : what was noticed about the table file and its cells.
    """

    n_rows: int
    label: str
    probabilities: tuple[str, ...]
    kept: tuple[str, ...]
    counts: dict[Any, int]
    notes: tuple[str, ...] = ()


def predict_file(
    model: SavedModel,
    table: str | Path,
    out: str | Path,
    *,
    keep: Sequence[str] = (),
    keep_all: bool = False,
    batch_rows: int = BATCH_ROWS,
    progress: Callable[[int], Progress] | None = None,
) -> Predicted:
    """Predict every row of a table file, in its order, into another file.

    Memory does not grow with the number of rows, and `out` is there whole or not at all.

    Parameters
    ----------
    model : from :func:`load_model`.
    table : CSV, TSV (also gzipped), Parquet or Feather, with the columns of the training table.
    out : CSV, TSV (also gzipped), Parquet or Feather by its ending; not `table`.
    keep : columns of the table to pass through, besides those that were understood as identifiers.
    keep_all : pass all columns through.
    batch_rows : rows at a time.
    progress : given the number of rows (of a text table about), what is told how many are done.
    """
    table, out = Path(table), Path(out)
    ending = find_ending(out)
    _check_places(table, out)
    understanding = _read_understanding(model)
    batches = TableBatches(table, batch_rows)
    if not set(understanding.feature_names) <= set(batches.names):
        understanding.convert(pd.DataFrame(columns=batches.names))  # names what is missing, and what may be meant
    kept = choose_kept(batches.names, understanding, keep, keep_all=keep_all)
    label, probabilities = name_columns(model.classes, kept)
    labels = pd.Index(model.classes.tolist())
    counts, n_rows = np.zeros(len(labels), dtype=np.int64), 0
    notes: list[str] = []
    problems: list[Problem] = []
    shown = Progress() if progress is None else progress(batches.n_rows)
    with shown, write_whole(out) as unfinished, TableWriter(unfinished, ending) as writer:
        for batch in batches.read(understanding.feature_names, kept):
            converted = understanding.convert(batch.frame)
            proba = np.asarray(model.classifier.predict_proba(converted.features))
            codes = proba.argmax(axis=1)
            writer.write(_put_beside(batch.kept, label, labels.take(codes), probabilities, proba))
            counts += np.bincount(codes, minlength=len(labels))
            n_rows, notes, problems = n_rows + len(codes), batch.notes, add_problems(problems, converted.problems)
            shown.reach(n_rows)
    by_class = dict(zip(model.classes.tolist(), counts.tolist(), strict=True))
    notes += [problem.say() for problem in problems]
    return Predicted(n_rows, label, tuple(probabilities), tuple(kept), by_class, tuple(notes))


def add_problems(known: list[Problem], more: list[Problem]) -> list[Problem]:
    """Problems of several batches, one entry for each column and kind."""
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


def name_columns(classes: Iterable[Any], taken: Iterable[str] = ()) -> tuple[str, list[str]]:
    """Names for the column of labels and for those of probabilities, printable and different from all others.

    Examples
    --------
    >>> from tabcast.runs import name_columns
    >>> name_columns(["yes", "no"], taken=["prediction"])
    ('prediction_2', ['probability_yes', 'probability_no'])
    """
    used = set(taken)
    label = _unused(LABEL, used)
    names = []
    for position, one in enumerate(classes, start=1):
        printable = "".join(sign if sign.isprintable() else " " for sign in str(one))
        names.append(_unused(PROBABILITY + (" ".join(printable.split())[:LONGEST_NAME] or str(position)), used))
    return label, names


def _read_understanding(model: SavedModel) -> Understanding:
    """What the training table was, as saved."""
    if not model.understanding:
        raise ModelFileError("The model does not say what its training table was; it was not saved by `tabcast fit`.")
    try:
        return Understanding.from_dict(model.understanding)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"What the model says of its training table is damaged ({error}).") from error


def _unused(name: str, used: set[str]) -> str:
    """The name, with a number behind it where it is taken already; from now on it is taken."""
    chosen, number = name, 1
    while chosen in used:
        number += 1
        chosen = f"{name}_{number}"
    used.add(chosen)
    return chosen


def _put_beside(
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
