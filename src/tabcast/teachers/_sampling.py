"""Whether the labeled rows look like a random sample of all rows, as far as a teacher can see."""

from __future__ import annotations

from dataclasses import dataclass

from tabcast.statistics import hotelling_p_value
from tabcast.table import Floats

ALARM = 0.01  # p value below which the labeled rows are taken for no random sample


@dataclass(frozen=True, eq=False)
class Sampling:
    """What a teacher expects in the labeled and in the unlabeled rows.

    Attributes
    ----------
    labeled : (n_classes,) mean probability of labeled rows, told by models that were not trained on them.
    unlabeled : (n_classes,) mean probability of unlabeled rows.
    p_value : of the difference, if both were random samples of the same rows.
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

    If the labeled rows were balanced on purpose, a teacher expects more of a rare class in them than in the unlabeled
    rows. It notices the more, the better it tells the classes apart; a teacher that knows nothing notices nothing.

    Parameters
    ----------
    labeled, unlabeled : (n, n_classes) probabilities; those of labeled rows out of fold.

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
    p_value = hotelling_p_value(labeled, unlabeled, n_free=labeled.shape[1] - 1)  # probabilities sum to 1
    return Sampling(labeled.mean(axis=0), unlabeled.mean(axis=0), p_value)
