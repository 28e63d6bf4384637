"""The density that knows nothing."""

from __future__ import annotations

import numpy as np

from tabcast.density._base import Density
from tabcast.table import EncodedTable, Floats


class Uniform(Density):
    """The same density everywhere: the do-nothing member. With it, cluster-aware confidence is raw confidence.

    Examples
    --------
    >>> from tabcast.density import Uniform
    >>> Uniform().fit([[1.0], [2.0]]).score_samples([[1.5], [99.0]])
    array([0., 0.])
    """

    informative = False

    def _fit(self, table: EncodedTable) -> None:
        pass

    def _score(self, table: EncodedTable) -> Floats:
        return np.zeros(len(table))
