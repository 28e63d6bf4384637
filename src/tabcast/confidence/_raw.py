"""The classifier's own probabilities."""

from __future__ import annotations

from tabcast.confidence._base import Confidence


class Raw(Confidence):
    """Use the classifier's probabilities as they are: the do-nothing member, conventional self-training.

    See Also
    --------
    TemperatureScaling : The simplest calibration.
    ClusterAware : Takes density into account.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Raw
    >>> Raw().adjust(np.array([[0.3, 0.7]]))
    array([[0.3, 0.7]])
    """

    changes_labels = False
