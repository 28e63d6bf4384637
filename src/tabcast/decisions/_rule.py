"""A fitted decision: one matrix of payoffs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tabcast.table import Floats, Index


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """A fitted decision: predicts the class with the largest expected payoff, ``argmax_k (p @ payoffs)_k``.

    Parameters
    ----------
    name : str
        Name of the decision, for example "balanced".
    payoffs : ndarray of shape (n_classes, n_classes)
        Payoff of each predicted class (columns) for each true class (rows). The identity predicts the most probable
        class.
    meaning : str, default=""
        What is predicted, in words.

    See Also
    --------
    Decision : Fits a rule.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import DecisionRule
    >>> rule = DecisionRule("balanced", np.diag([1 / 0.8, 1 / 0.2]))
    >>> rule.decide(np.array([[0.9, 0.1], [0.7, 0.3]]))
    array([0, 1])
    """

    name: str
    payoffs: Floats
    meaning: str = ""

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.payoffs)

    @property
    def is_most_probable(self) -> bool:
        """Whether the predicted class is always the most probable one."""
        return np.array_equal(self.payoffs, np.eye(self.n_classes))

    def decide(self, proba: ArrayLike) -> Index:
        """Decide for one class per row.

        Parameters
        ----------
        proba : array-like of shape (n_rows, n_classes)
            Probabilities.

        Returns
        -------
        ndarray of int of shape (n_rows,)
            Index of the predicted class; of classes with the same payoff, the first.
        """
        values = np.asarray(proba, dtype=float)
        if values.ndim != 2 or values.shape[1] != self.n_classes:
            raise ValueError(
                f"`proba` of DecisionRule.decide must have one column for each of {self.n_classes} classes; got an "
                f"array of shape {values.shape}."
            )
        n_bad = int(np.isnan(values).any(axis=1).sum())
        if n_bad:
            raise ValueError(f"`proba` of DecisionRule.decide has NaN in {n_bad} of {len(values)} rows.")
        expected = np.zeros(values.shape)
        for true, payoffs in enumerate(self.payoffs):  # not `@`, whose rounding depends on the number of rows
            expected += values[:, [true]] * payoffs
        return expected.argmax(axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Give the rule as plain data that JSON can hold.

        Returns
        -------
        dict
            `name`, `payoffs` (a list of rows) and `meaning`.
        """
        return {"name": self.name, "payoffs": self.payoffs.tolist(), "meaning": self.meaning}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Make a rule from what :meth:`to_dict` gave.

        Parameters
        ----------
        plain : mapping
            `name`, `payoffs` and `meaning`.

        Returns
        -------
        DecisionRule
            The rule.

        Raises
        ------
        ValueError
            If the payoffs are not a square matrix of numbers.
        """
        name, meaning, payoffs = plain["name"], plain["meaning"], np.array(plain["payoffs"])
        square = payoffs.ndim == 2 and payoffs.shape[0] == payoffs.shape[1] >= 1 and payoffs.dtype.kind in "if"
        if not (isinstance(name, str) and isinstance(meaning, str) and square and np.isfinite(payoffs).all()):
            raise ValueError("a decision rule must have a name, and a square matrix of payoffs")
        return cls(name, payoffs.astype(float), meaning)
