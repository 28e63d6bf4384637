"""Transformer over the columns of a row: a token per column, attention among them, a summary token in front."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Dropout, Encoder, Linear, uniform

SHARED = 0.25  # proportion of a categorical token that is the same for all levels of its column

# Gated units: what the gate goes through.
GATES: dict[str, Callable[[Tensor], Tensor]] = {
    "GEGLU": functional.gelu,
    "ReGLU": functional.relu,
    "SwiGLU": functional.silu,
}


class Tokens(nn.Module):
    """A token per column, after a summary token that starts equal for all rows.

    A number scales a vector of its column and a level has its own vector; a bias of the column is added. A missing
    number has a vector of its own, which starts at 0; an unknown level has none.

    Parameters
    ----------
    shape : TableShape
        The columns of the table.
    width : int
        Length of a token.
    generator : Generator
        Source of the initial vectors.
    share : bool, default=False
        Whether a quarter of each categorical token is shared by all levels of its column, which then need not learn
        what they have in common (Huang et al., 2020).
    batch_norm : bool, default=False
        Whether numbers are normalized by batch.
    """

    def __init__(
        self, shape: TableShape, width: int, generator: Generator, *, share: bool = False, batch_norm: bool = False
    ) -> None:
        super().__init__()
        device, n_numbers = generator.device, shape.n_numbers
        self.norm = nn.BatchNorm1d(n_numbers, device=device) if batch_norm and n_numbers else None
        self.summary = nn.Parameter(uniform((width,), width, generator))
        self.scale = nn.Parameter(uniform((n_numbers, width), width, generator))
        self.missing = nn.Parameter(torch.zeros(n_numbers, width, device=device))
        sizes = torch.tensor(shape.n_levels, dtype=torch.long, device=device)
        self.first = sizes.cumsum(0) - sizes  # position of the first level of each column
        self.levels = nn.Parameter(uniform((int(sizes.sum()), width), width, generator))
        self.n_shared = int(width * SHARED) if share else 0
        self.bias = nn.Parameter(uniform((shape.n_columns, width), width, generator))

    def forward(self, cells: Cells) -> Tensor:
        """Compute tokens of shape (n_rows, 1 + n_columns, width)."""
        numbers, codes = cells.numbers, cells.codes
        missing, values = numbers.isnan(), numbers.nan_to_num(nan=0.0)
        if self.norm is not None:
            values = self.norm(values)
        of_numbers = values[:, :, None] * self.scale + missing[:, :, None] * self.missing
        known = codes > 0
        of_levels = functional.embedding(torch.where(known, self.first + codes - 1, 0), self.levels)
        own = known[:, :, None] * (torch.arange(self.levels.shape[1], device=codes.device) >= self.n_shared)
        tokens = torch.cat([of_numbers, of_levels * own], dim=1) + self.bias
        return torch.cat([self.summary.expand(len(numbers), 1, -1), tokens], dim=1)


class Attention(nn.Module):
    """Tokens attend to every token of their row, by several heads.

    Parameters
    ----------
    width : int
        Length of a token; a multiple of `n_heads`.
    n_heads : int
        Number of heads.
    generator : Generator
        Source of the initial weights.
    """

    def __init__(self, width: int, n_heads: int, generator: Generator) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.project = Linear(width, 3 * width, generator)
        self.join = Linear(width, width, generator)

    def forward(self, tokens: Tensor, n_first: int) -> Tensor:
        """Compute a mixture of values for each of the first tokens."""
        width = tokens.shape[-1]
        weight, bias = self.project.weight, self.project.bias
        query = functional.linear(tokens[:, :n_first], weight[:width], bias[:width])
        key, value = functional.linear(tokens, weight[width:], bias[width:]).chunk(2, dim=-1)
        heads = (one.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for one in (query, key, value))
        mixed = functional.scaled_dot_product_attention(*heads)
        return self.join(mixed.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    """Attention and a gated feed-forward layer, each normalized before and added to its input.

    The first block takes tokens as they are: normalized, a large number would be the same token as a larger one
    (Gorishniy et al., 2021, section 3.3).

    Parameters
    ----------
    width : int
        Length of a token.
    n_heads : int
        Number of heads of attention.
    hidden : int
        Width of the feed-forward layer.
    gate : str
        One of `GATES`.
    rate : float
        Proportion of units that are dropped.
    generator : Generator
        Source of the initial weights and the dropped units.
    first : bool, default=False
        Whether it is the first block.
    """

    def __init__(
        self,
        width: int,
        n_heads: int,
        hidden: int,
        gate: str,
        rate: float,
        generator: Generator,
        *,
        first: bool = False,
    ) -> None:
        super().__init__()
        self.gate = GATES[gate]
        self.before_attention = nn.Identity() if first else nn.LayerNorm(width, device=generator.device)
        self.attention = Attention(width, n_heads, generator)
        self.before_layer = nn.LayerNorm(width, device=generator.device)
        self.layer = Linear(width, 2 * hidden, generator)
        self.join = Linear(hidden, width, generator)
        self.dropout = Dropout(rate, generator)

    def forward(self, tokens: Tensor, n_first: int) -> Tensor:
        """Compute the next of the first tokens, from all of them."""
        attention = self.attention(self.before_attention(tokens), n_first)
        tokens = tokens[:, :n_first] + self.dropout(attention)
        values, gates = self.layer(self.before_layer(tokens)).chunk(2, dim=-1)
        return tokens + self.dropout(self.join(self.dropout(values * self.gate(gates))))


class TableTransformer(Encoder):
    """The summary token after some blocks, normalized: blocks normalize their inputs, but not their outputs.

    Parameters
    ----------
    tokens : Tokens
        The first layer.
    blocks : list of Block
        The following ones.
    norm : Module
        Normalizes the summary.
    rate : float
        Proportion of the first layer's units that are dropped.
    generator : Generator
        Source of the dropped units.

    Attributes
    ----------
    width : int
        Length of the summary.
    """

    def __init__(self, tokens: Tokens, blocks: list[Block], norm: nn.Module, rate: float, generator: Generator) -> None:
        super().__init__()
        self.tokens, self.blocks, self.norm = tokens, nn.ModuleList(blocks), norm
        self.dropout = Dropout(rate, generator)
        self.width = len(tokens.summary)

    def forward(self, cells: Cells) -> Tensor:
        """Compute the summary of each row; of the last block nothing else is needed."""
        tokens = self.dropout(self.tokens(cells))
        n_needed = [tokens.shape[1]] * (len(self.blocks) - 1) + [1]
        for block, n_first in zip(self.blocks, n_needed, strict=True):
            tokens = block(tokens, n_first)
        return self.norm(tokens[:, 0])
