"""Confidence that agrees, over all rows, with how frequent the classes are."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.exceptions import NotFittedError

from tabcast.confidence._base import Confidence, Floats
from tabcast.confidence._probabilities import normalize_rows

STILL = 1e-9  # steps end when they move no class's mean by more than this


def smoothed_shares(y: NDArray[np.intp], n_classes: int) -> Floats:
    """Share of each class, one row added to each: ``(count + 1) / (n + n_classes)``."""
    return (np.bincount(y, minlength=n_classes) + 1) / (len(y) + n_classes)


def align(proba: Floats, shares: Floats, temperature: float, max_iter: int) -> Floats:
    """Columns of `proba` times factors w, in rows that sum to 1.

    A step multiplies w by ``(shares / means)^temperature``, where the means are those of the columns of
    ``softmax(log(proba * w) / temperature)``. A class without probability in any row stays without.
    """
    with np.errstate(divide="ignore"):
        log_proba = np.log(normalize_rows(proba, proba))
    log_factors, before = np.zeros(proba.shape[1]), np.zeros(proba.shape[1])
    for _ in range(max_iter):
        means = softmax((log_proba + log_factors) / temperature, axis=1).mean(axis=0)
        if np.abs(means - before).max() < STILL:
            break
        log_factors += temperature * np.log(np.divide(shares, means, out=np.ones_like(means), where=means > 0))
        before = means
    return softmax(log_proba + log_factors, axis=1)


class DistributionAlignment(Confidence):
    """Confidence moved so that the unlabeled rows as a whole have the class shares of the labeled ones.

    Choose it when the classifier predicts a class too rarely (or too often) and the unlabeled rows are drawn like the
    labeled ones. Put it after calibrators and before :class:`ClusterAware` in a :class:`Chain`. A calibrator after it
    would be wrong: it would learn from held-out rows that were aligned among themselves.

    Parameters
    ----------
    class_shares : "labeled": the shares of the labeled rows, one row added to each class. Or one positive number for
        each class, in the order of the classes (`classes_` of the classifier, which is sorted); they are divided by
        their sum. Give them where labeled rows were not drawn like the others, for instance the same number of each
        class.
    temperature : what is aligned, in (0, 1]. 1: the mean confidence in each class. Near 0, for instance 0.1: the
        labels, so that each class is the most confident one in about its share of the rows. A modest classifier that
        gives every row 5 % of a rare class has the right mean confidence without ever predicting that class.
    max_iter : most steps. 1 is the rule as published, which comes near to the shares; more come nearer.

    Attributes
    ----------
    shares_ : (n_classes,) the shares that are aligned to.

    Notes
    -----
    ``p_ic`` becomes ``p_ic * w_c``, divided by the sum over classes; with two classes the order of the rows by their
    confidence in one of them stays as it was. A step is ``w_c <- w_c * (share_c / m_c)^T`` with m_c the mean over the
    rows of ``softmax(log(p * w) / T)``. For T = 1 and one step that is the distribution alignment of ReMixMatch, over
    all unlabeled rows instead of a moving average over batches; iterated it is iterative proportional fitting, whose
    means converge to the shares. Where too few rows have any probability of a class, they come as near as they can.
    What is aligned are the rows given to `adjust`: in the loop, all unlabeled ones.

    References
    ----------
    Berthelot et al. (2020). ReMixMatch: semi-supervised learning with distribution matching and augmentation anchoring.
    ICLR.

    Examples
    --------
    One of four labeled rows is of class 1, and no row says so:

    >>> import numpy as np
    >>> from tabcast.confidence import DistributionAlignment
    >>> y, proba = np.array([0, 0, 0, 1]), np.array([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2], [0.6, 0.4]])
    >>> part = DistributionAlignment().prepare(np.zeros((4, 1)), y, np.zeros((4, 1)), n_classes=2)
    >>> part.shares_.round(3)
    array([0.667, 0.333])
    >>> aligned = part.adjust(proba)
    >>> aligned.round(2)
    array([[0.81, 0.19],
           [0.81, 0.19],
           [0.65, 0.35],
           [0.41, 0.59]])
    >>> aligned.mean(axis=0).round(3)
    array([0.667, 0.333])
    """

    def __init__(
        self, class_shares: str | ArrayLike = "labeled", *, temperature: float = 1.0, max_iter: int = 1000
    ) -> None:
        self.class_shares = class_shares
        self.temperature = temperature
        self.max_iter = max_iter

    def prepare(
        self, X: Any, y: NDArray[np.intp], X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> DistributionAlignment:
        """Learn the shares of the labeled rows, or take the given ones."""
        self._check()
        self.shares_ = smoothed_shares(y, n_classes) if self._from_labels else self._given_shares(n_classes)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """The confidence of these rows, aligned."""
        if not hasattr(self, "shares_"):
            raise NotFittedError("DistributionAlignment knows no shares yet: call `prepare` first.")
        if len(proba) == 0:
            return proba
        return align(proba, self.shares_, self.temperature, self.max_iter)

    @property
    def _from_labels(self) -> bool:
        return isinstance(self.class_shares, str) and self.class_shares == "labeled"

    def _given_shares(self, n_classes: int) -> Floats:
        """The user's shares, made to sum to 1."""
        try:
            shares = np.asarray(self.class_shares, dtype=float)
        except (TypeError, ValueError):
            shares = np.empty((0, 0))
        if shares.shape != (n_classes,) or not ((shares > 0) & (shares < np.inf)).all():
            raise ValueError(
                "`class_shares` of DistributionAlignment must be 'labeled' or a positive number for each of "
                f"{n_classes} classes; got {self.class_shares!r}."
            )
        return shares / shares.sum()

    def _check(self) -> None:
        temperature, max_iter = self.temperature, self.max_iter
        if isinstance(temperature, bool) or not isinstance(temperature, Real) or not 0 < float(temperature) <= 1:
            raise ValueError(f"`temperature` of DistributionAlignment must be in (0, 1]; got {temperature!r}.")
        if isinstance(max_iter, bool) or not isinstance(max_iter, Integral) or max_iter < 1:
            raise ValueError(f"`max_iter` of DistributionAlignment must be a positive integer; got {max_iter!r}.")
