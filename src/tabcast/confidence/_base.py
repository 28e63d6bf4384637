"""The contract of the confidence family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tabcast.table import Floats, Index

if TYPE_CHECKING:
    from tabcast.confidence._cluster_aware import ClusterAware


class Confidence(BaseEstimator):
    """Turns a classifier's probabilities into what pseudo-labels are chosen by.

    The loop calls `prepare` once, then each round `calibrate` on held-out rows (only if `needs_held_out`) and
    `adjust` on the unlabeled rows. A member overrides what it needs; this base does nothing.

    Attributes
    ----------
    needs_held_out : whether `calibrate` has to be called with labeled rows the classifier was not trained on.
    knows_only_pool : whether `adjust` works only for the unlabeled rows given to `prepare`, in their order.
    changes_labels : whether the most confident class of a row may differ from the classifier's.
    """

    needs_held_out: bool = False
    knows_only_pool: bool = False
    changes_labels: bool = True

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> Confidence:
        """Learn once a run from what does not change between rounds.

        Parameters
        ----------
        X, y : the labeled rows the classifier trains on, and the index of their class.
        X_pool : the unlabeled rows.
        n_classes : number of classes; some may have no row in `X`.
        categorical_features : names, positions or mask of the categorical columns; None: by type.
        """
        return self

    def calibrate(self, proba: Floats, y: Index) -> Confidence:
        """Learn from probabilities (n_rows, n_classes) of held-out rows whose class index is `y`."""
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Confidence in each class, the shape of `proba`."""
        return proba

    @property
    def gamma(self) -> Floats | None:
        """Scaled density of each unlabeled row under each class; None for a member without a density."""
        return None

    @property
    def density_part(self) -> ClusterAware | None:
        """The member that multiplies with a density: this one, one inside it, or None."""
        return None
