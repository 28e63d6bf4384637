"""What a pseudo-labeled row counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_number, is_number
from tabcast.table import Floats, Index


class Weighting(BaseEstimator, ABC):
    """Gives pseudo-labeled rows their weight in training, where a labeled row counts 1.

    Attributes
    ----------
    divides : whether rows are divided among classes; such a row keeps no label.
    """

    divides: bool = False

    def check(self) -> None:
        """Raise a ValueError for a parameter that makes no sense; called before any long work."""

    @abstractmethod
    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Weight of each unlabeled row.

        Parameters
        ----------
        confidence : (n_unlabeled, n_classes).
        labels : class index that each row would be given.
        """

    def divide(self, confidence: Floats) -> Floats | None:
        """How each row is divided among the classes, (n_unlabeled, n_classes); None: it is its label's alone."""
        return None


class Constant(Weighting):
    """The same weight for every row.

    Parameters
    ----------
    weight : a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Constant
    >>> Constant(0.5).weigh(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0, 0]))
    array([0.5, 0.5])
    """

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def check(self) -> None:
        """The weight is positive."""
        check_number(self.weight, "weight", "Constant", "(0, inf)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """The weight, once a row."""
        return np.full(len(labels), float(self.weight))


class Soft(Weighting):
    """A chosen row is divided among the classes, as its confidence is; together its parts count about 1.

    Parameters
    ----------
    smallest : parts below this are dropped, the largest excepted; they would only cost time.

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
        """The smallest part is a share."""
        check_number(self.smallest, "smallest", "Soft", "[0, 0.5)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Every row counts 1 before it is divided."""
        return np.ones(len(labels))

    def divide(self, confidence: Floats) -> Floats:
        """Shares of the classes in the confidence; a row without any is divided evenly."""
        total = confidence.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, confidence / np.where(total > 0, total, 1.0), 1 / confidence.shape[1])
        small = (shares < self.smallest) & (shares < shares.max(axis=1, keepdims=True))
        return np.where(small, 0.0, shares)


def resolve_weighting(pseudo_weight: Any, owner: str) -> Weighting:
    """A member of the family from what a user passed: a member, "soft", or a positive number."""
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
