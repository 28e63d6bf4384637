"""The contract of the density family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tabcast.table import EncodedTable, Floats, learn_and_encode


class Density(BaseEstimator, ABC):
    """How dense rows lie around a point: `fit` on rows, `score_samples` gives a finite log density for any row.

    A member writes `_fit(table)` and `_score(table)`, both on an :class:`~tabcast.table._columns.EncodedTable`. When a
    density is fitted on part of a table (one class of it), `table.columns` still describes the whole: ranges and
    levels are shared, so that densities of different classes can be compared.

    Attributes
    ----------
    informative : whether the density differs between rows.
    """

    informative: bool = True

    def fit(self, X: Any, categorical_features: ArrayLike | None = None) -> Density:
        """Learn from rows.

        Parameters
        ----------
        X : array, DataFrame or EncodedTable.
        categorical_features : names, positions or mask of the categorical columns; None: by type.
        """
        table = learn_and_encode(X, categorical_features)
        if len(table) == 0:
            raise ValueError(f"{type(self).__name__} needs at least one row; X has none.")
        self.columns_ = table.columns
        self.n_samples_ = len(table)
        self._fit(table)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Log density of each row, shape (n_rows,); always finite."""
        check_is_fitted(self, "columns_")
        return self._score(self.columns_.encode(X))

    @abstractmethod
    def _fit(self, table: EncodedTable) -> None: ...

    @abstractmethod
    def _score(self, table: EncodedTable) -> Floats: ...
