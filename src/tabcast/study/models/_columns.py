"""Which columns of a table are categories, for pipelines around scikit-learn's classifiers."""

from __future__ import annotations

from typing import Any

import pandas as pd


def category_columns(X: Any) -> list[Any]:
    """List the pandas category columns; none in an array."""
    if not isinstance(X, pd.DataFrame):
        return []
    return [name for name, dtype in X.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]


def number_columns(X: Any) -> list[Any]:
    """List the other columns: names in a DataFrame, positions in an array."""
    if not isinstance(X, pd.DataFrame):
        return list(range(X.shape[1]))
    categories = set(category_columns(X))
    return [name for name in X.columns if name not in categories]
