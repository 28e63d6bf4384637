"""Reading table files: pyarrow cuts and decodes them, here delimiter and encoding are found and errors are worded."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, TextIO

import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from tabcast.files._source import HEAD_BYTES, Source, find_source, name_columns
from tabcast.files._values import text_of
from tabcast.wording import Argument, TableFileError, list_names, suggest

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
BROKEN_RECORDS = {  # what the csv module says, and what we say
    "field larger": "has a field of more than 131,072 characters, probably a double quote that is never closed",
    "unexpected end": "opens a double quote that is never closed",
    "expected after": "has characters after a closing double quote; a quote inside a quoted value is written twice",
}
CONTROLS = re.compile(r"[\x01-\x08\x0e-\x19\x1b-\x1f]")
BLANK = " \t\x1a"
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores an index without a name


class TableFile:
    """A table file that is open for reading: `path`, `names` of its columns, and `notes` on what was noticed.

    It remembers its columns and, once all rows were read, their number `n_rows`: a file that differs when it is read
    again is refused.
    """

    n_rows: int | None = None  # known of a file that tells it, or once it was read

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self._source = source
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
            raise TableFileError(f"{self._source.name} has a header line but no rows below it.")
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
    names = table.column_names
    table = table.rename_columns([str(position) for position in range(len(names))])
    if untouched:
        for position, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type):  # dictionaries differ between batches
                table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
        frame = table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
    else:
        frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    return frame.set_axis(pd.Index(names, dtype=object).infer_objects(), axis=1).set_axis(index)


# ---- Text


class TextTable(TableFile):
    """A text table. Every value stays the text it was, and empty fields are missing."""

    def __init__(self, source: Source) -> None:
        self._encoding, has_quotes = _find_encoding(source)
        self._source, self._says_delimiter = source, False
        with self._open() as file:
            first = file.readline().strip()
        if len(first) == 5 and first.lower().startswith("sep=") and first[4] in DELIMITERS:  # written for Excel
            self._delimiter, self._says_delimiter = first[4], True
        else:
            self._delimiter = max(DELIMITERS, key=self._score)
        if has_quotes:  # pyarrow tolerates quotes that are never closed, and what stands behind a closing one
            self._check_records()
        super().__init__(source)
        if self._encoding == "cp1252":
            self.notes.insert(0, f"{source.name} is not UTF-8; it was read as Windows-1252 (cp1252).")

    def _read_names(self) -> tuple[list[str], list[str]]:
        with self._open() as file:
            self._header_line, header = next(self._records(file, self._delimiter), (1, []))
        return name_columns(self._source, header)

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        names = [str(position) for position in range(len(self.names))]
        reading = arrow_csv.ReadOptions(
            use_threads=False,  # with threads, pyarrow reads on where nobody asks for more
            block_size=BLOCK_BYTES,
            encoding=self._encoding.removesuffix("-sig"),
            column_names=names,
            skip_rows=self._header_line - 1,
            skip_rows_after_names=1,
        )
        parsing = arrow_csv.ParseOptions(
            delimiter=self._delimiter,
            newlines_in_values=True,
            invalid_row_handler=lambda row: "error" if row.text.strip(BLANK) else "skip",
        )
        converting = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            strings_can_be_null=True,
            null_values=[""],
            include_columns=[names[position] for position in positions],
        )
        try:
            with self._source.open_bytes() as file:
                reader = arrow_csv.open_csv(file, reading, parsing, converting)
                yield reader.schema.empty_table()
                yield from (pa.Table.from_batches([batch]) for batch in reader)
        except pa.ArrowInvalid as error:
            if self._check_records() == 0:
                return  # nothing below the header is too little for pyarrow
            raise TableFileError(f"{self._source.name} cannot be cut into fields ({_shorten(error)}).") from None

    def _score(self, delimiter: str) -> tuple[float, int]:
        """How well a delimiter fits the first rows: the proportion with as many fields as the header, that number."""
        lengths = []
        with suppress(TableFileError), self._open() as file:  # a stray quote further down: the check will name its line
            for _, record in islice(self._records(file, delimiter), SAMPLE_RECORDS):
                lengths.append(len(record))
        if not lengths or lengths[0] < 2:
            return 0.0, 0
        return lengths.count(lengths[0]) / len(lengths), lengths[0]

    def _check_records(self) -> int:
        """Name the first line that is not cut into as many fields as the header; the number of rows if none is."""
        n_rows = -1
        width = 0
        with self._open() as file:
            for line, record in self._records(file, self._delimiter):
                n_rows += 1
                width = width or len(record)
                if len(record) != width:
                    fewer = len(record) < width
                    advice = "complete or remove it" if fewer else "a value that holds the delimiter must be in quotes"
                    raise TableFileError(
                        f"Line {line:,} of {self._source.name} has {'only ' if fewer else ''}{len(record):,} fields, "
                        f"the header has {width:,} (delimiter {DELIMITERS[self._delimiter]}); {advice}."
                    )
        return n_rows

    def _records(self, file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """The lines cut into fields, each with its line number; blank lines are left out."""
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        if self._says_delimiter:
            next(reader, None)
        while True:
            line = reader.line_num + 1
            try:
                record = next(reader, None)
            except csv.Error as error:
                reason = next((ours for theirs, ours in BROKEN_RECORDS.items() if theirs in str(error)), str(error))
                raise TableFileError(f"Line {line:,} of {self._source.name} {reason}.") from None
            if record is None:
                return
            if len(record) > 1 or (record and record[0].strip(BLANK)):
                yield line, record

    @contextmanager
    def _open(self) -> Iterator[TextIO]:
        """The file as text, its line ends untouched."""
        with self._source.open_bytes() as raw, io.TextIOWrapper(raw, encoding=self._encoding, newline="") as text:
            yield text


def _find_encoding(source: Source) -> tuple[str, bool]:
    """UTF-8, what a byte-order mark says, or Windows-1252, and whether there are quotes; refused if it is no text."""
    with source.open_bytes() as raw:
        head = raw.read(4)
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark)), None)
    for encoding in ("utf-8", "cp1252") if marked is None else (marked,):
        has_quotes = False
        try:
            with source.open_bytes() as raw, io.TextIOWrapper(raw, encoding=encoding, newline="") as file:
                for block in iter(partial(file.read, BLOCK_BYTES), ""):
                    has_quotes |= '"' in block
                    if "\x00" in block or len(CONTROLS.findall(block[:HEAD_BYTES])) > max(2, len(block) / 100):
                        raise TableFileError(
                            f"{source.name} holds zero bytes or control characters, so it is not a text table; name a "
                            "table, or save text in UTF-16 as UTF-8."
                        )
        except UnicodeDecodeError:
            continue
        return encoding, has_quotes
    which = f"not valid {marked.removesuffix('-sig').upper()}" if marked else "neither UTF-8 nor Windows-1252"
    raise TableFileError(f"{source.name} is {which} text (broken encoding); save it as UTF-8 and try again.")


# ---- Parquet and Feather


class ArrowTable(TableFile):
    """A Parquet or Feather file, with its own types."""

    def _read_names(self) -> tuple[list[str], list[str]]:
        with self._open() as file:
            is_parquet = isinstance(file, parquet.ParquetFile)
            schema = file.schema_arrow if is_parquet else file.schema
            if is_parquet and self.n_rows is None:
                self.n_rows = file.metadata.num_rows
            self._own = [name for name in schema.names if not PANDAS_INDEX.match(name)]
        if len(set(self._own)) < len(self._own):
            raise TableFileError(f"{self._source.name} has columns of the same name; rename or remove one.")
        return name_columns(self._source, self._own)

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        columns = [self._own[position] for position in positions]
        with self._open() as file:
            if isinstance(file, parquet.ParquetFile):
                schema, batches = file.schema_arrow, file.iter_batches(columns=columns)
            else:
                schema, batches = file.schema, map(file.get_batch, range(file.num_record_batches))
            yield schema.empty_table().select(columns)
            for batch in batches:
                yield pa.Table.from_batches([batch]).select(columns)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The file; what pyarrow raises for a damaged one, also between its pages, in one sentence."""
        with self._source.open_bytes() as raw:
            try:
                if self._source.format == "feather":
                    with pa.ipc.open_file(raw) as file:
                        yield file
                else:  # without buffering ahead, memory does not grow with the size of the file's row groups
                    with parquet.ParquetFile(raw, pre_buffer=False) as file:
                        yield file
            except (pa.ArrowException, OSError) as error:
                raise _damaged(self._source, error) from None


# ---- Excel


class ExcelTable(TableFile):
    """A sheet of a workbook (.xlsx), with the types of its cells. Read once, then kept."""

    def __init__(self, source: Source, sheet: str | None = None) -> None:
        with _open_workbook(source) as workbook:
            sheets = [one.title for one in workbook.worksheets]
            if not sheets:
                raise TableFileError(f"{source.name} has no sheet with cells.")
            name = sheets[0] if sheet is None else sheet
            if name not in sheets:
                hint = suggest(name, sheets) or f"; its sheets are {list_names(sheets)}."
                raise TableFileError(f"{source.name} has no sheet {name!r}{hint}")
            found = workbook[name]
            found.reset_dimensions()  # the size that a file declares may be wrong
            rows = [list(row) for row in found.iter_rows(values_only=True)]
        rows = [[None if isinstance(cell, str) and not cell.strip() else cell for cell in row] for row in rows]
        rows = [row for row in rows if any(cell is not None for cell in row)]
        if not rows:
            raise TableFileError(f"Sheet {name!r} of {source.name} is empty; a table needs column names and rows.")
        width = max(max(place for place, cell in enumerate(row) if cell is not None) for row in rows) + 1
        self._header, *self._rows = [(row + [None] * width)[:width] for row in rows]
        self.n_rows = len(self._rows)
        super().__init__(source)
        if sheet is None and len(sheets) > 1:
            self.notes.append(
                f"{source.name} has {len(sheets)} sheets ({list_names(sheets)}); the first was read. Name the sheet to "
                "read another."
            )

    def _read_names(self) -> tuple[list[str], list[str]]:
        return name_columns(self._source, ["" if cell is None else text_of(cell) for cell in self._header])

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        columns = [_to_array([row[position] for row in self._rows]) for position in positions]
        yield pa.table(columns, names=[str(position) for position in positions])


def _to_array(cells: list[Any]) -> Any:
    """Cells as a column of numbers, dates or booleans where all are, else of text."""
    types = {type(cell) for cell in cells if cell is not None}
    if types == {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells])
    if len(types) == 1 and types <= {int, float, datetime, bool}:
        try:
            return pa.array(cells)
        except (pa.ArrowInvalid, OverflowError):
            pass  # an integer beyond 64 bits
    return pa.array([None if cell is None else text_of(cell) for cell in cells], pa.large_string())


@contextmanager
def _open_workbook(source: Source) -> Iterator[Any]:
    """The workbook with the values that Excel last computed; what goes wrong in one sentence."""
    try:
        import openpyxl
    except ImportError:
        raise TableFileError(
            f"openpyxl is needed for {source.name}; install it with: pip install 'tabcast[excel]', or save the sheet "
            "as CSV."
        ) from None
    with source.open_bytes() as file:
        try:
            workbook = openpyxl.load_workbook(file, read_only=True, data_only=True)
            yield workbook
            workbook.close()
        except TableFileError:
            raise
        except Exception as error:  # whatever a damaged file makes openpyxl stumble over
            raise _damaged(source, error) from None


def _damaged(source: Source, error: Exception) -> TableFileError:
    what = f"a damaged or incomplete {source.format.capitalize()} file ({_shorten(error)})"
    return TableFileError(f"{source.name} is {what}; copy or write it again.")


def _shorten(error: Exception) -> str:
    """What a library says is wrong, on one line."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


# ---- For users


def open_table_file(path: str | os.PathLike[str], sheet: str | None = None) -> TableFile:
    """Open a table file of any supported format; `sheet` is that of an Excel file, None: the first."""
    source = find_source(path)
    if source.format == "excel":
        return ExcelTable(source, sheet)
    if sheet is not None:
        raise TableFileError(Argument("sheet"), f" is for Excel files; {source.name} has no sheets.")
    return TextTable(source) if source.format == "text" else ArrowTable(source)


def read_table_file(path: str | os.PathLike[str], sheet: str | None = None) -> pd.DataFrame:
    """Read a table: CSV, TSV (also gzipped), Parquet, Feather or Excel (.xlsx), found by content.

    Text tables keep every value as text (`007` stays `007`), only empty fields become missing; what the columns are is
    decided by :func:`understand`. Parquet, Feather and Excel keep their types.

    Parameters
    ----------
    path : str or path-like
        The file. Delimiter (comma, semicolon, tab, pipe), encoding (UTF-8, byte-order marks, else Windows-1252) and
        compression (gzip) are detected.
    sheet : str, default=None
        Which sheet of an Excel file to read. None: the first.

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
    ...     _ = path.write_text("id;city;spent\\n007;Bonn;1,5\\n008;;20")
    ...     read_table_file(path)
        id  city spent
    0  007  Bonn   1,5
    1  008   NaN    20
    """
    table = open_table_file(path, sheet)
    frame, _ = next(table.batches(None, table.names))
    frame.attrs["notes"] = list(table.notes)
    return frame


def read_notes(frame: pd.DataFrame) -> list[str]:
    """What :func:`read_table_file` noticed about the file of a table; nothing if it was not read from a file."""
    return [str(note) for note in frame.attrs.get("notes", [])]
