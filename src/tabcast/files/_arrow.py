"""Parquet and Feather, through pyarrow, with the file's own types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from tabcast.files._delimited import check_names
from tabcast.files._errors import TableFileError
from tabcast.files._source import Source

INDEX_NAME = re.compile(r"__index_level_\d+__")  # how pandas stores an index without a name


def read_arrow(source: Source, batch_rows: int | None = None) -> Iterator[pd.DataFrame]:
    """The table in batches of at most `batch_rows` rows; None: all in one."""
    pyarrow = import_pyarrow(source.name)
    try:
        first_row = 0
        for table in _tables(source, batch_rows):
            frame = _to_frame(source, table)
            if not len(frame):
                continue
            frame.index = pd.RangeIndex(first_row, first_row + len(frame))
            first_row += len(frame)
            frame.attrs["notes"] = list(source.notes)
            yield frame
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise TableFileError(
            f"{source.name} is a damaged or incomplete {source.format.capitalize()} file ({reason.rstrip('.')}); "
            "copy or write it again."
        ) from None
    if first_row == 0:
        raise TableFileError(f"{source.name} has columns but no rows.")


def import_pyarrow(name: str) -> Any:
    """The pyarrow package, or one sentence on how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise TableFileError(
            f"pyarrow is needed for {name}; install it with: pip install 'tabcast[parquet]', or use CSV."
        ) from None
    return pyarrow


def _tables(source: Source, batch_rows: int | None) -> Iterator[Any]:
    """pyarrow tables: one, or batches."""
    import pyarrow as pa

    if source.format == "parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(source.path) as file:
            if batch_rows is None:
                yield file.read()
            else:
                for batch in file.iter_batches(batch_size=batch_rows):
                    yield pa.Table.from_batches([batch])
        return
    from pyarrow import feather

    if batch_rows is None or _is_first_feather(source):
        table = feather.read_table(source.path, memory_map=False)
        step = batch_rows or max(table.num_rows, 1)
        for start in range(0, table.num_rows, step):
            yield table.slice(start, step)
        return
    with pa.OSFile(str(source.path)) as raw, pa.ipc.open_file(raw) as file:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            for start in range(0, batch.num_rows, batch_rows):
                yield pa.Table.from_batches([batch.slice(start, batch_rows)])


def _is_first_feather(source: Source) -> bool:
    """Whether the file is in Feather's first format, which has no batches."""
    with source.open_bytes() as file:
        return file.read(4) == b"FEA1"


def _to_frame(source: Source, table: Any) -> pd.DataFrame:
    """A pandas DataFrame with the file's own columns: an index that pandas stored without a name is left out."""
    table = table.select([position for position, name in enumerate(table.column_names) if not INDEX_NAME.match(name)])
    if not table.column_names:
        raise TableFileError(f"{source.name} has no columns.")
    names = check_names(source, table.column_names)
    table = table.rename_columns([f"{position}" for position in range(len(names))])
    frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
    frame.columns = pd.Index(names, dtype=object).infer_objects()
    return frame
