"""A DataFrame for gradient boosting libraries: numbers, and text as category columns with fixed levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from tabcast.table import MANY_ROWS, MISSING, UNSEEN, learn_columns


class NativeColumns(TransformerMixin, BaseEstimator):
    """Convert text, category and boolean columns to category columns, and the rest to floats.

    A level that was not seen in `fit` becomes missing. With `max_levels`, so do the rarest levels.

    Parameters
    ----------
    max_levels : int, default=None
        Maximum number of levels that the learner takes in a column. None means no limit.
    as_text : bool, default=False
        Whether levels become text with "missing" for missing (CatBoost), instead of category columns.
    bad_signs : str, default=""
        Characters that the learner refuses in column names; they become "_", and so does an empty name.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table.
    names_ : list
        Names of the columns of the result.
    categorical_names_ : list
        Names of its category columns.

    See Also
    --------
    AdaptedClassifier : Uses it where a classifier needs it.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.models import NativeColumns
    >>> X = pd.DataFrame({"age": [30, 40], "city": ["Bern", "Ulm"]})
    >>> NativeColumns().fit_transform(X).dtypes.astype(str).tolist()
    ['float64', 'category']
    """

    def __init__(self, *, max_levels: int | None = None, as_text: bool = False, bad_signs: str = "") -> None:
        self.max_levels = max_levels
        self.as_text = as_text
        self.bad_signs = bad_signs

    def fit(self, X: Any, y: Any = None) -> NativeColumns:
        """Learn the levels.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The table.
        y : object, default=None
            Ignored.

        Returns
        -------
        NativeColumns
            The fitted encoder itself.
        """
        self.columns_ = learn_columns(X)
        n_levels = [len(column.levels) for column in self.columns_.categorical]
        self.names_ = spell_names(self.columns_.names, self.bad_signs)
        new_names = dict(zip(self.columns_.names, self.names_, strict=True))
        self.categorical_names_ = [new_names[column.name] for column in self.columns_.categorical]
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
        """Convert a table.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The table, with any index.

        Returns
        -------
        DataFrame
            The table in the form that the learner accepts.
        """
        if isinstance(X, pd.DataFrame) and len(X) > MANY_ROWS:
            return self._transform_large(X)
        encoded = self.columns_.encode(X)
        index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(encoded))
        result = {}
        for j, column in enumerate(self.columns_.continuous):
            result[column.name] = pd.Series(encoded.continuous[:, j], index=index)
        for j, level_column in enumerate(self.columns_.categorical):
            codes = self._kept[j][encoded.codes[:, j]]
            result[level_column.name] = self._level_series(codes, level_column.levels, index)
        pairs = zip(self.names_, self.columns_.names, strict=True)
        return pd.DataFrame({new: result[name] for new, name in pairs}, index=index)

    def _transform_large(self, X: pd.DataFrame) -> pd.DataFrame:
        """Column by column; numbers are those of the table itself, without a copy."""
        number_of = {position: j for j, position in enumerate(self.columns_.categorical_index.tolist())}
        result = {}
        for position, (new, values) in enumerate(zip(self.names_, self.columns_.encode_each(X), strict=True)):
            if position in number_of:
                j = number_of[position]
                result[new] = self._level_series(self._kept[j][values], self.columns_.categorical[j].levels, X.index)
            else:
                result[new] = pd.Series(values, index=X.index, copy=False)
        return pd.DataFrame(result, index=X.index, copy=False)

    def _level_series(self, codes: Any, levels: Any, index: Any) -> Any:
        if self.as_text:
            return pd.Series(np.append(levels.astype(str), "missing")[codes], index=index, dtype=object)
        return pd.Series(pd.Categorical.from_codes(codes, categories=pd.RangeIndex(len(levels))), index=index)


def spell_names(names: Sequence[Any], bad_signs: str) -> list[Any]:
    """Column names without bad characters, still all different; names that have none stay as they are.

    Examples
    --------
    >>> from tabcast.models._native_columns import spell_names
    >>> spell_names(["age", "size<5", "size[5"], bad_signs="[<]")
    ['age', 'size_5', 'size_5_2']
    """
    spelled: list[Any] = []
    taken = {name for name in names if not has_bad_sign(name, bad_signs)}
    for name in names:
        new = name
        if has_bad_sign(name, bad_signs):
            plain = name.translate(dict.fromkeys(map(ord, bad_signs), "_")) or "_"
            new = next(one for one in (plain, *(f"{plain}_{n}" for n in range(2, len(names) + 2))) if one not in taken)
            taken.add(new)
        spelled.append(new)
    return spelled


def has_bad_sign(name: Any, bad_signs: str) -> bool:
    """Whether a column name has a character that a learner refuses, or none at all."""
    return isinstance(name, str) and bool(bad_signs) and (not name or any(sign in name for sign in bad_signs))


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
        kinds = set(X.dtypes)
        return all(types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype) for dtype in kinds)
    if not hasattr(X, "columns"):
        return True
    import narwhals as nw

    return all(dtype.is_numeric() for dtype in nw.from_native(X).schema.values())
