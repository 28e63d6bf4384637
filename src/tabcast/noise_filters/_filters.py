"""Which pseudo-labels are rejected after all: none, or those of rows that are closer to another class."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator
from sklearn.covariance import ledoit_wolf
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from tabcast.checks import check_integer, check_number
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Floats, Index, Mask
from tabcast.table._columns import Columns, EncodedTable, learn_columns


class NoiseFilter(BaseEstimator, ABC):
    """Base class of noise filters: which selected pseudo-labels are kept.

    See Also
    --------
    tabcast.testing.check_noise_filter : Checks of the contract, also for members of your own.
    """

    @abstractmethod
    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> NoiseFilter:
        """Learn from the labeled rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The labeled rows.
        y : ndarray of int of shape (n_rows,)
            Class index of each row.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        NoiseFilter
            The fitted filter itself.
        """

    @abstractmethod
    def keep(self, X: Any, labels: Index) -> Mask:
        """Return which pseudo-labels are kept.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The rows with a pseudo-label.
        labels : ndarray of int of shape (n_rows,)
            Class index of each label.

        Returns
        -------
        ndarray of bool of shape (n_rows,)
            True for the labels that are kept.
        """


class KeepAllRows(NoiseFilter):
    """Keep every pseudo-label: the do-nothing member.

    See Also
    --------
    MahalanobisFilter : Refuses labels of rows that are closer to another class.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.noise_filters import KeepAllRows
    >>> KeepAllRows().fit([[0.0]], np.array([0])).keep([[1.0], [2.0]], np.array([0, 0]))
    array([ True,  True])
    """

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> KeepAllRows:
        """Learn nothing."""
        return self

    def keep(self, X: Any, labels: Index) -> Mask:
        """Keep all of them."""
        return np.ones(len(labels), dtype=bool)


REGULAR = 1e-10  # least ratio of the eigenvalues of a correlation matrix that is inverted as it is
MIN_SHRINKAGE = 1e-3  # Ledoit-Wolf may find nothing to shrink, yet the covariance has to become regular


def estimate_covariance(deviations: Floats, n_means: int) -> tuple[Floats, float]:
    """Covariance of deviations from `n_means` means, and how much it was shrunk (0: it is the plain one).

    Shrunk by s it is (1 - s) * S + s * m * I, with S the covariance divided by the number of rows, m the mean of its
    diagonal, and s by Ledoit and Wolf.
    """
    n_rows, n_columns = deviations.shape
    products = deviations.T @ deviations
    if n_rows > n_means and is_regular(products):
        return products / (n_rows - n_means), 0.0
    if not products.any():  # every row is at its mean: no spread to learn
        return np.eye(n_columns), 1.0
    share = max(MIN_SHRINKAGE, float(ledoit_wolf(deviations, assume_centered=True)[1]))
    plain = products / n_rows
    return (1 - share) * plain + share * np.trace(plain) / n_columns * np.eye(n_columns), share


def is_regular(products: Floats) -> bool:
    """Whether a matrix of sums of products can be inverted in floating point, whatever the units of its columns."""
    spread = np.sqrt(np.diag(products))
    if not spread.all():
        return False
    eigenvalues = np.linalg.eigvalsh(products / np.outer(spread, spread))
    return bool(len(eigenvalues) == 0 or eigenvalues[0] > REGULAR * eigenvalues[-1])


def mahalanobis_distances(deviations: Floats, root: Floats) -> Floats:
    """sqrt(d' C^(-1) d) for each row d, given the Cholesky root of C."""
    whitened = solve_triangular(root, deviations.T, lower=True) if len(root) else deviations.T
    return np.sqrt(np.einsum("ij,ij->j", whitened, whitened))


class MahalanobisFilter(NoiseFilter):
    """Keep a label only if no other class is closer to the row, in Mahalanobis distance to the labeled rows.

    The noise filter of the paper's appendix on noise filtering (after Tanha et al.). Choose it when each class is a
    single cluster: it learns a mean and a covariance per class. It also works where that covariance is singular,
    because of few rows, many columns or columns that depend on each other.

    Parameters
    ----------
    max_ratio : float, default=1.0
        A label is kept if the distance to its class is at most this many times the distance to the closest other class.
        With 1, its class has to be the closest; a smaller value requires a margin, a larger one tolerates some doubt.
    min_samples : int, default=5
        A class with fewer rows has the covariance of all classes, each around its mean.

    Attributes
    ----------
    classes_ : ndarray of int
        Class indices that have labeled rows.
    means_ : ndarray of shape (n_classes, n_features)
        Means of the classes, in units of the columns' standard deviation.
    shrinkage_ : ndarray of shape (n_classes,)
        How much each covariance was shrunk (Ledoit-Wolf); 0 means not at all, because it could be inverted.

    See Also
    --------
    KeepAllRows : No filter.

    Notes
    -----
    The distance of row x to class k is sqrt((x - m_k)' C_k^(-1) (x - m_k)) with the mean m_k and covariance C_k of the
    labeled rows of class k. The paper names the distance and Tanha et al., not the rule by which labels are refused;
    this one compares classes. A row that is far from all classes but closest to its own is therefore kept.

    A missing number is replaced by the mean of the class that the distance is to. Each level of a categorical column,
    missing included, is an indicator column. Levels with fewer than two labeled rows are ignored, and so are columns
    that are constant among the labeled rows. With a categorical column, covariances are singular, because its
    indicators sum to one, and are therefore shrunk. All labels of a class without labeled rows are refused.

    References
    ----------
    Tanha, van Someren and Afsarmanesh, "Semi-supervised self-training for decision tree classifiers", International
    Journal of Machine Learning and Cybernetics 8 (2017).
    Ledoit and Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", Journal of Multivariate
    Analysis 88 (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.noise_filters import MahalanobisFilter
    >>> X = np.array([[0.0], [1.0], [2.0], [6.0], [9.0], [12.0]])
    >>> noise_filter = MahalanobisFilter(min_samples=2).fit(X, np.array([0, 0, 0, 1, 1, 1]))
    >>> noise_filter.distances([[2.0], [5.0]]).round(2)
    array([[1.  , 2.33],
           [4.  , 1.33]])
    >>> noise_filter.keep([[2.0], [5.0]], np.array([0, 0]))
    array([ True, False])
    """

    def __init__(self, *, max_ratio: float = 1.0, min_samples: int = 5) -> None:
        self.max_ratio = max_ratio
        self.min_samples = min_samples

    def fit(self, X: Any, y: Index, categorical_features: ArrayLike | None = None) -> MahalanobisFilter:
        """Learn a mean and a covariance per class from the labeled rows."""
        check_number(self.max_ratio, "max_ratio", "MahalanobisFilter", "(0, inf]")
        check_integer(self.min_samples, "min_samples", "MahalanobisFilter", 1)
        check_consistent_length(X, y)
        self._columns: Columns = learn_columns(X, categorical_features)
        table = self._columns.encode(X)
        self._levels = [_repeated(codes) for codes in table.codes.T]
        features = self._features(table)
        present = ~np.isnan(features)
        center = _means(features, present, np.zeros(features.shape[1]))
        self._scale = np.sqrt(_means((features - center) ** 2, present, np.zeros(features.shape[1])))
        self._scale[_is_constant(features)] = 0.0
        features, center = self._in_units(features), self._in_units(center[None])[0]
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        self._warn_small(counts)
        rows = [features[codes == j] for j in range(len(self.classes_))]
        # A class without any value in a column is taken to be in the middle of all rows there.
        self.means_ = np.array([_means(one, ~np.isnan(one), center) for one in rows])
        deviations = [_deviations(one, mean) for one, mean in zip(rows, self.means_, strict=True)]
        self._fit_covariances(deviations, counts)
        return self

    def distances(self, X: Any) -> Floats:
        """Return the Mahalanobis distance of each row to each class.

        Parameters
        ----------
        X : array-like or DataFrame
            Rows of any origin.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The distances, columns as in `classes_`.
        """
        check_is_fitted(self, "classes_")
        features = self._in_units(self._features(self._columns.encode(X)))
        pairs = zip(self.means_, self._roots, strict=True)
        return np.column_stack([mahalanobis_distances(_deviations(features, mean), root) for mean, root in pairs])

    def keep(self, X: Any, labels: Index) -> Mask:
        """Keep the rows whose class is close enough, compared with the other classes."""
        check_is_fitted(self, "classes_")
        check_consistent_length(X, labels)
        if len(labels) == 0:
            return np.zeros(0, dtype=bool)
        distances = self.distances(X)
        column = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        known = self.classes_[column] == labels
        row = np.arange(len(labels))
        own = distances[row, column]
        distances[row, column] = np.inf
        return known & (own <= self.max_ratio * distances.min(axis=1))

    def _fit_covariances(self, deviations: list[Floats], counts: Index) -> None:
        """Cholesky roots of the covariances, the common one for small classes."""
        self._roots: list[Floats] = []
        self.shrinkage_ = np.empty(len(counts))
        common = np.concatenate(deviations)
        for j, count in enumerate(counts):
            source = (common, len(counts)) if count < self.min_samples else (deviations[j], 1)
            covariance, self.shrinkage_[j] = estimate_covariance(*source)
            self._roots.append(np.linalg.cholesky(covariance).astype(np.float64, copy=False))

    def _features(self, table: EncodedTable) -> Floats:
        """Columns of numbers (missing is NaN), then an indicator for each level that counts."""
        levels = [(table.codes[:, [j]] == codes).astype(float) for j, codes in enumerate(self._levels)]
        return np.hstack([table.continuous, *levels])

    def _in_units(self, features: Floats) -> Floats:
        """Columns that differ between rows, in units of their standard deviation."""
        varies = self._scale > 0
        return features[:, varies] / self._scale[varies]

    def _warn_small(self, counts: Index) -> None:
        small = [
            f"{one} ({count})"
            for one, count in zip(self.classes_.tolist(), counts, strict=True)
            if count < self.min_samples
        ]
        if small:
            warnings.warn(
                f"Few labeled rows for a covariance of their own in class number {', '.join(small)}: below "
                f"{self.min_samples} rows MahalanobisFilter takes the covariance of all classes.",
                SmallClassWarning,
                stacklevel=3,
            )


def _repeated(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Codes of the levels (or of missing) that two rows or more have."""
    distinct, counts = np.unique(codes, return_counts=True)
    return distinct[counts > 1]


def _means(values: Floats, present: Mask, empty: Floats) -> Floats:
    """Mean of each column over the cells that are present; `empty` where there is none."""
    counts = present.sum(axis=0)
    sums = np.where(present, values, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), empty)


def _is_constant(values: Floats) -> Mask:
    """Columns whose present cells are all equal, or that have none."""
    low = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(values), -np.inf, values).max(axis=0, initial=-np.inf)
    return low >= high


def _deviations(features: Floats, mean: Floats) -> Floats:
    """Differences from the mean; none where the number is missing."""
    return np.where(np.isnan(features), 0.0, features - mean)
