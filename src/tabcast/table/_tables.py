"""The user's table, kept as it is: checked, and its rows and columns taken, whether array, pandas or polars."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import _num_samples

from tabcast.exceptions import EmptyColumnWarning
from tabcast.table._arrays import Floats, Index, Mask
from tabcast.table._cells import read_cells
from tabcast.table._numeric_arrays import read_numbers

FEW_CELLS = 1_000_000  # a table with so many is a few megabytes and copied in a few milliseconds


def read_table(X: Any, *, name: str = "X") -> Any:
    """Check a table; a DataFrame stays one, everything else becomes a numeric array.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_rows, n_columns)
        What the user passed.
    name : str, default="X"
        What to call it in an error.

    Returns
    -------
    ndarray or DataFrame
        The checked table.

    Examples
    --------
    >>> from tabcast.table import read_table
    >>> read_table([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    if sparse.issparse(X):
        raise TypeError(
            f"{name} is a sparse matrix; a dense one is required, because densities look at every cell. "
            f"Use {name}.toarray() if it fits in memory, or reduce its columns first."
        )
    if _is_lazy(X):
        raise TypeError(
            f"{name} is a {describe_type(X)}, whose rows are not in memory; pass {name}.collect() or .compute()."
        )
    if is_dataframe(X):
        if not isinstance(X, pd.DataFrame) and type(X).__module__.partition(".")[0] != "polars":
            X = X.to_pandas()  # for instance a Table of pyarrow
        return _check_dataframe(X, name)
    if isinstance(X, pd.Series) or type(X).__module__.startswith("polars"):
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got a 1D {type(X).__name__} instead. "
            f"Reshape your data: a single column as {name}.to_frame()."
        )
    return _read_array(X, name)


def _read_array(X: Any, name: str) -> Any:
    """Anything but a DataFrame as a numeric array; masked cells are missing ones."""
    advice = f"Pass a DataFrame, for instance pandas.DataFrame({name})"
    if (
        X is None
        or isinstance(X, str | bytes | dict | set | frozenset)
        or not (hasattr(X, "__len__") or hasattr(X, "__array__"))
    ):
        raise ValueError(f"Expected 2D array or DataFrame for {name}, got {describe_type(X)} instead. {advice}.")
    if isinstance(X, list | tuple) and any(isinstance(row, dict) for row in X):
        raise ValueError(f"Expected 2D array or DataFrame for {name}, got a list of dicts instead. {advice}.")
    if isinstance(X, list | tuple) and len({len(row) for row in X if hasattr(row, "__len__")}) > 1:
        raise ValueError(f"Rows of {name} must all have the same number of cells.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        X = np.where(np.ma.getmaskarray(X), np.nan, X.data)
    return read_numbers(X, name)


def _is_lazy(X: Any) -> bool:
    """Whether an object is a table of polars, Dask or another library that has not been computed."""
    if isinstance(X, pd.DataFrame | pd.Series | np.ndarray | list | tuple):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


def is_dataframe(X: Any) -> bool:
    """Tell whether an object is a pandas or polars DataFrame, or another one that narwhals supports.

    Parameters
    ----------
    X : object
        Any object.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import is_dataframe
    >>> is_dataframe(pd.DataFrame({"a": [1]})), is_dataframe([[1]])
    (True, False)
    """
    if isinstance(X, pd.DataFrame):
        return True
    if isinstance(X, np.ndarray | list | tuple):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(X, pass_through=True, eager_only=True), nw.DataFrame)


def plain_numbers(X: Any) -> Floats | None:
    """Return a table as one array, where every column is numeric.

    Parameters
    ----------
    X : ndarray or DataFrame
        A table.

    Returns
    -------
    ndarray or None
        Floats; None if some column is not numeric.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import plain_numbers
    >>> plain_numbers(pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))
    array([[1. , 0.5],
           [2. , 1.5]])
    >>> plain_numbers(pd.DataFrame({"city": ["Bern"]})) is None
    True
    """
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else [getattr(X, "dtype", None)]
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in dtypes):
        return X.to_numpy(dtype=float) if isinstance(X, pd.DataFrame) else np.asarray(X, dtype=float)
    return None


def describe_type(value: Any) -> str:
    """Return what an object is called in an error message: its type and, where it has one, its library.

    Parameters
    ----------
    value : object
        Any object.

    Returns
    -------
    str
        For instance "pandas DataFrame" or "list".

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import describe_type
    >>> describe_type(pd.DataFrame({"a": [1]}))
    'pandas DataFrame'
    """
    library = type(value).__module__.partition(".")[0]
    return type(value).__name__ if library == "builtins" else f"{library} {type(value).__name__}"


def n_rows(X: Any) -> int:
    """Count the rows of a table.

    Parameters
    ----------
    X : ndarray or DataFrame
        A checked table.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import n_rows
    >>> n_rows(np.zeros((3, 2)))
    3
    """
    return int(X.shape[0])


def check_lengths(X: Any, **others: Any) -> None:
    """Refuse arguments that do not have one entry per row.

    Parameters
    ----------
    X : array-like or DataFrame
        The table.
    **others : array-like or None
        Further arguments by name; None is skipped.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import check_lengths
    >>> try:
    ...     check_lengths(np.zeros((3, 2)), sample_weight=[1.0, 1.0])
    ... except ValueError as error:
    ...     print(error)
    `sample_weight` must have one entry per row of X, that is 3; got 2.
    """
    expected = n_rows(X) if hasattr(X, "shape") else _num_samples(X)
    for name, values in others.items():
        if values is not None and _num_samples(values) != expected:
            raise ValueError(
                f"`{name}` must have one entry per row of X, that is {expected}; got {_num_samples(values)}."
            )


def join_blocks(X: Any) -> Any:
    """Return a copy of a small DataFrame with columns of one type side by side in memory.

    Files are often read column by column, and pandas keeps them so; taking rows is then several times slower, which
    is up to 4% of a fit on a table of 72 columns.

    Parameters
    ----------
    X : array or DataFrame
        A checked table.

    Returns
    -------
    array or DataFrame
        The copy; anything but a small DataFrame of pandas as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table import join_blocks
    >>> join_blocks(pd.DataFrame({"a": [1], "b": [2]}))
       a  b
    0  1  2
    """
    return X.copy() if isinstance(X, pd.DataFrame) and X.size <= FEW_CELLS else X


def take_rows(X: Any, rows: Index) -> Any:
    """Take some rows of a table.

    Parameters
    ----------
    X : ndarray or DataFrame
        The table.
    rows : ndarray of int
        Positions of the rows to take.

    Returns
    -------
    ndarray or DataFrame
        The same kind of table with these rows.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tabcast.table import take_rows
    >>> take_rows(pd.DataFrame({"a": [1, 2, 3]}), np.array([0, 2]))
       a
    0  1
    2  3
    """
    return X.take(rows) if isinstance(X, pd.DataFrame) else X[rows]


def take_columns(X: Any, positions: Index) -> Any:
    """Take some columns of a table.

    Parameters
    ----------
    X : ndarray or DataFrame
        Any table.
    positions : ndarray of int
        Positions of the columns.

    Returns
    -------
    ndarray or DataFrame
        A table of the same kind.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import take_columns
    >>> take_columns(np.array([[1, 2, 3]]), np.array([2, 0]))
    array([[3, 1]])
    """
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, positions]
    if is_dataframe(X):
        return X[[X.columns[position] for position in positions]]
    return X[:, positions]


def describe_difference(expected: Any, got: Any) -> str:
    """Describe which column names are missing, and which are unexpected.

    Parameters
    ----------
    expected : iterable
        The expected names.
    got : iterable
        The given names.

    Returns
    -------
    str
        A phrase for an error message; empty if the names agree.

    Examples
    --------
    >>> from tabcast.table import describe_difference
    >>> describe_difference(["age", "city"], ["Age", "city"])
    "missing 'age'; unexpected 'Age'"
    """
    missing = [repr(name) for name in expected if name not in set(got)]
    unexpected = [repr(name) for name in got if name not in set(expected)]
    parts = []
    if missing:
        parts.append(f"missing {', '.join(missing[:10])}{', ...' if len(missing) > 10 else ''}")
    if unexpected:
        parts.append(f"unexpected {', '.join(unexpected[:10])}{', ...' if len(unexpected) > 10 else ''}")
    return "; ".join(parts)


def _check_dataframe(X: Any, name: str) -> Any:
    """The table, decimals as floats; rows, columns, unique names and finite numbers are checked."""
    if X.shape[0] == 0 or X.shape[1] == 0:
        kind = "sample(s)" if X.shape[0] == 0 else "feature(s)"
        raise ValueError(f"Found array with 0 {kind} (shape={X.shape}) in {name} while a minimum of 1 is required.")
    names = list(X.columns)
    doubles = sorted(repr(column) for column, count in Counter(names).items() if count > 1)
    if doubles:
        raise ValueError(
            f"Column names of {name} must differ; {', '.join(doubles)} occurs more than once. Rename them."
        )
    if isinstance(X, pd.DataFrame) and isinstance(X.columns, pd.MultiIndex):
        raise ValueError(
            f"Columns of {name} have names of several levels (a MultiIndex). Give each one name, for instance with "
            f"{name}.columns = ['_'.join(map(str, names)) for names in {name}.columns]."
        )
    kinds = sorted({type(column).__name__ for column in names})
    if "str" in kinds and len(kinds) > 1:
        raise TypeError(
            f"Column names of {name} must all be text; got {' and '.join(kinds)}. Use {name}.columns = "
            f"{name}.columns.astype(str)."
        )
    X = read_cells(X, name)
    infinite = [repr(column) for column in _infinite_columns(X)]
    if infinite:
        raise ValueError(
            f"Input {name} contains infinity or a value too large for float in column {', '.join(infinite[:10])}. "
            "Replace such cells by missing values or a bound."
        )
    return X


def _infinite_columns(X: Any) -> list[Any]:
    """Names of the columns that hold an infinite number."""
    if isinstance(X, pd.DataFrame):
        if X.size > FEW_CELLS:  # column by column, so that no copy of the table is made
            names = [name for name, dtype in X.dtypes.items() if pd.api.types.is_float_dtype(dtype)]
            return [name for name in names if np.isinf(X[name].to_numpy(dtype=float, na_value=np.nan)).any()]
        numbers = plain_numbers(X)
        if numbers is not None:
            cells = np.isinf(numbers)
            return X.columns[np.flatnonzero(cells.any(axis=0))].tolist() if cells.any() else []
        floats = [name for name, dtype in X.dtypes.items() if pd.api.types.is_float_dtype(dtype)]
        infinite = np.isinf(X[floats].to_numpy(dtype=float, na_value=np.nan)).any(axis=0)
        return [floats[position] for position in np.flatnonzero(infinite).tolist()]
    import narwhals as nw

    frame = nw.from_native(X)
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return [name for name in floats if np.isinf(frame[name].to_numpy().astype(float)).any()]


def find_empty_columns(X: Any) -> Mask:
    """Find the columns without any value.

    Parameters
    ----------
    X : ndarray or DataFrame
        A checked table.

    Returns
    -------
    ndarray of bool of shape (n_columns,)
        True for a column whose cells are all missing.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.table import find_empty_columns
    >>> find_empty_columns(np.array([[1.0, np.nan], [2.0, np.nan]]))
    array([False,  True])
    """
    if isinstance(X, pd.DataFrame) and X.size > FEW_CELLS:
        return np.array([bool(values.isna().all()) for _, values in X.items()])
    numbers = plain_numbers(X)
    if numbers is not None:
        return np.asarray(np.isnan(numbers).all(axis=0))
    if isinstance(X, pd.DataFrame):
        return X.isna().all().to_numpy()
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns = [frame[name] for name in frame.columns]
    missing = [one.is_null() | one.is_nan() if one.dtype.is_float() else one.is_null() for one in columns]
    return np.array([bool(one.all()) for one in missing])


def warn_empty_columns(X: Any, empty: Mask) -> None:
    """Warn about columns without any value.

    Parameters
    ----------
    X : ndarray or DataFrame
        A checked table.
    empty : ndarray of bool of shape (n_columns,)
        What :func:`find_empty_columns` found.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tabcast.table import warn_empty_columns
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_empty_columns(pd.DataFrame({"a": [1], "b": [None]}), np.array([False, True]))
    ...
    >>> print(caught[0].message)
    Column 'b' has no value in any row: it carries no information. Leave it out.
    """
    if not empty.any():
        return
    columns = list(X.columns) if hasattr(X, "columns") else range(len(empty))
    names = [repr(columns[at]) for at in np.flatnonzero(empty)]
    warnings.warn(
        f"Column {', '.join(names)} has no value in any row: it carries no information. Leave it out.",
        EmptyColumnWarning,
        stacklevel=2,
    )
