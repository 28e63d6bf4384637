"""A growing proportion of the rows, most confident first (the paper's CPL)."""

from __future__ import annotations

from math import ceil

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.table import Floats, Mask


class Curriculum(Strategy):
    """Select the most confident proportion of the unlabeled rows, ``step * k`` in round k (curriculum pseudo-labeling).

    The proportion is turned into a threshold, so rows with equal confidence are selected together. Trees, whose
    confidences repeat, may select more rows than the proportion.

    Parameters
    ----------
    step : float, default=0.2
        Proportion added per round, in (0, 1]. The default makes five rounds.

    See Also
    --------
    PerClassCurriculum : The same within each class.
    FixedThreshold : Rows above a threshold.

    Notes
    -----
    Of n rows, round k selects ``ceil(step * k * n)``, the most confident first: the threshold is the confidence of the
    last of them. The paper asks for the top 20%, 40%, ... without saying how a proportion becomes a threshold.
    ``np.quantile(confidence, 1 - step * k)``, the usual way, interpolates between two rows and may leave out the row at
    the border: one row fewer where confidences differ, all rows of equal confidence where they repeat. Counting selects
    no fewer rows than the proportion says, and does not depend on the rounding of an interpolated number.

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
        """Check that the step is a proportion."""
        check_number(self.step, "step", "Curriculum", "(0, 1]")

    @property
    def n_rounds(self) -> int:
        """Number of rounds until every row is selected."""
        return ceil(round(1 / self.step, 9))

    def count_rows(self, n_rows: int, round_number: int) -> int:
        """Count the rows of a round, rows of equal confidence aside.

        Parameters
        ----------
        n_rows : int
            Number of unlabeled rows.
        round_number : int
            The round, from 1 on.

        Returns
        -------
        int
            How many of the most confident rows are selected.
        """
        return ceil(round(min(1.0, self.step * round_number) * n_rows, 9))

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the most confident rows, more of them in each round."""
        best = confidence.max(axis=1)
        count = self.count_rows(len(best), round_number)
        if count == 0:
            return np.zeros(len(best), dtype=bool)
        return best >= np.partition(best, len(best) - count)[len(best) - count]
