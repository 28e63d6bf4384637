"""The first look at partitions: do the columns fit, how many rows are there, which levels, and a sample of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._errors import list_names
from tabcast.partitions._cuts import sort_levels
from tabcast.partitions._engine import Engine
from tabcast.partitions._partition import Partition
from tabcast.partitions._sources import offsets
from tabcast.table import ColumnTypes, Index

SAMPLE_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known about partitions before any training.

    Attributes
    ----------
    n_rows : tuple of int
        Rows of each partition.
    levels : dict
        Levels of each categorical column, in all partitions.
    sample : DataFrame
        Some rows; which ones depends on the total number of rows alone.
    rows : ndarray of int
        Their numbers, counted through all partitions.
    """

    n_rows: tuple[int, ...]
    levels: dict[Any, list[Any]]
    sample: pd.DataFrame
    rows: Index

    @property
    def offsets(self) -> list[int]:
        """Number of the first row of each partition."""
        return offsets(self.n_rows)

    @property
    def total(self) -> int:
        """Number of all rows."""
        return sum(self.n_rows)


def survey(
    engine: Engine, members: Sequence[Partition], types: ColumnTypes, *, n_sample: int = SAMPLE_ROWS, seed: int = 0
) -> Survey:
    """Check partitions against the labeled rows, count and sample their rows, and collect their levels.

    Parameters
    ----------
    engine : Engine
        Reads the partitions.
    members : sequence of Partition
        The partitions.
    types : ColumnTypes
        The columns of the labeled rows.
    n_sample : int, default=20000
        Most rows of the sample.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Survey
        What was found. Neither the sample nor the levels depend on how rows are partitioned.

    Raises
    ------
    TableFileError
        If a partition has no rows, lacks a column, has another type of values, or cannot be read; it is named.
    """
    for member in members:
        check_kinds(member, types)
    parts = engine.place(members)
    n_rows = engine.collect(count_rows, parts)
    for member, count in zip(members, n_rows, strict=True):
        if count == 0:
            raise TableFileError(f"{member.where} has no rows; remove it.")
    total = sum(n_rows)
    rows = np.arange(total)
    if total > n_sample:
        rows = np.sort(np.random.RandomState(seed).choice(total, n_sample, replace=False))
    starts = np.append(offsets(n_rows), total)
    wanted = [rows[slice(*np.searchsorted(rows, starts[at : at + 2]))] - starts[at] for at in range(len(members))]
    found = engine.collect(partial(look, types=types), parts, wanted)
    levels: dict[Any, set[Any]] = {}
    for one, _ in found:
        for name, values in one.items():
            levels.setdefault(name, set()).update(values)
    sample = unite_frames([frame for _, frame in found])
    return Survey(tuple(n_rows), {name: sort_levels(values) for name, values in levels.items()}, sample, rows)


def check_kinds(member: Partition, types: ColumnTypes) -> None:
    """Refuse a partition that lacks a column or holds something else in it, as far as its schema says."""
    kinds = member.kinds()
    missing = [name for name in types.names if name not in kinds]
    if missing:
        raise TableFileError(f"{member.where} has no column {list_names(missing)}, which the labeled rows have.")
    for name, column in zip(types.names, types.columns, strict=True):
        kind = kinds[name]
        if kind is not None and not column.matches(replace(column, kind=kind)):
            raise TableFileError(
                f"Column {name!r} holds {kind} in {member.where} but {column.kind} in the labeled rows; "
                "convert it to one type in both."
            )


def count_rows(member: Partition) -> int:
    """Rows of a partition."""
    return member.count_rows()


def read_typed(member: Partition, types: ColumnTypes) -> Iterator[pd.DataFrame]:
    """Batches of a partition with the types of the labeled rows; an error names the file.

    Parameters
    ----------
    member : Partition
        What to read.
    types : ColumnTypes
        The columns of the labeled rows.

    Yields
    ------
    DataFrame
        A batch.
    """
    for frame in member.read(types.names):
        try:
            yield types.align(frame.reset_index(drop=True), name=member.where, known="the labeled rows", warn=False)
        except (TypeError, ValueError) as error:
            raise TableFileError(str(error)) from error


def look(member: Partition, wanted: Index, *, types: ColumnTypes) -> tuple[dict[Any, set[Any]], pd.DataFrame]:
    """The levels of a partition, and the wanted rows of it."""
    first, frames, levels = 0, [], dict[Any, set[Any]]()
    by_level = [name for name, column in zip(types.names, types.columns, strict=True) if not column.continuous]
    for frame in read_typed(member, types):
        for name in by_level:
            levels.setdefault(name, set()).update(frame[name].dropna().unique().tolist())
        numbers = frame.select_dtypes("number")
        infinite = numbers.columns[np.isinf(numbers.to_numpy(dtype=float, na_value=np.nan)).any(axis=0)].tolist()
        if infinite:
            raise TableFileError(
                f"Column {list_names(infinite)} of {member.where} holds infinity; replace it by a missing value or a "
                "bound."
            )
        inside = wanted[slice(*np.searchsorted(wanted, [first, first + len(frame)]))] - first
        frames.append(plain_levels(frame.iloc[inside], by_level))
        first += len(frame)
    return levels, unite_frames(frames)


def plain_levels(frame: pd.DataFrame, names: Sequence[Any]) -> pd.DataFrame:
    """The frame with category columns as objects, whose levels may differ between batches."""
    return frame.astype({name: object for name in names if isinstance(frame[name].dtype, pd.CategoricalDtype)})


def unite_frames(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """All rows; columns without a value do not decide on types."""
    some = [frame for frame in frames if len(frame)] or list(frames[:1])
    if not some:
        return pd.DataFrame()
    columns = {}
    for name in some[0].columns:
        pieces = [frame[name] for frame in some]
        known = [piece for piece in pieces if piece.notna().any()] or pieces[:1]
        common = pd.concat([piece.iloc[:1] for piece in known]).dtype
        columns[name] = pd.concat([piece.astype(common) for piece in pieces], ignore_index=True)
    return pd.DataFrame(columns)
