"""Thresholds read off the classifier's own confidence."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._per_class_threshold import reach_thresholds
from tabcast.table import Floats, Mask

ROUNDING = 1e-9  # a mean of equal numbers may come out a hair above them


def adaptive_thresholds(overall: float, class_means: Floats) -> Floats:
    """Threshold of each class: ``overall * class_means / max(class_means)``; `overall` where all means are 0."""
    most = class_means.max()
    return overall * (class_means / most if most > 0 else np.ones(len(class_means)))


class SelfAdaptiveThreshold(Strategy):
    """Rows at least as confident as the average row, the bar lower for classes predicted rarely (after FreeMatch).

    Choose it when you do not want to choose a threshold: the bar is what the classifier is confident of on average, so
    it rises as the classifier learns, and it falls for a class in proportion to how rarely that class is predicted.

    Parameters
    ----------
    momentum : how much of the averages of earlier rounds is kept, in [0, 1). 0: each round stands for itself.

    Notes
    -----
    In each round, let t be the mean over the unlabeled rows of their largest confidence, and p_c the mean confidence in
    class c. Both are moving averages over rounds, ``momentum * before + (1 - momentum) * now``, that start with the
    first round. The threshold of class c is ``t * p_c / max(p_1, .., p_K)``. A row that keeps the label of an earlier
    round counts as certain of it.

    FreeMatch averages over thousands of batches from a start of 1 / K. Here a round sees all rows and there are few
    rounds: after ten of them a start of 1 / K and a momentum of 0.999 would still be a threshold of about 1 / K.

    References
    ----------
    Wang et al. (2023). FreeMatch: self-adaptive thresholding for semi-supervised learning. ICLR.

    Examples
    --------
    The mean of the largest confidences is 0.8, the classes have 0.7 and 0.3 on average: class 1 has to reach 0.34.

    >>> import numpy as np
    >>> from tabcast.pseudo_labels import SelfAdaptiveThreshold
    >>> confidence = np.array([[0.95, 0.05], [0.85, 0.15], [0.75, 0.25], [0.25, 0.75], [0.7, 0.3]])
    >>> SelfAdaptiveThreshold().select(confidence, round_number=1)
    array([ True,  True, False,  True, False])
    """

    def __init__(self, momentum: float = 0.5) -> None:
        self.momentum = momentum

    def check(self) -> None:
        """The momentum is a share below 1."""
        check_number(self.momentum, "momentum", "SelfAdaptiveThreshold", "[0, 1)")

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Rows above the average, as far as their class goes; round 1 forgets what was before."""
        if len(confidence) == 0:
            return np.zeros(0, dtype=bool)
        certain = np.minimum(confidence, 1.0)
        now = np.append(certain.mean(axis=0), certain.max(axis=1).mean())
        before = getattr(self, "_averages", None)
        if before is not None and round_number > 1:
            now = self.momentum * before + (1 - self.momentum) * now
        self._averages: Floats = now
        self._thresholds = adaptive_thresholds(now[-1], now[:-1]) * (1 - ROUNDING)
        return reach_thresholds(confidence, self._thresholds)

    def required_confidence(self, n_classes: int) -> Floats | None:
        """The threshold of each class in the latest round."""
        return getattr(self, "_thresholds", None)
