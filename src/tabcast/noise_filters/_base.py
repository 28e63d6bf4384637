"""The contract of the noise filter family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Index, Mask


class NoiseFilter(BaseEstimator, ABC):
    """Refuses chosen pseudo-labels that look wrong: `fit` on labeled rows, `keep` says which labels may stay."""

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> NoiseFilter:
        """Learn from the labeled rows and the index of their class."""

    @abstractmethod
    def keep(self, X: Any, labels: Index) -> Mask:
        """Mask of the rows whose label (class index) may stay."""
