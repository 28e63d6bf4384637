"""Thresholds that are lower for classes with few confident rows."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._per_class_threshold import reach_thresholds
from tabcast.table import Floats, Index, Mask


def flex_thresholds(counts: Index, threshold: float, most: int) -> Floats:
    """Threshold of each class: ``threshold * b / (2 - b)`` with ``b = counts / most``; `threshold` where most is 0."""
    if most == 0:
        return np.full(len(counts), float(threshold))
    learned = counts / most
    return threshold * learned / (2 - learned)


class FlexThreshold(Strategy):
    """Select rows by thresholds that are lower for classes with few confident rows (after FlexMatch).

    Choose it when a single threshold suits the frequent classes and starves the others. Only the class with the most
    confident rows has to reach `threshold`; a class without any confident row takes every row predicted as that class.

    Parameters
    ----------
    threshold : float, default=0.9
        The confidence that counts as confident, in (0, 1]; the threshold of the class with the most such rows.
    warm_up : bool, default=False
        Whether rows below the threshold count as a class of their own. While most rows are below it, the thresholds of
        all classes are then low. This suits a classifier that starts from scratch; here it starts from labeled rows.

    See Also
    --------
    SelfAdaptiveThreshold : Needs no threshold at all.
    PerClassThreshold : Thresholds that you choose.

    Notes
    -----
    With ``n_c`` the number of rows that are predicted as class c and reach `threshold` (tau), the learning status of
    the class is ``b_c = n_c / max(n_1, .., n_K)`` and its threshold is ``tau * b_c / (2 - b_c)``. With `warm_up` the
    maximum also runs over the number of rows that do not reach tau. Where no row reaches tau, every class has the
    threshold tau, so nothing is selected; with `warm_up` everything is. FlexMatch counts over training steps because it
    sees one batch at a time; here every round sees every row, and the counts are those of the round. With two classes
    the most confident class has a probability of at least 0.5, so thresholds matter only above that.

    References
    ----------
    Zhang et al. (2021). FlexMatch: boosting semi-supervised learning with curriculum pseudo labeling. NeurIPS.

    Examples
    --------
    Two rows of class 0 are confident and one of class 1: class 1 has to reach 0.9 * 0.5 / 1.5 = 0.3.

    >>> import numpy as np
    >>> from tabcast.pseudo_labels import FlexThreshold
    >>> confidence = np.array([[0.95, 0.05], [0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.4, 0.6]])
    >>> FlexThreshold(0.9).select(confidence, round_number=1)
    array([ True,  True, False,  True,  True])
    """

    def __init__(self, threshold: float = 0.9, *, warm_up: bool = False) -> None:
        self.threshold = threshold
        self.warm_up = warm_up

    def check(self) -> None:
        """Check that the threshold is a number in (0, 1]."""
        check_number(self.threshold, "threshold", "FlexThreshold", "(0, 1]")

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select rows that are confident enough for their class, whatever the round."""
        confident = confidence.max(axis=1) >= self.threshold
        counts = np.bincount(confidence.argmax(axis=1)[confident], minlength=confidence.shape[1])
        most = max(int(counts.max()), int((~confident).sum()) if self.warm_up else 0)
        self._thresholds = flex_thresholds(counts, self.threshold, most)
        return reach_thresholds(confidence, self._thresholds)

    def required_confidence(self, n_classes: int) -> Floats | None:
        """Return the threshold of each class in the latest round."""
        return getattr(self, "_thresholds", None)
