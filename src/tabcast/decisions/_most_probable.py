"""The most probable class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tabcast.decisions._base import Decision, Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats


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
        return DecisionRule(self.name, np.eye(len(classes)), "the class with the highest probability")
