"""Reference implementations of the densities: one row, one column, one fitted row at a time.

Written from the docstrings of `tabcast.density` and the paper's appendix "Implementation Details of Prior Knowledge".
A table is a list of rows, a row is a list of Python values, and a missing value is None. Two details come from private
docstrings: a fit on fewer than three rows uses the spread of the whole table, and the bandwidth of a column without any
spread is the absolute value of its constant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

Row = Sequence[Any]


def log_sum(terms: list[float]) -> float:
    """Log of the sum of exponentials, around the largest one."""
    largest = max(terms)
    return largest if largest == -math.inf else largest + math.log(sum(math.exp(term - largest) for term in terms))


def find_bin(value: float, edges: Sequence[float]) -> int | None:
    """Bin b with edge_b <= value < edge_(b+1); the last one includes its upper edge; None outside."""
    n_bins = len(edges) - 1
    if edges[0] == edges[-1]:
        return 0 if value == edges[0] else None
    for b in range(n_bins):
        if edges[b] <= value < edges[b + 1]:
            return b
    return n_bins - 1 if value == edges[-1] else None


class ReferenceDensity:
    """What a density knows about the whole table, whichever of its rows it is fitted on."""

    def fit(self, rows: list[Row], is_categorical: Sequence[bool], whole: list[Row] | None = None) -> ReferenceDensity:
        """Learn from rows; `whole` is the table that ranges and levels are taken from, if it has more rows."""
        self.rows = rows
        self.is_categorical = list(is_categorical)
        self.whole = {j: [row[j] for row in whole or rows] for j in range(len(self.is_categorical))}
        self.present = {j: [value for value in column if value is not None] for j, column in self.whole.items()}
        self.has_missing = {j: None in column for j, column in self.whole.items()}
        self.learn()
        return self

    def learn(self) -> None:
        raise NotImplementedError

    def score(self, row: Row) -> float:
        raise NotImplementedError

    def score_samples(self, rows: list[Row]) -> list[float]:
        return [self.score(row) for row in rows]


class ReferenceEmpiricalLikelihood(ReferenceDensity):
    """Count the cells of every column in a dictionary."""

    def __init__(self, n_bins: int = 10, smoothing: float = 1.0) -> None:
        self.n_bins, self.smoothing = n_bins, smoothing

    def learn(self) -> None:
        self.edges = {}
        for j, categorical in enumerate(self.is_categorical):
            if not categorical:
                values = self.present[j] or [0.0]
                self.edges[j] = np.linspace(min(values), max(values), self.n_bins + 1).tolist()
        self.counts = {j: Counter(self.cell(j, row[j]) for row in self.rows) for j in self.whole}

    def cell(self, j: int, value: Any) -> Any:
        """What is counted together with the value: its level, its bin, 'missing' or 'elsewhere'."""
        if value is None:
            return "missing"
        if self.is_categorical[j]:
            return ("level", value) if value in self.present[j] else "elsewhere"
        b = find_bin(value, self.edges[j])
        return "elsewhere" if b is None else ("bin", b)

    def score(self, row: Row) -> float:
        total = 0.0
        for j, categorical in enumerate(self.is_categorical):
            count = self.counts[j].get(self.cell(j, row[j]), 0)
            n_rows = len(self.rows)
            if self.smoothing == 0:
                total += math.log((count if count > 0 else 0.5) / n_rows)
                continue
            n_cells = len(set(self.present[j])) if categorical else self.n_bins
            if self.has_missing[j]:
                n_cells += 1
            total += math.log((count + self.smoothing) / (n_rows + self.smoothing * n_cells))
        return total


class ReferenceKernelDensity(ReferenceDensity):
    """Visit every fitted row and multiply the kernels of its columns."""

    def __init__(self, bandwidth: str | Sequence[float] = "reference") -> None:
        self.bandwidth = bandwidth

    def learn(self) -> None:
        self.n_rows = len(self.rows)
        self.n_continuous = self.is_categorical.count(False)
        self.n_levels = {j: self.count_levels(j) for j, categorical in enumerate(self.is_categorical) if categorical}
        self.bandwidths = [self.choose_bandwidth(j) for j in range(len(self.is_categorical))]
        self.whole_spread = {
            j: spread(self.present[j]) for j, categorical in enumerate(self.is_categorical) if not categorical
        }

    def count_levels(self, j: int) -> int:
        """Levels, missing among them: of the fitted rows for statsmodels' rule, else of the whole table."""
        column = [row[j] for row in self.rows] if self.bandwidth == "normal_reference" else self.whole[j]
        return max(2, len(set(column)))

    def choose_bandwidth(self, j: int) -> float:
        if not isinstance(self.bandwidth, str):
            return self.bandwidth[j]
        if self.bandwidth == "reference":
            factor = 1.06 * self.n_rows ** (-1 / (4 + self.n_continuous))
        else:
            factor = 1.06 * self.n_rows ** (-1 / (4 + len(self.is_categorical)))
        if self.is_categorical[j]:
            return self.categorical_bandwidth(j, factor)
        own = spread([row[j] for row in self.rows if row[j] is not None])
        if own > 0 and self.n_rows >= 3:
            return factor * own
        if spread(self.present[j]) > 0:
            return factor * spread(self.present[j])
        return max(1.0, abs(self.present[j][0])) if self.present[j] else 1.0

    def categorical_bandwidth(self, j: int, factor: float) -> float:
        widest = (self.n_levels[j] - 1) / self.n_levels[j]
        by_rows = widest * self.n_rows ** (-2 / (4 + self.n_continuous))
        if self.bandwidth == "reference":
            return by_rows
        levels = sorted(set(self.present[j]))
        numbers = {level: level if isinstance(level, int | float) else k for k, level in enumerate(levels)}
        by_numbers = factor * spread([numbers[row[j]] for row in self.rows if row[j] is not None])
        return min(by_numbers, widest) if by_numbers > 0 else by_rows

    def score(self, row: Row) -> float:
        terms = []
        for fitted in self.rows:
            terms.append(sum(self.log_kernel(j, row[j], fitted[j]) for j in range(len(self.is_categorical))))
        return log_sum(terms) - math.log(self.n_rows)

    def log_kernel(self, j: int, a: Any, b: Any) -> float:
        h = self.bandwidths[j]
        if self.is_categorical[j]:
            return math.log(1 - h) if a == b else math.log(h / (self.n_levels[j] - 1))
        # Present and missing are two levels; a missing value is as dense as a present one is on average.
        other = 0.5 * self.n_rows ** (-2 / (4 + self.n_continuous))
        average = 1 / (2 * math.sqrt(math.pi) * max(self.whole_spread[j], h))
        if a is None and b is None:
            return math.log((1 - other) * average)
        if a is None or b is None:
            return math.log(other * average)
        z = (a - b) / h
        log_gauss = -z * z / 2 - math.log(h) - math.log(2 * math.pi) / 2
        return log_gauss + math.log(1 - other) if self.has_missing[j] else log_gauss


def spread(values: list[float]) -> float:
    """Standard deviation (dividing by n); 0 for a constant and for nothing."""
    if not values or min(values) == max(values):
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


class ReferenceClassConditional:
    """One density per class, mixed with the density of all rows where the class is small."""

    def __init__(self, make_density: Any, min_samples: int = 5) -> None:
        self.make_density, self.min_samples = make_density, min_samples

    def fit(self, rows: list[Row], y: list[Any], is_categorical: Sequence[bool], classes: Sequence[Any] | None = None):
        self.classes = sorted(set(y)) if classes is None else list(classes)
        self.pooled = self.make_density().fit(rows, is_categorical)
        self.own, self.counts = {}, {}
        for one in self.classes:
            members = [row for row, label in zip(rows, y, strict=True) if label == one]
            self.counts[one] = len(members)
            if members:
                self.own[one] = self.make_density().fit(members, is_categorical, whole=rows)
        return self

    def score_samples(self, rows: list[Row]) -> list[list[float]]:
        return [[self.score(row, one) for one in self.classes] for row in rows]

    def score(self, row: Row, one: Any) -> float:
        share = min(1.0, self.counts[one] / self.min_samples)
        terms = []
        if share > 0:
            terms.append(math.log(share) + self.own[one].score(row))
        if share < 1:
            terms.append(math.log(1 - share) + self.pooled.score(row))
        return log_sum(terms)
