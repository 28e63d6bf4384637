"""The base of every diagnostic: a frozen dataclass of plain tables, which can be written as JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostic:
    """Base class of diagnostics: numbers, strings, arrays and DataFrames as fields.

    See Also
    --------
    diagnose : Computes all diagnostics of a model.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain JSON values.

        Returns
        -------
        dict
            Tables are lists of rows; NaN and infinity are None.
        """
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}

    def __repr__(self) -> str:
        """The numbers in a line, then the answers that are inside, each on lines of its own."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        inside = {name: repr(value) for name, value in values.items() if isinstance(value, Diagnostic)}
        own = [f"{name}={_shorten(value)}" for name, value in values.items() if name not in inside]
        lines = [f"{type(self).__name__}({', '.join(own)})", *(f"{name}: {text}" for name, text in inside.items())]
        return "\n".join(lines).replace("\n", "\n    ")


def _shorten(value: Any) -> str:
    """Tables by their size, numbers with three digits."""
    if isinstance(value, pd.DataFrame | np.ndarray):
        return f"<{type(value).__name__} of {len(value)} rows>"
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def to_plain(value: Any) -> Any:
    """A value as JSON knows it: no numpy types, NaN and infinity as None, anything else as text."""
    if isinstance(value, Diagnostic):
        return value.to_dict()
    if isinstance(value, pd.DataFrame):
        columns = [[to_plain(cell) for cell in value[name].tolist()] for name in value.columns]
        return [dict(zip(value.columns, row, strict=True)) for row in zip(*columns, strict=True)]
    if isinstance(value, np.ndarray | np.generic):
        return to_plain(value.tolist())
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)
