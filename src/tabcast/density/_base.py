"""The contract of the density family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tabcast.table import EncodedTable, Floats, learn_and_encode


class Density(BaseEstimator, ABC):
    """Base class of densities: `fit` on rows, `score_samples` returns a finite log density for any row.

    A member implements `_fit(table)` and `_score(table)`, both on an :class:`~tabcast.table.EncodedTable`. When a
    density is fitted on some rows of a table (those of one class), `table.columns` still describes the whole table:
    ranges and levels are shared, so that densities of different classes can be compared.

    Attributes
    ----------
    informative : bool
        Whether the density differs between rows.
    columns_ : Columns
        The columns of the table that was fitted.
    n_samples_ : int
        Number of fitted rows.

    See Also
    --------
    ClassConditional : A density per class.
    tabcast.testing.check_density : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.density import Density
    >>> class NearMean(Density):
    ...     def _fit(self, table):
    ...         self.center_ = table.continuous.mean(axis=0)
    ...     def _score(self, table):
    ...         return -np.abs(table.continuous - self.center_).sum(axis=1)
    ...
    >>> NearMean().fit(np.array([[0.0], [1.0]])).score_samples(np.array([[0.5], [3.0]]))
    array([-0. , -2.5])
    """

    informative: bool = True

    def fit(self, X: Any, categorical_features: ArrayLike | None = None) -> Density:
        """Fit the density to rows.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable of shape (n_rows, n_columns)
            The rows.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        Density
            The fitted density itself.
        """
        table = learn_and_encode(X, categorical_features)
        if len(table) == 0:
            raise ValueError(f"{type(self).__name__} needs at least one row; X has none.")
        self.columns_ = table.columns
        self.n_samples_ = len(table)
        self._fit(table)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log density of each row.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable of shape (n_rows, n_columns)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Log densities, always finite.
        """
        check_is_fitted(self, "columns_")
        return self._score(self.columns_.encode(X))

    @abstractmethod
    def _fit(self, table: EncodedTable) -> None: ...

    @abstractmethod
    def _score(self, table: EncodedTable) -> Floats: ...
