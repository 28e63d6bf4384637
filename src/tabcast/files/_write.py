"""Writing a table file, at once or in batches, so that a half-written one never looks whole."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd

from tabcast.files._arrow import import_pyarrow
from tabcast.files._atomic import write_whole
from tabcast.files._errors import TableFileError
from tabcast.files._spreadsheet import guard_frame

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ARROW = (".parquet", ".feather")
FEATHER_ROWS = 1 << 16  # per batch, as pyarrow writes it


class TableWriter:
    """A table file that grows by batches with the same columns; a context manager.

    Parameters
    ----------
    path : Path
        Where to write.
    ending : {".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".feather"}
        The format.
    spreadsheet_safe : bool, default=False
        Whether text that a spreadsheet would take for a formula gets an apostrophe in front, in formats of text.

    See Also
    --------
    write_table_file : Write a whole table.
    """

    def __init__(self, path: Path, ending: str, *, spreadsheet_safe: bool = False) -> None:
        self._path = path
        self._ending = ending
        self._spreadsheet_safe = spreadsheet_safe
        self._opened: list[Any] = []  # the writer first, what it writes to after it
        self._schema: Any = None

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open, also after an error."""
        for opened in self._opened:
            opened.close()

    def write(self, frame: pd.DataFrame) -> None:
        """Add rows.

        Parameters
        ----------
        frame : DataFrame
            The rows; the index is left out.
        """
        (self._write_arrow if self._ending in ARROW else self._write_text)(frame)

    def _write_text(self, frame: pd.DataFrame) -> None:
        first = not self._opened
        if first:
            self._opened.append(open(self._path, "wb"))  # noqa: SIM115
            if self._ending.endswith(".gz"):  # without name and time, equal tables give equal files
                self._opened.insert(0, gzip.GzipFile("", "wb", fileobj=self._opened[0], mtime=1))
            self._opened.insert(0, io.TextIOWrapper(self._opened[0], encoding="utf-8", newline=""))
        delimiter = DELIMITERS[self._ending.removesuffix(".gz")]
        frame = guard_frame(frame) if self._spreadsheet_safe else frame
        frame.to_csv(self._opened[0], sep=delimiter, index=False, header=first, lineterminator="\n")

    def _write_arrow(self, frame: pd.DataFrame) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.Table.from_pandas(frame, schema=self._schema, preserve_index=False)
        if not self._opened:
            self._schema = table.schema
            if self._ending == ".parquet":
                self._opened = [parquet.ParquetWriter(self._path, table.schema)]
            else:
                file = pa.OSFile(str(self._path), "wb")
                options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)
                self._opened = [pa.ipc.new_file(file, table.schema, options=options), file]
        if self._ending == ".parquet":
            self._opened[0].write_table(table)
        else:
            self._opened[0].write_table(table, max_chunksize=FEATHER_ROWS)


def write_table_file(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table in the format that the file's name asks for; the index is left out.

    The table goes to a temporary name beside `path` first and is then renamed, so that `path` is either what it was
    before or the whole table, also after Ctrl-C or on a full disk.

    Parameters
    ----------
    frame : DataFrame
        The table.
    path : str or path-like
        Where to write, with the ending .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather. An existing file is
        replaced.

    See Also
    --------
    read_table_file : Read it again.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tabcast.files import read_table_file, write_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.csv")
    ...     write_table_file(pd.DataFrame({"age": [31, 40]}), path)
    ...     print(read_table_file(path))
    ...
      age
    0  31
    1  40
    """
    path = Path(path)
    ending = find_ending(path)
    try:
        with write_whole(path) as unfinished, TableWriter(unfinished, ending) as writer:
            writer.write(frame)
    except OSError as error:
        raise TableFileError(f"{path.name} could not be written: {error.strerror or error}.") from None


def find_ending(path: Path) -> str:
    """The format that a file's name asks for, or one sentence on which there are."""
    endings = ["".join(path.suffixes[-2:]).lower(), path.suffix.lower()]
    for ending in endings:
        if ending in ARROW:
            import_pyarrow(path.name)
            return ending
        if ending.removesuffix(".gz") in DELIMITERS:
            return ending
    raise TableFileError(
        f"{path.name} must end in .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather to say how to write it."
    )
