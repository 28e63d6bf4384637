"""The class with the smallest expected cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabcast.checks import is_number
from tabcast.decisions._base import Decision, Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats


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
        return DecisionRule(self.name, 0.0 - self._matrix(classes), "the class with the smallest expected cost")

    def _matrix(self, classes: NDArray[Any]) -> Floats:
        """Costs by class index: true classes as rows, predicted ones as columns."""
        if not isinstance(self.costs, Mapping):
            return np.array(self.costs, dtype=float)
        known = classes.tolist()
        matrix = 1 - np.eye(len(known))
        for (true, predicted), cost in self.costs.items():
            matrix[known.index(true), known.index(predicted)] = float(cost)
        return matrix
