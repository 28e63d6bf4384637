"""Writing a table batch by batch, in the format that the name of the file says."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import TracebackType
from typing import Any

import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._arrow import import_pyarrow

DELIMITERS = {".csv": ",", ".tsv": "\t"}
ARROW = (".parquet", ".feather")


class TableWriter:
    """A table file that grows by batches with the same columns; a context manager.

    Parameters
    ----------
    path : where to write.
    ending : one of those of :func:`find_ending`.
    """

    def __init__(self, path: Path, ending: str) -> None:
        self._path = path
        self._ending = ending
        self._writer: Any = None
        self._file: Any = None

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open, also after an error."""
        for opened in (self._writer, self._file):
            if opened is not None:
                opened.close()

    def write(self, frame: pd.DataFrame) -> None:
        """Add rows."""
        if self._ending in ARROW:
            self._write_arrow(frame)
        else:
            self._write_text(frame)

    def _write_text(self, frame: pd.DataFrame) -> None:
        first = self._file is None
        if first and self._ending.endswith(".gz"):
            self._file = gzip.open(self._path, "wt", encoding="utf-8", newline="")  # noqa: SIM115
        elif first:
            self._file = open(self._path, "w", encoding="utf-8", newline="")  # noqa: SIM115
        delimiter = DELIMITERS[self._ending.removesuffix(".gz")]
        frame.to_csv(self._file, sep=delimiter, index=False, header=first, lineterminator="\n")

    def _write_arrow(self, frame: pd.DataFrame) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        schema = None if self._writer is None else self._writer.schema
        table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
        if self._writer is None:
            if self._ending == ".parquet":
                self._writer = parquet.ParquetWriter(self._path, table.schema)
            else:
                self._writer = _FeatherWriter(self._path, table.schema)
        self._writer.write_table(table)


class _FeatherWriter:
    """Feather with pyarrow's usual compression, a batch at a time."""

    def __init__(self, path: Path, schema: Any) -> None:
        import pyarrow as pa

        self.schema = schema
        self._file = pa.OSFile(str(path), "wb")
        options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)
        self._writer = pa.ipc.new_file(self._file, schema, options=options)

    def write_table(self, table: Any) -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()
        self._file.close()


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
