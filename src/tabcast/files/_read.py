"""Reading table files as tables of pyarrow: text with quotes by the csv module, Excel by pandas, the rest by pyarrow.

What a file is, its first bytes say rather than its name.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import dataset, parquet

from tabcast.files._values import text_of
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
    ZIP.lower(): "a zip archive, or an Office file not called .xlsx",
    b"\xd0\xcf\x11\xe0": "an old Excel or Office file",
    **dict.fromkeys((b"bzh", b"\xfd7zxz", b"\x28\xb5\x2f\xfd"), "compressed with bzip2, xz or zstd, not with gzip"),
    b"sqlite format 3": "a SQLite database",
    b"%pdf-": "a PDF document",
    **dict.fromkeys((b"<!doctype", b"<html", b"<?xml"), "a web page or XML"),
    **dict.fromkeys((b"{", b"[{", b"[["), "JSON"),
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
BLOCK = 1 << 22
CHUNK_ROWS = 20_000
SAMPLE_RECORDS = 200
LONGEST = 10_000_000  # characters of a field in quotes
BROKEN_RECORDS = {  # what the csv module says, and what we say
    "field larger": f"has a field of more than {LONGEST:,} characters; or a double quote is never closed",
    "unexpected end": "opens a double quote that is never closed",
    "expected after": "has characters after a closing double quote; a quote inside a quoted value is written twice",
}
BLANK = " \t\x1a"
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores an index without a name


# ---- What a file is


def find_format(path: Path) -> str:
    """Find out from a file's first bytes whether it is text, parquet, feather or excel, or why it cannot be read."""
    if path.exists() and not path.is_file():
        raise TableFileError(f"{path} is a folder or no regular file; name a file ({ALLOWED}).")
    with open_bytes(path) as unpacked:
        head = unpacked.read(HEAD_BYTES)
    if not head:
        raise TableFileError(f"{path.name} is empty; a table needs a line with column names and rows.")
    for magic, found in ARROW.items():
        if head.startswith(magic):
            return found
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if head.startswith(ZIP) and ending in (".xlsx", ".xlsm"):
        return "excel"
    start = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    for magic, what in OTHER_FORMATS.items():
        if start.startswith(magic):
            raise TableFileError(f"{path.name} is {what}, not a table; unpack it, or save the table in it as CSV.")
    is_marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_marked and (b"\x00" in head or len(CONTROLS.findall(head)) > max(2, len(head) / 100)):
        advice = "unpack it, name a table, or save text in UTF-16 as UTF-8"
        raise TableFileError(
            f"{path.name} holds zero bytes or control characters, so it is not a text table; {advice}."
        )
    if ending not in TEXT_ENDINGS:
        advice = f"rename it to .csv if it is a CSV (allowed are {ALLOWED})"
        raise TableFileError(f"{path.name} holds text, and is not what its ending {ending!r} says; {advice}.")
    return "text"


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


# ---- Tables that are open for reading


class TableFile:
    """A table file that is open for reading: `path`, `names` of its columns, and `notes` on what was noticed.

    It remembers its columns and, once all rows were read, their number `n_rows`: a file that differs when it is read
    again is refused.
    """

    n_rows: int | None = None  # known of a file that tells it, or once it was read

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names, self.notes = self._read_names()

    def batches(
        self, batch_rows: int | None, used: Sequence[str], kept: Sequence[str] = ()
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Batches of at most `batch_rows` rows, None: all in one, in the file's order, as two frames.

        The first has the columns in `used`, as :func:`read_table_file` reads them; the second those in `kept`, exactly
        as they are in the file: integers with missing values stay integers. Other columns are not read.
        """
        names = self._read_names()[0]
        if names != self.names:
            raise self._changed(f"columns {list_names(self.names)} and has {list_names(names)} now")
        wanted = list(dict.fromkeys([*used, *kept]))
        tables, n_rows = self._tables([self.names.index(name) for name in wanted]), 0
        if batch_rows is None:
            whole = list(tables)
            tables = iter([pa.concat_tables(whole)] if whole else [])
        for table in tables:
            table = table.rename_columns(wanted)
            for start in range(0, table.num_rows, batch_rows or max(table.num_rows, 1)):
                piece = table.slice(start, batch_rows)
                index = pd.RangeIndex(n_rows, n_rows + piece.num_rows)
                n_rows += piece.num_rows
                yield _to_frame(piece.select(used), index), _to_frame(piece.select(kept), index, untouched=True)
        if n_rows == 0:
            raise TableFileError(f"{self.path.name} has a header line but no rows below it.")
        if self.n_rows not in (None, n_rows):
            raise self._changed(f"{self.n_rows:,} rows when it was first read and has {n_rows:,} now")
        self.n_rows = n_rows

    def _read_names(self) -> tuple[list[str], list[str]]:
        """The names of the columns, and what was noticed about them."""
        raise NotImplementedError

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        """The columns at some positions, as tables of pyarrow with any number of rows."""
        raise NotImplementedError

    def _changed(self, how: str) -> TableFileError:
        return TableFileError(f"{self.path} has changed during the run: it had {how}; start again.")


def _to_frame(table: Any, index: pd.RangeIndex, *, untouched: bool = False) -> pd.DataFrame:
    """Columns in the types of pandas, or in pyarrow's own: then nothing is rounded, and all batches have the same."""
    if not untouched:
        return table.to_pandas(ignore_metadata=True, date_as_object=False).set_axis(index)
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # dictionaries differ between batches
            table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
    return table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True).set_axis(index)


# ---- Text


class TextTable(TableFile):
    """A text table. Every value stays the text it was, and empty fields are missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._encoding, self._has_quotes = _find_encoding(path)
        self._delimiter = max(DELIMITERS, key=self._score)
        super().__init__(path)
        if self._encoding == "cp1252":
            self.notes.insert(0, f"{path.name} is not UTF-8; it was read as Windows-1252 (cp1252).")

    def _read_names(self) -> tuple[list[str], list[str]]:
        with self._open() as file:
            self._header_line, header = next(self._records(file, self._delimiter), (1, []))
        return name_columns(self.path.name, header)

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        if self._has_quotes:  # pyarrow tolerates quotes that are never closed, and what stands behind a closing one
            yield from self._cut_by_line(positions)
            return
        names = [str(position) for position in range(len(self.names))]
        encoding = "utf-8" if self._encoding == "utf-8-sig" else self._encoding
        read = {"use_threads": False, "block_size": BLOCK, "encoding": encoding, "column_names": names}
        texts = {"column_types": dict.fromkeys(names, pa.large_string()), "strings_can_be_null": True}
        options = (
            arrow_csv.ReadOptions(skip_rows=self._header_line, **read),
            arrow_csv.ParseOptions(delimiter=self._delimiter, quote_char=False),
            arrow_csv.ConvertOptions(null_values=[""], include_columns=[names[one] for one in positions], **texts),
        )
        n_rows = 0
        try:
            with open_bytes(self.path) as raw:
                for batch in arrow_csv.open_csv(raw, *options):
                    yield pa.Table.from_batches([batch])
                    n_rows += batch.num_rows
        except pa.ArrowInvalid:  # a line of another width, which is named here; or a blank one
            for table in self._cut_by_line(positions):
                yield table.slice(n_rows)
                n_rows = max(0, n_rows - table.num_rows)

    def _cut_by_line(self, positions: list[int]) -> Iterator[Any]:
        """The same by the csv module: slower, and strict."""
        width = len(self.names)
        with self._open() as file:
            records = islice(self._records(file, self._delimiter), 1, None)
            while chunk := list(islice(records, CHUNK_ROWS)):
                for line, record in chunk:
                    if len(record) != width:
                        raise self._wrong_width(line, len(record), width)
                columns = [[record[position] or None for _, record in chunk] for position in positions]
                arrays = [pa.array(column, pa.large_string()) for column in columns]
                yield pa.table(arrays, names=[str(position) for position in positions])

    def _score(self, delimiter: str) -> tuple[float, int]:
        """How well a delimiter fits the first rows: the proportion with as many fields as the header, that number."""
        lengths = []
        with suppress(TableFileError), self._open() as file:  # a stray quote further down will be named
            for _, record in islice(self._records(file, delimiter), SAMPLE_RECORDS):
                lengths.append(len(record))
        if not lengths or lengths[0] < 2:
            return 0.0, 0
        return lengths.count(lengths[0]) / len(lengths), lengths[0]

    def _wrong_width(self, line: int, n: int, width: int) -> TableFileError:
        only, advice = ("only ", "complete or remove it") if n < width else ("", "a delimiter within it needs quotes")
        header = f"the header has {width:,} (delimiter {DELIMITERS[self._delimiter]})"
        return TableFileError(f"Line {line:,} of {self.path.name} has {only}{n:,} fields, {header}; {advice}.")

    def _records(self, file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """The lines cut into fields, each with its line number; blank lines are left out."""
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                record = next(reader, None)
            except csv.Error as error:
                reason = next((ours for theirs, ours in BROKEN_RECORDS.items() if theirs in str(error)), str(error))
                raise TableFileError(f"Line {line:,} of {self.path.name} {reason}.") from None
            if record is None:
                return
            is_for_excel = line == 1 and record[:1] and record[0].startswith("sep=")
            if not is_for_excel and (len(record) > 1 or (record and record[0].strip(BLANK))):
                yield line, record

    @contextmanager
    def _open(self) -> Iterator[TextIO]:
        """The file as text, its line ends untouched."""
        before = csv.field_size_limit(LONGEST)
        try:
            with open_bytes(self.path) as raw, io.TextIOWrapper(raw, encoding=self._encoding, newline="") as text:
                yield text
        finally:
            csv.field_size_limit(before)


def _find_encoding(path: Path) -> tuple[str, bool]:
    """UTF-8, what a byte-order mark says, or Windows-1252; and whether there are quotes."""
    with open_bytes(path) as raw:
        head = raw.read(4)
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS.items() if head.startswith(mark)), None)
    for encoding in ("utf-8", "cp1252") if marked is None else (marked,):
        with suppress(UnicodeDecodeError), open_bytes(path) as raw:
            with io.TextIOWrapper(raw, encoding=encoding) as file:
                has_quotes = any(['"' in block for block in iter(lambda: file.read(BLOCK), "")])
            return encoding, has_quotes
    which = f"not valid {marked.removesuffix('-sig').upper()}" if marked else "neither UTF-8 nor Windows-1252"
    raise TableFileError(f"{path.name} is {which} text (broken encoding); save it as UTF-8 and try again.")


# ---- Parquet, Feather and Excel


class ArrowTable(TableFile):
    """A Parquet or Feather file, with its own types."""

    def __init__(self, path: Path, kind: str) -> None:
        self._format = kind
        super().__init__(path)

    def _read_names(self) -> tuple[list[str], list[str]]:
        with self._open() as file:
            self._own = [name for name in file.schema.names if not PANDAS_INDEX.match(name)]
            self.n_rows = file.count_rows() if self.n_rows is None else self.n_rows
        return name_columns(self.path.name, self._own)

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        columns = [self._own[position] for position in positions]
        with self._open() as file:  # without reading ahead, memory does not grow with the file
            batches = file.to_batches(columns=columns, use_threads=False, batch_readahead=0, fragment_readahead=0)
            for batch in batches:
                yield pa.Table.from_batches([batch])

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The file; what pyarrow raises for a damaged one, also between its pages, in one sentence."""
        try:
            yield dataset.dataset(self.path, format=self._format)
        except Exception as error:  # a damaged schema raises errors of many kinds
            if "duplicate field names" in str(error):
                raise TableFileError(f"{self.path.name} has columns of the same name{self._name_twice()}.") from None
            raise _damaged(self.path, self._format, error) from None

    def _name_twice(self) -> str:
        is_parquet = self._format == "parquet"
        schema = parquet.read_schema(self.path) if is_parquet else pa.ipc.open_file(self.path).schema
        twice = {name for name in schema.names if schema.names.count(name) > 1}
        return f", {list_names(sorted(twice))}; rename or remove one"


class ExcelTable(TableFile):
    """The sheet of a workbook (.xlsx) that has the most of some columns, with the types of its cells; kept once read.

    With `unique` a second sheet that has all of these columns is an error. Otherwise the first of equal ones is read.
    """

    def __init__(self, path: Path, columns: Sequence[str] = (), *, unique: bool = False) -> None:
        try:
            sheets = pd.read_excel(
                path, None, header=None, dtype=object, keep_default_na=False, na_values=[""], engine="openpyxl"
            )
        except ImportError:
            advice = "install it with: pip install 'tabcast[excel]', or save the sheet as CSV"
            raise TableFileError(f"openpyxl is needed for {path.name}; {advice}.") from None
        except Exception as error:  # whatever a damaged file makes openpyxl stumble over
            raise _damaged(path, "excel", error) from None
        tables = {name: _without_border(cells) for name, cells in sheets.items()}
        tables = {name: cells for name, cells in tables.items() if not cells.empty}
        if not tables:
            raise TableFileError(f"{path.name} is empty; a table needs column names and rows.")
        wanted = set(columns)
        n_found = {name: len(wanted & {text.strip() for text in _header(cells)}) for name, cells in tables.items()}
        alike = [name for name, n in n_found.items() if n == len(wanted)]
        if unique and len(alike) > 1:
            raise TableFileError(
                f"{path.name} has {len(alike)} sheets with the column {list_names(columns)}, {list_names(alike)}; save "
                f"the right one as a file of its own, or in Python pass pd.read_excel({path.name!r}, {alike[0]!r})."
            )
        name = max(n_found, key=lambda one: n_found[one])
        self._cells, self.n_rows = tables[name], len(tables[name]) - 1
        super().__init__(path)
        if len(sheets) > 1:
            self.notes.append(
                f"{path.name} has {len(sheets)} sheets ({list_names(sheets)}); {name!r} was read. Save another one as "
                "a file of its own to read it."
            )

    def _read_names(self) -> tuple[list[str], list[str]]:
        return name_columns(self.path.name, _header(self._cells))

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        columns = [self._cells.iloc[1:, position].infer_objects() for position in positions]
        texts = [one if one.dtype != object else one.map(text_of, na_action="ignore") for one in columns]
        yield pa.table([pa.Array.from_pandas(column) for column in texts], names=list(map(str, positions)))


def _without_border(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of a sheet without its empty rows and columns."""
    cells = cells.map(lambda cell: None if isinstance(cell, str) and not cell.strip() else cell)
    return cells.dropna(how="all").dropna(how="all", axis="columns")


def _header(cells: pd.DataFrame) -> list[str]:
    """The names in the first row of a sheet."""
    return ["" if pd.isna(cell) else text_of(cell) for cell in cells.iloc[0]]


def _damaged(path: Path, kind: str, error: Exception) -> TableFileError:
    reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    what = f"is a damaged or incomplete {kind.capitalize()} file ({reason}); copy or write it again."
    if "not implemented" in str(error):
        reason = str(error).rpartition(": ")[2]
        what = f"has a column of a type that is not read ({reason}); write it with the column cast to another type."
    return TableFileError(f"{path.name} {what}")


# ---- For users


def open_table_file(path: str | os.PathLike[str], columns: Sequence[str] = (), *, unique: bool = False) -> TableFile:
    """Open a table file of any supported format; `columns` and `unique` tell which sheet of a workbook is meant."""
    path = Path(path)
    kind = find_format(path)
    if kind == "excel":
        return ExcelTable(path, columns, unique=unique)
    return TextTable(path) if kind == "text" else ArrowTable(path, kind)


def read_table_file(path: str | os.PathLike[str], columns: Sequence[str] = (), *, unique: bool = False) -> pd.DataFrame:
    """Read a table: CSV, TSV (also gzipped), Parquet, Feather or Excel (.xlsx), found by content.

    Text tables keep every value as text (`007` stays `007`), only empty fields become missing; what the columns are is
    decided by :func:`understand`. Parquet, Feather and Excel keep their types.

    Parameters
    ----------
    path : str or path-like
        The file. Delimiter (comma, semicolon, tab, pipe), encoding (UTF-8, byte-order marks, else Windows-1252) and
        compression (gzip) are detected.
    columns : sequence of str, default=()
        Columns that are expected: of an Excel workbook the sheet with most of them is read, the first among equals.
    unique : bool, default=False
        Whether to refuse a workbook in which several sheets have all of `columns`.

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
    understand : Interpret it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tabcast.files import read_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "customers.csv")
    ...     _ = path.write_text("id;city;spent\\n007;Bonn;1,5\\n008;Ulm;20")
    ...     read_table_file(path)
        id  city spent
    0  007  Bonn   1,5
    1  008   Ulm    20
    """
    table = open_table_file(path, columns, unique=unique)
    frame, _ = next(table.batches(None, table.names))
    frame.attrs["notes"] = list(table.notes)
    return frame


def read_notes(frame: pd.DataFrame) -> list[str]:
    """What :func:`read_table_file` noticed about the file of a table; nothing if it was not read from a file."""
    return [str(note) for note in frame.attrs.get("notes", [])]
