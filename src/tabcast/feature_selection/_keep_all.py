"""No selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tabcast.feature_selection._base import FeatureSelection
from tabcast.table import Index, column_names


class KeepAll(FeatureSelection):
    """Keeps every column: the do-nothing member.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.feature_selection import KeepAll
    >>> KeepAll().fit(np.zeros((2, 3)), np.array([0, 1])).support_
    array([ True,  True,  True])
    """

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> KeepAll:
        """All columns are chosen."""
        self.support_ = np.ones(len(column_names(X)), dtype=bool)
        return self
