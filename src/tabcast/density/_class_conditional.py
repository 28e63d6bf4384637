"""A density per class, by which cluster-aware confidence is multiplied."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from tabcast.checks import check_integer
from tabcast.density._base import Density
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Columns, Floats, Index, learn_and_encode


class ClassConditional(BaseEstimator):
    """Fit a copy of a density to the rows of each class.

    Ranges and levels are learned from the rows of all classes, so that the densities can be compared. A class with n
    rows, fewer than `min_samples`, has a mixture of its own density, with weight n / `min_samples`, and that of all
    rows.

    Parameters
    ----------
    density : Density
        The density to copy.
    min_samples : int, default=5
        Number of rows from which a class has a density of its own alone.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the columns of the result.
    counts_ : ndarray of int
        Number of rows of each class.
    densities_ : list of Density or None
        The fitted density of each class, None for a class without rows.
    pooled_ : Density or None
        The density of all rows, None if no class needs it.
    columns_ : Columns
        The columns of the table that was fitted.

    See Also
    --------
    tabcast.confidence.ClusterAware : Uses these densities to choose pseudo-labels.

    Examples
    --------
    >>> from tabcast.density import ClassConditional, EmpiricalLikelihood
    >>> X, y = [[0.0], [0.2], [0.8], [1.0]], ["no", "no", "yes", "yes"]
    >>> density = ClassConditional(EmpiricalLikelihood(n_bins=2), min_samples=1).fit(X, y)
    >>> density.score_samples([[0.1], [0.9]]).round(2)
    array([[-0.29, -1.39],
           [-1.39, -0.29]])
    """

    columns_: Columns
    classes_: NDArray[Any]
    counts_: Index
    densities_: list[Density | None]
    pooled_: Density | None

    def __init__(self, density: Density, *, min_samples: int = 5) -> None:
        self.density = density
        self.min_samples = min_samples

    def fit(
        self, X: Any, y: ArrayLike, categorical_features: ArrayLike | None = None, *, classes: ArrayLike | None = None
    ) -> ClassConditional:
        """Fit a density to the rows of each class.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable of shape (n_rows, n_columns)
            The labeled rows.
        y : array-like of shape (n_rows,)
            Class of each row.
        categorical_features : array-like of str, int or bool, default=None
            The categorical columns, as in `Density.fit`.
        classes : array-like, default=None
            All classes, where some may have no row here. None means those in `y`.

        Returns
        -------
        ClassConditional
            The fitted object itself.
        """
        check_integer(self.min_samples, "min_samples", "ClassConditional", 1)
        labels = y if isinstance(y, np.ndarray) and y.ndim == 1 else column_or_1d(y)
        check_consistent_length(X, labels)
        table = learn_and_encode(X, categorical_features)
        self.columns_ = table.columns
        self.classes_ = np.unique(labels) if classes is None else np.asarray(classes)
        members = [labels == one for one in self.classes_]
        self.counts_ = np.array([mask.sum() for mask in members])
        if self.counts_.sum() < len(labels):
            strange = sorted(repr(label) for label in np.setdiff1d(labels, self.classes_).tolist())
            raise ValueError(f"`y` of ClassConditional holds {', '.join(strange[:5])}, which `classes` does not name.")
        self._warn_small()
        self.densities_ = [deepcopy(self.density).fit(table.take(mask)) if mask.any() else None for mask in members]
        self.pooled_ = deepcopy(self.density).fit(table) if (self.counts_ < self.min_samples).any() else None
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log density of each row under each class.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Log densities, always finite.
        """
        check_is_fitted(self, "densities_")
        table = self.columns_.encode(X)
        result = np.empty((len(table), len(self.classes_)))
        pooled = None if self.pooled_ is None else self.pooled_.score_samples(table)
        for j, (density, count) in enumerate(zip(self.densities_, self.counts_, strict=True)):
            own = None if density is None else density.score_samples(table)
            result[:, j] = _mix(own, pooled, min(1.0, count / self.min_samples))
        return result

    def _warn_small(self) -> None:
        small = [
            f"{one!r} ({count})"
            for one, count in zip(self.classes_.tolist(), self.counts_, strict=True)
            if count < self.min_samples
        ]
        if small:
            warnings.warn(
                f"Few labeled rows for a density of their own in class {', '.join(small)}: it is mixed with the "
                f"density of all labeled rows below {self.min_samples} rows.",
                SmallClassWarning,
                stacklevel=3,
            )


def _mix(own: Floats | None, pooled: Floats | None, weight: float) -> Floats:
    """Log of weight * own + (1 - weight) * pooled."""
    if own is None or weight == 0:
        assert pooled is not None
        return pooled
    if pooled is None or weight == 1:
        return own
    return np.logaddexp(np.log(weight) + own, np.log1p(-weight) + pooled)
