"""Parquet and Feather, through pyarrow, with the file's own types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from tabcast.files._errors import TableFileError
from tabcast.files._source import Source, check_names, note_line_breaks

INDEX_NAME = re.compile(r"__index_level_\d+__")  # how pandas stores an index without a name


class ArrowTable:
    """A Parquet or Feather file; the interface of :class:`tabcast.files._read.TableFile`."""

    def __init__(self, source: Source) -> None:
        import_pyarrow(source.name)
        self._source = source
        with _damage_explained(source):
            own = [name for name in self._read_names() if not INDEX_NAME.match(name)]
        if not own:
            raise TableFileError(f"{source.name} has no columns.")
        self.names = check_names(source, own)
        self.notes = [*source.notes, *note_line_breaks(own, self.names)]
        self._own_name = dict(zip(self.names, own, strict=True))

    def count_rows(self) -> int:
        """Rows of the file; of Feather, by reading one column."""
        with _damage_explained(self._source):
            if self._source.format == "parquet":
                from pyarrow import parquet

                with parquet.ParquetFile(self._source.path) as file:
                    return int(file.metadata.num_rows)
            return sum(table.num_rows for table in self._tables(None, [self._own_name[self.names[0]]]))

    def batches(
        self, batch_rows: int | None, used: Sequence[str], kept: Sequence[str] = ()
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Batches of two frames: the columns in `used` as pandas types, those in `kept` exactly as in the file."""
        wanted = list(dict.fromkeys([*used, *kept]))
        first_row = 0
        with _damage_explained(self._source):
            for table in self._tables(batch_rows, [self._own_name[name] for name in wanted]):
                if table.num_rows:
                    table = table.rename_columns(wanted)
                    index = pd.RangeIndex(first_row, first_row + table.num_rows)
                    first_row += table.num_rows
                    yield _to_frame(table.select(used), index), _to_frame_untouched(table.select(kept), index)
        if first_row == 0:
            raise TableFileError(f"{self._source.name} has columns but no rows.")

    def _read_names(self) -> list[str]:
        """Names of all columns of the file."""
        import pyarrow as pa
        from pyarrow import feather, parquet

        if self._source.format == "parquet":
            with parquet.ParquetFile(self._source.path) as file:
                return list(file.schema_arrow.names)
        if self._is_first_feather():
            return list(feather.read_table(self._source.path, memory_map=False).column_names)
        with pa.OSFile(str(self._source.path)) as raw, pa.ipc.open_file(raw) as file:
            return list(file.schema.names)

    def _tables(self, batch_rows: int | None, columns: list[str]) -> Iterator[Any]:
        """Tables of pyarrow with these columns, in this order: one, or batches."""
        import pyarrow as pa
        from pyarrow import feather, parquet

        if self._source.format == "parquet":
            # Without buffering ahead, memory does not grow with the size of the file's row groups.
            with parquet.ParquetFile(self._source.path, pre_buffer=False) as file:
                if batch_rows is None:
                    yield file.read(columns=columns).select(columns)
                    return
                for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
                    yield pa.Table.from_batches([batch]).select(columns)
        elif batch_rows is None or self._is_first_feather():
            table = feather.read_table(self._source.path, memory_map=False).select(columns)
            yield from _slices(table, batch_rows)
        else:
            with pa.OSFile(str(self._source.path)) as raw:
                schema = pa.ipc.open_file(raw).schema
                included = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in columns])
                with pa.ipc.open_file(raw, options=included) as file:
                    for number in range(file.num_record_batches):
                        yield from _slices(pa.Table.from_batches([file.get_batch(number)]).select(columns), batch_rows)

    def _is_first_feather(self) -> bool:
        """Whether the file is in Feather's first format, which has no batches."""
        with self._source.open_bytes() as file:
            return file.read(4) == b"FEA1"


def import_pyarrow(name: str) -> Any:
    """The pyarrow package, or one sentence on how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise TableFileError(
            f"pyarrow is needed for {name}; install it with: pip install 'tabcast[parquet]', or use CSV."
        ) from None
    return pyarrow


def _slices(table: Any, n_rows: int | None) -> Iterator[Any]:
    """A table in slices of at most `n_rows` rows."""
    step = n_rows or max(table.num_rows, 1)
    yield from (table.slice(start, step) for start in range(0, table.num_rows, step))


def _to_frame(table: Any, index: pd.RangeIndex) -> pd.DataFrame:
    """Columns in the types of pandas."""
    names = table.column_names
    table = table.rename_columns([f"{position}" for position in range(len(names))])
    frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    frame.columns = pd.Index(names, dtype=object).infer_objects()
    frame.index = index
    return frame


def _to_frame_untouched(table: Any, index: pd.RangeIndex) -> pd.DataFrame:
    """Columns in pyarrow's own types: nothing is rounded, and every batch has the same types."""
    import pyarrow as pa

    if not table.column_names:
        return pd.DataFrame(index=index)
    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # dictionaries differ between batches
            table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
    return table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True).set_axis(index)


@contextmanager
def _damage_explained(source: Source) -> Iterator[None]:
    """What pyarrow raises for a damaged file, in one sentence."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200].rstrip(".") if str(error) else type(error).__name__
        raise TableFileError(
            f"{source.name} is a damaged or incomplete {source.format.capitalize()} file ({reason}); "
            "copy or write it again."
        ) from None
