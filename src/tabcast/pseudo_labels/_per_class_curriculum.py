"""A growing share of the rows of each class, most confident first."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._curriculum import Curriculum
from tabcast.table import Floats, Mask


class PerClassCurriculum(Strategy):
    """Round k takes the k * `step` most confident share of the rows that would be given each class.

    Choose it when classes are of unequal size. :class:`Curriculum` ranks all rows together, so its first rounds consist
    of the class that the classifier is surest of; here each round has the classes in the shares in which the classifier
    predicts them. In the last round both take every row.

    Parameters
    ----------
    step : share of each class added each round; 0.2 makes five rounds.

    Notes
    -----
    The share of a class is rounded up to whole rows and turned into a threshold, so rows of a class with equal
    confidence are taken together.

    References
    ----------
    Cascante-Bonilla, Tan, Qi, Ordonez (2021). Curriculum labeling: revisiting pseudo-labeling for semi-supervised
    learning. AAAI. For the shares by class: Zou, Yu, Kumar, Wang (2018). Unsupervised domain adaptation for semantic
    segmentation via class-balanced self-training. ECCV.

    Examples
    --------
    Two of four rows, one of each class, where the curriculum over all rows takes only the first class:

    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Curriculum, PerClassCurriculum
    >>> confidence = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7]])
    >>> PerClassCurriculum(step=0.5).select(confidence, round_number=1)
    array([ True, False, False,  True])
    >>> Curriculum(step=0.5).select(confidence, round_number=1)
    array([ True,  True, False, False])
    >>> PerClassCurriculum(step=0.5).n_rounds
    2
    """

    def __init__(self, step: float = 0.2) -> None:
        self.step = step

    def check(self) -> None:
        """The step is a share."""
        check_number(self.step, "step", "PerClassCurriculum", "(0, 1]")

    @property
    def n_rounds(self) -> int:
        """Rounds until every row is taken."""
        return Curriculum(self.step).n_rounds

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """The most confident rows of each class, more of them each round."""
        labels = confidence.argmax(axis=1)
        chosen = np.zeros(len(confidence), dtype=bool)
        for one in np.unique(labels):
            of_class = labels == one
            chosen[of_class] = Curriculum(self.step).select(confidence[of_class], round_number)
        return chosen
