"""The contract of the pseudo-label family."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.table import Floats, Mask


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
    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Mask of the unlabeled rows to use in a round.

        Parameters
        ----------
        confidence : (n_unlabeled, n_classes). A row that keeps the label of an earlier round has infinity in that
            class and 0 in the others, so it comes first in any order.
        round_number : 1 in the first round.
        """

    def required_confidence(self, n_classes: int) -> Floats | None:
        """Confidence that a row needs to be selected, whatever the other rows have.

        Parameters
        ----------
        n_classes : number of classes.

        Returns
        -------
        (n_classes,) the confidence needed in each class; None where no row is refused for its confidence alone, or
        where the thresholds are found in `select` and it has not been called.
        """
        return None


def top_rows(confidence: Floats, count: int) -> Mask:
    """Mask of the `count` rows with the largest confidence; of equal ones the first."""
    chosen = np.zeros(len(confidence), dtype=bool)
    chosen[np.argsort(-confidence.max(axis=1), kind="stable")[:count]] = True
    return chosen
