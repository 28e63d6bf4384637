"""CPL: a growing share of the rows, most confident first."""

from __future__ import annotations

from math import ceil

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.table import Floats, Mask


class Curriculum(Strategy):
    """Round k takes the k * `step` most confident share of the unlabeled rows (curriculum pseudo-labeling, CPL).

    The share is turned into a threshold, so rows with equal confidence are taken together; trees, whose confidences
    repeat, may take more than the share.

    Parameters
    ----------
    step : share added each round; 0.2 makes five rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Curriculum
    >>> confidence = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]])
    >>> Curriculum(step=0.5).select(confidence, round_number=1)
    array([ True, False, False,  True])
    >>> Curriculum(step=0.5).select(confidence, round_number=2)
    array([ True,  True,  True,  True])
    >>> Curriculum(step=0.5).n_rounds
    2
    """

    def __init__(self, step: float = 0.2) -> None:
        self.step = step

    def check(self) -> None:
        """The step is a share."""
        check_number(self.step, "step", "Curriculum", "(0, 1]")

    @property
    def n_rounds(self) -> int:
        """Rounds until every row is taken."""
        return ceil(round(1 / self.step, 9))

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """The most confident rows, more of them each round."""
        best = confidence.max(axis=1)
        count = ceil(round(min(1.0, self.step * round_number) * len(best), 9))
        if count == 0:
            return np.zeros(len(best), dtype=bool)
        return best >= np.partition(best, len(best) - count)[len(best) - count]
