"""A kernel on every row, Gaussian or Aitchison-Aitken by type of column (the paper's CAST-D)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from tabcast.density._density import Density
from tabcast.table import Floats, Index
from tabcast.table._columns import (
    LARGEST_SPREAD,
    MISSING,
    UNSEEN,
    Columns,
    ContinuousColumn,
    EncodedTable,
    mean_and_spread,
)

Rows = Index | slice

LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)
ONE_HOT_LEVELS = 64  # with more levels, comparing codes is cheaper than multiplying one-hot columns
FAR = 2e4  # squared norm (in bandwidths) from which expanding the square loses more than ten digits
UNDERFLOW = 1e-280  # sums below this are computed again around their largest term
ENOUGH_FOR_SPREAD = 3  # with fewer rows the standard deviation is unreliable, and that of all classes is used
HUGE = 1e75  # its square still fits in a float
BLOCK_QUERIES, BLOCK_ROWS = 256, 4096  # pairs held at a time: 8 MB


def reference_scale(n_samples: int, n_columns: int) -> float:
    """How fast bandwidths shrink with rows: n^(-1 / (4 + n_columns))."""
    return float(n_samples ** (-1 / (4 + n_columns)))


def _spread(values: Floats) -> Floats:
    """Standard deviation of each column without its missing values; 0 where all are missing."""
    present = [column[~np.isnan(column)] for column in values.T]
    return np.array([mean_and_spread(column)[1] if len(column) else 0.0 for column in present])


class KernelDensity(Density):
    """Exact kernel density on mixed columns (the paper's CAST-D).

    Choose it when columns depend on each other and a few of them matter: it takes combinations into account, which
    :class:`EmpiricalLikelihood` does not, and degrades in many dimensions.

    Parameters
    ----------
    bandwidth : "reference", "normal_reference" or array-like of shape (n_columns,), default="reference"
        With "reference", `1.06 * std * n^(-1/(4+p))` for a continuous column, where p counts the continuous columns,
        and `(c-1)/c * n^(-2/(4+p))` for a categorical one with c levels, which does not depend on how levels are coded.
        With "normal_reference", the rule of statsmodels with its numbers, at most the largest valid value (c-1)/c for
        categories. Or one positive number per column, in the order of the columns.

    Attributes
    ----------
    bandwidth_ : ndarray of shape (n_columns,)
        The bandwidths, in the order of the columns.

    See Also
    --------
    EmpiricalLikelihood : Treats columns as independent, and is faster.

    Notes
    -----
    The density of a row is the mean over the fitted rows of the product over columns of ``exp(-z^2 / 2) / (h sqrt(2
    pi))`` with ``z = (x - x_i) / h`` for a continuous column, and of ``1 - h`` for an equal level and ``h / (c - 1)``
    for another one. Missing is a level of its own. The same holds in a continuous column: a present and a missing value
    differ as two levels do (with bandwidth ``n^(-2/(4+p)) / 2``), and a missing value is as dense as a present one on
    average, ``1 / (2 sqrt(pi) s)`` with s the standard deviation over all classes, at least the bandwidth. With fewer
    than three fitted rows, or without spread among them, a column takes the standard deviation over all classes; if
    that is 0, too, its bandwidth is the size of its constant, at least 1.

    All of it is one matrix product per block: squares are expanded, levels are weighted one-hot columns. Rows so far
    out that expanding would cost digits are computed from differences. Memory does not grow with the product of the
    sizes.

    Examples
    --------
    >>> from tabcast.density import KernelDensity
    >>> density = KernelDensity(bandwidth=[1.0]).fit([[0.0], [0.0], [4.0]])
    >>> density.score_samples([[0.0], [4.0], [100.0]]).round(2)
    array([-1.32000e+00, -2.02000e+00, -4.61002e+03])
    """

    def __init__(self, bandwidth: str | ArrayLike = "reference") -> None:
        self.bandwidth = bandwidth

    def _fit(self, table: EncodedTable) -> None:
        columns = table.columns
        self._rows = _levels_with_missing(table)
        self._rows[self._rows == UNSEEN] = UNSEEN - 1  # equal to no level, not even to one unseen later
        self._n_levels = self._count_levels(table)
        continuous, categorical = self._choose_bandwidths(table)
        self.bandwidth_ = np.empty(len(columns.names))
        self.bandwidth_[columns.continuous_index] = continuous
        self.bandwidth_[columns.categorical_index] = categorical
        self._center = np.array([column.center for column in columns.continuous])
        self._width = continuous
        self._log_other = np.log(categorical / (self._n_levels - 1))
        self._log_equal = np.log1p(-categorical) - self._log_other
        self._missing_terms(columns.continuous)
        self._scaled = self._scale(table.continuous)

    def _count_levels(self, table: EncodedTable) -> Floats:
        """Levels of each categorical column, at least 2: of the fitted rows as in statsmodels, or of all classes."""
        if isinstance(self.bandwidth, str) and self.bandwidth == "normal_reference":
            counts = [len(np.unique(column)) for column in self._rows.T]
        else:
            counts = [len(column.levels) + column.has_missing for column in table.columns.categorical]
        return np.maximum(np.array(counts, dtype=float), 2)

    def _choose_bandwidths(self, table: EncodedTable) -> tuple[Floats, Floats]:
        """Bandwidths of the continuous and of the categorical columns."""
        columns = table.columns
        widest = (self._n_levels - 1) / self._n_levels
        if not isinstance(self.bandwidth, str):
            return self._given_bandwidths(columns, widest)
        rate = reference_scale(len(table), len(columns.continuous))
        categorical = widest * rate**2
        if self.bandwidth == "normal_reference":
            rate = reference_scale(len(table), len(columns.names))  # statsmodels counts categorical columns, too
            numbers = [
                np.append(column.level_numbers, np.nan)[np.maximum(table.codes[:, j], MISSING)]
                for j, column in enumerate(columns.categorical)
            ]
            theirs = 1.06 * rate * (_spread(np.column_stack(numbers)) if numbers else np.empty(0))
            categorical = np.where(theirs > 0, np.minimum(theirs, widest), categorical)
        elif self.bandwidth != "reference":
            raise ValueError(
                "`bandwidth` of KernelDensity must be 'reference', 'normal_reference' or one positive number per "
                f"column; got {self.bandwidth!r}."
            )
        own, pooled = _spread(table.continuous), np.array([column.scale for column in columns.continuous])
        spread = np.where((own > 0) & (len(table) >= ENOUGH_FOR_SPREAD), own, pooled)
        size = np.array([min(max(abs(column.center), 1.0), LARGEST_SPREAD) for column in columns.continuous])
        return np.where(spread > 0, 1.06 * rate * spread, size), categorical

    def _given_bandwidths(self, columns: Columns, widest: Floats) -> tuple[Floats, Floats]:
        """The user's numbers, checked."""
        try:
            given = np.asarray(self.bandwidth, dtype=float)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape != (len(columns.names),) or not np.all((given > 0) & np.isfinite(given)):
            raise ValueError(
                f"`bandwidth` of KernelDensity must hold one positive number for each of the {len(columns.names)} "
                f"columns; got {self.bandwidth!r}."
            )
        categorical = given[columns.categorical_index]
        if np.any(categorical > widest):
            raise ValueError(
                "`bandwidth` of KernelDensity is at most (c - 1) / c for a categorical column with c levels: "
                f"{widest.tolist()}; got {categorical.tolist()}."
            )
        return given[columns.continuous_index], categorical

    def _missing_terms(self, columns: tuple[ContinuousColumn, ...]) -> None:
        """Log factors of the missing value as a level of a continuous column."""
        rate = reference_scale(self.n_samples_, len(columns))
        other = 0.5 * rate**2 if columns else 0.0
        spread = np.maximum(np.array([column.scale for column in columns]), self._width)
        seen = np.array([column.has_missing for column in columns], dtype=bool)
        self._log_present = np.where(seen, np.log1p(-other), 0.0) - np.log(self._width) - LOG_SQRT_2PI
        log_average = -np.log(2 * np.sqrt(np.pi) * spread)
        self._log_both_missing = log_average + np.log1p(-other)
        self._log_one_missing = log_average + (np.log(other) if columns else 0.0)

    def _scale(self, values: Floats) -> Floats:
        """Continuous values in bandwidths from the center."""
        with np.errstate(over="ignore"):
            return np.clip((values - self._center) / self._width, -HUGE, HUGE)

    def _score(self, table: EncodedTable) -> Floats:
        queries, codes = self._scale(table.continuous), _levels_with_missing(table)
        pairs = _Pairs(self, queries, codes)
        scores = np.empty(len(table))
        scores[~pairs.far] = pairs.log_mean(pairs.expanded, np.flatnonzero(~pairs.far))
        scores[pairs.far] = pairs.log_mean(pairs.direct, np.flatnonzero(pairs.far))
        return scores + pairs.log_peak


def _levels_with_missing(table: EncodedTable) -> Index:
    """Codes where missing is one more level and an unseen level equals none, not even itself."""
    codes = table.codes.astype(np.intp)
    n_levels = np.array([len(column.levels) for column in table.columns.categorical], dtype=np.intp)
    return np.where(codes == MISSING, n_levels, codes)


class _Pairs:
    """Log kernel of (query, fitted row) pairs, block by block, relative to `log_peak`."""

    def __init__(self, density: KernelDensity, queries: Floats, codes: Index) -> None:
        rows = density._scaled
        self.gaps = np.isnan(queries).any(axis=0) | np.isnan(rows).any(axis=0)
        self.queries, self.rows = queries[:, ~self.gaps], rows[:, ~self.gaps]
        self.log_peak = float(density._log_present.sum() + (density._log_other + density._log_equal).sum())
        self.gap_columns = [
            _GapColumn(density, j, queries[:, j], rows[:, j]) for j in np.flatnonzero(self.gaps).tolist()
        ]
        tails = []
        self.compared = []
        for j in range(codes.shape[1]):
            levels = np.unique(density._rows[:, j])  # what no fitted row has is never equal
            if len(levels) <= ONE_HOT_LEVELS:
                tails.append(_one_hot_features(codes[:, j], density._rows[:, j], levels, density._log_equal[j]))
            else:
                self.compared.append((codes[:, j], density._rows[:, j], density._log_equal[j]))
        # What a pair loses against the peak when all its levels differ; equal levels win it back.
        loss = np.full(len(rows), -density._log_equal.sum())
        query_norm, row_norm = (self.queries**2).sum(axis=1), (self.rows**2).sum(axis=1)
        ones = np.ones(len(queries))
        gap_features = [column.features() for column in self.gap_columns]
        self.tail_query = np.column_stack([*(left for left, _ in tails), ones])
        self.tail_row = np.vstack([*(right.T for _, right in tails), loss])
        self.full_query = np.column_stack(
            [self.queries, *(left for left, _ in gap_features), self.tail_query, -0.5 * query_norm]
        )
        self.full_row = np.vstack(
            [self.rows.T, *(right.T for _, right in gap_features), self.tail_row, np.ones(len(rows))]
        )
        self.full_row[-2] -= 0.5 * row_norm
        self.far = (_squared_norm(queries) > FAR) & bool((_squared_norm(rows) > FAR).any())

    def expanded(self, queries: Rows, rows: slice, out: Floats) -> Floats:
        """By one matrix product."""
        np.matmul(self.full_query[queries], self.full_row[:, rows], out=out)
        return self._compare(out, queries, rows)

    def direct(self, queries: Rows, rows: slice, out: Floats) -> Floats:
        """By differences: slower, and exact for rows far out."""
        np.matmul(self.tail_query[queries], self.tail_row[:, rows], out=out)
        if self.rows.shape[1]:
            out -= 0.5 * cdist(self.queries[queries], self.rows[rows], "sqeuclidean")
        for column in self.gap_columns:
            out += column.direct(queries, rows)
        return self._compare(out, queries, rows)

    def _compare(self, logs: Floats, queries: Rows, rows: slice) -> Floats:
        """Add what equal levels win back, for columns with too many levels for one-hot columns."""
        for codes, levels, gain in self.compared:
            logs += gain * (codes[queries, None] == levels[None, rows])
        return logs

    def log_mean(self, log_kernel: Callable[[Rows, slice, Floats], Floats], queries: Index) -> Floats:
        """Log of the mean of exp(log_kernel) over all fitted rows, for each query, block by block."""
        n_rows = len(self.rows)
        result = np.empty(len(queries))
        buffer = np.empty(BLOCK_QUERIES * min(BLOCK_ROWS, n_rows))
        for start in range(0, len(queries), BLOCK_QUERIES):
            block = queries[start : start + BLOCK_QUERIES]
            total = np.zeros(len(block))
            for rows, out in _row_blocks(n_rows, buffer, len(block)):
                total += np.exp(log_kernel(block, rows, out), out=out).sum(axis=1)
            weak = total < UNDERFLOW
            total[weak] = 1.0
            sums = np.log(total)
            if weak.any():
                # Nothing is near these rows: add up around the largest term instead.
                far = block[weak]
                parts = [
                    logsumexp(log_kernel(far, rows, out), axis=1) for rows, out in _row_blocks(n_rows, buffer, len(far))
                ]
                sums[weak] = logsumexp(parts, axis=0)
            result[start : start + BLOCK_QUERIES] = sums
        return result - np.log(n_rows)


class _GapColumn:
    """A continuous column with missing values: the log factor of a pair, less the column's peak.

    It is ``one + here * there * (-one - (a - b)^2 / 2) + (1 - here) * (1 - there) * both``, where `here` and `there`
    tell which value is present, `one` is the factor of a present and a missing value, `both` what two missing ones add.
    """

    def __init__(self, density: KernelDensity, j: int, query: Floats, row: Floats) -> None:
        self.here, self.there = ~np.isnan(query), ~np.isnan(row)
        self.a, self.b = np.where(self.here, query, 0.0), np.where(self.there, row, 0.0)
        self.one = density._log_one_missing[j] - density._log_present[j]
        self.both = density._log_both_missing[j] - density._log_one_missing[j]

    def features(self) -> tuple[Floats, Floats]:
        """Columns whose product is the log factor."""
        a, b, here, there = self.a, self.b, self.here, self.there
        left = np.column_stack([a, -0.5 * a**2, here, ~here, np.ones_like(a)])
        right = np.column_stack(
            [b, there, there * (-self.one - 0.5 * b**2), ~there * self.both, np.full_like(b, self.one)]
        )
        return left, right

    def direct(self, queries: Rows, rows: slice) -> Floats:
        """The log factor by differences."""
        here, there = self.here[queries, None], self.there[None, rows]
        present = -self.one - 0.5 * (self.a[queries, None] - self.b[None, rows]) ** 2
        return self.one + np.where(here & there, present, np.where(here | there, 0.0, self.both))


def _squared_norm(values: Floats) -> Floats:
    """Squared length of each row, missing values aside."""
    return np.nansum(values**2, axis=1)


def _row_blocks(n_rows: int, buffer: Floats, n_queries: int) -> Iterator[tuple[slice, Floats]]:
    """Slices of the fitted rows, each with room for its (query, row) pairs."""
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = slice(first, min(first + BLOCK_ROWS, n_rows))
        n = rows.stop - rows.start
        yield rows, buffer[: n_queries * n].reshape(n_queries, n)


def _one_hot_features(query: Index, row: Index, levels: Index, gain: float) -> tuple[Floats, Floats]:
    """Columns whose product is `gain` where the levels are equal and 0 elsewhere."""
    return (query[:, None] == levels).astype(float), (row[:, None] == levels) * gain
