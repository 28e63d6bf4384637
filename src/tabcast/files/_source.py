"""What a file is, by its first bytes rather than by its name, and opening it."""

from __future__ import annotations

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

from tabcast.files._errors import TableFileError, list_names

Format = Literal["text", "parquet", "feather", "excel"]

ALLOWED = "CSV, TSV, .csv.gz, .tsv.gz, Parquet, Feather or Excel (.xlsx)"
TEXT_ENDINGS = {"", ".csv", ".tsv", ".tab", ".txt", ".psv", ".dat", ".data"}
ARROW_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ft": "feather",
}
HEAD_BYTES = 4_096
INDEX_NAME = "Unnamed: 0"  # what pandas calls the index that it wrote
LINE_BREAK = re.compile(
    r"\s*[\r\n\v\f\x85\u2028\u2029]\s*"
)  # in a name: some learners refuse it, and no option can hold it

# First bytes of what people have instead of a table, what it is, and what to do.
OTHER_FORMATS: list[tuple[bytes, str, str]] = [
    (b"PK\x03\x04", "a zip archive", "unpack it, or compress the CSV with gzip"),
    (b"PK\x05\x06", "an empty zip archive", "look for the table elsewhere"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office file", "save the sheet as CSV"),
    (b"BZh", "compressed with bzip2", "unpack it, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "compressed with xz", "unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it, or compress it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, or compress the CSV with gzip"),
    (b"Rar!", "a rar archive", "unpack it, or compress the CSV with gzip"),
    (b"SQLite format 3\x00", "a SQLite database", "export the table as CSV"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "export the table as Parquet or CSV"),
    (b"ORC", "an ORC file", "convert it to Parquet"),
    (b"Obj\x01", "an Avro file", "convert it to Parquet"),
    (b"%PDF-", "a PDF document", "export the table as CSV"),
    (b"\x89PNG", "a picture", "export the table as CSV"),
    (b"\xff\xd8\xff", "a picture", "export the table as CSV"),
    (b"\x7fELF", "a program", "name the table instead"),
]
EXCEL_ENDINGS = (".xlsx", ".xlsm")
OFFICE_PART, WORKBOOK = "[Content_Types].xml", "xl/workbook.xml"


@dataclass(frozen=True)
class Source:
    """A file that can be read as a table, and how.

    Parameters
    ----------
    path : Path
        The file.
    format : {"text", "parquet", "feather", "excel"}
        What is in it.
    is_gzip : bool
        Whether it is compressed as a whole.
    notes : tuple of str
        What was noticed about it.
    """

    path: Path
    format: Format
    is_gzip: bool
    notes: tuple[str, ...] = ()

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
        if path.is_dir():
            raise TableFileError(f"{path.name or path} is a directory; name a file in it ({ALLOWED}).")
        if path.exists() and not path.is_file():
            raise TableFileError(f"{path.name} is not a regular file; save the table to one ({ALLOWED}).")
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        if isinstance(error, TableFileError):
            raise
        raise _cannot_open(path, error) from None
    if not head:
        raise TableFileError(f"{path.name} is empty (0 bytes); a table needs a line with column names and rows.")
    if head.startswith(b"\x1f\x8b"):
        with Source(path, "text", True).open_bytes() as unpacked:
            inside = unpacked.read(HEAD_BYTES)
        if not inside:
            raise TableFileError(f"{path.name} is a gzip file with nothing in it.")
        if _arrow_format(inside) is not None:
            raise TableFileError(f"{path.name} is a gzip of a Parquet or Feather file; unpack it with gunzip first.")
        if inside[257:262] == b"ustar":
            raise TableFileError(f"{path.name} is a tar archive; unpack it and name the table in it.")
        _refuse_other_formats(path, inside)
        return _text_source(path, is_gzip=True)
    found = _arrow_format(head)
    if found is not None:
        return _arrow_source(path, found)
    if head.startswith(b"PK\x03\x04") and WORKBOOK in _list_archive(path):
        called = path.suffix.lower() in EXCEL_ENDINGS
        notes = () if called else (f"{path.name} is an Excel file by its content, and was read as one.",)
        return Source(path, "excel", False, notes)
    _refuse_other_formats(path, head)
    return _text_source(path, is_gzip=False)


def _list_archive(path: Path) -> list[str]:
    """What a zip archive holds; nothing if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError):
        return []


def _arrow_format(head: bytes) -> Format | None:
    """Parquet or Feather by the first bytes."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1")):
        return "feather"
    return None


def _arrow_source(path: Path, found: Format) -> Source:
    """A Parquet or Feather file, whatever it is called."""
    ending = path.suffix.lower()
    notes: tuple[str, ...] = ()
    if ARROW_ENDINGS.get(ending) != found:
        notes = (f"{path.name} is a {found.capitalize()} file by its content, and was read as one.",)
    return Source(path, found, False, notes)


def _text_source(path: Path, *, is_gzip: bool) -> Source:
    """A text file, if its name does not say otherwise."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    ending = Path(name).suffix.lower()
    if ending in ARROW_ENDINGS:
        raise TableFileError(
            f"{path.name} is not a {ARROW_ENDINGS[ending].capitalize()} file, whatever its name says; "
            "if it is a CSV, rename it to .csv."
        )
    if ending not in TEXT_ENDINGS:
        raise TableFileError(
            f"{path.name} has the unknown ending {ending!r}; allowed are {ALLOWED}, so rename it to .csv if it is one."
        )
    return Source(path, "text", is_gzip)


def _refuse_other_formats(path: Path, head: bytes) -> None:
    """One sentence for each kind of file that people have instead of a table."""
    for magic, what, advice in OTHER_FORMATS:
        if head.startswith(magic):
            if magic.startswith(b"PK") and OFFICE_PART.encode() in head:
                what, advice = "an Office file other than an Excel workbook, or a damaged one", "save the table as CSV"
            raise TableFileError(f"{path.name} is {what}, not a table that can be read here; {advice}.")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:200].lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        raise TableFileError(f"{path.name} is a web page or XML, not a table; download or export the table as CSV.")
    if start.startswith((b"{", b"[{", b"[[")):
        raise TableFileError(f"{path.name} looks like JSON, not like a table; convert it to CSV or Parquet.")


def _cannot_open(path: Path, error: Exception) -> TableFileError:
    """The system's reason in our words."""
    name = path.name or str(path)
    if isinstance(error, FileNotFoundError):
        beside = f"there is no folder {path.parent}" if not path.parent.exists() else f"not in {path.parent.absolute()}"
        return TableFileError(f"There is no file {name} ({beside}); check the path.")
    if isinstance(error, PermissionError):
        return TableFileError(f"No permission to read {name}; ask its owner, or copy it to a place of yours.")
    reason = getattr(error, "strerror", None) or str(error)
    return TableFileError(f"{name} cannot be opened: {reason}.")


def complete_names(header: list[str]) -> tuple[list[str], list[str]]:
    """Names for an index without one, and for columns whose name is taken; and what was done, in sentences."""
    names = [LINE_BREAK.sub(" ", name.strip()) for name in header]
    result, notes = list(header), []
    if len(names) > 1 and not names[0] and any(names):
        names[0] = result[0] = INDEX_NAME
        notes.append(f"The first column has no name, like an index that pandas writes; it is called {INDEX_NAME!r}.")
    taken, renamed = set(names), []
    for position, name in enumerate(names):
        if name and name in names[:position]:
            number = names[:position].count(name) + 1
            while f"{name}.{number}" in taken:
                number += 1
            result[position] = f"{name}.{number}"
            taken.add(result[position])
            renamed.append(result[position])
    if renamed:
        notes.append(
            f"More than one column has the same name; the later {'one is' if len(renamed) == 1 else 'ones are'} called "
            f"{list_names(renamed)}. Remove what is not meant."
        )
    return result, notes


def check_names(source: Source, header: list[str]) -> list[str]:
    """Column names without spaces around them and line breaks in them; refused when empty or there twice."""
    names = [LINE_BREAK.sub(" ", name.strip()) for name in header]
    if not any(names):
        raise TableFileError(f"{source.name} has no column names; its first line must name the columns.")
    for position, name in enumerate(names, start=1):
        if not name:
            raise TableFileError(
                f"Column {position} of {source.name} has no name; give it one in the first line or remove it."
            )
    seen: set[str] = set()
    doubles = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    if doubles:
        raise TableFileError(
            f"{source.name} has more than one column named {list_names(dict.fromkeys(doubles))}; rename or remove one."
        )
    return names


def note_line_breaks(header: list[str], names: list[str]) -> list[str]:
    """Which columns are called otherwise than in the file, in a sentence."""
    changed = [name for own, name in zip(header, names, strict=True) if own.strip() != name]
    return [f"Line breaks in column names became spaces: {list_names(changed)}."] if changed else []
