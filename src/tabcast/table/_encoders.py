"""Encodings of a whole table as one array: numbers for trees, normal scores and indicators for other models."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import QuantileTransformer

from tabcast.table import Floats
from tabcast.table._columns import EncodedTable, learn_columns

CLIP = 3.0  # normal scores beyond are clipped: one outlier must not dominate a linear model
MAX_LEVELS = 50  # indicators of a column; rarer levels have none
N_QUANTILES = 1_000
LARGEST = float(np.finfo(np.float32).max)  # scikit-learn's trees compare in single precision


class TableCodes(TransformerMixin, BaseEstimator):
    """Encode a table as one array for trees: numbers as they are, levels as their position.

    A missing number is placed below the smallest seen in fitting, at a distance of the range, at least 1. A missing
    level is -1, an unseen one -2. Numbers beyond single precision, in which scikit-learn's trees compare, are clipped.

    Parameters
    ----------
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.

    Attributes
    ----------
    columns_ : Columns
        The columns of the fitted table.
    below_ : ndarray of shape (n_continuous,)
        What a missing number becomes.

    See Also
    --------
    NormalScores : An encoding for linear models.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table._encoders import TableCodes
    >>> TableCodes().fit_transform(pd.DataFrame({"age": [30.0, None, 50.0], "city": ["Ulm", "Kiel", None]}))
    array([[30.,  1.],
           [10.,  0.],
           [50., -1.]])
    """

    def __init__(self, categorical_features: ArrayLike | None = None) -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> TableCodes:
        """Learn levels and ranges.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows with every level that counts.
        y : object, default=None
            Not used.

        Returns
        -------
        TableCodes
            The fitted encoder itself.
        """
        self.columns_ = learn_columns(X, self.categorical_features)
        self.below_ = np.array([column.low - max(column.high - column.low, 1.0) for column in self.columns_.continuous])
        return self

    def transform(self, X: Any) -> Floats:
        """Encode a table.

        Parameters
        ----------
        X : array-like or DataFrame
            The table to encode.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Continuous columns first, then categorical ones.
        """
        table = self.columns_.encode(X)
        numbers = np.where(np.isnan(table.continuous), self.below_, table.continuous)
        return np.hstack([np.clip(numbers, -LARGEST, LARGEST, out=numbers), table.codes.astype(float)])


class NormalScores(TransformerMixin, BaseEstimator):
    """Encode a table as one array for linear models, neighbors and networks: comparable columns without outliers.

    A number becomes the normal quantile of its rank among the rows seen in fitting, clipped to [-3, 3]; a missing one
    becomes 0 with an indicator, and a column without any number is 0 everywhere. Each of the 50 most frequent levels of
    a column, missing among them, becomes an indicator; a rarer or unseen level has none.

    Parameters
    ----------
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns by name, position or mask. None infers them from the types.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table that was fitted.
    has_missing_ : ndarray of bool of shape (n_continuous,)
        Which continuous columns have missing values.
    levels_ : list of ndarray
        Codes of the levels with an indicator, for each categorical column.
    quantiles_ : QuantileTransformer or None
        Maps numbers to normal scores; None without continuous columns.

    See Also
    --------
    TableCodes : An encoding for trees.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table._encoders import NormalScores
    >>> scores = NormalScores().fit_transform(pd.DataFrame({"age": [1.0, 2.0, 1000.0], "city": ["Ulm", "Kiel", "Ulm"]}))
    >>> scores.round(1)
    array([[-3.,  0.,  1.],
           [ 0.,  1.,  0.],
           [ 3.,  0.,  1.]])
    """

    def __init__(self, categorical_features: ArrayLike | None = None) -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> NormalScores:
        """Learn ranks and levels.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The rows to learn from.
        y : object, default=None
            Not used.

        Returns
        -------
        NormalScores
            The fitted encoder itself.
        """
        self.columns_ = learn_columns(X, self.categorical_features)
        table = self.columns_.encode(X)
        self.levels_ = [_frequent(codes) for codes in table.codes.T]
        self._learn_numbers(table.continuous)
        return self

    def _learn_numbers(self, numbers: Floats) -> None:
        self.has_missing_ = np.isnan(numbers).any(axis=0)
        self.quantiles_ = fit_quantiles(numbers)

    def transform(self, X: Any) -> Floats:
        """Compute normal scores and indicators.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            Scores, indicators of missing numbers, indicators of levels.
        """
        table = self.columns_.encode(X)
        pairs = zip(table.codes.T, self.levels_, strict=True)
        return np.hstack([self._scores(table), *((codes[:, None] == levels).astype(float) for codes, levels in pairs)])

    def _scores(self, table: EncodedTable) -> Floats:
        """Normal scores of the numbers, and indicators of missing ones."""
        if self.quantiles_ is None:
            return np.empty((len(table), 0))
        scores = np.clip(self.quantiles_.transform(table.continuous), -CLIP, CLIP)
        scores[np.isnan(scores)] = 0.0  # missing, or in a column that had no number
        return np.hstack([scores, np.isnan(table.continuous)[:, self.has_missing_].astype(float)])


class Indicators(NormalScores):
    """Encode levels as indicators, like NormalScores, and leave numbers as they are: for gradient boosting.

    Parameters
    ----------
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns by name, position or mask. None infers them from the types.

    See Also
    --------
    NormalScores : An encoding for models that need comparable numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.table._encoders import Indicators
    >>> Indicators().fit_transform(pd.DataFrame({"age": [1.0, None], "city": ["Ulm", "Kiel"]}))
    array([[ 1.,  0.,  1.],
           [nan,  1.,  0.]])
    """

    def _learn_numbers(self, numbers: Floats) -> None:
        """Nothing is learned of numbers."""

    def _scores(self, table: EncodedTable) -> Floats:
        return table.continuous


def fit_quantiles(numbers: Floats) -> QuantileTransformer | None:
    """What maps numbers to normal scores; None without columns."""
    if numbers.shape[1] == 0:
        return None
    n_quantiles = min(N_QUANTILES, len(numbers))
    quantiles = QuantileTransformer(n_quantiles=n_quantiles, output_distribution="normal", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without a number
        return quantiles.fit(numbers)


def _frequent(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The most frequent codes of a column, missing among them, in their order; among equals the lower ones."""
    distinct, counts = np.unique(codes, return_counts=True)
    return np.sort(distinct[np.argsort(-counts, kind="stable")[:MAX_LEVELS]])
