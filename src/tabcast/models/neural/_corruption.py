"""Corrupted rows: cells that are replaced by those of other rows in the same column."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from tabcast.models.neural._cells import Cells


def choose_cells(n_rows: int, n_columns: int, rate: float, generator: Generator) -> Tensor:
    """Choose a proportion of the cells of each row; what is not a whole number of cells is rounded at random.

    Examples
    --------
    >>> import torch
    >>> from tabcast.models.neural._corruption import choose_cells
    >>> choose_cells(4, 10, 0.3, torch.Generator()).sum(dim=1)
    tensor([3, 3, 3, 3])
    """
    device = generator.device
    n_chosen = rate * n_columns + torch.rand((n_rows, 1), generator=generator, device=device)
    rank = torch.rand((n_rows, n_columns), generator=generator, device=device).argsort(dim=1).argsort(dim=1)
    return rank < n_chosen.floor()


def replace_cells(cells: Cells, chosen: Tensor, pool: Cells, generator: Generator) -> Cells:
    """Replace cells by those of random rows of the pool in the same column, a new row for each cell.

    Parameters
    ----------
    cells : Cells
        The rows.
    chosen : Tensor of bool of shape (n_rows, n_columns)
        Which cells are replaced, numeric columns first.
    pool : Cells
        Where cells are drawn from.
    generator : Generator
        Source of the rows.
    """
    donors = torch.randint(len(pool), chosen.shape, generator=generator, device=generator.device)
    n_numbers = cells.numbers.shape[1]
    return Cells(
        torch.where(chosen[:, :n_numbers], pool.numbers.gather(0, donors[:, :n_numbers]), cells.numbers),
        torch.where(chosen[:, n_numbers:], pool.codes.gather(0, donors[:, n_numbers:]), cells.codes),
    )


def find_changed(before: Cells, after: Cells) -> Tensor:
    """Which cells differ; two missing numbers do not."""
    same = (before.numbers == after.numbers) | (before.numbers.isnan() & after.numbers.isnan())
    return torch.cat([~same, before.codes != after.codes], dim=1)
