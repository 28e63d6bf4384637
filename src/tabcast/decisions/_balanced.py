"""Probabilities relative to class proportions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tabcast.decisions._base import Decision, Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats


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
        return DecisionRule(
            self.name,
            np.diag(1 / np.asarray(prior, dtype=float)),
            "the class with the highest probability relative to its proportion among the labeled rows",
        )
