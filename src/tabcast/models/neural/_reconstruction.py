"""The cells of a row from its representation, and how far they are off."""

from __future__ import annotations

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Linear


class Reconstruction(nn.Module):
    """A linear layer that gives the numbers of a row, and logits of its levels.

    Parameters
    ----------
    width : int
        Length of the representation.
    shape : TableShape
        The columns of the table.
    generator : Generator
        Source of the initial weights.
    """

    def __init__(self, width: int, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.sizes = [shape.n_numbers, *shape.n_levels]
        self.layer = Linear(width, sum(self.sizes), generator)

    def losses(self, representation: Tensor, cells: Cells) -> tuple[Tensor, Tensor]:
        """Mean squared error of the numbers that are not missing, and mean cross-entropy of the levels."""
        numbers, *logits = self.layer(representation).split(self.sizes, dim=1)
        known = ~cells.numbers.isnan()
        error = (numbers - cells.numbers.nan_to_num(nan=0.0)).square() * known
        of_columns = [
            functional.cross_entropy(one, codes - 1) for one, codes in zip(logits, cells.codes.unbind(1), strict=True)
        ]
        of_levels = torch.stack(of_columns).mean() if of_columns else numbers.new_zeros(())
        return error.sum() / known.sum().clamp(min=1), of_levels

    def forward(self, representation: Tensor, cells: Cells) -> Tensor:
        """Mean loss of a column."""
        of_numbers, of_levels = self.losses(representation, cells)
        n_numbers, n_categories = self.sizes[0], len(self.sizes) - 1
        return (n_numbers * of_numbers + n_categories * of_levels) / (n_numbers + n_categories)
