"""The contract of the confidence family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Floats, Index

if TYPE_CHECKING:
    from tabcast.confidence._cluster_aware import ClusterAware


class Confidence(BaseEstimator):
    """Base class of confidences: turns a classifier's probabilities into the scores by which pseudo-labels are chosen.

    The loop calls `prepare` once, then per round `calibrate` on held-out rows (only if `needs_held_out`) and `adjust`
    on the unlabeled rows. A member overrides what it needs; this base does nothing.

    Attributes
    ----------
    needs_held_out : bool
        Whether `calibrate` has to be called with labeled rows that the classifier was not trained on.
    knows_only_pool : bool
        Whether `adjust` works only for the unlabeled rows given to `prepare`, in their order.
    changes_labels : bool
        Whether the most confident class of a row may differ from the classifier's.

    See Also
    --------
    tabcast.testing.check_confidence : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Confidence
    >>> class Squared(Confidence):
    ...     def adjust(self, proba):
    ...         return proba**2
    ...
    >>> Squared().adjust(np.array([[0.5, 0.5]]))
    array([[0.25, 0.25]])
    """

    needs_held_out: bool = False
    knows_only_pool: bool = False
    changes_labels: bool = True

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> Confidence:
        """Learn once per run what does not change between rounds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The labeled rows that the classifier is trained on.
        y : ndarray of int of shape (n_rows,)
            Class index of each labeled row.
        X_pool : array-like or DataFrame of shape (n_unlabeled, n_columns)
            The unlabeled rows.
        n_classes : int
            Number of classes; some may have no row in `X`.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        Confidence
            The member itself.
        """
        return self

    def calibrate(self, proba: Floats, y: Index) -> Confidence:
        """Learn from probabilities of held-out rows.

        Parameters
        ----------
        proba : ndarray of shape (n_rows, n_classes)
            Probabilities predicted for held-out rows.
        y : ndarray of int of shape (n_rows,)
            Their class indices.

        Returns
        -------
        Confidence
            The member itself.
        """
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the confidence in each class.

        Parameters
        ----------
        proba : ndarray of shape (n_rows, n_classes)
            The classifier's probabilities.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The confidence; rows need not sum to 1.
        """
        return proba

    @property
    def gamma(self) -> Floats | None:
        """Scaled density of each unlabeled row under each class; None for a member without a density."""
        return None

    @property
    def density_part(self) -> ClusterAware | None:
        """The member that multiplies with a density: this one, one inside it, or None."""
        return None
