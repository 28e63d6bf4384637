"""Whether the labeled rows look like a random sample of all rows, according to the predictions of a teacher."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tabcast.statistics import hotelling_p_value
from tabcast.table import MANY_ROWS, Floats

ALARM = 0.01  # p value below which the labeled rows are taken for no random sample


@dataclass(frozen=True, eq=False)
class Sampling:
    """Mean predictions of a teacher for the labeled and for the unlabeled rows.

    Attributes
    ----------
    labeled : ndarray of shape (n_classes,)
        Mean probability of labeled rows, predicted out of fold.
    unlabeled : ndarray of shape (n_classes,)
        Mean probability of unlabeled rows.
    p_value : float
        P-value of the difference, if both were random samples of the same rows.

    See Also
    --------
    compare_samples : Computes it.
    """

    labeled: Floats
    unlabeled: Floats
    p_value: float

    @property
    def looks_random(self) -> bool:
        """Whether chance may explain the difference."""
        return self.p_value >= ALARM


def compare_samples(labeled: Floats, unlabeled: Floats) -> Sampling:
    """Test whether two sets of predicted probabilities have the same mean (Hotelling's test).

    If the labeled rows were balanced by design, a teacher predicts a rare class more often in them than in the
    unlabeled rows. The test has the more power the better the teacher separates the classes, and none if it is
    uninformative.

    With many classes some hardly vary in the predictions, and tiny differences between predictions out of fold and
    others would seem significant there. Therefore ``(n_classes - 2) / n_labeled`` of the covariance of the class labels
    is added to that of the predictions: nothing with two classes.

    Parameters
    ----------
    labeled : ndarray of shape (n_labeled, n_classes)
        Out-of-fold probabilities of labeled rows.
    unlabeled : ndarray of shape (n_unlabeled, n_classes)
        Probabilities of unlabeled rows.

    Returns
    -------
    Sampling
        Both means and the p-value.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.teachers import compare_samples
    >>> random = np.random.default_rng(0)
    >>> def draw(n, share):
    ...     p = np.where(random.random(n) < share, 0.8, 0.2)
    ...     return np.column_stack([p, 1 - p])
    >>> compare_samples(draw(100, 0.1), draw(1000, 0.1)).looks_random
    True
    >>> compare_samples(draw(100, 0.5), draw(1000, 0.1)).looks_random
    False
    """
    n_labeled, n_classes = labeled.shape
    if n_labeled + len(unlabeled) <= MANY_ROWS:
        mean = np.concatenate([labeled, unlabeled]).mean(axis=0)[:-1]
    else:  # the same without a copy
        mean = ((labeled.sum(axis=0) + unlabeled.sum(axis=0)) / (n_labeled + len(unlabeled)))[:-1]
    of_labels = np.diag(mean) - np.outer(mean, mean)  # what the covariance of the classes themselves would be
    p_value = hotelling_p_value(
        labeled,
        unlabeled,
        n_free=n_classes - 1,  # probabilities sum to 1
        extra_covariance=min(1.0, (n_classes - 2) / n_labeled) * of_labels,
    )
    return Sampling(labeled.mean(axis=0), unlabeled.mean(axis=0), p_value)
