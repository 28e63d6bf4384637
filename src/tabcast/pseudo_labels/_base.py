"""The contract of the pseudo-label family."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.table import Floats, Mask


class Strategy(BaseEstimator, ABC):
    """Base class of strategies: which unlabeled rows get a pseudo-label in a round.

    The label itself is the most confident class.

    Attributes
    ----------
    n_rounds : int or None
        Number of rounds of a schedule that ends. None for a strategy that could go on.

    See Also
    --------
    tabcast.testing.check_strategy : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Strategy
    >>> class MoreThanHalf(Strategy):
    ...     def select(self, confidence, round_number):
    ...         return confidence.max(axis=1) > 0.5
    ...
    >>> MoreThanHalf().select(np.array([[0.9, 0.1], [0.5, 0.5]]), 1)
    array([ True, False])
    """

    @property
    def n_rounds(self) -> int | None:
        """Number of rounds after which the schedule ends, None without a schedule."""
        return None

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    @abstractmethod
    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the unlabeled rows to use in a round.

        Parameters
        ----------
        confidence : ndarray of shape (n_unlabeled, n_classes)
            Confidence in each class. A row that keeps the label of an earlier round has infinity in that class and 0 in
            the others, so it comes first in any order.
        round_number : int
            The round, 1 for the first.

        Returns
        -------
        ndarray of bool of shape (n_unlabeled,)
            True for the selected rows.
        """

    def required_confidence(self, n_classes: int) -> Floats | None:
        """Return the confidence that a row needs to be selected, whatever the other rows have.

        Parameters
        ----------
        n_classes : int
            How many classes there are.

        Returns
        -------
        ndarray of shape (n_classes,) or None
            The confidence needed in each class. None where no row is refused for its confidence alone, or where
            `select` finds the thresholds and has not been called yet.
        """
        return None


def top_rows(confidence: Floats, count: int) -> Mask:
    """Mask of the `count` rows with the largest confidence; of equal ones the first."""
    chosen = np.zeros(len(confidence), dtype=bool)
    chosen[np.argsort(-confidence.max(axis=1), kind="stable")[:count]] = True
    return chosen
