"""Reading a table file, at once or in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pandas as pd

from tabcast.files._arrow import read_arrow
from tabcast.files._delimited import read_delimited
from tabcast.files._source import Source, find_source


def read_table_file(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table: CSV, TSV (also gzipped), Parquet or Feather, found by content.

    Text tables keep every value as the text it was (`007` stays `007`), only empty fields become missing; what the
    columns are is decided by :func:`tabcast.files.understand`. Parquet and Feather keep their types. What was noticed
    on the way (an unusual encoding, a misleading name) is in `frame.attrs["notes"]`.

    Parameters
    ----------
    path : the file. Delimiter (comma, semicolon, tab, pipe), encoding (UTF-8, byte-order marks, else Windows-1252) and
        compression (gzip) are found.

    Raises
    ------
    TableFileError : when the file cannot be read as a table, with the line or column in the sentence.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.files import read_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "customers.csv")
    ...     _ = path.write_text("id;city;spent\\n007;Bonn;1,5\\n008;;20")
    ...     read_table_file(path)
        id  city spent
    0  007  Bonn   1,5
    1  008   NaN    20
    """
    source = find_source(path)
    return next(_batches(source, None))


def iter_table_file(path: str | os.PathLike[str], batch_rows: int = 100_000) -> Iterator[pd.DataFrame]:
    """Read a table as :func:`read_table_file` does, a batch of rows at a time, in the file's order.

    Parameters
    ----------
    path : the file.
    batch_rows : most rows of a batch. Feather files and the row groups of Parquet may give smaller ones.

    Yields
    ------
    DataFrames with the same columns; their index counts the rows of the file.
    """
    if batch_rows < 1:
        raise ValueError(f"`batch_rows` must be at least 1; got {batch_rows}.")
    return _batches(find_source(path), batch_rows)


def _batches(source: Source, batch_rows: int | None) -> Iterator[pd.DataFrame]:
    """The batches of a table file, whatever it is."""
    if source.format == "text":
        return read_delimited(source, batch_rows)
    return read_arrow(source, batch_rows)


def read_notes(frame: pd.DataFrame) -> list[str]:
    """What :func:`read_table_file` noticed about the file of a table."""
    return [str(note) for note in frame.attrs.get("notes", [])]
