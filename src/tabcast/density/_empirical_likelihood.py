"""How often the values of a row occur, column by column (the paper's CAST-L)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tabcast.checks import check_integer, check_number
from tabcast.density._base import Density
from tabcast.table import BLOCK, EncodedTable, Floats, Index


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
