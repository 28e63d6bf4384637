"""Tables as text: encoding and delimiter are found, rows are cut strictly, and every value stays the text it was."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TextIO

import numpy as np
import pandas as pd

from tabcast.files._errors import TableFileError
from tabcast.files._plain_text import read_plain
from tabcast.files._source import Source, check_names, complete_names, note_line_breaks

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
BYTE_ORDER_MARKS = [  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
BLOCK_BYTES = 1 << 22
SAMPLE_RECORDS = 200
LONGEST_FIELD = 131_072
CHUNK_ROWS = 10_000  # rows held as lists at a time
TEXT = pd.Series(["text"]).dtype  # `str` in pandas 3, `object` in pandas 2
ALLOWED_CONTROLS = b"\t\n\r\x0b\x0c\x1a"
CONTROLS = bytes(range(32)).translate(None, ALLOWED_CONTROLS)


@dataclass(frozen=True)
class Dialect:
    """How a text table is written."""

    encoding: str
    delimiter: str
    skip_space: bool  # spaces after a delimiter do not count: `1, "two"`
    says_delimiter: bool  # the first line is Excel's `sep=;`, not the header
    notes: tuple[str, ...] = ()


def find_dialect(source: Source) -> Dialect:
    """Find encoding and delimiter of a text table."""
    encoding, notes = _find_encoding(source)
    with _open_text(source, encoding) as file:
        first = file.readline().strip()
    says_delimiter = len(first) == 5 and first.lower().startswith("sep=") and first[4] in DELIMITERS
    if says_delimiter:
        return Dialect(encoding, first[4], False, True, notes)
    scores = {}
    for skip_space in (False, True):
        for delimiter in DELIMITERS:
            score = _score_delimiter(source, Dialect(encoding, delimiter, skip_space, False))
            scores[delimiter, skip_space] = score
    # The most regular rows win, then the most columns, then the order above; spaces are skipped only if that helps.
    delimiter, skip_space = max(scores, key=lambda key: scores[key])
    return Dialect(encoding, delimiter, skip_space, False, notes)


def _score_delimiter(source: Source, dialect: Dialect) -> tuple[float, int, int]:
    """How well a delimiter fits the first rows: the larger, the better.

    The proportion of rows with as many fields as the header, that number (none for a single column), and minus the
    number of fields that begin with spaces and a quote.
    """
    lengths, n_spaced = [], 0
    try:
        with _open_text(source, dialect.encoding) as file:
            for _, record in islice(_records(source, file, dialect), SAMPLE_RECORDS):
                lengths.append(len(record))
                n_spaced += sum(field.startswith(" ") and field.lstrip().startswith('"') for field in record)
    except TableFileError:
        pass  # a stray quote further down: the rows before it say enough, and reading will name its line
    if not lengths or lengths[0] < 2:
        return 0.0, 0, 0
    return lengths.count(lengths[0]) / len(lengths), lengths[0], -n_spaced


class DelimitedTable:
    """A text table; the interface of :class:`tabcast.files._read.TableFile`. Every value stays the text it was."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._dialect = find_dialect(source)
        with _open_text(source, self._dialect.encoding) as file:
            _, header = next(_records(source, file, self._dialect), (0, []))
        header, renamed = complete_names(header)
        self.names = check_names(source, header)
        self.notes = [*source.notes, *self._dialect.notes, *note_line_breaks(header, self.names), *renamed]

    def count_rows(self) -> int:
        """About how many rows there are: the lines below the header, those within quoted values included."""
        n_lines, last = 0, b"\n"
        with self._source.open_bytes() as file:
            while block := file.read(BLOCK_BYTES):
                n_lines += block.count(b"\n")
                last = block[-1:]
        return n_lines + (last != b"\n") - 1

    def batches(
        self, batch_rows: int | None, used: Sequence[str], kept: Sequence[str] = ()
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Batches of two frames, the columns in `used` and those in `kept`: text, empty fields missing."""
        wanted = list(dict.fromkeys([*used, *kept]))
        positions = [self.names.index(name) for name in wanted]
        columns = self._read_plain(positions) if batch_rows is None else None
        if columns is not None:
            index = pd.RangeIndex(len(columns[0]))
            by_name = dict(zip(wanted, columns, strict=True))
            yield _to_frame(by_name, used, index), _to_frame(by_name, kept, index)
            return
        with _open_text(self._source, self._dialect.encoding) as file:
            records = _records(self._source, file, self._dialect)
            next(records)  # the header
            rows = _rows(self._source, self.names, records, self._dialect)
            first_row = 0
            while True:
                columns, n_rows = _take_rows(rows, positions, batch_rows)
                if n_rows == 0:
                    break
                index = pd.RangeIndex(first_row, first_row + n_rows)
                by_name = dict(zip(wanted, columns, strict=True))
                yield _to_frame(by_name, used, index), _to_frame(by_name, kept, index)
                first_row += n_rows
        if first_row == 0:
            raise TableFileError(f"{self._source.name} has a header line but no rows below it.")

    def _read_plain(self, positions: list[int]) -> list[pd.Series[Any]] | None:
        """All rows of some columns, where the file is large and written plainly; None otherwise."""
        dialect = self._dialect
        if dialect.encoding != "utf-8" or dialect.skip_space or dialect.says_delimiter or not positions:
            return None
        return read_plain(self._source, dialect.delimiter, len(self.names), positions, LONGEST_FIELD, TEXT)


def _to_frame(columns: dict[str, pd.Series[Any]], names: Sequence[str], index: pd.RangeIndex) -> pd.DataFrame:
    """Some of the columns, without copying them."""
    frame = pd.DataFrame({name: columns[name] for name in names}, copy=False)
    return frame.set_axis(index) if names else pd.DataFrame(index=index)


def _take_rows(rows: Iterator[list[str]], positions: list[int], most: int | None) -> tuple[list[pd.Series[Any]], int]:
    """Up to `most` rows as the text columns at `positions`, chunk by chunk so that lists of rows never pile up."""
    chunks: list[list[pd.Series[Any]]] = [[] for _ in positions]
    n_rows = 0
    while most is None or n_rows < most:
        chunk = list(islice(rows, CHUNK_ROWS if most is None else min(CHUNK_ROWS, most - n_rows)))
        if not chunk:
            break
        n_rows += len(chunk)
        for position, pieces in zip(positions, chunks, strict=True):
            pieces.append(_text_column([row[position] for row in chunk]))
        del chunk
    if not n_rows:
        return [], 0
    columns = []
    for pieces in chunks:
        columns.append(pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True))
        pieces.clear()
    return columns, n_rows


def _text_column(values: list[str]) -> pd.Series[Any]:
    """Fields as a text column, empty ones missing."""
    array = np.array(values, dtype=object)
    array[array == ""] = None
    return pd.Series(array, dtype=TEXT)


def _rows(
    source: Source, names: list[str], records: Iterator[tuple[int, list[str]]], dialect: Dialect
) -> Iterator[list[str]]:
    """The records as rows: as long as the header, or the line is named."""
    n_columns = len(names)
    for line, record in records:
        if len(record) != n_columns:
            fewer = "only " if len(record) < n_columns else ""
            advice = (
                "a value that holds the delimiter must be in double quotes"
                if len(record) > n_columns
                else "complete the line or remove it"
            )
            raise TableFileError(
                f"Line {line:,} of {source.name} has {fewer}{len(record):,} fields, the header has {n_columns:,} "
                f"(delimiter {DELIMITERS[dialect.delimiter]}); {advice}."
            )
        yield record


def _records(source: Source, file: TextIO, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The lines of a text table cut into fields, each with its line number; blank lines are left out."""
    reader = csv.reader(file, delimiter=dialect.delimiter, skipinitialspace=dialect.skip_space, strict=True)
    if dialect.says_delimiter:
        next(reader, None)
    line = reader.line_num + 1
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise _broken_record(source, line, str(error)) from None
        except UnicodeError:
            raise _broken_text(source, dialect.encoding, f" near line {line:,}") from None
        if record is None:
            return
        if len(record) > 1 or (record and record[0].strip(" \t\x1a")):
            yield line, record
        line = reader.line_num + 1


def _broken_record(source: Source, line: int, reason: str) -> TableFileError:
    """What the csv module found, in our words."""
    if "field larger" in reason:
        what = f"has a field of more than {LONGEST_FIELD:,} characters, probably a double quote that is never closed"
    elif "unexpected end" in reason:
        what = "opens a double quote that is never closed"
    elif "expected after" in reason:
        what = "has characters after a closing double quote; a quote inside a quoted value is written twice"
    else:
        what = f"cannot be cut into fields ({reason})"
    return TableFileError(f"Line {line:,} of {source.name} {what}.")


def _broken_text(source: Source, encoding: str, where: str = "") -> TableFileError:
    """Bytes that are no letters in the encoding that the rest of the file has."""
    name = encoding.removesuffix("-sig").upper()
    return TableFileError(f"{source.name} is not valid {name} text{where} (broken encoding); save it as UTF-8.")


@contextmanager
def _open_text(source: Source, encoding: str) -> Iterator[TextIO]:
    """The file as text, its line ends untouched."""
    with source.open_bytes() as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
        try:
            yield text
        except UnicodeError:
            raise _broken_text(source, encoding) from None


def _find_encoding(source: Source) -> tuple[str, tuple[str, ...]]:
    """UTF-8, or what a byte-order mark says, or Windows-1252 with a note; refused when it is not text."""
    with source.open_bytes() as file:
        block = file.read(BLOCK_BYTES)
        for mark, encoding in BYTE_ORDER_MARKS:
            if block.startswith(mark):
                _refuse_nulls_in_text(source, block, encoding)
                return encoding, ()
        decoder = codecs.getincrementaldecoder("utf-8")()
        is_utf8, is_windows = True, True
        while block:
            _refuse_binary(source, block)
            if is_utf8:
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    is_utf8 = False
            if is_windows:
                is_windows = not any(byte in block for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d"))
            block = file.read(BLOCK_BYTES)
    if is_utf8:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            is_utf8 = False
    if is_utf8:
        return "utf-8", ()
    if not is_windows:
        raise TableFileError(
            f"{source.name} is neither UTF-8 nor Windows-1252 text (broken encoding); save it as UTF-8 and try again."
        )
    return "cp1252", (f"{source.name} is not UTF-8; it was read as Windows-1252 (cp1252).",)


def _refuse_binary(source: Source, block: bytes) -> None:
    """Zero bytes and many control characters are not text."""
    if b"\x00" in block:
        advice = "if it is UTF-16 text, save it as UTF-8" if block.count(b"\x00") > len(block) / 4 else "name a table"
        raise TableFileError(f"{source.name} holds zero bytes, so it is not a text table; {advice}.")
    controls = len(block) - len(block.translate(None, CONTROLS))
    if controls > max(2, len(block) / 100):
        raise TableFileError(f"{source.name} is full of control characters, so it is not a text table; name a table.")


def _refuse_nulls_in_text(source: Source, block: bytes, encoding: str) -> None:
    """Text after a byte-order mark is still no text when it decodes to zero characters, or not at all."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(block)
    except UnicodeDecodeError:
        raise TableFileError(
            f"{source.name} begins with the byte-order mark of {encoding.removesuffix('-sig').upper()} but is not "
            "valid text in it (broken encoding); save it as UTF-8 and try again."
        ) from None
    if "\x00" in text:
        raise TableFileError(f"{source.name} holds zero characters, so it is not a text table; name a table.")
    if not text.strip("\ufeff \t\r\n"):
        raise TableFileError(f"{source.name} is empty but for a byte-order mark; a table needs column names and rows.")
