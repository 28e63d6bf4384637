"""Text that a spreadsheet would take for a formula, and the usual guard against it: an apostrophe in front."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # apostrophes in front are guarded too, so that one can always be taken away
FIRST = frozenset("'=+-@\t\r\n")
NUMBER = re.compile(r"[+-]?[.,]?\d[\d.,]*(?:[eE][+-]?\d+)?")


def guard_text(text: str) -> str:
    """A text that is no formula to a spreadsheet; numbers stay."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def unguard_text(text: str) -> str:
    """The text that :func:`guard_text` was given."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def guard_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose names and text cells are no formulas; columns without such a cell stay as they are."""
    columns = [_map_texts(frame.iloc[:, position], guard_text) for position in range(frame.shape[1])]
    names = [guard_text(name) if isinstance(name, str) else name for name in frame.columns]
    guarded = pd.concat(columns, axis=1) if columns else frame.copy(deep=False)
    return guarded.set_axis(names, axis=1)


def unguard(values: pd.Series[Any]) -> pd.Series[Any]:
    """A column of texts as it was before :func:`guard_frame`."""
    return _map_texts(values, unguard_text)


def _map_texts(values: pd.Series[Any], change: Any) -> pd.Series[Any]:
    """A column with its texts changed; the very same one if none begins like a formula."""
    dtype = values.dtype
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype):
        return values
    cells = values.astype(object).tolist()
    if FIRST.isdisjoint(cell[:1] for cell in cells if isinstance(cell, str)):
        return values
    changed = np.empty(len(cells), dtype=object)
    changed[:] = [change(cell) if isinstance(cell, str) else cell for cell in cells]
    return pd.Series(changed, index=values.index, name=values.name, dtype=object)
