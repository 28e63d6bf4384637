"""No filter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tabcast.noise_filters._base import NoiseFilter
from tabcast.table import Index, Mask


class KeepAllRows(NoiseFilter):
    """Keeps every pseudo-label: the do-nothing member.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.noise_filters import KeepAllRows
    >>> KeepAllRows().fit([[0.0]], np.array([0])).keep([[1.0], [2.0]], np.array([0, 0]))
    array([ True,  True])
    """

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> KeepAllRows:
        """Nothing to learn."""
        return self

    def keep(self, X: Any, labels: Index) -> Mask:
        """All of them."""
        return np.ones(len(labels), dtype=bool)
