"""Large text tables without a single quote, cut into fields by pyarrow: the same values in a fraction of the time."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import pandas as pd

from tabcast.files._source import Source

FEWEST_BYTES = 1 << 23  # smaller files are read in a moment, and pyarrow takes one to import
BLOCK_BYTES = 1 << 22


def read_plain(
    source: Source, delimiter: str, n_columns: int, positions: Sequence[int], longest: int, dtype: Any
) -> list[pd.Series[Any]] | None:
    """Some columns of a text table in UTF-8 whose first line is its header; None if it is not that plain.

    Whatever is unusual (quotes, lone carriage returns, a line with another number of fields, a field that is too long)
    is left to the csv module, which names the line.

    Parameters
    ----------
    source : Source
        The file.
    delimiter : str
        What separates fields.
    n_columns : int
        Number of columns.
    positions : sequence of int
        The columns to read.
    longest : int
        Most bytes of a field.
    dtype : dtype
        That of text.

    Returns
    -------
    list of Series or None
        The columns: text, empty fields missing.
    """
    if find_spec("pyarrow") is None or n_columns < 2 or not _is_plain(source, delimiter, n_columns):
        return None
    import pyarrow as pa
    from pyarrow import compute, csv

    names = [str(position) for position in range(n_columns)]
    wanted = [names[position] for position in positions]
    try:
        with source.open_bytes() as file:
            table = csv.read_csv(
                file,
                csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES, skip_rows=1, column_names=names),
                csv.ParseOptions(delimiter=delimiter, quote_char=False),
                csv.ConvertOptions(
                    check_utf8=False,
                    column_types=dict.fromkeys(names, pa.large_string()),
                    null_values=[""],
                    strings_can_be_null=True,
                    include_columns=wanted,
                ),
            )
    except pa.ArrowInvalid:
        return None
    if not table.num_rows:
        return None
    columns = []
    for name in wanted:
        column = table.column(name)
        if (compute.max(compute.binary_length(column)).as_py() or 0) > longest:
            return None
        columns.append(column.to_pandas().astype(dtype).rename(None))
    return columns


def _is_plain(source: Source, delimiter: str, n_columns: int) -> bool:
    """Whether the file is large, has no quote and no lone carriage return, and begins with its header."""
    n_bytes = n_returns = n_line_ends = 0
    last = b""
    with source.open_bytes() as file:
        while block := file.read(BLOCK_BYTES):
            if not n_bytes and block.partition(b"\n")[0].count(delimiter.encode()) != n_columns - 1:
                return False
            if b'"' in block:
                return False
            n_bytes += len(block)
            n_returns += block.count(b"\r")
            n_line_ends += block.count(b"\r\n") + (last == b"\r" and block.startswith(b"\n"))
            last = block[-1:]
    return n_bytes >= FEWEST_BYTES and n_returns == n_line_ends
