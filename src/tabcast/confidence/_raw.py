"""The classifier's own word."""

from __future__ import annotations

from tabcast.confidence._base import Confidence


class Raw(Confidence):
    """The classifier's probabilities as they are: the do-nothing member, conventional self-training.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Raw
    >>> Raw().adjust(np.array([[0.3, 0.7]]))
    array([[0.3, 0.7]])
    """

    changes_labels = False
