"""The contract of the feature selection family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Index, Mask, take_columns


class FeatureSelection(BaseEstimator, ABC):
    """Base class of feature selections: which columns the density uses; the classifier always sees all of them.

    A member implements `fit`, which sets `support_`.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_columns,)
        Mask of the selected columns.

    See Also
    --------
    tabcast.testing.check_feature_selection : Checks of the contract, also for members of your own.
    """

    support_: Mask

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> FeatureSelection:
        """Learn from the labeled rows which columns matter for the class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows with a label.
        y : ndarray of int of shape (n_rows,)
            Their class indices.
        categorical_features : array-like of str, int or bool, default=None
            The categorical columns by name, position or mask. None infers them from the types.

        Returns
        -------
        FeatureSelection
            The fitted selection itself.
        """

    def transform(self, X: Any) -> Any:
        """Return the selected columns of a table.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            A table with the columns of `fit`.

        Returns
        -------
        ndarray or DataFrame
            The same kind of table with fewer columns.
        """
        return X if self.support_.all() else take_columns(X, np.flatnonzero(self.support_))
