"""A fixed number of rows more each round."""

from __future__ import annotations

from tabcast.checks import check_integer
from tabcast.pseudo_labels._base import Strategy, top_rows
from tabcast.table import Floats, Mask


class TopK(Strategy):
    """The k * round most confident rows: k new ones a round (scikit-learn's `k_best`).

    Parameters
    ----------
    k : rows added each round.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TopK
    >>> confidence = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> TopK(k=1).select(confidence, round_number=1)
    array([ True, False, False])
    >>> TopK(k=1).select(confidence, round_number=2)
    array([ True, False,  True])
    """

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def check(self) -> None:
        """k counts rows."""
        check_integer(self.k, "k", "TopK", 1)

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """The most confident rows; of equally confident ones the first."""
        return top_rows(confidence, self.k * round_number)
