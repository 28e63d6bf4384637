"""Writing a table file so that a half-written one never looks whole."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from tabcast.files._arrow import import_pyarrow
from tabcast.files._atomic import write_whole
from tabcast.files._errors import TableFileError

DELIMITER_OF = {".csv": ",", ".tsv": "\t"}


def write_table_file(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table as CSV, TSV, .csv.gz, .tsv.gz, Parquet or Feather, as the name says; the index is left out.

    The table goes to a temporary name beside `path` first and is then renamed, so that `path` is either what it was
    before or the whole table, also after Ctrl-C or on a full disk.

    Parameters
    ----------
    frame : the table.
    path : where to. An existing file is replaced.
    """
    path = Path(path)
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    is_gzip = endings[-1:] == [".gz"]
    ending = endings[0] if is_gzip and len(endings) == 2 else (endings[-1] if endings else "")
    if ending not in DELIMITER_OF and (is_gzip or ending not in (".parquet", ".feather")):
        raise TableFileError(
            f"{path.name} must end in .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather to say how to write it."
        )
    try:
        with write_whole(path) as unfinished:
            _write(frame, unfinished, path.name, ending, is_gzip)
    except OSError as error:
        raise TableFileError(f"{path.name} could not be written: {error.strerror or error}.") from None


def _write(frame: pd.DataFrame, path: Path, name: str, ending: str, is_gzip: bool) -> None:
    """Write a table to `path` in the format of an ending; `name` is for errors."""
    if ending in (".parquet", ".feather"):
        import_pyarrow(name)
    if ending == ".parquet":
        frame.to_parquet(path, index=False)
    elif ending == ".feather":
        frame.reset_index(drop=True).to_feather(path)
    else:
        compression = {"method": "gzip", "mtime": 1} if is_gzip else None
        frame.to_csv(path, sep=DELIMITER_OF[ending], index=False, compression=compression)
