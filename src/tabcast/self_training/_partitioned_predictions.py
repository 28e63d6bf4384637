"""Predictions for rows in partitions: a table that is computed a partition at a time, or a Dask DataFrame."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule, decide_with
from tabcast.partitions import Partition, open_partitions
from tabcast.partitions._engine import find_engine
from tabcast.partitions._partition import FramePartition
from tabcast.partitions._sources import is_dask
from tabcast.partitions._survey import check_kinds, read_typed
from tabcast.table import ColumnTypes

PREDICTION = "prediction"


def predict_partitions(classifier: Any, source: Any, *, proba: bool) -> Any:
    """Classes or probabilities of all rows of a source."""
    classes, types = classifier.classes_, classifier._column_types
    options = {"model": classifier.deployed_, "rule": classifier.decision_, "classes": classes, "types": types}
    function = partial(predict_partition, proba=proba, **options)
    if is_dask(source):
        missing = [name for name in types.names if name not in source.columns]
        if missing:
            raise ValueError(f"The Dask DataFrame has no column {', '.join(map(repr, missing))}.")
        meta = _tabulate([], classes, proba)
        return source.map_partitions(_predict_frame, function=function, meta=meta)
    partitions = open_partitions(source)
    for member in partitions.members:
        check_kinds(member, types)
    engine = find_engine(partitions.engine, partitions.members)
    return engine.tabulate(function, engine.place(partitions.members))


def predict_partition(
    member: Partition, *, model: Any, rule: DecisionRule, classes: NDArray[Any], types: ColumnTypes, proba: bool
) -> pd.DataFrame:
    """Predictions for a partition."""
    decided = decide_with(model, rule, classes)
    tables = [
        _tabulate(decided.predict_proba(frame) if proba else decided.predict(frame), classes, proba)
        for frame in read_typed(member, types)
    ]
    return pd.concat(tables, ignore_index=True) if tables else _tabulate([], classes, proba)


def _predict_frame(frame: pd.DataFrame, *, function: Any) -> pd.DataFrame:
    """Predictions for a partition of a Dask DataFrame, with its index."""
    return function(FramePartition(frame)).set_axis(frame.index)


def _tabulate(predicted: Any, classes: NDArray[Any], proba: bool) -> pd.DataFrame:
    """One column of classes, or one column of probabilities per class."""
    if proba:
        names = [str(one) for one in classes]
        return pd.DataFrame(predicted, columns=names, dtype=float)
    return pd.DataFrame({PREDICTION: pd.Series(predicted, dtype=pd.Series(classes).dtype)})
