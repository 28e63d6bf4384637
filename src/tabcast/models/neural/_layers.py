"""Layers that draw from a generator of their own, and the first and last ones: from cells to features, and back.

torch's layers initialize and drop units with the global random state, which belongs to the user.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._cells import Cells, TableShape

MAX_EMBEDDING = 50


class Encoder(nn.Module):
    """Base class of what turns cells into a representation of each row."""

    width: int  # length of the representation


class Linear(nn.Module):
    """A linear layer with torch's initialization, uniform within ``1 / sqrt(n_in)``."""

    def __init__(self, n_in: int, n_out: int, generator: Generator) -> None:
        super().__init__()
        self.weight = nn.Parameter(uniform((n_out, n_in), n_in, generator))
        self.bias = nn.Parameter(uniform((n_out,), n_in, generator))

    def forward(self, features: Tensor) -> Tensor:
        """Compute ``features @ weight.T + bias``."""
        return functional.linear(features, self.weight, self.bias)


class Dropout(nn.Module):
    """Drops a proportion of the units in training."""

    def __init__(self, rate: float, generator: Generator) -> None:
        super().__init__()
        self.rate, self.generator = rate, generator

    def forward(self, features: Tensor) -> Tensor:
        """Set units to 0 and scale the others, in training."""
        if not self.training or self.rate == 0:
            return features
        kept = torch.rand(features.shape, generator=self.generator, device=features.device) >= self.rate
        return features * kept / (1 - self.rate)


class Limited(Generator):
    """A generator for a network that may only have so many weights, as many as a file holds."""

    left: int = 0  # how many weights may still be drawn

    def spend(self, n_weights: int) -> None:
        """Count weights before there is memory for them."""
        if n_weights > self.left:
            raise ValueError("a network claims more weights than there are")
        self.left -= n_weights


def uniform(shape: tuple[int, ...], n_in: int, generator: Generator) -> Tensor:
    """Draw initial weights of a layer with `n_in` inputs."""
    if isinstance(generator, Limited):
        generator.spend(prod(shape))
    bound = max(n_in, 1) ** -0.5
    return torch.empty(shape, device=generator.device).uniform_(-bound, bound, generator=generator)


def embedding(n_levels: int, width: int, generator: Generator) -> nn.Embedding:
    """A vector per level, small at first; that of an unknown level is and stays 0."""
    vectors = uniform((n_levels + 1, width), width, generator)
    vectors[0] = 0
    return nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=0)


def multilayer(widths: list[int], activation: type[nn.Module], rate: float, generator: Generator) -> nn.Sequential:
    """Blocks of linear layer, activation and dropout, from the first width to the last."""
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(widths):
        layers += [Linear(n_in, n_out, generator), activation(), Dropout(rate, generator)]
    return nn.Sequential(*layers)


class TableInput(nn.Module):
    """Features of cells: scores, indicators of missing numbers, and an embedding of each categorical column."""

    def __init__(self, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.gaps = list(shape.gaps)
        widths = [min(MAX_EMBEDDING, (n + 1) // 2) for n in shape.n_levels]  # as in PyTorch Tabular
        tables = [embedding(n, width, generator) for n, width in zip(shape.n_levels, widths, strict=True)]
        self.embeddings = nn.ModuleList(tables)
        self.width = shape.n_numbers + len(self.gaps) + sum(widths)

    def forward(self, cells: Cells) -> Tensor:
        """Compute the features of each row."""
        numbers, codes = cells.numbers, cells.codes
        parts = [numbers.nan_to_num(nan=0.0)]
        if self.gaps:
            parts.append(numbers[:, self.gaps].isnan().to(numbers.dtype))
        parts += [vectors(codes[:, j]) for j, vectors in enumerate(self.embeddings)]
        return torch.cat(parts, dim=1)


class Reconstruction(nn.Module):
    """A linear layer from a representation to the numbers of its row and logits of its levels, and their losses."""

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
