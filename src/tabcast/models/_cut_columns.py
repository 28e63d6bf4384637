"""Numeric columns cut to few values for gradient boosting, where its own way of cutting them is slow.

HistGradientBoosting divides a column with more than 255 values at its quantiles. With sample weights, scikit-learn 1.9
looks for each of the 254 quantiles in a pass of its own over the column, which is most of a fit. Here every value moves
to the nearest of at most 254 values beforehand, so that no quantile has to be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.fixes import parse_version

from tabcast.table import Floats
from tabcast.table._columns import find_categorical

# The release whose weighted quantiles are slow: 1.8 cut without weights, 1.10 finds all quantiles in one pass.
IS_SLOW = parse_version("1.9") <= parse_version(sklearn.__version__) < parse_version("1.10.dev0")
MOST_ROWS = 200_000  # scikit-learn samples more rows than that by weight, and then has no weights
LARGEST = 1e300  # the mean of two larger numbers may overflow


def find_ends(values: Floats, weight: Floats, n_bins: int) -> Floats:
    """Divide a column into bins of about equal weight, and return the smallest and largest value of each.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Finite numbers.
    weight : ndarray of shape (n_rows,)
        Weight of each row, positive.
    n_bins : int
        Number of bins; a bin that would hold no value is left out.

    Returns
    -------
    ndarray of shape (n_ends,)
        At most ``2 * n_bins`` numbers in increasing order.

    Notes
    -----
    With W the sum of all weights, a value of weight w that has weight b below it is in bin
    ``floor(n_bins * (b + w / 2) / W)``. Equal values share a bin.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.models._cut_columns import find_ends
    >>> find_ends(np.arange(10.0), np.ones(10), 2)
    array([0., 4., 5., 9.])
    """
    order = np.argsort(values, kind="stable")
    values, weight = values[order], weight[order]
    start = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    distinct, own = values[start], np.add.reduceat(weight, start)
    up_to = np.cumsum(own)
    bins = ((up_to - own / 2) / up_to[-1] * n_bins).astype(np.intp)
    changes = np.flatnonzero(np.diff(bins))
    is_end = np.zeros(len(distinct), dtype=bool)
    is_end[np.concatenate([[0], changes, changes + 1, [len(distinct) - 1]])] = True
    return distinct[is_end]


def find_middles(ends: Floats) -> Floats:
    """Numbers halfway between neighboring ends, as gradient boosting computes its thresholds."""
    return (ends[:-1] + ends[1:]) / 2


def nearest_code(values: Floats, ends: Floats) -> NDArray[np.uint8]:
    """Find the nearest of at most 256 ends.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers, none missing.
    ends : ndarray of shape (n_ends,)
        Numbers in increasing order.

    Returns
    -------
    ndarray of uint8 of shape (n_rows,)
        Positions among the ends. A value halfway between two has the position of the smaller one.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.models._cut_columns import nearest_code
    >>> nearest_code(np.array([-3.0, 2.0, 2.1, 9.0]), np.array([0.0, 4.0, 5.0]))
    array([0, 0, 1, 2], dtype=uint8)
    """
    return np.searchsorted(find_middles(ends), values, side="left").astype(np.uint8)


def cut_column(values: Floats, weight: Floats, max_values: int) -> Floats | None:
    """Move every value of a column to the nearest end of a quantile bin.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The column; missing is NaN and stays so.
    weight : ndarray of shape (n_rows,)
        Weight of each row. Rows of weight 0 do not count, but are moved as well.
    max_values : int
        Maximum number of different values in the result, from 2 to 256.

    Returns
    -------
    ndarray or None
        The column with at most `max_values` values. None where it has no more than that already, and where numbers are
        infinite, huge or too close to have a number between them.

    Notes
    -----
    The ends are values of the column and stay where they are. Trees that are fitted on the result split halfway between
    two ends, and a value is on the same side of such a threshold as the end that it was moved to. Therefore the fitted
    trees predict the same for rows before and after.
    """
    known = ~np.isnan(values)
    counts = known & (weight > 0)
    counted = values[counts]
    if len(counted) <= max_values or len(np.unique(counted)) <= max_values:
        return None
    if not np.abs(values[known]).max() <= LARGEST:
        return None
    ends = find_ends(counted, weight[counts], max_values // 2)
    if (find_middles(ends) >= ends[1:]).any():
        return None
    result = values.copy()
    result[known] = ends[nearest_code(values[known], ends)]
    return result


def cut_table(X: Any, weight: Floats, model: HistGradientBoostingClassifier) -> Any:
    """Cut the numeric columns of a table that have more values than the classifier has bins.

    Parameters
    ----------
    X : ndarray or DataFrame
        The table.
    weight : ndarray of shape (n_rows,)
        Weight of each row.
    model : HistGradientBoostingClassifier
        Its `max_bins` and `categorical_features` count.

    Returns
    -------
    ndarray or DataFrame
        The table itself where nothing is cut.
    """
    if not model.max_bins < len(X) <= MOST_ROWS:
        return X
    cut = {
        position: result
        for position, values in numeric_columns(X, model.categorical_features)
        if (result := cut_column(values, weight, model.max_bins)) is not None
    }
    if not cut:
        return X
    if isinstance(X, pd.DataFrame):
        X = X.copy(deep=False)
        for position, values in cut.items():
            X.isetitem(position, values)
        return X
    X = np.array(X, dtype=np.float64)
    for position, values in cut.items():
        X[:, position] = values
    return X


def numeric_columns(X: Any, categorical: Any) -> Iterator[tuple[int, Floats]]:
    """Positions and values of the columns that are numbers to the classifier, without a copy where possible."""
    # Without a list, the classifier itself finds the categorical columns by their types.
    given = [] if categorical is None or isinstance(categorical, str) else categorical
    positions = np.flatnonzero(~find_categorical(X, given)).tolist()
    if isinstance(X, pd.DataFrame):
        dtypes = X.dtypes.tolist()
        for at in positions:
            if pd.api.types.is_numeric_dtype(dtypes[at]):
                yield at, X.iloc[:, at].to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        for at in positions:
            yield at, np.asarray(X[:, at], dtype=np.float64)
