"""Reading a table file, at once or in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Protocol

import pandas as pd

from tabcast.files._arrow import ArrowTable
from tabcast.files._delimited import DelimitedTable
from tabcast.files._errors import TableFileError
from tabcast.files._excel import ExcelTable
from tabcast.files._source import find_source
from tabcast.files._wording import Argument


class TableFile(Protocol):
    """A table file that is open for reading.

    Attributes
    ----------
    names : list of str
        The columns.
    notes : list of str
        What was noticed about the file, for instance an unusual encoding.
    """

    names: list[str]
    notes: list[str]

    def count_rows(self) -> int:
        """Rows of the file; of a text table about as many, from its lines."""

    def batches(
        self, batch_rows: int | None, used: Sequence[str], kept: Sequence[str] = ()
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Batches of at most `batch_rows` rows, None: all in one, in the file's order, as two frames.

        The first has the columns in `used`, as :func:`read_table_file` reads them; the second those in `kept`, exactly
        as they are in the file: integers with missing values stay integers. Other columns are not read.
        """


def open_table_file(path: str | os.PathLike[str], sheet: str | None = None) -> TableFile:
    r"""Open a table file of any supported format.

    Parameters
    ----------
    path : str or path-like
        The file.
    sheet : str, default=None
        Which sheet of an Excel file to read. None: the first.

    Returns
    -------
    TableFile
        With `names`, `notes`, `count_rows()` and `batches(batch_rows, used, kept)`.

    See Also
    --------
    read_table_file : Read it at once.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.files import open_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_text("age,city\n31,Bern\n")
    ...     open_table_file(path).count_rows()
    ...
    1
    """
    source = find_source(path)
    if source.format == "excel":
        return ExcelTable(source, sheet)
    if sheet is not None:
        raise TableFileError(Argument("sheet"), f" is for Excel files; {source.name} has no sheets.")
    return DelimitedTable(source) if source.format == "text" else ArrowTable(source)


def read_table_file(path: str | os.PathLike[str], sheet: str | None = None) -> pd.DataFrame:
    """Read a table: CSV, TSV (also gzipped), Parquet, Feather or Excel (.xlsx), found by content.

    Text tables keep every value as text (`007` stays `007`), only empty fields become missing; what the columns are is
    decided by :func:`understand`. Parquet, Feather and Excel keep their types.

    Parameters
    ----------
    path : str or path-like
        The file. Delimiter (comma, semicolon, tab, pipe), encoding (UTF-8, byte-order marks, else Windows-1252) and
        compression (gzip) are detected.
    sheet : str, default=None
        Which sheet of an Excel file to read. None: the first.

    Returns
    -------
    DataFrame
        The table. What was noticed (an unusual encoding, a misleading name) is in `frame.attrs["notes"]`.

    Raises
    ------
    TableFileError
        If the file cannot be read as a table, with the line or column in the sentence.

    See Also
    --------
    iter_table_file : Read a table in batches.
    understand : Interpret it.

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
    return next(_frames(open_table_file(path, sheet), None))


def iter_table_file(
    path: str | os.PathLike[str], batch_rows: int = 100_000, sheet: str | None = None
) -> Iterator[pd.DataFrame]:
    r"""Read a table as :func:`read_table_file` does, in batches of rows, in the file's order.

    Parameters
    ----------
    path : str or path-like
        The file.
    batch_rows : int, default=100_000
        Rows per batch at most. Feather files and the row groups of Parquet may give smaller ones.
    sheet : str, default=None
        Which sheet of an Excel file to read. None: the first.

    Returns
    -------
    iterator of DataFrame
        Tables with the same columns; their index counts the rows of the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.files import iter_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_text("age\n31\n40\n22\n")
    ...     [len(batch) for batch in iter_table_file(path, batch_rows=2)]
    ...
    [2, 1]
    """
    if batch_rows < 1:
        raise ValueError(f"`batch_rows` must be at least 1; got {batch_rows}.")
    return _frames(open_table_file(path, sheet), batch_rows)


def read_notes(frame: pd.DataFrame) -> list[str]:
    r"""Get what :func:`read_table_file` noticed about the file of a table.

    Parameters
    ----------
    frame : DataFrame
        The table.

    Returns
    -------
    list of str
        Sentences; none for a table that was not read from a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.files import read_notes, read_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     _ = path.write_bytes("city\nZ\xfcrich\nBern\n".encode("cp1252"))
    ...     read_notes(read_table_file(path))
    ...
    ['table.csv is not UTF-8; it was read as Windows-1252 (cp1252).']
    """
    return [str(note) for note in frame.attrs.get("notes", [])]


def _frames(table: TableFile, batch_rows: int | None) -> Iterator[pd.DataFrame]:
    """All columns of a table file, batch by batch."""
    for frame, _ in table.batches(batch_rows, table.names):
        frame.attrs["notes"] = list(table.notes)
        yield frame
