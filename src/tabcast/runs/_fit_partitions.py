"""`fit_partitions`: a folder of table files in, a run out. Judged on a sample in memory, trained on all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule
from tabcast.files import Argument, ArgumentError, TableFileError, read_table_file
from tabcast.partitions import DaskEngine, Engine, Partitions, StreamEngine
from tabcast.partitions._engine import find_engine
from tabcast.partitions._survey import SAMPLE_ROWS, unite_frames
from tabcast.runs._file_partitions import FeaturePartition, FilePartition, open_files
from tabcast.runs._fit_table import fit_table
from tabcast.runs._folder import PREDICTION_PARTS
from tabcast.runs._options import RunOptions
from tabcast.runs._predictions import tabulate_predictions
from tabcast.runs._prepared_table import find_identifiers
from tabcast.runs._row_numbers import find_first_rows, number_rows, renumber
from tabcast.runs._run import Run
from tabcast.runs._training import make_classifier
from tabcast.self_training._soft import ALIGNED

XGBOOST = "xgboost"
NOT_IN_PARTITIONS = ("precision", "cost", "sheet")  # they need all rows in memory


@dataclass(frozen=True, eq=False)
class Found:
    """What a file holds: its labeled rows, a sample of the others, and where these are."""

    labeled: pd.DataFrame
    sample: pd.DataFrame


def is_folder(*tables: Any) -> bool:
    """Tell whether one of some tables is a folder or a pattern, to be read in partitions.

    Parameters
    ----------
    *tables : path, DataFrame or None
        What a user passed.

    Returns
    -------
    bool
        Whether :func:`fit_partitions` takes them.
    """
    paths = [Path(one) for one in tables if isinstance(one, str | PathLike)]
    return any(path.is_dir() or (not path.exists() and any(sign in path.name for sign in "*?[")) for path in paths)


def fit_partitions(
    table: str | PathLike[str],
    target: str,
    *,
    unlabeled: str | PathLike[str] | None = None,
    engine: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    max_pool: int | str | None = None,
    on_engine: Callable[[Engine, int, int], None] | None = None,
    **options: Any,
) -> Run:
    """Train on a folder of table files in which few rows are labeled.

    The labeled rows and a sample of at most 20,000 others are fitted in memory first, as :func:`fit_table` does: the
    columns are understood, and the comparison, the diagnostics and the page are made. If the self-trained model was
    kept, it is then trained on all rows, a file at a time. All unlabeled rows are predicted.

    Rows are numbered from 0 through all files in the order of their names, everywhere; where `unlabeled` is given,
    those of `table` come first, as in :func:`fit_table`.

    Parameters
    ----------
    table : path
        A folder, or a pattern such as ``"big/*.parquet"``, of files in which few rows have a value in `target`; or a
        file with the labeled rows, where `unlabeled` is a folder.
    target : str
        The column of labels.
    unlabeled : path, default=None
        A folder or pattern of files with rows without a label.
    engine : {"stream"}, address or client, default=None
        Where the work is done: in this process (None too), or on a Dask cluster.
    checkpoint : path, default=None
        Folder in which finished rounds are kept, from which an interrupted fit goes on.
    max_pool : int or "auto", default=None
        Most unlabeled rows that train, a random sample. None and "auto": all.
    on_engine : callable, default=None
        Called with the engine, the number of files and of unlabeled rows, before any training.
    **options : dict
        As :func:`fit_table` takes them. The base classifier is XGBoost; "auto" means it.

    Returns
    -------
    Run
        With `prediction_parts`: predictions of all unlabeled rows, a file at a time.

    Raises
    ------
    TableFileError
        If a file cannot be read, or lacks a column; it is named.
    ArgumentError
        If an option does not work with partitions.

    See Also
    --------
    fit_table : The same in memory.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.runs import fit_partitions
    >>> _ = pytest.importorskip("xgboost")
    >>> table, folder = load_iris(as_frame=True).frame.astype({"target": object}), Path(mkdtemp())
    >>> table.loc[np.random.default_rng(0).random(150) < 0.6, "target"] = None
    >>> for number in range(2):
    ...     table[number::2].to_csv(folder / f"{number}.csv", index=False)
    >>> run = fit_partitions(folder, "target", method="supervised")
    >>> len(run.prediction_parts.to_pandas()) == int(table["target"].isna().sum())
    True
    """
    options = _check_options(options)
    files = open_files(table if unlabeled is None else unlabeled)
    labeled = None if unlabeled is None else read_table_file(table)
    n_before = 0 if labeled is None else len(labeled)
    doer = find_engine("stream" if engine is None else engine, [])
    marker = options.get("missing_label")
    masks = doer.collect(
        partial(find_rows, target=target, marker=marker, labeled_too=labeled is None), doer.place(files)
    )
    total = sum(int(mask.sum()) for mask in masks)
    if total == 0:
        raise TableFileError(f"No row of {table if unlabeled is None else unlabeled} is without a label in {target!r}.")
    if on_engine is not None:
        on_engine(doer, len(files), total)
    samples = spread(masks, SAMPLE_ROWS)
    names = _common_names(files, None if labeled is None else [*labeled.columns], target)
    found = doer.collect(partial(take_rows, names=names), doer.place(files), masks, samples)
    if labeled is None:
        labeled = unite_frames([one.labeled for one in found])
    sample = unite_frames([one.sample for one in found])
    sample = sample.drop(columns=target, errors="ignore").assign(**{target: None})
    judging = unite_frames([labeled, sample])
    first_rows = find_first_rows(masks, n_before)
    run = fit_table(judging, target, **options)
    pool = spread(masks, max_pool) if isinstance(max_pool, int) else masks_to_rows(masks)
    run, n_trained = _train_on_all(run, labeled, files, pool, doer, checkpoint, options)
    run = renumber(_predict_again(run, judging), number_rows(masks, samples, first_rows, n_before))
    parts = [
        FeaturePartition(file, run.understanding, None if mask.all() else np.flatnonzero(mask))
        for file, mask in zip(files, masks, strict=True)
    ]
    keep = partial(predict_rows, model=run.model, rule=run.decision)
    tables = doer.tabulate(keep, doer.place(parts), doer.place(first_rows))
    counts = {"files": len(files), "unlabeled": total, "trained": n_trained}
    return replace(run, summary=_summarize(run.summary, Path(table).resolve().name, counts), prediction_parts=tables)


def _summarize(summary: dict[str, Any], name: str, counts: dict[str, int]) -> dict[str, Any]:
    """The summary of a run on a folder: its name, what there is beside the sample, and the files with predictions."""
    warned, n_files, n_rows = list(summary["warnings"]), counts["files"], counts["unlabeled"]
    if n_rows > SAMPLE_ROWS:
        warned.insert(
            0,
            f"There are {n_rows:,} unlabeled rows in {n_files:,} files. Models were compared with a random sample of "
            f"{SAMPLE_ROWS:,} of them, and this page is about the sample; {PREDICTION_PARTS}/ has all predictions.",
        )
    return {
        **summary,
        "title": name,
        "table": {**summary["table"], "file": name},
        "partitions": counts,
        "warnings": warned,
        "files": {**summary["files"], "prediction_parts": PREDICTION_PARTS},
    }


def _check_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options with XGBoost; what needs all rows in memory is refused."""
    model = options.get("model", "auto")
    if model not in ("auto", XGBOOST):
        raise ArgumentError(
            "Folders are trained with XGBoost only; use ", Argument("model", XGBOOST), f" instead of {model!r}."
        )
    for name in NOT_IN_PARTITIONS:
        if options.get(name) is not None:
            raise ArgumentError(Argument(name), " works on a table in memory only, not on a folder.")
    if options.get("strategy") == "top_k":
        raise ArgumentError(Argument("strategy", "top_k"), " works on a table in memory only, not on a folder.")
    if options.get("deploy") not in (None, "student", "committee"):
        raise ArgumentError(Argument("deploy", options["deploy"]), " works on a table in memory only, not on a folder.")
    return {**options, "model": XGBOOST, "resume": None, "max_pool": None}


def _common_names(files: Sequence[FilePartition], labeled: list[str] | None, target: str) -> list[str]:
    """The columns that all files have; a file that lacks one of the first file, or of the labeled rows, is refused."""
    wanted = files[0].names if labeled is None else [name for name in labeled if name != target]
    for file in files:
        missing = [name for name in wanted if name not in file.names]
        if missing:
            other = files[0].where if labeled is None else "the labeled rows"
            raise TableFileError(f"{file.where} has no column {missing[0]!r}, which {other} has.")
    return wanted


def find_rows(file: FilePartition, *, target: str, marker: Any, labeled_too: bool) -> NDArray[np.bool_]:
    """Which rows of a file are unlabeled."""
    if not labeled_too:
        return np.ones(file.count_rows(), dtype=bool)
    if target not in file.names:
        raise TableFileError(f"{file.where} has no column {target!r}, the target.")
    masks = []
    for frame in file.read([target]):
        values = frame[target]
        empty = values.isna() | (values.astype(str).str.strip() == "")
        masks.append((empty | (values == marker) if marker is not None else empty).to_numpy(dtype=bool))
    if not masks:
        raise TableFileError(f"{file.where} has no rows; remove it.")
    return np.concatenate(masks)


def spread(masks: Sequence[NDArray[np.bool_]], most: int) -> list[NDArray[Any]]:
    """Positions of a random sample of the unlabeled rows, by file; which ones depends on their number alone."""
    counts = [int(mask.sum()) for mask in masks]
    total = sum(counts)
    chosen = np.arange(total)
    if total > most:
        chosen = np.sort(np.random.RandomState(0).choice(total, most, replace=False))
    ends = np.cumsum([0, *counts])
    rows = masks_to_rows(masks)
    return [rows[at][chosen[slice(*np.searchsorted(chosen, ends[at : at + 2]))] - ends[at]] for at in range(len(masks))]


def masks_to_rows(masks: Sequence[NDArray[np.bool_]]) -> list[NDArray[Any]]:
    """Positions of the unlabeled rows of each file."""
    return [np.flatnonzero(mask).astype(np.int32) for mask in masks]


def take_rows(file: FilePartition, mask: NDArray[np.bool_], sample: NDArray[Any], *, names: Sequence[str]) -> Found:
    """The labeled rows of a file, and some of the others."""
    first, labeled, others = 0, [], []
    for frame in file.read(names):
        inside = mask[first : first + len(frame)]
        wanted = sample[slice(*np.searchsorted(sample, [first, first + len(frame)]))] - first
        labeled.append(frame[~inside])
        others.append(frame.iloc[wanted])
        first += len(frame)
    return Found(unite_frames(labeled), unite_frames(others))


def _train_on_all(
    run: Run,
    labeled: pd.DataFrame,
    files: Sequence[FilePartition],
    pool: Sequence[NDArray[Any]],
    engine: Engine,
    checkpoint: str | PathLike[str] | None,
    options: dict[str, Any],
) -> tuple[Run, int]:
    """The run with the self-trained model of all rows, if that kind of model was kept; how many rows train it."""
    verdict = run.verdict
    if verdict is None or verdict.chosen != "self-trained":
        return run, 0
    understanding, settings = run.understanding, _read_settings(options)
    if verdict.variant == ALIGNED:
        settings = replace(settings, class_prior="labeled")
    members = tuple(
        FeaturePartition(file, understanding, rows) for file, rows in zip(files, pool, strict=True) if len(rows)
    )
    classifier = make_classifier(settings).set_params(
        decision=settings.find_decision(), verbose=options.get("verbose", 0)
    )
    X, y = understanding.features(labeled), understanding.labels(labeled)
    known = ~pd.isna(y)
    folder = None if checkpoint is None else Path(checkpoint)
    classifier.fit(X[known].reset_index(drop=True), y[known], X_unlabeled=Partitions(members, engine, folder))
    n_trained = round(float(classifier.history_["n_selected"].iloc[-1]))
    return replace(run, model=classifier.deployed_, decision=classifier.decision_), n_trained


def _predict_again(run: Run, frame: pd.DataFrame) -> Run:
    """The run with predictions of the sample by its model, which is another one now."""
    understanding, rows = run.understanding, run.predictions["row"].to_numpy()
    identifiers = frame[find_identifiers(understanding, frame.columns)]
    features = understanding.convert(frame, understanding.notation).features
    return replace(run, predictions=tabulate_predictions(run.model, run.decision, features, rows, identifiers))


def _read_settings(options: dict[str, Any]) -> RunOptions:
    """The options of a run, with the defaults of `fit_table`."""
    defaults = {name: one.default for name, one in signature(fit_table).parameters.items()}
    known = {one.name for one in fields(RunOptions)}
    return RunOptions(**{name: value for name, value in {**defaults, **options}.items() if name in known})


def predict_rows(part: FeaturePartition, first_row: int, *, model: Any, rule: DecisionRule) -> pd.DataFrame:
    """Predictions of the rows of a file: numbers counted through all files, identifiers, label and probabilities."""
    names = part.file.names
    kept = find_identifiers(part.understanding, names)
    tables = [
        tabulate_predictions(model, rule, features, np.arange(len(features)), passed).assign(row=first_row + positions)
        for positions, passed, features in part.read_beside(kept)
        if len(positions)
    ]
    return unite_frames(tables)


def describe_engine(engine: Engine) -> str:
    """Where the work is done, in words, with the address of the dashboard."""
    if isinstance(engine, DaskEngine):
        client = engine.client
        workers = f"{len(client.nthreads())} workers"
        return f"Dask at {client.scheduler.address} with {workers}, dashboard {client.dashboard_link}"
    assert isinstance(engine, StreamEngine)
    return "this process, a file at a time"
