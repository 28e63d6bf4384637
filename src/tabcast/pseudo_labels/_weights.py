"""Weights of pseudo-labeled rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_number, is_number
from tabcast.table import Floats, Index
from tabcast.table._columns import mean_and_spread


class Weighting(BaseEstimator, ABC):
    """Base class of weightings: the weight of pseudo-labeled rows in training, where a labeled row has weight 1.

    Attributes
    ----------
    divides : bool
        Whether rows are divided among the classes; such a row keeps no label.

    See Also
    --------
    tabcast.testing.check_weighting : Checks of the contract, also for members of your own.
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
    TruncatedGaussian : Lower weights for less confident rows.

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


def truncated_gaussian(confidence: Floats, n_sigma: float) -> Floats:
    """Weights: 1 from the mean confidence m up, below ``exp(-(m - c)^2 / (2 (s / n_sigma)^2))`` with the spread s."""
    if len(confidence) == 0:
        return np.ones(0)
    mean, spread = mean_and_spread(confidence)
    if spread == 0:
        return np.ones(len(confidence))
    return np.exp(-0.5 * (n_sigma * np.minimum(confidence - mean, 0.0) / spread) ** 2)


class TruncatedGaussian(Weighting):
    """Give full weight to rows of at least average confidence, and decreasing weight below (after SoftMatch).

    Choose it instead of a threshold, with a strategy that takes many rows (:class:`TakeAll`, the late rounds of a
    curriculum): uncertain rows then take part with little weight, and a row slightly less confident than another is not
    discarded.

    Parameters
    ----------
    n_sigma : float, default=2.0
        How fast weights decrease. At one standard deviation below the mean the weight is ``exp(-n_sigma^2 / 2)``: 0.135
        for 2.
    max_weight : float, default=1.0
        The full weight, where a labeled row has weight 1.
    per_class : bool, default=False
        Whether mean and standard deviation are those of the rows with the same label. A rare class, which usually has
        lower confidence, then keeps its weight.

    See Also
    --------
    Constant : The same weight for every row.
    Soft : Divides rows among the classes.

    Notes
    -----
    A row whose confidence c in its label is below the mean m of all unlabeled rows has the weight
    ``max_weight * exp(-(c - m)^2 / (2 s^2 / n_sigma^2))``, with s the standard deviation; other rows have `max_weight`.
    SoftMatch smooths m and s over training steps because it sees one batch at a time; here every round sees every row.

    References
    ----------
    Chen et al. (2023). SoftMatch: addressing the quantity-quality trade-off in semi-supervised learning. ICLR.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TruncatedGaussian
    >>> confidence = np.array([[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.2, 0.8]])
    >>> labels = confidence.argmax(axis=1)
    >>> TruncatedGaussian().weigh(confidence, labels).round(2)
    array([1.  , 1.  , 0.01, 0.83])
    >>> TruncatedGaussian(per_class=True).weigh(confidence, labels).round(2)
    array([1.  , 1.  , 0.14, 1.  ])
    """

    def __init__(self, n_sigma: float = 2.0, *, max_weight: float = 1.0, per_class: bool = False) -> None:
        self.n_sigma = n_sigma
        self.max_weight = max_weight
        self.per_class = per_class

    def check(self) -> None:
        """Check that both numbers are positive."""
        check_number(self.n_sigma, "n_sigma", "TruncatedGaussian", "(0, inf)")
        check_number(self.max_weight, "max_weight", "TruncatedGaussian", "(0, inf)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Weigh each row by the confidence in its label."""
        in_label = confidence[np.arange(len(labels)), labels]
        groups = labels if self.per_class else np.zeros(len(labels), dtype=np.intp)
        weights = np.ones(len(labels))
        for one in np.unique(groups):
            weights[groups == one] = truncated_gaussian(in_label[groups == one], self.n_sigma)
        return self.max_weight * weights
