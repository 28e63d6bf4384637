"""A large table for gradient boosting whose numeric columns are cut once, and kept as one byte per cell.

Gradient boosting divides a column into at most 256 bins before it grows trees, in every fit anew. Here the bins of a
large table are found once. Rows that are taken from it have a number of the table for each bin, chosen so that a fitted
model predicts for rows that are not cut as for rows that are:

- XGBoost compares in single precision whether a value is below a threshold, which is a value of the training rows. A
  value becomes the smallest of its bin.
- HistGradientBoosting puts thresholds halfway between neighboring values. A value becomes the nearest of the smallest
  and largest values of all bins, as in `_cut_columns.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from tabcast.models._cut_columns import LARGEST, find_ends, find_middles, nearest_code, numeric_columns
from tabcast.table import Floats, Index, map_rows

MOST_VALUES = 255  # of a column; one more code is for missing
MISSING_CODE = 255
MOST_BINS = 256  # XGBoost's default; someone who wants more gets them


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A numeric column of few values.

    Attributes
    ----------
    codes : ndarray of uint8 of shape (n_rows,)
        Positions among the values.
    values : ndarray of shape (256,)
        The values in increasing order, then NaN.
    """

    codes: NDArray[np.uint8]
    values: NDArray[Any]

    def take(self, rows: Index) -> NDArray[Any]:
        """The values of some rows."""
        return self.values[self.codes[rows]]


@dataclass(frozen=True, eq=False)
class CutTable:
    """A table with cut columns, from which rows are taken as the classifier takes them.

    Attributes
    ----------
    cut : dict
        The cut columns by position.
    rest : ndarray or DataFrame
        The table itself, for the other columns; a DataFrame has them alone.
    columns : Index or None
        Names of all columns; None for an array.
    shape : tuple
        Number of rows and of columns.
    """

    cut: dict[int, CutColumn]
    rest: Any
    columns: pd.Index[Any] | None
    shape: tuple[int, int]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Index) -> Any:
        """Take some rows.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the rows.

        Returns
        -------
        ndarray or DataFrame
            The rows; a DataFrame is numbered anew.
        """
        if self.columns is None:
            return np.column_stack(
                [self.cut[at].take(rows) if at in self.cut else self.rest[rows, at] for at in range(self.shape[1])]
            )
        taken = {
            name: self.cut[at].take(rows) if at in self.cut else self.rest[name].array.take(rows)
            for at, name in enumerate(self.columns)
        }
        return pd.DataFrame(taken, copy=False)


def cut_once(estimator: Any, X: Any) -> Any:
    """Cut the numeric columns of a table for all fits of a classifier.

    Parameters
    ----------
    estimator : classifier
        Columns are cut for XGBoost with histograms of at most 256 bins and for HistGradientBoosting.
    X : ndarray or DataFrame
        A table that the classifier takes.

    Returns
    -------
    CutTable, ndarray or DataFrame
        The table itself for another classifier, and where no column can be cut.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from tabcast.models._cut_table import cut_once
    >>> cut = cut_once(HistGradientBoostingClassifier(max_bins=2), np.array([[1.0], [2.0], [9.0], [np.nan]]))
    >>> cut[np.array([0, 1, 2, 3])].ravel()
    array([ 1.,  1.,  9., nan])
    """
    is_histogram = isinstance(estimator, HistGradientBoostingClassifier)
    if not isinstance(X, pd.DataFrame | np.ndarray) or not (is_histogram or _takes_histograms(estimator)):
        return X
    categorical = estimator.categorical_features if is_histogram else None
    cut = {}
    for position, values in numeric_columns(X, categorical):
        column = _cut_nearest(values, estimator.max_bins) if is_histogram else _cut_down(values)
        if column is not None:
            cut[position] = column
    if not cut:
        return X
    if isinstance(X, np.ndarray):
        return CutTable(cut, X, None, X.shape)
    rest = X.iloc[:, [at for at in range(X.shape[1]) if at not in cut]]
    return CutTable(cut, rest, X.columns, X.shape)


def _takes_histograms(estimator: Any) -> bool:
    """Whether an estimator is XGBoost with trees, histograms and no more bins than there are codes."""
    if not type(estimator).__module__.startswith("xgboost.") or not hasattr(estimator, "tree_method"):
        return False
    return (
        estimator.booster in (None, "gbtree", "dart")
        and estimator.tree_method in (None, "auto", "hist")
        and (estimator.max_bin is None or estimator.max_bin <= MOST_BINS)
        and bool(np.isnan(estimator.missing))
    )


def _cut_down(values: Floats) -> CutColumn | None:
    """Each value becomes the smallest of its bin, in single precision; None without a value or with huge ones."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    known = np.sort(single[~np.isnan(single)])
    if len(known) == 0 or np.isinf(known[[0, -1]]).any():
        return None
    starts = known[np.append(True, known[1:] != known[:-1])]
    if len(starts) > MOST_VALUES:
        starts = np.unique(known[np.arange(MOST_VALUES) * len(known) // MOST_VALUES])
    return _encode(single, starts, lambda present: np.searchsorted(starts, present, side="right") - 1)


def _cut_nearest(values: Floats, max_values: int) -> CutColumn | None:
    """Each value becomes the nearest end of a bin; None without a value, and with huge or too close ones."""
    known = values[~np.isnan(values)]
    if len(known) == 0 or not np.abs(known).max() <= LARGEST:
        return None
    ends = np.unique(known)
    if len(ends) > max_values:
        ends = find_ends(known, np.ones(len(known)), max_values // 2)
    if (find_middles(ends) >= ends[1:]).any():
        return None
    return _encode(values, ends, lambda present: nearest_code(present, ends))


def _encode(values: NDArray[Any], kept: NDArray[Any], find: Callable[[Any], NDArray[Any]]) -> CutColumn:
    """The positions among the kept values, which `find` finds for values that are not missing."""

    def encode(block: NDArray[Any]) -> NDArray[np.uint8]:
        return np.where(np.isnan(block), MISSING_CODE, find(block)).astype(np.uint8)

    table = np.full(MISSING_CODE + 1, np.nan, dtype=kept.dtype)
    table[: len(kept)] = kept
    return CutColumn(map_rows(encode, values), table)
