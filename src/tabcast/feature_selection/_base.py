"""The contract of the feature selection family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Index, Mask, take_columns


class FeatureSelection(BaseEstimator, ABC):
    """Chooses the columns that the density looks at; the classifier always sees all of them.

    A member writes `fit`, which sets `support_`: a mask over the columns.
    """

    support_: Mask

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> FeatureSelection:
        """Learn from the labeled rows which columns matter for the class (given by its index)."""

    def transform(self, X: Any) -> Any:
        """The chosen columns of a table."""
        return X if self.support_.all() else take_columns(X, np.flatnonzero(self.support_))
