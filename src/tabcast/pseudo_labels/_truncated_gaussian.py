"""Less weight for rows less confident than most."""

from __future__ import annotations

import numpy as np

from tabcast.checks import check_number
from tabcast.pseudo_labels._weighting import Weighting
from tabcast.table import Floats, Index, mean_and_spread


def truncated_gaussian(confidence: Floats, n_sigma: float) -> Floats:
    """Weights: 1 from the mean confidence m up, below ``exp(-(m - c)^2 / (2 (s / n_sigma)^2))`` with the spread s."""
    if len(confidence) == 0:
        return np.ones(0)
    mean, spread = mean_and_spread(confidence)
    if spread == 0:
        return np.ones(len(confidence))
    return np.exp(-0.5 * (n_sigma * np.minimum(confidence - mean, 0.0) / spread) ** 2)


class TruncatedGaussian(Weighting):
    """Full weight for rows at least as confident as the average one, fading below (after SoftMatch).

    Choose it instead of a threshold, with a strategy that takes many rows (:class:`TakeAll`, the late rounds of a
    curriculum): unsure rows then take part with little weight, and no row with hardly less confidence than another is
    treated as if it were worthless.

    Parameters
    ----------
    n_sigma : how fast weights fade. At one standard deviation below the mean a row weighs ``exp(-n_sigma^2 / 2)``:
        0.135 for 2.
    max_weight : the full weight, where a labeled row counts 1.
    per_class : whether mean and standard deviation are those of the rows with the same label. A rare class, of which
        the classifier is less sure, keeps its weight that way.

    Notes
    -----
    A row whose confidence c in its label is below the mean m of all unlabeled rows weighs
    ``max_weight * exp(-(c - m)^2 / (2 s^2 / n_sigma^2))``, with s the standard deviation; other rows weigh
    `max_weight`. SoftMatch smooths m and s over training steps because it sees a batch at a time; here every round sees
    every row.

    References
    ----------
    Chen et al. (2023). SoftMatch: addressing the quantity-quality trade-off in semi-supervised learning. ICLR.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.pseudo_labels import TruncatedGaussian
    >>> confidence = np.array([[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.2, 0.8]])
    >>> labels = confidence.argmax(axis=1)
    >>> TruncatedGaussian().weigh(confidence, labels).round(2)
    array([1.  , 1.  , 0.01, 0.83])
    >>> TruncatedGaussian(per_class=True).weigh(confidence, labels).round(2)
    array([1.  , 1.  , 0.14, 1.  ])
    """

    def __init__(self, n_sigma: float = 2.0, *, max_weight: float = 1.0, per_class: bool = False) -> None:
        self.n_sigma = n_sigma
        self.max_weight = max_weight
        self.per_class = per_class

    def check(self) -> None:
        """Both numbers are positive."""
        check_number(self.n_sigma, "n_sigma", "TruncatedGaussian", "(0, inf)")
        check_number(self.max_weight, "max_weight", "TruncatedGaussian", "(0, inf)")

    def weigh(self, confidence: Floats, labels: Index) -> Floats:
        """Weight of each row by the confidence in its label."""
        in_label = confidence[np.arange(len(labels)), labels]
        groups = labels if self.per_class else np.zeros(len(labels), dtype=np.intp)
        weights = np.ones(len(labels))
        for one in np.unique(groups):
            weights[groups == one] = truncated_gaussian(in_label[groups == one], self.n_sigma)
        return self.max_weight * weights
