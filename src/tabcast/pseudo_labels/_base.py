"""The contract of the pseudo-label family."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator


class Strategy(BaseEstimator, ABC):
    """Decides which unlabeled rows get a pseudo-label in a round; the label itself is the most confident class.

    Attributes
    ----------
    n_rounds : number of rounds of a schedule that ends, None for a strategy that could go on.
    """

    @property
    def n_rounds(self) -> int | None:
        """Number of rounds after which the schedule is through."""
        return None

    def check(self) -> None:
        """Raise a ValueError for a parameter that makes no sense; called before any long work."""

    @abstractmethod
    def select(self, confidence: NDArray[np.float64], round_number: int) -> NDArray[np.bool_]:
        """Mask of the unlabeled rows to use in a round.

        Parameters
        ----------
        confidence : (n_unlabeled, n_classes). A row that keeps the label of an earlier round has infinity in that
            class and 0 in the others, so it comes first in any order.
        round_number : 1 in the first round.
        """


def top_rows(confidence: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Mask of the `count` rows with the largest confidence; of equal ones the first."""
    chosen = np.zeros(len(confidence), dtype=bool)
    chosen[np.argsort(-confidence.max(axis=1), kind="stable")[:count]] = True
    return chosen
