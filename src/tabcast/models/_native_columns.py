"""A DataFrame as gradient boosting libraries take it: numbers, and text as category columns with fixed levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from tabcast.columns import MISSING, UNSEEN, learn_columns


class NativeColumns(TransformerMixin, BaseEstimator):
    """Text, category and truth-value columns become category columns; the rest become floats.

    A level that was not there in `fit` becomes missing. With `max_levels`, so do the rarest levels.

    Parameters
    ----------
    max_levels : most levels that the learner takes in a column; None: no limit.
    as_text : levels as text with "missing" for missing (CatBoost), instead of as category columns.

    Attributes
    ----------
    columns_ : what the columns are.
    categorical_names_ : names of the category columns of the result.
    """

    def __init__(self, *, max_levels: int | None = None, as_text: bool = False) -> None:
        self.max_levels = max_levels
        self.as_text = as_text

    def fit(self, X: Any, y: Any = None) -> NativeColumns:
        """Learn the levels."""
        self.columns_ = learn_columns(X)
        n_levels = [len(column.levels) for column in self.columns_.categorical]
        self.categorical_names_ = [column.name for column in self.columns_.categorical]
        # For each code what becomes of it; the last two entries are for UNSEEN and MISSING.
        assert (UNSEEN, MISSING) == (-2, -1)
        self._kept = [np.append(np.arange(n), [MISSING, MISSING]) for n in n_levels]
        if self.max_levels is not None and max(n_levels, default=0) > self.max_levels:
            codes = self.columns_.encode(X).codes
            for j, n in enumerate(n_levels):
                counts = np.bincount(codes[codes[:, j] >= 0, j], minlength=n)
                self._kept[j][np.argsort(-counts, kind="stable")[self.max_levels :]] = MISSING
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """The table as the learner takes it."""
        encoded = self.columns_.encode(X)
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(encoded))
        result = {}
        for j, column in enumerate(self.columns_.continuous):
            result[column.name] = pd.Series(encoded.continuous[:, j], index=index)
        for j, level_column in enumerate(self.columns_.categorical):
            codes = self._kept[j][encoded.codes[:, j]]
            result[level_column.name] = self._level_series(codes, level_column.levels, index)
        return pd.DataFrame({name: result[name] for name in self.columns_.names}, index=index)

    def _level_series(self, codes: Any, levels: Any, index: Any) -> Any:
        if self.as_text:
            return pd.Series(np.append(levels.astype(str), "missing")[codes], index=index, dtype=object)
        return pd.Series(pd.Categorical.from_codes(codes, categories=pd.RangeIndex(len(levels))), index=index)


def has_missing(X: Any) -> bool:
    """Whether a cell of the table has no value."""
    if isinstance(X, pd.DataFrame):
        return bool(X.isna().to_numpy().any())
    if not hasattr(X, "columns"):
        return bool(np.issubdtype(X.dtype, np.floating) and np.isnan(X).any())
    columns = learn_columns(X)
    return any(column.has_missing for column in columns.continuous) or any(c.has_missing for c in columns.categorical)


def is_plain(X: Any) -> bool:
    """Whether every column is already a number, so that nothing has to be encoded."""
    if isinstance(X, pd.DataFrame):
        types = pd.api.types
        return all(types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype) for dtype in X.dtypes)
    if not hasattr(X, "columns"):
        return True
    import narwhals as nw

    return all(dtype.is_numeric() for dtype in nw.from_native(X).schema.values())
