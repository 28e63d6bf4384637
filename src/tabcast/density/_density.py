"""The contract of the family, the uninformative density, frequencies of values (CAST-L), and a density per class."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from tabcast.checks import check_integer, check_number
from tabcast.exceptions import SmallClassWarning
from tabcast.table import Floats, Index
from tabcast.table._columns import BLOCK, Columns, EncodedTable, learn_and_encode


class Density(BaseEstimator, ABC):
    """Base class of densities: `fit` on rows, `score_samples` returns a finite log density for any row.

    A member implements `_fit(table)` and `_score(table)`, both on an `EncodedTable`. When a
    density is fitted on some rows of a table (those of one class), `table.columns` still describes the whole table:
    ranges and levels are shared, so that densities of different classes can be compared.

    Attributes
    ----------
    columns_ : Columns
        The columns of the table that was fitted.
    n_samples_ : int
        Number of fitted rows.

    See Also
    --------
    ClassConditional : A density per class.
    tabcast.testing.check_density : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.density import Density
    >>> class NearMean(Density):
    ...     def _fit(self, table):
    ...         self.center_ = table.continuous.mean(axis=0)
    ...     def _score(self, table):
    ...         return -np.abs(table.continuous - self.center_).sum(axis=1)
    ...
    >>> NearMean().fit(np.array([[0.0], [1.0]])).score_samples(np.array([[0.5], [3.0]]))
    array([-0. , -2.5])
    """

    def fit(self, X: Any, categorical_features: ArrayLike | None = None) -> Density:
        """Fit the density to rows.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable of shape (n_rows, n_columns)
            The rows.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        Density
            The fitted density itself.
        """
        table = learn_and_encode(X, categorical_features)
        if len(table) == 0:
            raise ValueError(f"{type(self).__name__} needs at least one row; X has none.")
        self.columns_ = table.columns
        self.n_samples_ = len(table)
        self._fit(table)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return the log density of each row.

        Parameters
        ----------
        X : array-like, DataFrame or EncodedTable of shape (n_rows, n_columns)
            Rows with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Log densities, always finite.
        """
        check_is_fitted(self, "columns_")
        return self._score(self.columns_.encode(X))

    @abstractmethod
    def _fit(self, table: EncodedTable) -> None: ...

    @abstractmethod
    def _score(self, table: EncodedTable) -> Floats: ...


class Uniform(Density):
    """The same density everywhere: the do-nothing member.

    With it, cluster-aware confidence is raw confidence.

    See Also
    --------
    EmpiricalLikelihood : A density that depends on the row.

    Examples
    --------
    >>> from tabcast.density import Uniform
    >>> Uniform().fit([[1.0], [2.0]]).score_samples([[1.5], [99.0]])
    array([0., 0.])
    """

    def _fit(self, table: EncodedTable) -> None:
        pass

    def _score(self, table: EncodedTable) -> Floats:
        return np.zeros(len(table))


def log_shares(counts: Index, n_rows: int, n_cells: Index, smoothing: float) -> Floats:
    """Log of smoothed proportions, log((count + s) / (n + s * n_cells)); for s = 0 an empty cell counts half a row."""
    if smoothing == 0:
        return np.log(np.maximum(counts, 0.5) / n_rows)
    return np.log((counts + smoothing) / (n_rows + smoothing * n_cells))


class EmpiricalLikelihood(Density):
    """Log-likelihood of a row from binned frequencies, with independent columns (the paper's CAST-L).

    Choose it first: it is linear in the number of rows, copes with few rows and many columns, and needs no bandwidth.
    Redundant columns count twice; feature selection helps against that.

    Parameters
    ----------
    n_bins : int, default=10
        Number of equal-width bins of a continuous column, over the range of the fitted rows.
    smoothing : float, default=1.0
        Number of rows added to every cell before proportions are computed. With 0, an empty cell counts as half a row
        so that its logarithm stays finite.

    Attributes
    ----------
    log_probability_ : ndarray of shape (n_columns, n_cells)
        Log proportions of the cells of each column, continuous columns first: its bins or levels, then missing, then
        everything else. Columns with fewer cells have unused entries at the end.

    See Also
    --------
    KernelDensity : Takes combinations of columns into account.

    Notes
    -----
    The score of a row is ``sum_k log P(x_k)`` (the paper's Appendix "Empirical Likelihood"), a log of probabilities,
    not of a density per unit: the widths of bins are the same for every class, so they cancel where it is used.
    Missing is a cell of its own when the table had missing values in that column. An unseen level, a value outside
    the range, and a missing value where none was seen all get the score of an empty cell, never minus infinity.

    Examples
    --------
    >>> from tabcast.density import EmpiricalLikelihood
    >>> density = EmpiricalLikelihood(n_bins=2, smoothing=1.0).fit([[0.0], [0.1], [0.2], [1.0]])
    >>> density.score_samples([[0.1], [0.9], [5.0]]).round(3)  # 4 of 6, 2 of 6, an empty cell: 1 of 6
    array([-0.405, -1.099, -1.792])
    """

    log_probability_: Floats

    def __init__(self, n_bins: int = 10, *, smoothing: float = 1.0) -> None:
        self.n_bins = n_bins
        self.smoothing = smoothing

    def _fit(self, table: EncodedTable) -> None:
        check_integer(self.n_bins, "n_bins", "EmpiricalLikelihood", 1)
        check_number(self.smoothing, "smoothing", "EmpiricalLikelihood", "[0, inf)")
        columns = table.columns
        sizes = [self.n_bins] * len(columns.continuous) + [len(column.levels) for column in columns.categorical]
        has_missing = [column.has_missing for column in columns.continuous]
        has_missing += [column.has_missing for column in columns.categorical]
        n_cells = np.array(sizes, dtype=np.intp) + np.array(has_missing, dtype=np.intp)
        width = max(sizes, default=0) + 2
        counts = np.zeros(len(sizes) * width, dtype=np.intp)
        for _, flat in self._blocks(table, width):
            counts += np.bincount(flat.ravel(), minlength=len(counts))
        by_column = counts.reshape(len(sizes), width)
        self.log_probability_ = log_shares(by_column, len(table), n_cells[:, None], self.smoothing)

    def _score(self, table: EncodedTable) -> Floats:
        scores = np.empty(len(table))
        for rows, flat in self._blocks(table, self.log_probability_.shape[1]):
            # No bounds to check: half the time of indexing.
            scores[rows] = self.log_probability_.take(flat, mode="clip").sum(axis=0)
        return scores

    def _blocks(self, table: EncodedTable, width: int) -> Iterator[tuple[slice, Index]]:
        """Blocks of rows, with the flat positions of their cells in a table whose columns are `width` cells wide."""
        cells = table.cells(self.n_bins)
        starts = (np.arange(len(cells), dtype=np.intp) * width)[:, None]
        step = max(1, 4 * BLOCK // max(1, len(cells)))
        for first in range(0, len(table), step):
            rows = slice(first, first + step)
            yield rows, cells[:, rows] + starts


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
