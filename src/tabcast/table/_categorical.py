"""Which columns of a table are categorical: those the user names, or by their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tabcast.table._arrays import Mask
from tabcast.table._column_values import as_table, column_names, each_column, is_levels


def find_categorical(X: Any, categorical_features: ArrayLike | None = None) -> Mask:
    """Return a mask of the categorical columns.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_columns)
        A table.
    categorical_features : array-like of str, int or bool, default=None
        What the user passed. None infers them from the types.

    Returns
    -------
    ndarray of bool of shape (n_columns,)
        True for categorical columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import find_categorical
    >>> find_categorical(pd.DataFrame({"age": [31, 40], "city": ["Bern", "Ulm"]}))
    array([False,  True])
    """
    X = as_table(X)
    names = column_names(X)
    if categorical_features is None:
        if not hasattr(X, "columns"):
            return np.zeros(len(names), dtype=bool)
        if isinstance(X, pd.DataFrame):
            return np.array([is_levels(dtype) for dtype in X.dtypes], dtype=bool)
        return np.array([is_levels(values.dtype) for values in each_column(X)], dtype=bool)
    if isinstance(categorical_features, str) or not np.iterable(categorical_features):
        raise ValueError(
            f"`categorical_features` must be a list of names or positions, or a mask; got {categorical_features!r}."
        )
    wanted = [entry.item() if isinstance(entry, np.generic) else entry for entry in categorical_features]
    if wanted and all(isinstance(entry, bool) for entry in wanted):
        if len(wanted) != len(names):
            raise ValueError(
                f"A mask `categorical_features` must have one entry per column, {len(names)}; got {len(wanted)}."
            )
        return np.array(wanted)
    chosen = np.zeros(len(names), dtype=bool)
    for entry in wanted:
        chosen[_find_column(entry, names)] = True
    return chosen


def _find_column(entry: Any, names: Sequence[Any]) -> int:
    """Position of the column called `entry`, or of column number `entry`."""
    if entry in names:
        return names.index(entry)
    if isinstance(entry, int) and -len(names) <= entry < len(names):
        return entry
    known = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    raise ValueError(f"`categorical_features` names column {entry!r}, which X does not have. Columns: {known}.")
