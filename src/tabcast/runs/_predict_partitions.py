"""Predicting a folder of table files with a saved model, into a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule
from tabcast.files import TableFileError
from tabcast.partitions._engine import find_engine
from tabcast.partitions._results import PartitionedTable
from tabcast.partitions._survey import unite_frames
from tabcast.progress import Progress
from tabcast.runs._file_partitions import FeaturePartition, open_files
from tabcast.runs._model_file import SavedModel, read_understanding
from tabcast.runs._predict_file import Predicted, choose_kept, put_beside
from tabcast.runs._predictions import name_columns


def predict_partitions(
    model: SavedModel,
    table: str | PathLike[str],
    out: str | PathLike[str],
    *,
    keep: Sequence[str] = (),
    keep_all: bool = False,
    engine: Any = None,
    progress: Callable[[int], Progress] | None = None,
) -> Predicted:
    """Predict every row of a folder of table files, into a folder with a Parquet file for each.

    Parameters
    ----------
    model : SavedModel
        From :func:`load_model`.
    table : path
        A folder, or a pattern such as ``"big/*.parquet"``; files have the columns of the training table.
    out : path
        A folder that does not exist yet. It is there whole or not at all.
    keep : sequence of str, default=()
        Columns to pass through, besides the identifiers.
    keep_all : bool, default=False
        Whether to pass all columns through.
    engine : {"stream"}, address or client, default=None
        Where the work is done: in this process (None too), or on a Dask cluster, whose workers then write the files'
        predictions one after the other.
    progress : callable, default=None
        Given the number of files, returns the progress to report to.

    Returns
    -------
    Predicted
        What was written.

    See Also
    --------
    predict_file : Predict one file.

    Examples
    --------
    >>> import pandas as pd
    >>> import pytest
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tabcast import fit_table
    >>> from tabcast.runs import load_model, predict_partitions
    >>> _ = pytest.importorskip("pyarrow")
    >>> table = pd.DataFrame({"age": [20.5, 30.5, 60.5, 70.5] * 10, "old": ["no", "no", "yes", "yes"] * 10})
    >>> folder = Path(mkdtemp())
    >>> fit_table(table, "old", method="supervised", model="logistic_regression").save(folder / "run")
    >>> (folder / "big").mkdir()
    >>> table[["age"]].to_csv(folder / "big" / "0.csv", index=False)
    >>> predict_partitions(load_model(folder / "run"), folder / "big", folder / "out").n_rows
    40
    """
    understanding, files = read_understanding(model), open_files(table)
    kept = choose_kept(files[0].names, understanding, keep, keep_all=keep_all)
    label, probabilities = name_columns(model.classes, kept)
    parts = [FeaturePartition(file, understanding) for file in files]
    for part in parts:
        part.kinds()  # refuses a file that lacks a column
        missing = [name for name in kept if name not in part.file.names]
        if missing:
            raise TableFileError(f"{part.where} has no column {missing[0]!r} to keep.")
    doer = find_engine("stream" if engine is None else engine, [])
    options = {"classifier": model.classifier, "rule": model.decision, "classes": model.classes}
    predict = partial(predict_part, label=label, probabilities=probabilities, kept=kept, **options)
    counts, shown = (
        np.zeros(len(model.classes), dtype=np.int64),
        Progress() if progress is None else progress(len(files)),
    )
    classes = pd.Index(model.classes.tolist())

    def compute(placed: Any) -> pd.DataFrame:
        frame = doer.collect(predict, [placed])[0]
        np.add(counts, np.bincount(classes.get_indexer(frame[label]), minlength=len(classes)), out=counts)
        shown.advance()
        return frame

    with shown:
        n_rows = PartitionedTable([partial(compute, one) for one in doer.place(parts)]).to_parquet(out)
    by_class = dict(zip(model.classes.tolist(), counts.tolist(), strict=True))
    return Predicted(n_rows, label, tuple(probabilities), tuple(kept), by_class, (), model.decision.meaning)


def predict_part(
    part: FeaturePartition,
    *,
    classifier: Any,
    rule: DecisionRule,
    classes: NDArray[Any],
    label: str,
    probabilities: list[str],
    kept: list[str],
) -> pd.DataFrame:
    """Predictions for a file, beside the columns that are passed through."""
    labels, tables = pd.Index(classes.tolist()), []
    for _, passed, features in part.read_beside(kept):
        proba = np.asarray(classifier.predict_proba(features))
        tables.append(put_beside(passed, label, labels.take(rule.decide(proba)), probabilities, proba))
    if not tables:
        raise TableFileError(f"{part.where} has no rows; remove it.")
    return unite_frames(tables)
