"""Excel workbooks (.xlsx), one sheet of them, through openpyxl, with the types of the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import Any

import pandas as pd

from tabcast.files._errors import TableFileError, list_names, suggest
from tabcast.files._source import Source, check_names, complete_names, note_line_breaks
from tabcast.files._values import text_of

TEXT = pd.Series(["text"]).dtype


class ExcelTable:
    """A sheet of a workbook; the interface of :class:`tabcast.files._read.TableFile`. Read once, then kept."""

    def __init__(self, source: Source, sheet: str | None = None) -> None:
        self._source = source
        with _open_workbook(source) as workbook:
            sheets = [one.title for one in workbook.worksheets]
            if not sheets:
                raise TableFileError(f"{source.name} has no sheet with cells.")
            self._sheet = sheets[0] if sheet is None else sheet
            if self._sheet not in sheets:
                hint = suggest(self._sheet, sheets) or f"; its sheets are {list_names(sheets)}."
                raise TableFileError(f"{source.name} has no sheet {self._sheet!r}{hint}")
            found = workbook[self._sheet]
            found.reset_dimensions()  # the size that a file declares may be wrong
            rows = [list(row) for row in found.iter_rows(values_only=True)]
        rows = [row for row in map(_empty_to_none, rows) if any(cell is not None for cell in row)]
        if not rows:
            raise TableFileError(
                f"Sheet {self._sheet!r} of {source.name} is empty; a table needs column names and rows."
            )
        width = max(max(place for place, cell in enumerate(row) if cell is not None) for row in rows) + 1
        self._rows = [(row + [None] * width)[:width] for row in rows]
        header, renamed = complete_names(["" if cell is None else text_of(cell) for cell in self._rows.pop(0)])
        self.names = check_names(source, header)
        self.notes = [*source.notes, *note_line_breaks(header, self.names), *renamed]
        if sheet is None and len(sheets) > 1:
            self.notes.append(
                f"{source.name} has {len(sheets)} sheets ({list_names(sheets)}); the first was read. Name the sheet to "
                "read another."
            )

    def count_rows(self) -> int:
        """Rows of the sheet."""
        return len(self._rows)

    def batches(
        self, batch_rows: int | None, used: Sequence[str], kept: Sequence[str] = ()
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Batches of two frames, the columns in `used` and those in `kept`."""
        n_rows = self.count_rows()
        if n_rows == 0:
            raise TableFileError(
                f"Sheet {self._sheet!r} of {self._source.name} has a header line but no rows below it."
            )
        step = batch_rows or n_rows
        for start in range(0, n_rows, step):
            rows = self._frame.iloc[start : start + step]
            yield rows[list(used)], rows[list(kept)]

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """The whole sheet, one type per column."""
        columns = zip(*self._rows, strict=True)
        return pd.DataFrame({name: to_column(list(cells)) for name, cells in zip(self.names, columns, strict=True)})


def to_column(cells: list[Any]) -> pd.Series[Any]:
    """Cells as a column of numbers, dates or booleans where all are, else of text."""
    types = {type(cell) for cell in cells if cell is not None}
    if types == {int} and all(cell is None or abs(cell) < 2**63 for cell in cells):
        return pd.Series(cells, dtype="int64" if None not in cells else "Int64")
    if types and types <= {int, float}:
        return pd.Series([float("nan") if cell is None else float(cell) for cell in cells])
    if types == {datetime}:
        return pd.Series(pd.to_datetime(pd.Series(cells, dtype=object)))
    if types == {bool}:
        return pd.Series(cells, dtype=bool if None not in cells else "boolean")
    return pd.Series([None if cell is None else text_of(cell) for cell in cells], dtype=TEXT)


def _empty_to_none(row: list[Any]) -> list[Any]:
    """Cells of nothing but spaces are empty."""
    return [None if isinstance(cell, str) and not cell.strip() else cell for cell in row]


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
