"""Writing a table file so that a half-written one never looks whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from tabcast.files._arrow import import_pyarrow
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
    with _replacing(path) as temporary:
        if ending == ".parquet":
            import_pyarrow(path.name)
            frame.to_parquet(temporary, index=False)
        elif ending == ".feather":
            import_pyarrow(path.name)
            frame.reset_index(drop=True).to_feather(temporary)
        else:
            compression = {"method": "gzip", "mtime": 1} if is_gzip else None
            frame.to_csv(temporary, sep=DELIMITER_OF[ending], index=False, compression=compression)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it at the end, removed when anything goes wrong."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise TableFileError(f"{path.name} could not be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
