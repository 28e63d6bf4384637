"""Where partitions come from: folders, patterns and lists of files, pyarrow datasets, Dask DataFrames."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tabcast.files import TableFileError
from tabcast.files._errors import list_names
from tabcast.partitions._partition import (
    DelayedPartition,
    DelimitedPartition,
    FragmentPartition,
    ParquetPartition,
    Partition,
    open_parquet,
    reading,
)

PARTITION_ROWS = 262_144  # row groups of a file are joined up to so many rows
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".tsv", ".tsv.gz")


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
