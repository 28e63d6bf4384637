"""FPL: rows above a threshold."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.table import Floats, Mask


class FixedThreshold(Strategy):
    """Rows whose confidence reaches a threshold (fixed-threshold pseudo-labeling, FPL).

    Parameters
    ----------
    threshold : the confidence that is enough.
    strict : whether confidence has to exceed the threshold, as in scikit-learn's SelfTrainingClassifier.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import FixedThreshold
    >>> confidence = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    >>> FixedThreshold(0.6).select(confidence, round_number=1)
    array([ True,  True, False])
    >>> FixedThreshold(0.6, strict=True).select(confidence, round_number=1)
    array([ True, False, False])
    """

    def __init__(self, threshold: float = 0.6, *, strict: bool = False) -> None:
        self.threshold = threshold
        self.strict = strict

    def check(self) -> None:
        """The threshold is a number in [0, 1]."""
        check_number(self.threshold, "threshold", "FixedThreshold", "[0, 1]")

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Rows that are confident enough, whatever the round."""
        best = confidence.max(axis=1)
        return best > self.threshold if self.strict else best >= self.threshold

    def required_confidence(self, n_classes: int) -> Floats:
        """The threshold, for each class."""
        return np.full(n_classes, float(self.threshold))
