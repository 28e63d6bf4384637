"""A threshold of its own for each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabcast.checks import check_number, is_integer
from tabcast.pseudo_labels._base import Strategy
from tabcast.table import Floats, Mask


def reach_thresholds(confidence: Floats, thresholds: Floats) -> Mask:
    """Mask of the rows whose confidence reaches the threshold of their most confident class."""
    return confidence.max(axis=1) >= thresholds[confidence.argmax(axis=1)]


class PerClassThreshold(Strategy):
    """Rows whose confidence reaches the threshold of the class that they would be given.

    Choose it when you know how sure is sure enough for each class: a rare class rarely reaches a threshold that suits
    a frequent one. Where you do not know, :class:`FlexThreshold` and :class:`SelfAdaptiveThreshold` find thresholds,
    and :class:`PerClassCurriculum` needs none.

    Parameters
    ----------
    thresholds : a number in [0, 1] for each class, in the order of the classes (`classes_` of the classifier, which is
        sorted); or a mapping from class index in that order to number.
    otherwise : the threshold of classes that a mapping does not name.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import PerClassThreshold
    >>> confidence = np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6]])
    >>> PerClassThreshold([0.8, 0.5]).select(confidence, round_number=1)
    array([ True, False,  True])
    >>> PerClassThreshold({1: 0.55}, otherwise=0.95).select(confidence, round_number=1)
    array([False, False,  True])
    """

    def __init__(self, thresholds: Mapping[int, float] | Sequence[float], *, otherwise: float = 0.6) -> None:
        self.thresholds = thresholds
        self.otherwise = otherwise

    def check(self) -> None:
        """All thresholds are numbers in [0, 1], and keys count classes."""
        thresholds: Any = self.thresholds
        if isinstance(thresholds, Mapping):
            for key in thresholds:
                if not is_integer(key, 0):
                    raise ValueError(
                        "Keys of `thresholds` of PerClassThreshold must be class indices, integers from 0 up; "
                        f"got {key!r}."
                    )
        elif isinstance(thresholds, str) or not isinstance(thresholds, Sequence | np.ndarray):
            raise ValueError(
                "`thresholds` of PerClassThreshold must be a number for each class or a mapping from class index to "
                f"number; got {thresholds!r}."
            )
        values = thresholds.values() if isinstance(thresholds, Mapping) else thresholds
        for name, value in [*(("thresholds", value) for value in values), ("otherwise", self.otherwise)]:
            check_number(value, name, "PerClassThreshold", "[0, 1]")

    def select(self, confidence: Floats, round_number: int) -> Mask:
        """Rows that are confident enough for their class, whatever the round."""
        return reach_thresholds(confidence, self.required_confidence(confidence.shape[1]))

    def required_confidence(self, n_classes: int) -> Floats:
        """The threshold of each class."""
        given = self.thresholds
        if not isinstance(given, Mapping):
            if len(given) != n_classes:
                raise ValueError(
                    f"`thresholds` of PerClassThreshold must hold one number for each of {n_classes} classes; "
                    f"got {len(given)}."
                )
            return np.asarray(given, dtype=float)
        unknown = [key for key in given if key >= n_classes]
        if unknown:
            raise ValueError(
                f"Keys of `thresholds` of PerClassThreshold must be below the number of classes, {n_classes}; "
                f"got {unknown[0]!r}."
            )
        return np.array([given.get(one, self.otherwise) for one in range(n_classes)], dtype=float)
