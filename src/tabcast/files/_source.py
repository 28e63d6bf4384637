"""What a file is, by its first bytes rather than by its name, and what its columns are called."""

from __future__ import annotations

import codecs
import gzip
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from tabcast.wording import TableFileError, list_names

ALLOWED = "CSV, TSV, .csv.gz, .tsv.gz, Parquet, Feather or Excel (.xlsx)"
TEXT_ENDINGS = ("", ".csv", ".tsv", ".tab", ".txt", ".psv", ".dat", ".data")
HEAD_BYTES = 4_096
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
ARROW = {b"PAR1": "parquet", b"ARROW1": "feather"}
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")
INDEX_NAME = "Unnamed: 0"  # what pandas calls the index that it wrote
LINE_BREAK = re.compile(r"\s*[\r\n\v\f\x85\u2028\u2029]\s*")  # some classifiers refuse it, and no option can hold it
OTHER_FORMATS = {  # what people have instead of a table, by its first bytes in small letters
    ZIP.lower(): "a zip archive, or an Office file other than an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel or Office file",
    b"bzh": "compressed with bzip2",
    b"\xfd7zxz": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"sqlite format 3": "a SQLite database",
    b"%pdf-": "a PDF document",
    **dict.fromkeys((b"<!doctype", b"<html", b"<?xml"), "a web page or XML"),
    **dict.fromkeys((b"{", b"[{", b"[["), "JSON"),
}


def find_format(path: Path) -> str:
    """Find out from a file's first bytes whether it is text, parquet, feather or excel, or why it cannot be read."""
    try:
        if path.exists() and not path.is_file():
            raise TableFileError(f"{path} is a folder or no regular file; name a file ({ALLOWED}).")
        with open(path, "rb") as file:
            is_gzip = file.read(len(GZIP)) == GZIP
    except TableFileError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot_open(path, error) from None
    with open_bytes(path) as unpacked:
        head = unpacked.read(HEAD_BYTES)
    if not head:
        raise TableFileError(f"{path.name} is empty; a table needs a line with column names and rows.")
    for magic, found in ARROW.items():
        if head.startswith(magic) and not is_gzip:
            return found
    if head.startswith(ZIP) and _is_workbook(path):
        return "excel"
    start = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    for magic, what in OTHER_FORMATS.items():
        if start.startswith(magic):
            raise TableFileError(f"{path.name} is {what}, not a table; unpack it, or save the table in it as CSV.")
    is_marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_marked and (b"\x00" in head or len(CONTROLS.findall(head)) > max(2, len(head) / 100)):
        advice = "unpack it" if is_gzip else "name a table, or save text in UTF-16 as UTF-8"
        raise TableFileError(
            f"{path.name} holds zero bytes or control characters, so it is not a text table; {advice}."
        )
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in TEXT_ENDINGS:
        advice = f"rename it to .csv if it is a CSV (allowed are {ALLOWED})"
        raise TableFileError(f"{path.name} holds text, and is not what its ending {ending!r} says; {advice}.")
    return "text"


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError):
        return False  # a damaged archive


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked; what goes wrong on the way is a :class:`TableFileError`."""
    try:
        with open(path, "rb") as file:
            is_gzip = file.read(len(GZIP)) == GZIP
            file.seek(0)
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if is_gzip else file
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise TableFileError(f"{path.name} is a damaged or incomplete gzip file; copy or download it again.") from None
    except OSError as error:
        raise _cannot_open(path, error) from None


def _cannot_open(path: Path, error: Exception) -> TableFileError:
    """The system's reason in our words."""
    name = path.name or str(path)
    if isinstance(error, FileNotFoundError):
        beside = f"there is no folder {path.parent}" if not path.parent.exists() else f"not in {path.parent.absolute()}"
        return TableFileError(f"There is no file {name} ({beside}); check the path.")
    if isinstance(error, PermissionError):
        return TableFileError(f"No permission to read {name}; ask its owner, or copy it to a place of yours.")
    return TableFileError(f"{name} cannot be opened: {getattr(error, 'strerror', None) or error}.")


def name_columns(file: str, header: list[str]) -> tuple[list[str], list[str]]:
    """Column names without line breaks and spaces around them, and what was done to them, in sentences.

    An index without a name gets one, and so do later columns of the same name.
    """
    names, notes = [LINE_BREAK.sub(" ", name.strip()) for name in header], []
    if not any(names):
        raise TableFileError(f"{file} has no column names; its first line must name the columns.")
    if not names[0]:
        names[0] = INDEX_NAME
        notes.append(f"The first column has no name, like an index that pandas writes; it is called {INDEX_NAME!r}.")
    if "" in names:
        number = names.index("") + 1
        raise TableFileError(f"Column {number} of {file} has no name; give it one in the first line or remove it.")
    own, renamed = set(names), []
    for position, name in enumerate(names):
        number = 1
        while names[position] in names[:position] or (number > 1 and names[position] in own):
            number += 1
            names[position] = f"{name}.{number}"
        renamed += [names[position]] if number > 1 else []
    if renamed:
        again = f"later ones are called {list_names(renamed)}. Remove what is not meant"
        notes.append(f"More than one column has the same name; {again}.")
    return names, notes
