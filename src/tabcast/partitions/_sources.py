"""Where partitions come from: folders, patterns and lists of files, pyarrow datasets, Dask DataFrames."""

from __future__ import annotations

import glob
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._errors import list_names

BATCH = 65_536  # rows in memory at a time
PARTITION_ROWS = 262_144  # row groups of a file are joined up to so many rows
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".tsv", ".tsv.gz")


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


@dataclass(frozen=True, eq=False)
class Partitions:
    """A table in partitions, with the engine that works on it.

    Attributes
    ----------
    members : tuple of Partition
        The partitions, in order; rows are numbered through them.
    engine : str, client or None, default=None
        "stream": this process, a partition at a time. The address of a Dask scheduler, or a client. None: the current
        Dask client for a Dask DataFrame, else this process.
    checkpoint : Path or None, default=None
        Folder in which finished rounds are kept, from which an interrupted fit goes on. None: nothing is written.

    See Also
    --------
    open_partitions : Open a folder, files, a dataset or a Dask DataFrame.
    """

    members: tuple[Partition, ...]
    engine: Any = None
    checkpoint: Path | None = None

    def __len__(self) -> int:
        return len(self.members)


def open_partitions(source: Any, *, engine: Any = None, checkpoint: str | Path | None = None) -> Partitions:
    """Open rows that are read a partition at a time.

    Parameters
    ----------
    source : path, list of paths, pyarrow dataset or Dask DataFrame
        A folder with Parquet files (at any depth) or, if there are none, with CSV files; a pattern such as
        ``"big/*.parquet"``; Parquet, CSV or TSV files; a `pyarrow.dataset.Dataset`; a `dask.dataframe.DataFrame`.
    engine : {"stream"}, address or client, default=None
        Where the work is done: "stream" in this process, the address of a Dask scheduler such as "tcp://host:8786", or
        a `distributed.Client`. None: on the current Dask client for a Dask DataFrame, else in this process.
    checkpoint : path, default=None
        Folder for finished rounds. A fit that was interrupted continues from them. None: nothing is written.

    Returns
    -------
    Partitions
        What `X_unlabeled` of the self-training classifiers accepts.

    See Also
    --------
    tabcast.CASTClassifier : Accepts the source itself as well.

    Examples
    --------
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from tabcast.partitions import open_partitions
    >>> folder = Path(mkdtemp())
    >>> for number in range(3):
    ...     pd.DataFrame({"age": range(5)}).to_csv(folder / f"{number}.csv", index=False)
    >>> len(open_partitions(folder))
    3
    """
    if isinstance(source, Partitions):
        return source
    folder = None if checkpoint is None else Path(checkpoint)
    return Partitions(tuple(_list_partitions(source)), engine, folder)


def is_partitioned(source: Any) -> bool:
    """Tell whether an object is a source of partitions, and not a table in memory.

    Parameters
    ----------
    source : object
        What a user passed as a table.

    Returns
    -------
    bool
        Whether :func:`open_partitions` takes it.

    Examples
    --------
    >>> from tabcast.partitions import is_partitioned
    >>> is_partitioned("big/*.parquet"), is_partitioned([[1.0, 2.0]])
    (True, False)
    """
    if isinstance(source, Partitions | str | Path):
        return True
    if isinstance(source, list | tuple) and len(source) > 0:
        return all(isinstance(one, str | Path) for one in source)
    return _is_dataset(source) or is_dask(source)


def is_dask(source: Any) -> bool:
    """Tell whether an object is a Dask DataFrame.

    Parameters
    ----------
    source : object
        Any object.

    Returns
    -------
    bool
        Whether it is one.
    """
    return type(source).__module__.startswith("dask.") and hasattr(source, "to_delayed") and hasattr(source, "columns")


def _is_dataset(source: Any) -> bool:
    return type(source).__module__.startswith("pyarrow") and hasattr(source, "get_fragments")


def _list_partitions(source: Any) -> Iterator[Partition]:
    """The partitions of a source; an error names the file that cannot be one."""
    if is_dask(source):
        for number, delayed in enumerate(source.to_delayed()):
            yield DelayedPartition(f"partition {number} of the Dask DataFrame", delayed, tuple(source.columns))
    elif _is_dataset(source):
        yield from _list_fragments(source)
    elif isinstance(source, str | Path) or (isinstance(source, list | tuple) and len(source)):
        for path in list_files(source):
            if path.name.lower().endswith(PARQUET):
                yield from _list_row_groups(path)
            elif path.name.lower().endswith(CSV):
                _refuse_empty(path)
                yield DelimitedPartition(str(path))
            else:
                raise TableFileError(f"{path} is neither Parquet nor CSV; partitions must be one of them.")
    else:
        raise TypeError(
            "Partitions must be a folder, a pattern, a list of Parquet or CSV files, a pyarrow dataset or a Dask "
            f"DataFrame; got {type(source).__name__}."
        )


def list_files(source: Any) -> list[Path]:
    """The files of a folder, a pattern or a list, in the order of their names or of the list."""
    if isinstance(source, list | tuple):
        return [path for one in source for path in list_files(one)]
    folder = Path(source)
    if folder.is_dir():
        return _list_folder(folder)
    if folder.exists():
        return [folder]
    if any(sign in str(source) for sign in "*?["):
        found = [Path(one) for one in sorted(glob.glob(str(source), recursive=True)) if not Path(one).is_dir()]
        if found:
            return found
        raise TableFileError(f"No file matches {source}.")
    raise TableFileError(f"There is no file or folder {source}.")


def _list_folder(folder: Path) -> list[Path]:
    """The Parquet files below a folder, else its CSV files; hidden ones and those that begin with "_" are skipped."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(name.startswith((".", "_")) for name in path.relative_to(folder).parts)
    )
    for endings in (PARQUET, CSV):
        found = [path for path in files if path.name.lower().endswith(endings)]
        if found:
            return found
    seen = f"it has {list_names([path.name for path in files], 3)}" if files else "it is empty"
    raise TableFileError(f"There is no Parquet or CSV file in {folder}: {seen}.")


def _list_row_groups(path: Path) -> Iterator[ParquetPartition]:
    """Neighboring row groups of a file, joined while they are small."""
    _refuse_empty(path)
    with open_parquet(path) as file:
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    if sum(sizes) == 0:
        raise TableFileError(f"{path} has no rows; remove it.")
    group: list[int] = []
    n_rows = 0
    for number, size in enumerate(sizes):
        if group and n_rows + size > PARTITION_ROWS:
            yield ParquetPartition(str(path), tuple(group), n_rows)
            group, n_rows = [], 0
        group.append(number)
        n_rows += size
    yield ParquetPartition(str(path), tuple(group), n_rows)


def _list_fragments(dataset: Any) -> Iterator[FragmentPartition]:
    """The fragments of a dataset, by row group where it has any."""
    for fragment in dataset.get_fragments():
        where = str(getattr(fragment, "path", "a fragment of the dataset"))
        with reading(where):
            pieces = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
        for piece in pieces:
            yield FragmentPartition(where, piece, dataset.schema)


def _refuse_empty(path: Path) -> None:
    if path.stat().st_size == 0:
        raise TableFileError(f"{path} is empty; remove it, or write it again.")


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


def offsets(n_rows: Sequence[int]) -> list[int]:
    """Number of the first row of each partition.

    Parameters
    ----------
    n_rows : sequence of int
        Rows of each partition.

    Returns
    -------
    list of int
        Sums of the rows before.
    """
    return np.concatenate([[0], np.cumsum(n_rows)[:-1]]).astype(int).tolist()
