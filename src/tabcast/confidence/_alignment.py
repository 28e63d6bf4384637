"""Confidence whose mean over all rows agrees with the class proportions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.exceptions import NotFittedError

from tabcast.checks import check_number
from tabcast.confidence._calibration import normalize_rows
from tabcast.confidence._confidence import Confidence
from tabcast.statistics._intervals import smoothed_shares
from tabcast.table import Floats, Index

EXACT = 1e-9  # tolerance of the class proportions
MAX_STEPS = 100  # of Newton's method; about ten are needed where the proportions can be met


def find_factors(log_proba: Floats, shares: Floats, temperature: float) -> Floats:
    """Logarithms v of the factors with which the means of ``softmax((log_proba + v) / T)`` are the class proportions.

    The minimum of the convex function ``mean(T * logsumexp((log_proba + v) / T)) - shares @ v``, whose derivative is
    the means less the proportions. All of v may grow together without any effect, so its first entry is kept at 0.
    """

    n_rows = len(log_proba)

    def spread(free: Floats) -> tuple[Floats, Floats]:
        scores = (log_proba + np.append(0.0, free)) / temperature
        total = logsumexp(scores, axis=1, keepdims=True)
        return total, np.exp(scores - total)

    def objective(free: Floats) -> tuple[float, Floats]:
        total, parts = spread(free)
        means = parts.sum(axis=0) / n_rows
        return float(temperature * (total.sum() / n_rows) - shares[1:] @ free), (means - shares)[1:]

    def curvature(free: Floats) -> Floats:
        _, parts = spread(free)
        means, products = parts.sum(axis=0) / n_rows, parts.T @ parts / n_rows
        return ((np.diag(means) - products) / temperature)[1:, 1:]

    options = {"gtol": EXACT, "maxiter": MAX_STEPS}
    start = np.zeros(len(shares) - 1)
    found = minimize(objective, start, jac=True, hess=curvature, method="trust-exact", options=options)
    return np.append(0.0, found.x)


def align(proba: Floats, shares: Floats, temperature: float = 1.0) -> Floats:
    """Multiply the columns of `proba` by factors so that mean confidences meet the given class proportions.

    Rows sum to 1 afterwards. A class without any probability stays without.
    """
    proba = normalize_rows(proba, proba)
    present = proba.any(axis=0)
    if present.sum() < 2:
        return proba
    with np.errstate(divide="ignore"):
        log_proba = np.log(proba[:, present])
    aligned = np.zeros_like(proba)
    log_factors = find_factors(log_proba, shares[present] / shares[present].sum(), temperature)
    aligned[:, present] = softmax(log_proba + log_factors, axis=1)
    return aligned


class DistributionAlignment(Confidence):
    """Align the confidence in the unlabeled rows with the class proportions of the labeled ones.

    Choose it when the classifier predicts a class too rarely (or too often) and the unlabeled rows come from the same
    distribution as the labeled ones. Put it after calibrators and before :class:`ClusterAware` in a :class:`Chain`. A
    calibrator after it would be wrong: it would learn from held-out rows that were aligned among themselves.

    Parameters
    ----------
    class_shares : "labeled" or array-like of shape (n_classes,), default="labeled"
        The proportions to align with. "labeled" means those of the labeled rows, one row added to each class. Or one
        positive number per class, in the order of the classes (`classes_` of the classifier, which is sorted); they are
        divided by their sum. Pass them where the labeled rows are not a random sample, for instance balanced by design.
    temperature : float, default=1.0
        What is aligned, in (0, 1]. With 1, the mean confidence in each class. Near 0, for instance 0.1, the labels, so
        that each class is the most confident one in about its proportion of the rows. An underconfident classifier that
        gives every row a probability of 5% for a rare class has the right mean confidence without ever predicting that
        class.

    Attributes
    ----------
    shares_ : ndarray of shape (n_classes,)
        The proportions that confidences are aligned with.

    See Also
    --------
    tabcast.pseudo_labels.PerClassCurriculum : Selects the classes in the proportions in which they are predicted.

    Notes
    -----
    ``p_ic`` becomes ``p_ic * w_c``, divided by the sum over classes; with two classes the order of the rows by their
    confidence in one of them stays as it was. The factors w are those for which the mean over the rows of
    ``softmax(log(p * w) / T)`` is the proportion of each class, with the temperature T; they are found by Newton's
    method. Where too few rows have any probability of a class, its proportion is met as nearly as possible.
    ReMixMatch takes a single step, ``w_c = share_c / m_c`` with m_c a moving average over batches. The rows given to
    `adjust` are aligned together: in the loop, all unlabeled ones.

    References
    ----------
    Berthelot et al. (2020). ReMixMatch: semi-supervised learning with distribution matching and augmentation anchoring.
    ICLR.

    Examples
    --------
    One of four labeled rows has class 1, and no row is predicted as class 1:

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

    def __init__(self, class_shares: str | ArrayLike = "labeled", *, temperature: float = 1.0) -> None:
        self.class_shares = class_shares
        self.temperature = temperature

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> DistributionAlignment:
        """Learn the proportions of the labeled rows, or take the given ones."""
        check_number(self.temperature, "temperature", "DistributionAlignment", "(0, 1]")
        from_labels = isinstance(self.class_shares, str) and self.class_shares == "labeled"
        self.shares_ = smoothed_shares(y, n_classes) if from_labels else self._given_shares(n_classes)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the aligned confidence of these rows."""
        if not hasattr(self, "shares_"):
            raise NotFittedError("DistributionAlignment is not prepared yet: call `prepare` first.")
        return align(proba, self.shares_, self.temperature) if len(proba) else proba

    def _given_shares(self, n_classes: int) -> Floats:
        """The user's proportions, divided by their sum."""
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
