"""Which unlabeled rows get a pseudo-label in a round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import ceil

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.checks import check_integer, check_number
from tabcast.table import Floats, Mask


class Strategy(BaseEstimator, ABC):
    """Base class of strategies: which unlabeled rows get a pseudo-label in a round.

    The label itself is the most confident class.

    Attributes
    ----------
    n_rounds : int or None
        Number of rounds of a schedule that ends. None for a strategy that could go on.

    See Also
    --------
    tabcast.testing.check_strategy : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Strategy
    >>> class MoreThanHalf(Strategy):
    ...     def select(self, confidence, round_number):
    ...         return confidence.max(axis=1) > 0.5
    ...
    >>> MoreThanHalf().select(np.array([[0.9, 0.1], [0.5, 0.5]]), 1)
    array([ True, False])
    """

    @property
    def n_rounds(self) -> int | None:
        """Number of rounds after which the schedule ends, None without a schedule."""
        return None

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    @abstractmethod
    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the unlabeled rows to use in a round.

        Parameters
        ----------
        confidence : ndarray of shape (n_unlabeled, n_classes)
            Confidence in each class. A row that keeps the label of an earlier round has infinity in that class and 0 in
            the others, so it comes first in any order.
        round_number : int
            The round, 1 for the first.

        Returns
        -------
        ndarray of bool of shape (n_unlabeled,)
            True for the selected rows.
        """

    def required_confidence(self, n_classes: int) -> Floats | None:
        """Return the confidence that a row needs to be selected, whatever the other rows have.

        Parameters
        ----------
        n_classes : int
            How many classes there are.

        Returns
        -------
        ndarray of shape (n_classes,) or None
            The confidence needed in each class. None where no row is refused for its confidence alone, or where
            `select` finds it and has not been called yet.
        """
        return None


class TakeAll(Strategy):
    """Select every unlabeled row in every round: the do-nothing member.

    See Also
    --------
    Curriculum : Starts with the most confident rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TakeAll
    >>> TakeAll().select(np.array([[0.5, 0.5], [0.9, 0.1]]), round_number=1)
    array([ True,  True])
    """

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select all rows."""
        return np.ones(len(confidence), dtype=bool)


class FixedThreshold(Strategy):
    """Select rows whose confidence reaches a threshold (fixed-threshold pseudo-labeling).

    Parameters
    ----------
    threshold : float or sequence of float, default=0.6
        The sufficient confidence, in [0, 1]; or one for each class, in their order (`classes_` of the classifier, which
        is sorted): a rare class seldom reaches a threshold that suits a frequent one.
    strict : bool, default=False
        Whether confidence has to exceed the threshold, as in scikit-learn's SelfTrainingClassifier.

    See Also
    --------
    PerClassCurriculum : A growing proportion of each class.
    Curriculum : A growing proportion of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import FixedThreshold
    >>> confidence = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    >>> FixedThreshold(0.6).select(confidence, round_number=1)
    array([ True,  True, False])
    >>> FixedThreshold(0.6, strict=True).select(confidence, round_number=1)
    array([ True, False, False])
    >>> FixedThreshold([0.5, 0.7]).select(confidence, round_number=1)  # the third row is of the first class
    array([ True,  True,  True])
    """

    def __init__(self, threshold: float | Sequence[float] = 0.6, *, strict: bool = False) -> None:
        self.threshold = threshold
        self.strict = strict

    def check(self) -> None:
        """Check that thresholds are numbers in [0, 1]."""
        for value in self.threshold if isinstance(self.threshold, Sequence | np.ndarray) else [self.threshold]:
            check_number(value, "threshold", "FixedThreshold", "[0, 1]")

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select rows that are confident enough for their class, whatever the round."""
        best, enough = confidence.max(axis=1), self.required_confidence(confidence.shape[1])[confidence.argmax(axis=1)]
        return best > enough if self.strict else best >= enough

    def required_confidence(self, n_classes: int) -> Floats:
        """Return the threshold for each class."""
        if np.size(self.threshold) not in (1, n_classes):
            raise ValueError(
                f"`threshold` of FixedThreshold must be a number, or one for each of {n_classes} classes; got "
                f"{np.size(self.threshold)} numbers."
            )
        return np.broadcast_to(np.asarray(self.threshold, dtype=float), n_classes)


class Curriculum(Strategy):
    """Select the most confident proportion of the unlabeled rows, ``step * k`` in round k (curriculum pseudo-labeling).

    The proportion is turned into a threshold, so rows with equal confidence are selected together. Trees, whose
    confidences repeat, may select more rows than the proportion.

    Parameters
    ----------
    step : float, default=0.2
        Proportion added per round, in (0, 1]. The default makes five rounds.

    See Also
    --------
    PerClassCurriculum : The same within each class.
    FixedThreshold : Rows above a threshold.

    Notes
    -----
    Of n rows, round k selects ``ceil(step * k * n)``, the most confident first: the threshold is the confidence of the
    last of them. The paper asks for the top 20%, 40%, ... without saying how a proportion becomes a threshold.
    ``np.quantile(confidence, 1 - step * k)``, the usual way, interpolates between two rows and may leave out the row at
    the border: one row fewer where confidences differ, all rows of equal confidence where they repeat. Counting selects
    no fewer rows than the proportion says, and does not depend on the rounding of an interpolated number.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import Curriculum
    >>> confidence = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]])
    >>> Curriculum(step=0.5).select(confidence, round_number=1)
    array([ True, False, False,  True])
    >>> Curriculum(step=0.5).select(confidence, round_number=2)
    array([ True,  True,  True,  True])
    >>> Curriculum(step=0.5).n_rounds
    2
    """

    def __init__(self, step: float = 0.2) -> None:
        self.step = step

    def check(self) -> None:
        """Check that the step is a proportion."""
        check_number(self.step, "step", type(self).__name__, "(0, 1]")

    @property
    def n_rounds(self) -> int:
        """Number of rounds until every row is selected."""
        return ceil(round(1 / self.step, 9))

    def count_rows(self, n_rows: int, round_number: int) -> int:
        """Count the rows of a round, rows of equal confidence aside.

        Parameters
        ----------
        n_rows : int
            Number of unlabeled rows.
        round_number : int
            The round, from 1 on.

        Returns
        -------
        int
            How many of the most confident rows are selected.
        """
        return ceil(round(min(1.0, self.step * round_number) * n_rows, 9))

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the most confident rows, more of them in each round."""
        best = confidence.max(axis=1)
        count = self.count_rows(len(best), round_number)
        if count == 0:
            return np.zeros(len(best), dtype=bool)
        return best >= np.partition(best, len(best) - count)[len(best) - count]


class TopK(Strategy):
    """Select the ``k * round`` most confident rows: k more per round (scikit-learn's `k_best`).

    Parameters
    ----------
    k : int, default=10
        Number of rows added per round.

    See Also
    --------
    Curriculum : Adds a proportion of the rows per round.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TopK
    >>> confidence = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> TopK(k=1).select(confidence, round_number=1)
    array([ True, False, False])
    >>> TopK(k=1).select(confidence, round_number=2)
    array([ True, False,  True])
    """

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def check(self) -> None:
        """Check that k is a positive integer."""
        check_integer(self.k, "k", "TopK", 1)

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the most confident rows; of equally confident ones the first."""
        chosen = np.zeros(len(confidence), dtype=bool)
        chosen[np.argsort(-confidence.max(axis=1), kind="stable")[: self.k * round_number]] = True
        return chosen


class PerClassCurriculum(Curriculum):
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

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Select the most confident rows of each class, more of them in each round."""
        labels = confidence.argmax(axis=1)
        chosen = np.zeros(len(confidence), dtype=bool)
        for one in np.unique(labels):
            of_class = labels == one
            chosen[of_class] = super().select(confidence[of_class], round_number)
        return chosen
