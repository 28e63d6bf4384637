"""A table as networks take it: cells as tensors, the encoder that makes them from a table, and corrupted cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Generator, Tensor

from tabcast.table import Floats
from tabcast.table._columns import MISSING, Columns, learn_columns
from tabcast.table._encoders import CLIP, fit_quantiles

UNKNOWN = 0  # code of a level that the training rows do not have


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of a table: scores of numbers, NaN where missing; levels from 1, missing among them, 0 if unknown."""

    numbers: Tensor  # of shape (n_rows, n_numbers)
    codes: Tensor  # of int, of shape (n_rows, n_categories)

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Tensor | slice) -> Cells:
        """The cells of some rows."""
        return Cells(self.numbers[rows], self.codes[rows])

    def join(self, other: Cells) -> Cells:
        """The cells of these rows, then those of others."""
        return Cells(torch.cat([self.numbers, other.numbers]), torch.cat([self.codes, other.codes]))

    def to(self, device: str) -> Cells:
        """The cells on another device."""
        return Cells(self.numbers.to(device), self.codes.to(device))


@dataclass(frozen=True)
class TableShape:
    """What a network has to know about a table."""

    n_numbers: int
    gaps: tuple[int, ...]  # positions of the numeric columns with missing values; only these get an indicator
    n_levels: tuple[int, ...]  # of each categorical column, missing included

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.n_numbers + len(self.n_levels)


class TableEncoder:
    """Encodes tables by what the training rows hold.

    A number becomes the normal quantile of its rank among the training rows, clipped to [-3, 3]; a column without any
    number is 0. Each level of a categorical column becomes a code. A missing cell is a level if the training rows have
    missing cells there, and unknown otherwise.
    """

    def __init__(self, X: Any, categorical_features: ArrayLike | None = None) -> None:
        self.columns_: Columns = learn_columns(X, categorical_features)
        self.quantiles_ = fit_quantiles(self.columns_.encode(X).continuous)

    @property
    def shape(self) -> TableShape:
        """What a network has to know about the table."""
        continuous, categorical = self.columns_.continuous, self.columns_.categorical
        gaps = tuple(j for j, column in enumerate(continuous) if column.has_missing)
        n_levels = tuple(len(column.levels) + column.has_missing for column in categorical)
        return TableShape(len(continuous), gaps, n_levels)

    def encode(self, X: Any) -> Cells:
        """Encode a table."""
        table = self.columns_.encode(X)
        codes = np.where(table.codes >= 0, table.codes + 1, UNKNOWN).astype(np.int64)
        for j, column in enumerate(self.columns_.categorical):
            if column.has_missing:
                codes[table.codes[:, j] == MISSING, j] = len(column.levels) + 1
        return Cells(torch.from_numpy(self._scores(table.continuous)), torch.from_numpy(codes))

    def _scores(self, numbers: Floats) -> Any:
        """Normal scores in single precision; missing numbers stay NaN, unless the column has no number at all."""
        if self.quantiles_ is None:
            return np.empty((len(numbers), 0), dtype=np.float32)
        scores = np.clip(self.quantiles_.transform(numbers), -CLIP, CLIP)
        empty = np.isnan(self.quantiles_.quantiles_).all(axis=0)
        scores[:, empty] = np.where(np.isnan(numbers[:, empty]), np.nan, 0.0)
        return scores.astype(np.float32)


def choose_cells(n_rows: int, n_columns: int, rate: float, generator: Generator) -> Tensor:
    """Choose a proportion of the cells of each row; what is not a whole number of cells is rounded at random.

    Examples
    --------
    >>> import torch
    >>> from tabcast.models.neural._cells import choose_cells
    >>> choose_cells(4, 10, 0.3, torch.Generator()).sum(dim=1)
    tensor([3, 3, 3, 3])
    """
    device = generator.device
    n_chosen = rate * n_columns + torch.rand((n_rows, 1), generator=generator, device=device)
    rank = torch.rand((n_rows, n_columns), generator=generator, device=device).argsort(dim=1).argsort(dim=1)
    return rank < n_chosen.floor()


def replace_cells(cells: Cells, chosen: Tensor, pool: Cells, generator: Generator) -> Cells:
    """Replace the chosen cells, numeric columns first, by those of random rows of the pool in the same column."""
    donors = torch.randint(len(pool), chosen.shape, generator=generator, device=generator.device)
    n_numbers = cells.numbers.shape[1]
    return Cells(
        torch.where(chosen[:, :n_numbers], pool.numbers.gather(0, donors[:, :n_numbers]), cells.numbers),
        torch.where(chosen[:, n_numbers:], pool.codes.gather(0, donors[:, n_numbers:]), cells.codes),
    )


def corrupt(cells: Cells, rate: float, pool: Cells, generator: Generator) -> Cells:
    """Replace a proportion of the cells of each row."""
    n_columns = cells.numbers.shape[1] + cells.codes.shape[1]
    return replace_cells(cells, choose_cells(len(cells), n_columns, rate, generator), pool, generator)


def find_changed(before: Cells, after: Cells) -> Tensor:
    """Which cells differ; two missing numbers do not."""
    same = (before.numbers == after.numbers) | (before.numbers.isnan() & after.numbers.isnan())
    return torch.cat([~same, before.codes != after.codes], dim=1)
