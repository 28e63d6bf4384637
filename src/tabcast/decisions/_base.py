"""The contract of the decisions: from class proportions and out-of-fold probabilities to a rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats, Index, Mask


@dataclass(frozen=True, eq=False)
class Evidence:
    """Probabilities of labeled rows from models that were not trained on them.

    Parameters
    ----------
    proba : ndarray of shape (n, n_classes)
        The probabilities.
    y : ndarray of int of shape (n,)
        Class index of each row.
    rows : ndarray of int of shape (n,)
        Number of each row, so that one that was held out several times is counted once.

    See Also
    --------
    Decision : Uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Evidence
    >>> evidence = Evidence(np.array([[0.8, 0.2], [0.4, 0.6]]), y=np.array([0, 1]), rows=np.array([0, 1]))
    >>> evidence.take(np.array([True, False])).y
    array([0])
    """

    proba: Floats
    y: Index
    rows: Index

    def take(self, chosen: Mask) -> Evidence:
        """Take some of the rows.

        Parameters
        ----------
        chosen : ndarray of bool of shape (n,)
            Which ones.

        Returns
        -------
        Evidence
            These rows.
        """
        return Evidence(self.proba[chosen], self.y[chosen], self.rows[chosen])

    def count(self, n_classes: int) -> Index:
        """Count the rows of each class, each row once.

        Parameters
        ----------
        n_classes : int
            Number of classes.

        Returns
        -------
        ndarray of int of shape (n_classes,)
            The counts.
        """
        _, first = np.unique(self.rows, return_index=True)
        return np.bincount(self.y[first], minlength=n_classes)


class Decision(BaseEstimator, ABC):
    """Base class of decisions: how a class is predicted from probabilities.

    Attributes
    ----------
    name : str
        What a rule of it is called.
    needs_out_of_fold : bool
        Whether it is tuned on out-of-fold probabilities.

    See Also
    --------
    DecisionRule : A fitted decision.
    tabcast.testing.check_decision : Checks of the contract, also for members of your own.
    """

    name: ClassVar[str]
    needs_out_of_fold: ClassVar[bool] = False

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    def check_classes(self, classes: NDArray[Any]) -> None:
        """Raise a ValueError for classes that the decision cannot work with; called before any long work.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The classes in sorted order.
        """

    @abstractmethod
    def fit(self, classes: NDArray[Any], prior: Floats, evidence: Evidence | None = None) -> DecisionRule:
        """Find the rule.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The classes in sorted order.
        prior : ndarray of shape (n_classes,)
            Their proportions, all positive.
        evidence : Evidence, default=None
            Out-of-fold probabilities, for a decision that needs them.

        Returns
        -------
        DecisionRule
            The rule.
        """
