"""Weights of pseudo-labeled rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_number, is_number
from tabcast.table import Floats, Index


class Weighting(BaseEstimator, ABC):
    """Base class of weightings: the weight of pseudo-labeled rows in training, where a labeled row has weight 1.

    Attributes
    ----------
    divides : bool
        Whether rows are divided among the classes; such a row keeps no label.

    See Also
    --------
    Soft : Divides rows among the classes.
    """

    divides: bool = False

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    @abstractmethod
    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Weigh the unlabeled rows.

        Parameters
        ----------
        confidence : ndarray of shape (n_unlabeled, n_classes)
            Confidence in each class.
        labels : ndarray of int of shape (n_unlabeled,)
            Class index of each row's pseudo-label.

        Returns
        -------
        ndarray of shape (n_unlabeled,)
            The weights.
        """

    def divide(self, confidence: Floats) -> Floats | None:
        """Divide the unlabeled rows among the classes.

        Parameters
        ----------
        confidence : ndarray of shape (n_unlabeled, n_classes)
            Confidence in each class.

        Returns
        -------
        ndarray of shape (n_unlabeled, n_classes) or None
            The proportion of each row that counts for each class. None for a weighting that leaves a row to its label.
        """
        return None


class Constant(Weighting):
    """Give every row the same weight.

    Parameters
    ----------
    weight : float, default=1.0
        A positive number.

    See Also
    --------
    Soft : Divides rows among the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels._weights import Constant
    >>> Constant(0.5).weigh(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0, 0]))
    array([0.5, 0.5])
    """

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def check(self) -> None:
        """Check that the weight is positive."""
        check_number(self.weight, "weight", "Constant", "(0, inf)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Return the weight for each row."""
        return np.full(len(labels), float(self.weight))


class Soft(Weighting):
    """Divide selected rows among the classes in proportion to their confidence.

    Parameters
    ----------
    smallest : float, default=0.02
        Proportions below this are dropped, except a row's largest; they would only cost time.

    See Also
    --------
    Constant : Each row counts for its label alone.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Soft
    >>> Soft().divide(np.array([[0.45, 0.05], [0.99, 0.01]]))
    array([[0.9 , 0.1 ],
           [0.99, 0.  ]])
    """

    divides = True

    def __init__(self, smallest: float = 0.02) -> None:
        self.smallest = smallest

    def check(self) -> None:
        """Check that the smallest proportion is in [0, 0.5)."""
        check_number(self.smallest, "smallest", "Soft", "[0, 0.5)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Return 1 for every row; it is divided afterwards."""
        return np.ones(len(labels))

    def divide(self, confidence: Floats) -> Floats:
        """Return each class's proportion of a row's confidence; a row without any is divided evenly."""
        total = confidence.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, confidence / np.where(total > 0, total, 1.0), 1 / confidence.shape[1])
        small = (shares < self.smallest) & (shares < shares.max(axis=1, keepdims=True))
        return np.where(small, 0.0, shares)


def resolve_weighting(pseudo_weight: Any, owner: str) -> Weighting:
    """The weighting that a user passed, or the one that a number or "soft" stands for."""
    if isinstance(pseudo_weight, Weighting):
        return pseudo_weight
    if isinstance(pseudo_weight, str) and pseudo_weight == "soft":
        return Soft()
    if is_number(pseudo_weight, "(0, inf)"):
        return Constant(float(pseudo_weight))
    raise ValueError(
        f"`pseudo_weight` of {owner} must be a positive number, 'soft' or a Weighting of tabcast.pseudo_labels; "
        f"got {pseudo_weight!r}."
    )
