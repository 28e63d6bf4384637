"""The contract of the decisions, those that need no tuning, and decisions for held-out rows."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from tabcast.checks import check_number, is_number
from tabcast.decisions._rule import DecisionRule
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Floats, Index, Mask


@dataclass(frozen=True, eq=False)
class Evidence:
    """Probabilities of labeled rows from models that were not trained on them.

    `rows` numbers the rows, so that one that was held out several times is counted once.
    """

    proba: Floats
    y: Index
    rows: Index

    def take(self, chosen: Mask) -> Evidence:
        """Some of the rows."""
        return Evidence(self.proba[chosen], self.y[chosen], self.rows[chosen])

    def count(self, n_classes: int) -> Index:
        """Number of rows of each class, each row once."""
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
            What :meth:`make_rule` gives.
        """

    def make_rule(self, payoffs: Floats, meaning: str) -> DecisionRule:
        """Make a rule that predicts the class with the largest expected payoff.

        Parameters
        ----------
        payoffs : ndarray of shape (n_classes, n_classes)
            Payoff of each predicted class (columns) for each true class (rows).
        meaning : str
            What is predicted, in words.

        Returns
        -------
        DecisionRule
            The rule.
        """
        return DecisionRule(self.name, np.asarray(payoffs, dtype=float), meaning)


class MostProbable(Decision):
    """Predict the most probable class: best for accuracy. The do-nothing member.

    See Also
    --------
    Balanced : For balanced accuracy.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import MostProbable
    >>> rule = MostProbable().fit(np.array(["no", "yes"]), prior=np.array([0.8, 0.2]))
    >>> rule.decide([[0.7, 0.3], [0.4, 0.6]])
    array([0, 1])
    """

    name: ClassVar[str] = "accuracy"

    def fit(self, classes: NDArray[Any], prior: Floats, evidence: Evidence | None = None) -> DecisionRule:
        """Return the identity."""
        return self.make_rule(np.eye(len(classes)), "the class with the highest probability")


class Balanced(Decision):
    """Predict the class whose probability is largest relative to its proportion: best for balanced accuracy.

    Choose it if an error on a rare class costs as much as an error on a frequent one, per row of the class. It needs
    calibrated probabilities, and the class proportions that they reflect.

    See Also
    --------
    BestF1 : For F1, which rare classes do not dominate.

    Notes
    -----
    Balanced accuracy is the mean over classes k of ``P(predicted = k | true = k)``. A row of class k counts
    ``1 / prior_k``, so that the class with the largest ``p_k / prior_k`` is the best prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Balanced
    >>> rule = Balanced().fit(np.array(["no", "yes"]), prior=np.array([0.8, 0.2]))
    >>> rule.decide([[0.85, 0.15], [0.7, 0.3]])
    array([0, 1])
    """

    name: ClassVar[str] = "balanced"

    def fit(self, classes: NDArray[Any], prior: Floats, evidence: Evidence | None = None) -> DecisionRule:
        """Weight each class by the inverse of its proportion."""
        return self.make_rule(
            np.diag(1 / np.asarray(prior)),
            "the class with the highest probability relative to its proportion among the labeled rows",
        )


ROUNDING = 1e-7  # of probabilities in single precision: 0.7 is 0.69999999


class Threshold(Decision):
    """Predict the second of two classes (in sorted order) if its probability is at least a given value.

    Parameters
    ----------
    value : float, default=0.5
        The smallest probability with which the second class is predicted, within (0, 1). Probabilities that differ from
        it by rounding alone (1e-7) reach it.

    See Also
    --------
    Costs : The threshold follows from what errors cost.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Threshold
    >>> rule = Threshold(0.3).fit(np.array(["no", "yes"]), prior=np.array([0.8, 0.2]))
    >>> rule.decide([[0.71, 0.29], [0.7, 0.3]])
    array([0, 1])
    """

    name: ClassVar[str] = "threshold"

    def __init__(self, value: float = 0.5) -> None:
        self.value = value

    def check(self) -> None:
        """Check that the value is within (0, 1)."""
        check_number(self.value, "value", "Threshold", "(0, 1)")

    def check_classes(self, classes: NDArray[Any]) -> None:
        """Check that there are two classes."""
        if len(classes) != 2:
            raise ValueError(
                f"{self!r} is a decision between two classes; there are {len(classes)}: {classes[:10].tolist()}. Use "
                "'accuracy', 'balanced', 'f1' or Costs."
            )

    def fit(self, classes: NDArray[Any], prior: Floats, evidence: Evidence | None = None) -> DecisionRule:
        """Weight both classes so that they are equal at the threshold."""
        self.check()
        self.check_classes(classes)
        value = max(float(self.value) - ROUNDING, float(self.value) / 2)
        return self.make_rule(
            np.diag([1 / (1 - value), 1 / value]),
            f"{classes[1]} if its probability is at least {self.value:g}, otherwise {classes[0]}",
        )


class Costs(Decision):
    """Predict the class with the smallest expected cost.

    It needs calibrated probabilities.

    Parameters
    ----------
    costs : dict or array-like of shape (n_classes, n_classes)
        A dictionary from (true class, predicted class) to the cost; errors that it does not name cost 1, correct
        predictions nothing. Or a matrix with true classes as rows and predicted ones as columns, both in sorted order.
        Negative costs are gains.

    See Also
    --------
    Threshold : The same for two classes, as a probability.

    Notes
    -----
    The predicted class is ``argmin_k sum_j p_j cost_jk``. For two classes and free correct predictions that is a
    threshold: the second is predicted if its probability is above ``cost_01 / (cost_01 + cost_10)``.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.decisions import Costs
    >>> decision = Costs({("ill", "well"): 9})  # to miss an illness is nine times worse than a false alarm
    >>> rule = decision.fit(np.array(["ill", "well"]), prior=np.array([0.2, 0.8]))
    >>> rule.decide([[0.09, 0.91], [0.11, 0.89]])
    array([1, 0])
    """

    name: ClassVar[str] = "costs"

    def __init__(self, costs: Mapping[tuple[Any, Any], float] | ArrayLike) -> None:
        self.costs = costs

    def check(self) -> None:
        """Check that costs are numbers."""
        if isinstance(self.costs, Mapping):
            for pair, cost in self.costs.items():
                if not (isinstance(pair, tuple) and len(pair) == 2 and is_number(cost, "(-inf, inf)")):
                    raise ValueError(
                        f"`costs` of Costs must map (true class, predicted class) to a number; got {pair!r}: {cost!r}."
                    )
            return
        try:
            matrix = np.asarray(self.costs)
        except ValueError:  # rows of different length
            matrix = np.empty(0)
        square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.dtype.kind in "iuf"
        if not square or not np.isfinite(matrix).all():
            raise ValueError(
                "`costs` of Costs must be a dictionary from (true class, predicted class) to a number, or a square "
                f"matrix of numbers; got {self.costs!r}."
            )

    def check_classes(self, classes: NDArray[Any]) -> None:
        """Check that the costs are those of these classes, and that some error costs more than being right."""
        self.check()
        if isinstance(self.costs, Mapping):
            known = classes.tolist()
            unknown = [one for pair in self.costs for one in pair if one not in known]
            if unknown:
                raise ValueError(f"`costs` of Costs names {unknown[0]!r}, which is not among the classes {known[:10]}.")
        elif len(np.asarray(self.costs)) != len(classes):
            raise ValueError(
                f"`costs` of Costs must have one row and one column for each of the {len(classes)} classes "
                f"{classes[:10].tolist()}; got a matrix of shape {np.asarray(self.costs).shape}."
            )
        matrix = self._matrix(classes)
        if (matrix == matrix[:, [0]]).all():
            raise ValueError("`costs` of Costs are the same for every prediction, so that none is better than another.")

    def fit(self, classes: NDArray[Any], prior: Floats, evidence: Evidence | None = None) -> DecisionRule:
        """Return the negative costs."""
        self.check_classes(classes)
        return self.make_rule(0.0 - self._matrix(classes), "the class with the smallest expected cost")

    def _matrix(self, classes: NDArray[Any]) -> Floats:
        """Costs by class index: true classes as rows, predicted ones as columns."""
        if not isinstance(self.costs, Mapping):
            return np.array(self.costs, dtype=float)
        known = classes.tolist()
        matrix = 1 - np.eye(len(known))
        for (true, predicted), cost in self.costs.items():
            matrix[known.index(true), known.index(predicted)] = float(cost)
        return matrix


N_FOLDS = 5  # of rows that were all held out together


def cross_fit(decision: Decision, classes: NDArray[Any], prior: Floats, evidence: Evidence, groups: Index) -> Index:
    """Class of each out-of-fold row, by a rule that is fitted on the other groups (folds, splits).

    A row may come several times, in different groups; no rule has seen the row that it decides for, nor any row of its
    group. With one group, its rows are divided into five stratified ones. `prior` is that of all groups, or of each.
    """
    n_groups = int(groups.max(initial=-1)) + 1
    priors = np.broadcast_to(prior, (n_groups, len(classes)))
    if decision.needs_out_of_fold and n_groups == 1:
        groups, n_groups = _divide(evidence.y), N_FOLDS
        priors = np.broadcast_to(priors, (n_groups, len(classes)))
    codes = np.empty(len(evidence.y), dtype=np.intp)
    for group in range(n_groups):
        inside = groups == group
        if not inside.any():
            continue
        others = evidence.take(~inside & ~np.isin(evidence.rows, evidence.rows[inside]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallClassWarning)  # the rule of all rows warns
            rule = decision.fit(classes, priors[group], others if decision.needs_out_of_fold else None)
        codes[inside] = rule.decide(evidence.proba[inside])
    return codes


def _divide(y: Index) -> Index:
    """Stratified groups: the rows of each class are dealt to the groups in turn."""
    order = np.argsort(y, kind="stable")
    groups = np.empty(len(y), dtype=np.intp)
    groups[order] = np.arange(len(y)) % N_FOLDS
    return groups
