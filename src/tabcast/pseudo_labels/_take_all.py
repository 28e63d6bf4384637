"""Every row, however unsure."""

from __future__ import annotations

import numpy as np

from tabcast.pseudo_labels._base import Strategy
from tabcast.table import Floats, Mask


class TakeAll(Strategy):
    """Every unlabeled row in every round (naive self-training): the do-nothing member.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TakeAll
    >>> TakeAll().select(np.array([[0.5, 0.5], [0.9, 0.1]]), round_number=1)
    array([ True,  True])
    """

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """All rows."""
        return np.ones(len(confidence), dtype=bool)
