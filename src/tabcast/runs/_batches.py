"""A table file as batches of rows: what the model looks at, and what is passed through untouched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from tabcast.files import TableFileError, iter_table_file
from tabcast.files._arrow import INDEX_NAME, _is_first_feather, import_pyarrow
from tabcast.files._delimited import check_names
from tabcast.files._source import Source, find_source

BLOCK_BYTES = 1 << 22


@dataclass(frozen=True)
class Batch:
    """Some rows of a table.

    Attributes
    ----------
    frame : the columns that were asked for and are there, as `read_table_file` would give them.
    kept : the columns that are passed through, exactly as in the file: whole numbers with gaps stay whole numbers.
    notes : what was noticed about the file.
    """

    frame: pd.DataFrame
    kept: pd.DataFrame
    notes: list[str]


class TableBatches:
    """The rows of a table file, a batch at a time, in the file's order.

    Only the columns that are needed are read from Parquet and Feather.

    Parameters
    ----------
    path : the file.
    batch_rows : most rows of a batch.

    Attributes
    ----------
    names : the columns of the file.
    """

    def __init__(self, path: str | Path, batch_rows: int) -> None:
        self._source = find_source(path)
        self._batch_rows = batch_rows
        if self._source.format == "text":
            self.names = list(next(iter_table_file(path, 1)).columns)
        else:
            self._own_names, self._n_rows = _look(self._source)
            self.names = check_names(self._source, self._own_names)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are; of a text table about how many, from its lines, which takes a reading."""
        return count_lines(self._source) - 1 if self._source.format == "text" else self._n_rows

    def read(self, used: Iterable[str], kept: Iterable[str]) -> Iterator[Batch]:
        """The batches, with the columns in `used` that are there, and those in `kept`."""
        used, kept = [name for name in used if name in set(self.names)], list(kept)
        if self._source.format == "text":
            for frame in iter_table_file(self._source.path, self._batch_rows):
                yield Batch(frame[used], frame[kept], list(frame.attrs.get("notes", [])))
            return
        pyarrow = import_pyarrow(self._source.name)
        own = dict(zip(self.names, self._own_names, strict=True))
        wanted = list(dict.fromkeys([*used, *kept]))
        try:
            for table in _tables(self._source, [own[name] for name in wanted], self._batch_rows):
                if table.num_rows:
                    table = table.rename_columns(wanted)
                    frame = table.select(used).to_pandas(ignore_metadata=True, date_as_object=False)
                    yield Batch(frame, _untouched(table.select(kept)), list(self._source.notes))
        except (pyarrow.ArrowException, OSError) as error:
            raise _damaged(self._source, error) from None


def count_lines(source: Source) -> int:
    """Lines of a text table; a line break within quotes counts, too."""
    n_lines, last = 0, b"\n"
    with source.open_bytes() as file:
        while block := file.read(BLOCK_BYTES):
            n_lines += block.count(b"\n")
            last = block[-1:]
    return n_lines + (last != b"\n")


def _look(source: Source) -> tuple[list[str], int]:
    """Names of the columns and number of rows of a Parquet or Feather file; an index without a name is no column."""
    pyarrow = import_pyarrow(source.name)
    try:
        if source.format == "parquet":
            from pyarrow import parquet

            with parquet.ParquetFile(source.path) as file:
                names, n_rows = file.schema_arrow.names, file.metadata.num_rows
        elif _is_first_feather(source):
            from pyarrow import feather

            table = feather.read_table(source.path, memory_map=False)
            names, n_rows = table.column_names, table.num_rows
        else:
            from pyarrow import dataset

            names = dataset.dataset(source.path, format="feather").schema.names
            n_rows = dataset.dataset(source.path, format="feather").count_rows()
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(source, error) from None
    if n_rows == 0:
        raise TableFileError(f"{source.name} has columns but no rows.")
    return [name for name in names if not INDEX_NAME.match(name)], n_rows


def _tables(source: Source, columns: list[str], batch_rows: int) -> Iterator[Any]:
    """pyarrow tables with these columns, in this order."""
    import pyarrow as pa

    if source.format == "parquet":
        from pyarrow import parquet

        # Without buffering ahead, memory does not grow with the size of the file's row groups.
        with parquet.ParquetFile(source.path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
                yield pa.Table.from_batches([batch]).select(columns)
        return
    if _is_first_feather(source):
        from pyarrow import feather

        table = feather.read_table(source.path, memory_map=False).select(columns)
        yield from (table.slice(start, batch_rows) for start in range(0, table.num_rows, batch_rows))
        return
    from pyarrow import dataset

    scanner = dataset.dataset(source.path, format="feather").scanner(
        columns=columns, batch_size=batch_rows, batch_readahead=1, fragment_readahead=1
    )
    for batch in scanner.to_batches():
        yield pa.Table.from_batches([batch])


def _untouched(table: Any) -> pd.DataFrame:
    """Columns in pyarrow's own types: nothing is rounded, and every batch has the same types."""
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # dictionaries differ between batches
            table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
    return table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)


def _damaged(source: Source, error: Exception) -> TableFileError:
    reason = str(error).splitlines()[0][:200].rstrip(".") if str(error) else type(error).__name__
    return TableFileError(
        f"{source.name} is a damaged or incomplete {source.format.capitalize()} file ({reason}); "
        "copy or write it again."
    )
