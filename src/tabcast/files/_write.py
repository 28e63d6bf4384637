"""Writing a table file, at once or in batches, so that a half-written one never looks whole."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from tabcast.files._atomic import write_whole
from tabcast.wording import TableFileError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ARROW = (".parquet", ".feather")
BATCH_ROWS = 1 << 16  # in one piece of a Parquet or Feather file
# How a formula begins, also in full width; apostrophes in front are guarded too, so that one can always be taken away.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
FIRST = frozenset("'=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
NUMBER = re.compile(r"[+-]?[.,]?\d[\d.,]*(?:[eE][+-]?\d+)?")


class TableWriter:
    """A table file that grows by batches with the same columns; a context manager.

    With `spreadsheet_safe`, text that a spreadsheet would take for a formula has an apostrophe in front in CSV and TSV.
    """

    def __init__(self, path: Path, ending: str, *, spreadsheet_safe: bool = False) -> None:
        self._path = path
        self._ending = ending
        self._spreadsheet_safe = spreadsheet_safe
        self._writer: Any = None  # of pyarrow
        self._schema: Any = None
        self._n_batches = 0

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *_: object) -> None:
        """Close what is open, also after an error."""
        if self._writer is not None:
            self._writer.close()

    def write(self, frame: pd.DataFrame) -> None:
        """Add rows; the index is left out."""
        (self._write_arrow if self._ending in ARROW else self._write_text)(frame)
        self._n_batches += 1

    def _write_text(self, frame: pd.DataFrame) -> None:
        frame = guard_frame(frame) if self._spreadsheet_safe else frame
        delimiter = DELIMITERS[self._ending.removesuffix(".gz")]
        text = frame.to_csv(sep=delimiter, index=False, header=not self._n_batches, lineterminator="\n").encode()
        with open(self._path, "ab" if self._n_batches else "wb") as file:
            file.write(gzip.compress(text, mtime=1) if self._ending.endswith(".gz") else text)

    def _write_arrow(self, frame: pd.DataFrame) -> None:
        table = pa.Table.from_pandas(frame, schema=self._schema, preserve_index=False)
        if self._writer is None:
            self._schema = table.schema
            if self._ending == ".parquet":
                self._writer = parquet.ParquetWriter(self._path, table.schema)
            else:
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                self._writer = pa.ipc.new_file(str(self._path), table.schema, options=options)
        self._writer.write_table(table, BATCH_ROWS)


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
    for ending in ("".join(path.suffixes[-2:]).lower(), path.suffix.lower()):
        if ending in ARROW or ending.removesuffix(".gz") in DELIMITERS:
            return ending
    raise TableFileError(f"{path.name} must end in .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather.")


# ---- Text that a spreadsheet would take for a formula, and the usual guard: an apostrophe in front


def guard_text(text: str) -> str:
    """A text that is no formula to a spreadsheet; numbers stay."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def unguard_text(text: str) -> str:
    """The text that :func:`guard_text` was given."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def guard_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose names and text cells are no formulas; columns without such a cell stay as they are."""
    columns = [_map_texts(frame.iloc[:, position], guard_text) for position in range(frame.shape[1])]
    names = [guard_text(name) if isinstance(name, str) else name for name in frame.columns]
    guarded = pd.concat(columns, axis=1) if columns else frame.copy(deep=False)
    return guarded.set_axis(names, axis=1)


def unguard(values: pd.Series[Any]) -> pd.Series[Any]:
    """A column of texts as it was before :func:`guard_frame`."""
    return _map_texts(values, unguard_text)


def _map_texts(values: pd.Series[Any], change: Any) -> pd.Series[Any]:
    """A column with its texts changed; the very same one if none begins like a formula."""
    dtype = values.dtype
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype):
        return values
    cells = values.astype(object).tolist()
    if FIRST.isdisjoint(cell[:1] for cell in cells if isinstance(cell, str)):
        return values
    changed = np.empty(len(cells), dtype=object)
    changed[:] = [change(cell) if isinstance(cell, str) else cell for cell in cells]
    return pd.Series(changed, index=values.index, name=values.name, dtype=object)
