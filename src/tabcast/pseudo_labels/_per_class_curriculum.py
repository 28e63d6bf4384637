"""A growing proportion of the rows of each class, most confident first."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._base import Strategy
from tabcast.pseudo_labels._curriculum import Curriculum
from tabcast.table import Floats, Mask


class PerClassCurriculum(Strategy):
    """Select the most confident proportion of the rows predicted as each class, ``step * k`` in round k.

    Choose it when classes are imbalanced. :class:`Curriculum` ranks all rows together, so its first rounds consist of
    the class with the highest confidence; here each round has the classes in the proportions in which they are
    predicted. In the last round both select every row.

    Parameters
    ----------
    step : float, default=0.2
        Proportion of each class added per round, in (0, 1]. The default makes five rounds.

    See Also
    --------
    Curriculum : Ranks the rows of all classes together.

    Notes
    -----
    The proportion of a class is rounded up to whole rows and turned into a threshold, so rows of a class with equal
    confidence are selected together.

    References
    ----------
    Cascante-Bonilla, Tan, Qi, Ordonez (2021). Curriculum labeling: revisiting pseudo-labeling for semi-supervised
    learning. AAAI. For proportions per class: Zou, Yu, Kumar, Wang (2018). Unsupervised domain adaptation for semantic
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
        """Check that the step is a proportion."""
        check_number(self.step, "step", "PerClassCurriculum", "(0, 1]")

    @property
    def n_rounds(self) -> int:
        """Number of rounds until every row is selected."""
        return Curriculum(self.step).n_rounds

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the most confident rows of each class, more of them in each round."""
        labels = confidence.argmax(axis=1)
        chosen = np.zeros(len(confidence), dtype=bool)
        for one in np.unique(labels):
            of_class = labels == one
            chosen[of_class] = Curriculum(self.step).select(confidence[of_class], round_number)
        return chosen
