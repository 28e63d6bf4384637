"""A threshold for the second of two classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tabcast.checks import check_number
from tabcast.decisions._base import Decision, Evidence
from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats

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
        return DecisionRule(
            self.name,
            np.diag([1 / (1 - value), 1 / value]),
            f"{classes[1]} if its probability is at least {self.value:g}, otherwise {classes[0]}",
        )
