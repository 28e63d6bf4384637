"""Arrays as numbers: scikit-learn reads them, and where it cannot, the column, the cell and the cure are named."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from tabcast.table._cells import NOT_A_CELL, SINGLE


def read_numbers(X: Any, name: str) -> NDArray[Any]:
    """Return an array-like as a table of numbers; missing values of any kind are NaN.

    Parameters
    ----------
    X : array-like
        What the user passed.
    name : str
        What to call it in an error.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Numbers, none of them infinite.
    """
    try:
        array = check_array(X, ensure_all_finite="allow-nan", input_name=name, estimator="tabcast")
    except (OverflowError, TypeError, ValueError):  # what is wrong is only looked for in an array that is refused
        array = _read_cells(_read_shape(X, name), name)
    if array.dtype.kind not in "fiub":
        _refuse_cell(array[0, 0], 0, 0, name, TypeError(f"got {array.dtype}"))
    return array


def _read_shape(X: Any, name: str) -> NDArray[Any]:
    """The array, with rows and columns."""
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            array = np.asarray(X, dtype=object)  # a list of text and numbers: the numbers stay numbers
    except ValueError:
        raise ValueError(f"Rows of {name} must all have the same number of cells, each a single value.") from None
    if array.dtype.names is not None:
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got a structured array instead. Pass a DataFrame, for "
            f"instance pandas.DataFrame({name})."
        )
    if array.ndim > 2:
        raise ValueError(
            f"Found array with dim {array.ndim} for {name}, while a table has rows and columns. "
            f"Flatten the rest into columns, for instance with {name}.reshape(len({name}), -1)."
        )
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got {array.ndim}D array instead. Reshape your data: a single "
            f"column as {name}.reshape(-1, 1), a single row as {name}.reshape(1, -1)."
        )
    if 0 in array.shape:
        kind = "sample(s)" if array.shape[0] == 0 else "feature(s)"
        raise ValueError(f"Found array with 0 {kind} (shape={array.shape}) while a minimum of 1 is required in {name}.")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is complex. Use its real and imaginary part.")
    return array


def _read_cells(array: NDArray[Any], name: str) -> NDArray[Any]:
    """The array as finite floats, cell by cell."""
    if array.dtype == object:
        array = np.where(pd.isna(array), np.nan, array)  # pd.NA and NaT are missing values as None is
    numbers = np.empty(array.shape)
    for position in range(array.shape[1]):
        try:
            numbers[:, position] = array[:, position].astype(float)
        except (OverflowError, TypeError, ValueError):
            _refuse_first(array[:, position].tolist(), position, name)
    infinite = np.flatnonzero(np.isinf(numbers).any(axis=0)).tolist()
    if infinite:
        raise ValueError(
            f"Input {name} contains infinity or a value too large for float in column "
            f"{', '.join(map(str, infinite[:10]))}. Replace such cells by missing values or a bound."
        )
    return numbers


def _refuse_first(cells: list[Any], position: int, name: str) -> None:
    """Name the first cell of a column that is not a number."""
    for row, cell in enumerate(cells):
        try:
            float(cell)
        except (OverflowError, TypeError, ValueError) as error:
            _refuse_cell(cell, row, position, name, error)


def _refuse_cell(cell: Any, row: int, position: int, name: str, error: Exception) -> NoReturn:
    kind = TypeError if isinstance(error, TypeError) else ValueError
    advice = f"Pass a DataFrame, for instance pandas.DataFrame({name}), which may have text and dates."
    raise kind(
        f"{name} has cells that are not numbers: row {row} of column {position} has a {type(cell).__name__} "
        f"({' '.join(str(error).split())}). {advice if isinstance(cell, SINGLE) else NOT_A_CELL}"
    ) from None
