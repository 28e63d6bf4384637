"""A partition: some rows in memory, in a file, in a pyarrow dataset or in a Dask DataFrame, read in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.files import TableFileError

BATCH = 65_536  # rows in memory at a time


class Partition(ABC):
    """Some rows of a table, read when they are needed, on whichever machine needs them.

    Attributes
    ----------
    where : str
        The file, or what else to call the partition in an error.

    See Also
    --------
    open_partitions : Lists the partitions of a folder.
    """

    where: str

    @abstractmethod
    def count_rows(self) -> int:
        """Count the rows.

        Returns
        -------
        int
            Number of rows.
        """

    @abstractmethod
    def kinds(self) -> Mapping[Any, str | None]:
        """Find out what the columns hold, without reading rows where that is possible.

        Returns
        -------
        mapping
            From the name of a column to "numbers", "text", "booleans", "dates" or "durations"; None where only the
            values can tell.
        """

    @abstractmethod
    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Read some columns, a batch of rows at a time.

        Parameters
        ----------
        columns : sequence
            Names of the columns.

        Yields
        ------
        DataFrame
            At most 65,536 rows.
        """


@dataclass(frozen=True)
class FramePartition(Partition):
    """Rows of a DataFrame in memory.

    Attributes
    ----------
    frame : DataFrame
        The rows.
    where : str
        What to call them in an error.
    """

    frame: pd.DataFrame
    where: str = "a partition"

    def count_rows(self) -> int:
        """The length of the frame."""
        return len(self.frame)

    def kinds(self) -> Mapping[Any, str | None]:
        """Only values can tell."""
        return dict.fromkeys(self.frame.columns)

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Slices of the frame."""
        for first in range(0, len(self.frame), BATCH):
            yield self.frame.iloc[first : first + BATCH][list(columns)]


@dataclass(frozen=True)
class ParquetPartition(Partition):
    """Neighboring row groups of a Parquet file.

    Attributes
    ----------
    where : str
        Path of the file.
    row_groups : tuple of int
        Which row groups.
    n_rows : int
        Their number of rows.
    """

    where: str
    row_groups: tuple[int, ...]
    n_rows: int

    def count_rows(self) -> int:
        """The number of rows, which is in the file's footer."""
        return self.n_rows

    def kinds(self) -> Mapping[Any, str | None]:
        """By the schema of the file."""
        with open_parquet(self.where) as file:
            return {one.name: kind_of_arrow(one.type) for one in file.schema_arrow}

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Batches of the row groups; text comes as category columns."""
        with open_parquet(self.where) as file:
            text = [one.name for one in file.schema_arrow if one.name in columns and is_text(one.type)]
        with reading(self.where), open_parquet(self.where, text) as file:
            for batch in file.iter_batches(BATCH, row_groups=list(self.row_groups), columns=list(columns)):
                yield batch.to_pandas()[list(columns)]


@dataclass(frozen=True)
class DelimitedPartition(Partition):
    """A CSV or TSV file.

    Attributes
    ----------
    where : str
        Path of the file.
    """

    where: str

    def count_rows(self) -> int:
        """Read the first column."""
        with reading(self.where):
            return sum(len(chunk) for chunk in self._chunks(usecols=[0]))

    def kinds(self) -> Mapping[Any, str | None]:
        """The header; only values can tell what columns hold."""
        with reading(self.where):
            return dict.fromkeys(pd.read_csv(self.where, sep=self._separator, nrows=0).columns)

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Chunks of the file, each with types of its own."""
        with reading(self.where):
            for chunk in self._chunks(usecols=list(columns)):
                yield chunk[list(columns)]

    @property
    def _separator(self) -> str:
        return "\t" if ".tsv" in Path(self.where).name.lower() else ","

    def _chunks(self, **options: Any) -> Iterator[pd.DataFrame]:
        with pd.read_csv(self.where, sep=self._separator, chunksize=BATCH, low_memory=False, **options) as chunks:
            yield from chunks


@dataclass(frozen=True)
class FragmentPartition(Partition):
    """A fragment of a pyarrow dataset, mostly the row group of a file.

    Attributes
    ----------
    where : str
        Path of its file.
    fragment : pyarrow.dataset.Fragment
        The fragment.
    schema : pyarrow.Schema
        The schema of the dataset.
    """

    where: str
    fragment: Any
    schema: Any

    def count_rows(self) -> int:
        """As pyarrow counts."""
        with reading(self.where):
            return int(self.fragment.count_rows())

    def kinds(self) -> Mapping[Any, str | None]:
        """By the schema of the file, and that of the dataset for columns that are folder names."""
        with reading(self.where):
            own = {one.name: kind_of_arrow(one.type) for one in self.fragment.physical_schema}
        named = str(self.fragment.partition_expression)
        folders = [one for one in self.schema if one.name not in own and one.name in named]
        return own | {one.name: kind_of_arrow(one.type) for one in folders}

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Batches of the fragment."""
        options = {"batch_size": BATCH, "batch_readahead": 1, "fragment_readahead": 1}
        with reading(self.where):
            for batch in self.fragment.to_batches(schema=self.schema, columns=list(columns), **options):
                if batch.num_rows:
                    yield batch.to_pandas()[list(columns)]


@dataclass(frozen=True, eq=False)
class DelayedPartition(Partition):
    """A partition of a Dask DataFrame.

    Attributes
    ----------
    where : str
        Its number.
    delayed : dask.delayed.Delayed
        Computes the rows as a DataFrame.
    columns : tuple
        Names of the columns.
    """

    where: str
    delayed: Any
    columns: tuple[Any, ...] = field(default=())

    def load(self) -> FramePartition:
        """Compute the rows in this process.

        Returns
        -------
        FramePartition
            The rows in memory.
        """
        return FramePartition(self.delayed.compute(scheduler="synchronous"), self.where)

    def count_rows(self) -> int:
        """Compute the rows."""
        return self.load().count_rows()

    def kinds(self) -> Mapping[Any, str | None]:
        """Only values can tell."""
        return dict.fromkeys(self.columns)

    def read(self, columns: Sequence[Any]) -> Iterator[pd.DataFrame]:
        """Slices of the computed rows."""
        yield from self.load().read(columns)


class reading:
    """Turns whatever goes wrong while a file is read into one sentence that names the file."""

    def __init__(self, where: str | Path) -> None:
        self.where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, (OSError, ValueError, KeyError, MemoryError)) and not isinstance(error, TableFileError):
            reason = " ".join(str(error).split()).rstrip(".")
            raise TableFileError(f"{self.where} could not be read ({reason}).") from error


def open_parquet(path: str | Path, text: Sequence[str] = ()) -> Any:
    """An open Parquet file; an error names it."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet partitions need pyarrow: install tabcast[parquet].") from None
    with reading(path):
        return pyarrow.parquet.ParquetFile(str(path), read_dictionary=list(text))


def is_text(dtype: Any) -> bool:
    """Whether a type of pyarrow is plain text."""
    import pyarrow as pa

    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype))


def kind_of_arrow(dtype: Any) -> str | None:
    """What a column of a pyarrow type holds, in the words of `ColumnType`; None where only values can tell."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(dtype):
        return kind_of_arrow(dtype.value_type)
    tests: list[tuple[str, tuple[Callable[[Any], bool], ...]]] = [
        ("numbers", (types.is_integer, types.is_floating, types.is_decimal)),
        ("text", (types.is_string, types.is_large_string)),
        ("booleans", (types.is_boolean,)),
        ("dates", (types.is_timestamp, types.is_date)),
        ("durations", (types.is_duration,)),
    ]
    return next((kind for kind, any_of in tests if any(test(dtype) for test in any_of)), None)
