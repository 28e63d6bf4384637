"""No filter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabcast.noise_filters._base import NoiseFilter


class KeepAllRows(NoiseFilter):
    """Keeps every pseudo-label: the do-nothing member.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.noise_filters import KeepAllRows
    >>> KeepAllRows().fit([[0.0]], np.array([0])).keep([[1.0], [2.0]], np.array([0, 0]))
    array([ True,  True])
    """

    def fit(self, X: Any, y: NDArray[np.intp], categorical_features: ArrayLike | None = None) -> KeepAllRows:
        """Nothing to learn."""
        return self

    def keep(self, X: Any, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
        """All of them."""
        return np.ones(len(labels), dtype=bool)
