"""Predicting tables: in memory, file to file in batches, and folders, file by file, on a Dask cluster if wanted."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions._rule import DecisionRule
from tabcast.files import TableFileError, Understanding
from tabcast.files._atomic import name_unfinished, remove, write_whole
from tabcast.files._columns import Problem
from tabcast.files._parts import is_folder, list_parts, open_parts
from tabcast.files._read import TableFile, open_table_file
from tabcast.files._write import TableWriter, find_ending
from tabcast.progress import Progress
from tabcast.runs._model_file import SavedModel
from tabcast.runs._table import unused_name
from tabcast.wording import list_names, suggest

LABEL, PROBABILITY = "prediction", "probability_"
LONGEST_NAME = 80
BATCH_ROWS = 100_000
PATIENCE = "10s"  # to reach a Dask scheduler
SETTLE_ROWS = 10_000  # at a time in the first pass, whose result must not depend on the size of batches


class DaskError(ConnectionError):
    """A Dask cluster that cannot be reached, lacks the packages, or was lost."""


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


def tabulate_predictions(
    model: Any, rule: DecisionRule, features: pd.DataFrame, rows: NDArray[np.intp], identifiers: pd.DataFrame
) -> pd.DataFrame:
    """Row number, identifiers, the class that the rule decides for, and probabilities of some rows of a table.

    Rows are predicted in blocks, so that memory for encoded rows does not grow with the table.
    """
    classes = model.classes_
    blocks = [rows[first : first + BATCH_ROWS] for first in range(0, len(rows), BATCH_ROWS)]
    probas = [np.asarray(model.predict_proba(features.iloc[block])) for block in blocks]
    proba = np.concatenate(probas) if probas else np.empty((0, len(classes)))
    label, probabilities = name_columns(classes, ["row", *identifiers.columns])
    columns: dict[str, Any] = {"row": rows, **{name: identifiers[name].array[rows] for name in identifiers.columns}}
    columns[label] = classes[rule.decide(proba)] if len(rows) else np.empty(0, dtype=object)
    return pd.DataFrame({**columns, **dict(zip(probabilities, proba.T, strict=True))})


def name_columns(classes: Iterable[Any], taken: Iterable[str] = ()) -> tuple[str, list[str]]:
    """The names of the column of labels and of those of probabilities, printable and different from all others."""
    used = set(taken)
    label = unused_name(LABEL, used)
    names = []
    for position, one in enumerate(classes, start=1):
        printable = "".join(character if character.isprintable() else " " for character in str(one))
        names.append(unused_name(PROBABILITY + (" ".join(printable.split())[:LONGEST_NAME] or str(position)), used))
    return label, names


def predict_file(
    model: SavedModel,
    table: str | Path,
    out: str | Path,
    *,
    keep: Sequence[str] = (),
    keep_all: bool = False,
    batch_rows: int = BATCH_ROWS,
    dask: str | None = None,
    progress: Callable[[int], Progress] | None = None,
) -> Predicted:
    """Predict every row of a table file, in its order, into another file; of a folder, every file into a folder.

    A file is read twice: how it writes numbers and dates is settled from all rows first, so that no result depends on
    the size of batches. Memory does not grow with the number of rows, and `out` is there whole or not at all. In CSV
    and TSV, text that begins with =, +, - or @ gets an apostrophe in front, so that no spreadsheet takes it for a
    formula.

    Parameters
    ----------
    model : SavedModel
        From :func:`load_model`.
    table : str or Path
        CSV, TSV (also gzipped), Parquet, Feather or Excel, with the columns of the training table; or a folder or
        pattern of such files. Of a workbook the first sheet with these columns is read.
    out : str or Path
        CSV, TSV (also gzipped), Parquet or Feather by its ending; not `table`. For a folder: a folder that does not
        exist, which gets one Parquet file per file.
    keep : sequence of str, default=()
        Columns of the table to pass through, besides the identifiers.
    keep_all : bool, default=False
        Whether to pass all columns through.
    batch_rows : int, default=100_000
        Rows at a time.
    dask : str, default=None
        Address of a Dask scheduler whose workers predict the files of a folder. None: this process.
    progress : callable, default=None
        Given the number of rows (of a text table, approximately) or files, returns the progress to report to.

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
    >>> table = pd.DataFrame({"length": [1, 9] * 20, "kind": ["short", "long"] * 10 + [None] * 20})
    >>> run = fit_table(table, "kind", estimator="logistic_regression")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run.save(Path(place, "run"))
    ...     table[["length"]].to_csv(Path(place, "new.csv"), index=False)
    ...     predicted = predict_file(load_model(Path(place, "run")), Path(place, "new.csv"), Path(place, "out.csv"))
    ...
    >>> predicted.n_rows, predicted.counts
    (40, {'long': 20, 'short': 20})
    """
    out = Path(out)
    if not str(table).strip():
        raise TableFileError("The path of the table is empty.")
    names = model.understanding.feature_names
    columns: dict[str, Any] = {"keep": keep, "keep_all": keep_all, "batch_rows": batch_rows}
    if is_folder(table):
        if out.exists():
            raise TableFileError(f"{out} exists; name a new folder for the predictions of a folder.")
        if Path(table).is_dir() and out.resolve().is_relative_to(Path(table).resolve()):
            raise TableFileError(f"{out} is inside {table}, whose files are to be predicted; name a folder elsewhere.")
        unfinished = name_unfinished(out)
        try:
            found = predict_parts(model, open_parts(list_parts(table), names), unfinished, dask, progress, **columns)
            unfinished.rename(out)
        finally:
            remove(unfinished)
        return found
    if dask is not None:
        raise TableFileError("A Dask cluster predicts the files of a folder; a single file is predicted here.")
    table = Path(table)
    find_ending(out)
    if out.is_dir():
        raise TableFileError(f"{out} is a directory; name a file in it for the predictions.")
    if not out.parent.is_dir():
        raise TableFileError(f"There is no folder {out.parent} for the predictions; make it first.")
    if out.exists() and table.exists() and out.samefile(table):
        raise TableFileError(f"{out.name} is the table itself; give the predictions another name.")
    return predict_part(model, open_table_file(table, names), out, **columns, progress=progress)


def predict_part(
    model: SavedModel,
    file: TableFile,
    out: Path,
    *,
    keep: Sequence[str] = (),
    keep_all: bool = False,
    batch_rows: int = BATCH_ROWS,
    progress: Callable[[int], Progress] | None = None,
) -> Predicted:
    """Predict an open file into another one."""
    understanding, classes = model.understanding, model.classes
    understanding.check_columns(file.names)
    kept = choose_kept(file.names, understanding, keep, keep_all=keep_all)
    label, probabilities = name_columns(classes, kept)
    labels = pd.Index(classes.tolist())
    counts, n_rows = np.zeros(len(labels), dtype=np.int64), 0
    problems: dict[tuple[str, str], Problem] = {}
    batches = file.batches(SETTLE_ROWS, understanding.feature_names)
    notation = understanding.settle_notation(batch for batch, _ in batches)
    shown = Progress() if progress is None else progress(file.n_rows or 0)
    with (
        shown,
        write_whole(out) as unfinished,
        TableWriter(unfinished, find_ending(out), spreadsheet_safe=True) as writer,
    ):
        for frame, passed in file.batches(batch_rows, understanding.feature_names, kept):
            converted = understanding.convert(frame, notation)
            proba = np.asarray(model.classifier.predict_proba(converted.features))
            codes = model.decision.decide(proba)
            columns: dict[str, Any] = {name: passed[name].array for name in passed.columns}
            columns |= {label: labels.take(codes), **dict(zip(probabilities, proba.T, strict=True))}
            writer.write(pd.DataFrame(columns, index=pd.RangeIndex(len(codes)), copy=False))
            counts += np.bincount(codes, minlength=len(labels))
            n_rows += len(codes)
            for one in converted.problems:
                key = (one.column, one.what)
                problems[key] = replace(one, n=one.n + problems[key].n) if key in problems else one
            shown.reach(n_rows)
    by_class = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    notes = (*file.notes, *notation.notes, *(problem.say() for problem in problems.values()))
    return Predicted(n_rows, label, tuple(probabilities), tuple(kept), by_class, notes, model.decision.meaning)


def choose_kept(
    names: Sequence[str], understanding: Understanding, keep: Sequence[str] = (), *, keep_all: bool = False
) -> list[str]:
    """Which columns of a table are passed through, in the table's order."""
    unknown = [name for name in keep if name not in names]
    if unknown:
        raise TableFileError(f"There is no column {list_names(unknown)} to keep{suggest(unknown[0], names)}.")
    wanted = {note.name for note in understanding.columns if note.kind == "identifier"} | set(keep)
    return [name for name in names if keep_all or name in wanted]


def predict_parts(
    model: SavedModel,
    parts: Sequence[TableFile],
    folder: Path,
    dask: str | None = None,
    progress: Callable[[int], Progress] | None = None,
    **columns: Any,
) -> Predicted:
    """Predict files into a new folder, one Parquet file for each, here or on a Dask cluster."""
    folder.mkdir()
    used: set[str] = set()
    places = [folder / f"{unused_name(part.path.name.partition('.')[0], used)}.parquet" for part in parts]
    shown = Progress() if progress is None else progress(len(parts))
    found = []
    with shown:
        for one in _predict_all(model, parts, places, dask, columns):
            found.append(one)
            shown.advance()
    counts: Counter[Any] = Counter()
    for one in found:
        counts.update(one.counts)
    notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
    return replace(found[0], n_rows=sum(one.n_rows for one in found), counts=dict(counts), notes=notes)


def _predict_all(
    model: SavedModel, parts: Sequence[TableFile], places: Sequence[Path], dask: str | None, columns: dict[str, Any]
) -> Iterator[Predicted]:
    """Predict one file after the other, or all of them on a cluster, in whatever order they are done."""
    if dask is None:
        for part, place in zip(parts, places, strict=True):
            with _naming(part):
                yield predict_part(model, part, place, **columns)
        return
    from distributed import as_completed

    with connect(dask) as client, client.as_current():
        shared = client.scatter(model, broadcast=True)
        futures = client.map(partial(_predict_bytes, columns=columns), [shared] * len(parts), parts, pure=False)
        place_of = dict(zip((future.key for future in futures), places, strict=True))
        for future in as_completed(futures):
            predicted, content = future.result()  # raises where the scheduler is gone
            place_of[future.key].write_bytes(content)
            yield predicted


def _predict_bytes(model: SavedModel, part: TableFile, *, columns: dict[str, Any]) -> tuple[Predicted, bytes]:
    """Predictions of a file as the bytes of a Parquet file: workers need not reach the folder of the results."""
    with TemporaryDirectory() as folder, _naming(part):
        place = Path(folder, "predictions.parquet")
        return predict_part(model, part, place, **columns), place.read_bytes()


@contextmanager
def _naming(part: TableFile) -> Iterator[None]:
    """Name the file in whatever is wrong with it."""
    try:
        yield
    except TableFileError as error:
        if str(part.path) in str(error):
            raise
        raise TableFileError(f"{part.path}: {error}") from error


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of a Dask cluster; one sentence if there is none, or if it goes away."""
    from concurrent.futures import CancelledError

    try:
        from distributed import Client
        from distributed.comm.core import CommClosedError
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Dask is needed for a cluster. Install it with: pip install 'tabcast[dask]'."
        ) from error
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DaskError(f"There is no Dask scheduler at {address}.") from error
    log = logging.getLogger("distributed.client")  # where the scheduler goes away, it would add a traceback
    log.disabled = True
    try:
        if problem := compare_versions(client.get_versions(packages=["tabcast"])):
            raise DaskError(f"The Dask cluster at {address} {problem}.")
        yield client
    except (CancelledError, CommClosedError, TimeoutError) as error:
        raise DaskError(f"The Dask scheduler at {address} is gone; start it again and run the same command.") from error
    except Exception as error:
        if type(error) is not Exception and not isinstance(error, ImportError):
            raise
        # What a worker could not do before it ran any code of ours; distributed makes plain exceptions of some.
        problem = f"has a worker that failed ({' '.join(str(error).split())}). Install the same on all"
        raise DaskError(f"The Dask cluster at {address} {problem}.") from error
    finally:
        client.close(timeout=2)
        log.disabled = False


def compare_versions(found: Any) -> str:
    """What keeps the workers of a cluster from understanding us, empty if nothing does."""
    ours = found["client"]["packages"]
    if not found["workers"]:
        return "has no worker; start one"
    for name in ("python", "distributed", "tabcast"):
        for worker, its in found["workers"].items():
            theirs = its["packages"].get(name)
            if theirs != ours[name]:
                has = f"has {name} {theirs}" if theirs else f"lacks {name}"
                return f"has a worker, {worker}, that {has}; here it is {ours[name]}. Install the same on all"
    return ""
