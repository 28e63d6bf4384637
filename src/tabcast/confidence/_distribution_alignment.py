"""Confidence whose mean over all rows agrees with the class proportions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.exceptions import NotFittedError

from tabcast.checks import check_number
from tabcast.confidence._base import Confidence
from tabcast.confidence._probabilities import normalize_rows
from tabcast.table import Floats, Index, map_rows, row_blocks

EXACT = 1e-9  # tolerance of the class proportions
MAX_STEPS = 100  # of Newton's method; about ten are needed where the proportions can be met


def smoothed_shares(y: Index, n_classes: int) -> Floats:
    """Return the proportion of each class with one row added to each: ``(count + 1) / (n + n_classes)``.

    Parameters
    ----------
    y : ndarray of int
        Class index of each row.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_classes,)
        Positive proportions that sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import smoothed_shares
    >>> smoothed_shares(np.array([0, 0, 0, 1]), n_classes=2)
    array([0.66666667, 0.33333333])
    """
    return (np.bincount(y, minlength=n_classes) + 1) / (len(y) + n_classes)


def one_step(log_proba: Floats, shares: Floats, temperature: float) -> Floats:
    """Logarithms of the factors ``(shares / means)^T``, where the means are those of ``softmax(log_proba / T)``."""
    log_means = logsumexp(log_softmax(log_proba / temperature, axis=1), axis=0) - np.log(len(log_proba))
    return temperature * (np.log(shares) - log_means)


def exact_factors(log_proba: Floats, shares: Floats, temperature: float) -> Floats:
    """Logarithms v of the factors with which the means of ``softmax((log_proba + v) / T)`` are the class proportions.

    The minimum of the convex function ``mean(T * logsumexp((log_proba + v) / T)) - shares @ v``, whose derivative is
    the means less the proportions. All of v may grow together without any effect, so its first entry is kept at 0.
    """

    n_rows, n_classes = log_proba.shape

    def spread(free: Floats) -> Iterator[tuple[Floats, Floats]]:
        factors = np.append(0.0, free)
        for rows in row_blocks(n_rows):
            scores = (log_proba[rows] + factors) / temperature
            total = logsumexp(scores, axis=1, keepdims=True)
            yield total, np.exp(scores - total)

    def objective(free: Floats) -> tuple[float, Floats]:
        value, means = 0.0, np.zeros(n_classes)
        for total, parts in spread(free):
            value += total.sum() / n_rows
            means += parts.sum(axis=0) / n_rows
        return float(temperature * value - shares[1:] @ free), (means - shares)[1:]

    def curvature(free: Floats) -> Floats:
        means, products = np.zeros(n_classes), np.zeros((n_classes, n_classes))
        for _, parts in spread(free):
            means += parts.sum(axis=0) / n_rows
            products += parts.T @ parts / n_rows
        return ((np.diag(means) - products) / temperature)[1:, 1:]

    options = {"gtol": EXACT, "maxiter": MAX_STEPS}
    start = np.zeros(len(shares) - 1)
    found = minimize(objective, start, jac=True, hess=curvature, method="trust-exact", options=options)
    return np.append(0.0, found.x)


def align(proba: Floats, shares: Floats, temperature: float = 1.0, exact: bool = True) -> Floats:
    """Multiply the columns of `proba` by factors so that mean confidences meet the given class proportions.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities.
    shares : ndarray of shape (n_classes,)
        The proportions to align with.
    temperature : float, default=1.0
        What is aligned; see :class:`DistributionAlignment`.
    exact : bool, default=True
        Whether the proportions are met, or one step is taken toward them.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Rows that sum to 1. A class without any probability stays without.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import align
    >>> align(np.array([[0.9, 0.1], [0.7, 0.3]]), np.array([0.5, 0.5])).mean(axis=0).round(2)
    array([0.5, 0.5])
    """
    proba = normalize_rows(proba, proba)
    present = proba.any(axis=0)
    if present.sum() < 2:
        return proba
    with np.errstate(divide="ignore"):
        log_proba = np.log(proba[:, present])
    find = exact_factors if exact else one_step
    aligned = np.zeros_like(proba)
    log_factors = find(log_proba, shares[present] / shares[present].sum(), temperature)
    aligned[:, present] = map_rows(lambda rows: softmax(rows + log_factors, axis=1), log_proba)
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
    exact : bool, default=True
        Whether the proportions are met exactly. With False, one step is taken toward them, the rule as it was
        published.

    Attributes
    ----------
    shares_ : ndarray of shape (n_classes,)
        The proportions that confidences are aligned with.

    See Also
    --------
    align : The same for an array of probabilities.

    Notes
    -----
    ``p_ic`` becomes ``p_ic * w_c``, divided by the sum over classes; with two classes the order of the rows by their
    confidence in one of them stays as it was. The factors w are those for which the mean over the rows of
    ``softmax(log(p * w) / T)`` is the proportion of each class, with the temperature T; they are found by Newton's
    method. Where too few rows have any probability of a class, its proportion is met as nearly as possible. The single
    step is ``w_c = (share_c / m_c)^T`` with m_c the mean before it; with T = 1 that is the distribution alignment of
    ReMixMatch, over all unlabeled rows instead of a moving average over batches. The rows given to `adjust` are aligned
    together: in the loop, all unlabeled ones.

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

    def __init__(
        self, class_shares: str | ArrayLike = "labeled", *, temperature: float = 1.0, exact: bool = True
    ) -> None:
        self.class_shares = class_shares
        self.temperature = temperature
        self.exact = exact

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> DistributionAlignment:
        """Learn the proportions of the labeled rows, or take the given ones."""
        check_number(self.temperature, "temperature", "DistributionAlignment", "(0, 1]")
        self.shares_ = smoothed_shares(y, n_classes) if self._from_labels else self._given_shares(n_classes)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the aligned confidence of these rows."""
        if not hasattr(self, "shares_"):
            raise NotFittedError("DistributionAlignment is not prepared yet: call `prepare` first.")
        if len(proba) == 0:
            return proba
        return align(proba, self.shares_, self.temperature, self.exact)

    @property
    def _from_labels(self) -> bool:
        return isinstance(self.class_shares, str) and self.class_shares == "labeled"

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
