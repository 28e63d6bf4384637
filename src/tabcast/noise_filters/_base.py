"""The contract of the noise filter family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Index, Mask


class NoiseFilter(BaseEstimator, ABC):
    """Base class of noise filters: which selected pseudo-labels are kept.

    See Also
    --------
    tabcast.testing.check_noise_filter : Checks of the contract, also for members of your own.
    """

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> NoiseFilter:
        """Learn from the labeled rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The labeled rows.
        y : ndarray of int of shape (n_rows,)
            Class index of each row.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        NoiseFilter
            The fitted filter itself.
        """

    @abstractmethod
    def keep(self, X: Any, labels: Index) -> Mask:
        """Return which pseudo-labels are kept.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The rows with a pseudo-label.
        labels : ndarray of int of shape (n_rows,)
            Class index of each label.

        Returns
        -------
        ndarray of bool of shape (n_rows,)
            True for the labels that are kept.
        """
