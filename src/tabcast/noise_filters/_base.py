"""The contract of the noise filter family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator


class NoiseFilter(BaseEstimator, ABC):
    """Refuses chosen pseudo-labels that look wrong: `fit` on labeled rows, `keep` says which labels may stay."""

    @abstractmethod
    def fit(self, X: Any, y: NDArray[np.intp], categorical_features: ArrayLike | None = None) -> NoiseFilter:
        """Learn from the labeled rows and the index of their class."""

    @abstractmethod
    def keep(self, X: Any, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Mask of the rows whose label (class index) may stay."""
