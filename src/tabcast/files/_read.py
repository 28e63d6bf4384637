"""Reading table files: pyarrow cuts and decodes them, here delimiter and encoding are found and errors are worded."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
LONGEST_FIELD = 131_072  # of the csv module
CONTROLS = re.compile(r"[\x01-\x08\x0e-\x19\x1b-\x1f]")
BLANK = " \t\x1a"
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores an index without a name


class TableFile:
    """A table file that is open for reading: `path`, `names` of its columns, and `notes` on what was noticed.

    It remembers its columns and, once all rows were read, their number `n_rows`: a file that differs when it is read
    again is refused.
    """

    n_rows: int | None = None

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self._source = source
        self.names, notes = self._read_names()
        self.notes = [*source.notes, *notes]

    def count_rows(self) -> int:
        """Rows of the file; of a text table about as many, from its lines."""
        raise NotImplementedError

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


@dataclass(frozen=True)
class Dialect:
    """How a text table is written."""

    encoding: str
    delimiter: str
    skip_space: bool = False  # spaces after a delimiter do not count: `1, "two"`
    says_delimiter: bool = False  # the first line is Excel's `sep=;`, not the header


class TextTable(TableFile):
    """A text table. Every value stays the text it was, and empty fields are missing."""

    def __init__(self, source: Source) -> None:
        encoding, has_quotes = _find_encoding(source)
        self._dialect = _find_dialect(source, encoding)
        if has_quotes:  # pyarrow tolerates quotes that are never closed, and what stands behind a closing one
            _check_records(source, self._dialect)
        super().__init__(source)
        if encoding == "cp1252":
            self.notes.insert(0, f"{source.name} is not UTF-8; it was read as Windows-1252 (cp1252).")

    def count_rows(self) -> int:
        """The lines below the header, those within quoted values included."""
        with self._source.open_bytes() as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK_BYTES), b"")) - 1

    def _read_names(self) -> tuple[list[str], list[str]]:
        with _open_text(self._source, self._dialect.encoding) as file:
            self._header_line, header = next(_records(self._source, file, self._dialect), (1, []))
        return name_columns(self._source, header, complete=True)

    def _tables(self, positions: list[int]) -> Iterator[Any]:
        names = [str(position) for position in range(len(self.names))]
        encoding = "utf-8" if self._dialect.encoding == "utf-8-sig" else self._dialect.encoding
        try:
            with self._source.open_bytes() as file:
                reader = arrow_csv.open_csv(
                    self._without_spaces(file) if self._dialect.skip_space else file,
                    arrow_csv.ReadOptions(
                        use_threads=False,  # with threads, pyarrow reads on where nobody asks for more
                        block_size=BLOCK_BYTES,
                        encoding=encoding,
                        column_names=names,
                        skip_rows=self._header_line - 1,
                        skip_rows_after_names=1,
                    ),
                    arrow_csv.ParseOptions(
                        delimiter=self._dialect.delimiter,
                        newlines_in_values=True,
                        invalid_row_handler=lambda row: "error" if row.text.strip(BLANK) else "skip",
                    ),
                    arrow_csv.ConvertOptions(
                        column_types=dict.fromkeys(names, pa.large_string()),
                        strings_can_be_null=True,
                        null_values=[""],
                        include_columns=[names[position] for position in positions],
                    ),
                )
                yield reader.schema.empty_table()
                yield from (pa.Table.from_batches([batch]) for batch in reader)
        except pa.ArrowInvalid as error:
            if _check_records(self._source, self._dialect) == 0:
                return  # nothing below the header is too little for pyarrow
            reason = str(error).splitlines()[0][:200].rstrip(".")
            raise TableFileError(f"{self._source.name} cannot be cut into fields ({reason}).") from None

    def _without_spaces(self, file: Any) -> io.BytesIO:
        """The file without spaces between delimiters and quotes, which pyarrow cannot skip."""
        text, dialect = io.TextIOWrapper(file, encoding=self._dialect.encoding, newline=""), self._dialect
        result = io.StringIO()
        rows = csv.reader(text, delimiter=dialect.delimiter, skipinitialspace=True)
        csv.writer(result, delimiter=dialect.delimiter, lineterminator="\n").writerows(rows)
        return io.BytesIO(result.getvalue().encode(dialect.encoding))


def _find_encoding(source: Source) -> tuple[str, bool]:
    """UTF-8, what a byte-order mark says, or Windows-1252, and whether there are quotes; refused if it is no text."""
    with source.open_bytes() as raw:
        head = raw.read(4)
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark)), None)
    for encoding in ("utf-8", "cp1252") if marked is None else (marked,):
        has_quotes, is_blank = False, True
        try:
            with _open_text(source, encoding) as file:
                for block in iter(partial(file.read, BLOCK_BYTES), ""):
                    _refuse_binary(source, block)
                    has_quotes |= '"' in block
                    is_blank = is_blank and not block.strip("\ufeff \t\r\n")
        except UnicodeDecodeError:
            continue
        if marked and is_blank:
            raise TableFileError(
                f"{source.name} is empty but for a byte-order mark; a table needs column names and rows."
            )
        return encoding, has_quotes
    which = f"not valid {marked.removesuffix('-sig').upper()}" if marked else "neither UTF-8 nor Windows-1252"
    raise TableFileError(f"{source.name} is {which} text (broken encoding); save it as UTF-8 and try again.")


def _refuse_binary(source: Source, block: str) -> None:
    """Zero bytes and many control characters are not text."""
    if "\x00" in block:
        advice = "if it is UTF-16 text, save it as UTF-8" if block.count("\x00") > len(block) / 4 else "name a table"
        raise TableFileError(f"{source.name} holds zero bytes, so it is not a text table; {advice}.")
    start = block[:HEAD_BYTES]
    if len(CONTROLS.findall(start)) > max(2, len(start) / 100):
        raise TableFileError(f"{source.name} is full of control characters, so it is not a text table; name a table.")


def _find_dialect(source: Source, encoding: str) -> Dialect:
    """The delimiter with the most regular rows, then the most columns; spaces are skipped only if that helps."""
    with _open_text(source, encoding) as file:
        first = file.readline().strip()
    if len(first) == 5 and first.lower().startswith("sep=") and first[4] in DELIMITERS:
        return Dialect(encoding, first[4], says_delimiter=True)
    candidates = [Dialect(encoding, delimiter, skip) for skip in (False, True) for delimiter in DELIMITERS]
    return max(candidates, key=lambda dialect: _score(source, dialect))


def _score(source: Source, dialect: Dialect) -> tuple[float, int, int]:
    """How well a dialect fits the first rows: the larger, the better.

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
        pass  # a stray quote further down: the rows before it say enough, and the check will name its line
    if not lengths or lengths[0] < 2:
        return 0.0, 0, 0
    return lengths.count(lengths[0]) / len(lengths), lengths[0], -n_spaced


def _check_records(source: Source, dialect: Dialect) -> int:
    """Name the first line that is not cut into as many fields as the header; the number of rows if there is none."""
    n_rows = 0
    with _open_text(source, dialect.encoding) as file:
        records = _records(source, file, dialect)
        _, header = next(records, (1, []))
        for line, record in records:
            n_rows += 1
            if len(record) != len(header):
                fewer = "only " if len(record) < len(header) else ""
                advice = (
                    "complete the line or remove it" if fewer else "a value that holds the delimiter must be in quotes"
                )
                raise TableFileError(
                    f"Line {line:,} of {source.name} has {fewer}{len(record):,} fields, the header has {len(header):,} "
                    f"(delimiter {DELIMITERS[dialect.delimiter]}); {advice}."
                )
    return n_rows


def _records(source: Source, file: TextIO, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The lines of a text table cut into fields, each with its line number; blank lines are left out."""
    reader = csv.reader(file, delimiter=dialect.delimiter, skipinitialspace=dialect.skip_space, strict=True)
    if dialect.says_delimiter:
        next(reader, None)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise TableFileError(f"Line {line:,} of {source.name} {_word_broken_record(str(error))}.") from None
        if record is None:
            return
        if len(record) > 1 or (record and record[0].strip(BLANK)):
            yield line, record


def _word_broken_record(reason: str) -> str:
    """What the csv module found, in our words."""
    if "field larger" in reason:
        return f"has a field of more than {LONGEST_FIELD:,} characters, probably a double quote that is never closed"
    if "unexpected end" in reason:
        return "opens a double quote that is never closed"
    if "expected after" in reason:
        return "has characters after a closing double quote; a quote inside a quoted value is written twice"
    return f"cannot be cut into fields ({reason})"


@contextmanager
def _open_text(source: Source, encoding: str) -> Iterator[TextIO]:
    """The file as text, its line ends untouched."""
    with source.open_bytes() as file, io.TextIOWrapper(file, encoding=encoding, newline="") as text:
        yield text


# ---- Parquet and Feather


class ArrowTable(TableFile):
    """A Parquet or Feather file, with its own types."""

    def count_rows(self) -> int:
        """The number that the file tells."""
        with self._open() as file:
            if isinstance(file, parquet.ParquetFile):
                return int(file.metadata.num_rows)
            return sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))

    def _read_names(self) -> tuple[list[str], list[str]]:
        with self._open() as file:
            schema = file.schema_arrow if isinstance(file, parquet.ParquetFile) else file.schema
            self._own = [name for name in schema.names if not PANDAS_INDEX.match(name)]
        if not self._own:
            raise TableFileError(f"{self._source.name} has no columns.")
        return name_columns(self._source, self._own, complete=False)

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
                reason = str(error).splitlines()[0][:200].rstrip(".") if str(error) else type(error).__name__
                raise TableFileError(
                    f"{self._source.name} is a damaged or incomplete {self._source.format.capitalize()} file "
                    f"({reason}); copy or write it again."
                ) from None


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
        super().__init__(source)
        if sheet is None and len(sheets) > 1:
            self.notes.append(
                f"{source.name} has {len(sheets)} sheets ({list_names(sheets)}); the first was read. Name the sheet to "
                "read another."
            )

    def count_rows(self) -> int:
        """Rows of the sheet."""
        return len(self._rows)

    def _read_names(self) -> tuple[list[str], list[str]]:
        return name_columns(
            self._source, ["" if cell is None else text_of(cell) for cell in self._header], complete=True
        )

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
            reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
            raise TableFileError(
                f"{source.name} is a damaged or incomplete Excel file ({reason}); copy or save it again."
            ) from None


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
