"""What a file is, by its first bytes rather than by its name, and what its columns are called."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from tabcast.wording import TableFileError, list_names

Format = Literal["text", "parquet", "feather", "excel"]

ALLOWED = "CSV, TSV, .csv.gz, .tsv.gz, Parquet, Feather or Excel (.xlsx)"
TEXT_ENDINGS = {"", ".csv", ".tsv", ".tab", ".txt", ".psv", ".dat", ".data"}
TYPED_ENDINGS: dict[str, Format] = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".feather", ".arrow", ".ft"), "feather"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
}
HEAD_BYTES = 4_096
CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x19\x1b-\x1f]")
INDEX_NAME = "Unnamed: 0"  # what pandas calls the index that it wrote
LINE_BREAK = re.compile(r"\s*[\r\n\v\f\x85\u2028\u2029]\s*")  # some classifiers refuse it, and no option can hold it

# First bytes of what people have instead of a table, what it is, and what to do.
OTHER_FORMATS: list[tuple[bytes, str, str]] = [
    (
        b"PK\x03\x04",
        "a zip archive, or an Office file that is no Excel workbook",
        "unpack it, or save the table as CSV",
    ),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office file", "save the sheet as CSV"),
    (b"BZh", "compressed with bzip2", "unpack it, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "compressed with xz", "unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it, or compress it with gzip"),
    (b"FEA1", "a Feather file of the first version", "write it again with a current version of pandas"),
    (b"SQLite format 3\x00", "a SQLite database", "export the table as CSV"),
    (b"%PDF-", "a PDF document", "export the table as CSV"),
]


@dataclass(frozen=True)
class Source:
    """A file that can be read as a table, what is in it, and whether it is compressed as a whole."""

    path: Path
    format: Format
    is_gzip: bool = False

    @property
    def name(self) -> str:
        """How the file is called in messages."""
        return self.path.name

    @contextmanager
    def open_bytes(self) -> Iterator[BinaryIO]:
        """The file's bytes, unpacked; what goes wrong on the way is a :class:`TableFileError`."""
        try:
            with open(self.path, "rb") as file:
                if self.is_gzip:
                    with gzip.open(file, "rb") as unpacked:
                        yield cast(BinaryIO, unpacked)
                else:
                    yield file
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise TableFileError(
                f"{self.name} is a damaged or incomplete gzip file; copy or download it again."
            ) from None
        except OSError as error:
            raise _cannot_open(self.path, error) from None


def find_source(path: str | os.PathLike[str]) -> Source:
    """Find out from a file's first bytes how to read it, or why it cannot be read."""
    path = Path(path)
    try:
        is_folder, is_file = path.is_dir(), path.is_file() or not path.exists()
        head = b""
        if is_file and not is_folder:
            with open(path, "rb") as file:
                head = file.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        raise _cannot_open(path, error) from None
    if is_folder or not is_file:
        what = "a directory; name a file in it" if is_folder else "not a regular file; save the table to one"
        raise TableFileError(f"{path.name or path} is {what} ({ALLOWED}).")
    if not head:
        raise TableFileError(f"{path.name} is empty (0 bytes); a table needs a line with column names and rows.")
    is_gzip = head.startswith(b"\x1f\x8b")
    if is_gzip:
        with Source(path, "text", True).open_bytes() as unpacked:
            head = unpacked.read(HEAD_BYTES)
        if not head or head.startswith((b"PAR1", b"ARROW1")) or head[257:262] == b"ustar":
            raise TableFileError(
                f"{path.name} is a gzip of something other than text; unpack it and name the table in it."
            )
    elif head.startswith((b"PAR1", b"ARROW1")):
        return Source(path, "parquet" if head.startswith(b"PAR1") else "feather")
    elif head.startswith(b"PK") and _is_workbook(path):
        return Source(path, "excel")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:200].lower()
    for magic, what, advice in OTHER_FORMATS:
        if head.startswith(magic):
            raise TableFileError(f"{path.name} is {what}, not a table that can be read here; {advice}.")
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"{", b"[{", b"[[")):
        what = "a web page or XML" if start.startswith(b"<") else "JSON"
        raise TableFileError(f"{path.name} is {what}, not a table; download or export the table as CSV.")
    is_marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_marked and (b"\x00" in head or len(CONTROLS.findall(head)) > max(2, len(head) / 100)):
        raise TableFileError(
            f"{path.name} holds zero bytes or control characters, so it is not a text table; name a table, or save "
            "text in UTF-16 as UTF-8."
        )
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if TYPED_ENDINGS.get(ending) in ("parquet", "feather"):
        raise TableFileError(
            f"{path.name} is not a {TYPED_ENDINGS[ending].capitalize()} file, whatever its name says; if it is a CSV, "
            "rename it to .csv."
        )
    if ending not in TEXT_ENDINGS:
        raise TableFileError(
            f"{path.name} has the unknown ending {ending!r}; allowed are {ALLOWED}, so rename it to .csv if it is one."
        )
    return Source(path, "text", is_gzip)


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError):
        return False  # a damaged archive


def _cannot_open(path: Path, error: Exception) -> TableFileError:
    """The system's reason in our words."""
    name = path.name or str(path)
    if isinstance(error, FileNotFoundError):
        beside = f"there is no folder {path.parent}" if not path.parent.exists() else f"not in {path.parent.absolute()}"
        return TableFileError(f"There is no file {name} ({beside}); check the path.")
    if isinstance(error, PermissionError):
        return TableFileError(f"No permission to read {name}; ask its owner, or copy it to a place of yours.")
    return TableFileError(f"{name} cannot be opened: {getattr(error, 'strerror', None) or error}.")


def name_columns(source: Source, header: list[str]) -> tuple[list[str], list[str]]:
    """Column names without line breaks and spaces around them, and what was done to them, in sentences.

    An index without a name gets one, and so do later columns of the same name.
    """
    names, notes = [LINE_BREAK.sub(" ", name.strip()) for name in header], []
    if not any(names):
        raise TableFileError(f"{source.name} has no column names; its first line must name the columns.")
    if not names[0]:
        names[0] = INDEX_NAME
        notes.append(f"The first column has no name, like an index that pandas writes; it is called {INDEX_NAME!r}.")
    if "" in names:
        raise TableFileError(
            f"Column {names.index('') + 1} of {source.name} has no name; give it one in the first line or remove it."
        )
    own, renamed = set(names), []
    for position, name in enumerate(names):
        number = 1
        while names[position] in names[:position] or (number > 1 and names[position] in own):
            number += 1
            names[position] = f"{name}.{number}"
        renamed += [names[position]] if number > 1 else []
    if renamed:
        notes.append(
            f"More than one column has the same name; later ones are called {list_names(renamed)}. Remove what is not "
            "meant."
        )
    return names, notes
