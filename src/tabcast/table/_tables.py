"""The user's table, kept as it is: checked, and its rows and columns taken, whether array, pandas or polars."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_array

from tabcast.exceptions import EmptyColumnWarning
from tabcast.table._arrays import Floats, Index


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
    """
    if sparse.issparse(X):
        raise TypeError(
            f"{name} is a sparse matrix; a dense one is required, because densities look at every cell. "
            f"Use {name}.toarray() if it fits in memory, or reduce its columns first."
        )
    if is_dataframe(X):
        _check_dataframe(X, name)
        return X
    if isinstance(X, pd.Series) or type(X).__module__.startswith("polars"):
        raise ValueError(
            f"Expected 2D array or DataFrame for {name}, got a 1D {type(X).__name__} instead. "
            f"Reshape your data: a single column as {name}.to_frame()."
        )
    return check_array(X, ensure_all_finite="allow-nan", input_name=name, estimator="tabcast")


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
    """
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else [getattr(X, "dtype", None)]
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in dtypes):
        return X.to_numpy(dtype=float) if isinstance(X, pd.DataFrame) else np.asarray(X, dtype=float)
    return None


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
    """
    return int(X.shape[0])


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
    """
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, positions]
    if is_dataframe(X):
        return X[[X.columns[position] for position in positions]]
    return X[:, positions]


def stack_rows(X: Any, X_unlabeled: Any) -> Any:
    """Stack two tables with the same columns.

    Parameters
    ----------
    X : ndarray or DataFrame
        The first rows.
    X_unlabeled : ndarray or DataFrame
        Further rows; the same kind of table.

    Returns
    -------
    ndarray or DataFrame
        All rows. Levels of category columns are united.
    """
    if is_dataframe(X) != is_dataframe(X_unlabeled) or (is_dataframe(X) and type(X) is not type(X_unlabeled)):
        raise TypeError(
            "X and X_unlabeled must be the same kind of table; "
            f"got {type(X).__name__} and {type(X_unlabeled).__name__}."
        )
    if not is_dataframe(X):
        if X.shape[1] != X_unlabeled.shape[1]:
            raise ValueError(
                f"X and X_unlabeled must have the same columns; got {X.shape[1]} and {X_unlabeled.shape[1]} columns."
            )
        return np.concatenate([X, X_unlabeled])
    difference = describe_difference(X.columns, X_unlabeled.columns)
    if difference:
        raise ValueError(f"Columns differ between X and X_unlabeled: {difference}.")
    X_unlabeled = X_unlabeled[list(X.columns)]
    if isinstance(X, pd.DataFrame):
        return _stack_pandas(X, X_unlabeled)
    import narwhals as nw

    return nw.concat([nw.from_native(X), nw.from_native(X_unlabeled)], how="vertical").to_native()


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
    """
    missing = [repr(name) for name in expected if name not in set(got)]
    unexpected = [repr(name) for name in got if name not in set(expected)]
    parts = []
    if missing:
        parts.append(f"missing {', '.join(missing[:10])}{', ...' if len(missing) > 10 else ''}")
    if unexpected:
        parts.append(f"unexpected {', '.join(unexpected[:10])}{', ...' if len(unexpected) > 10 else ''}")
    return "; ".join(parts)


def _stack_pandas(X: pd.DataFrame, X_unlabeled: pd.DataFrame) -> pd.DataFrame:
    """Concatenate, uniting the levels of category columns instead of losing the type."""
    first, second = X.copy(deep=False), X_unlabeled.copy(deep=False)
    for name in X.columns:
        ours, theirs = X[name].dtype, X_unlabeled[name].dtype
        if isinstance(ours, pd.CategoricalDtype) and ours != theirs:
            extra = pd.Index(X_unlabeled[name].dropna().unique()).difference(ours.categories, sort=False)
            united = pd.CategoricalDtype([*ours.categories, *extra], ordered=ours.ordered)
            first[name], second[name] = X[name].astype(united), X_unlabeled[name].astype(united)
    return pd.concat([first, second], ignore_index=True)


def _check_dataframe(X: Any, name: str) -> None:
    """Rows, columns, unique names, finite numbers."""
    if X.shape[0] == 0 or X.shape[1] == 0:
        kind = "sample(s)" if X.shape[0] == 0 else "feature(s)"
        raise ValueError(f"Found array with 0 {kind} (shape={X.shape}) in {name} while a minimum of 1 is required.")
    doubles = sorted(repr(column) for column, count in Counter(X.columns).items() if count > 1)
    if doubles:
        raise ValueError(
            f"Column names of {name} must differ; {', '.join(doubles)} occurs more than once. Rename them."
        )
    infinite = [repr(column) for column in _infinite_columns(X)]
    if infinite:
        raise ValueError(
            f"Input {name} contains infinity or a value too large for float in column {', '.join(infinite[:10])}. "
            "Replace such cells by missing values or a bound."
        )


def _infinite_columns(X: Any) -> list[Any]:
    """Names of the columns that hold an infinite number."""
    if isinstance(X, pd.DataFrame):
        floats = [name for name, dtype in X.dtypes.items() if pd.api.types.is_float_dtype(dtype)]
        infinite = np.isinf(X[floats].to_numpy(dtype=float, na_value=np.nan)).any(axis=0)
        return [floats[position] for position in np.flatnonzero(infinite).tolist()]
    import narwhals as nw

    frame = nw.from_native(X)
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return [name for name in floats if np.isinf(frame[name].to_numpy().astype(float)).any()]


def warn_empty_columns(X: Any) -> None:
    """Warn about columns without any value.

    Parameters
    ----------
    X : ndarray or DataFrame
        A table.
    """
    if isinstance(X, pd.DataFrame):
        empty = [repr(name) for name in X.columns[X.isna().all()]]
    elif is_dataframe(X):
        import narwhals as nw

        frame = nw.from_native(X)
        empty = [repr(name) for name in frame.columns if bool(frame[name].is_null().all())]
    elif np.issubdtype(X.dtype, np.floating):
        empty = [str(position) for position in np.flatnonzero(np.isnan(X).all(axis=0))]
    else:
        empty = []
    if empty:
        warnings.warn(
            f"Column {', '.join(empty)} has no value in any row: it carries no information. Leave it out.",
            EmptyColumnWarning,
            stacklevel=2,
        )
