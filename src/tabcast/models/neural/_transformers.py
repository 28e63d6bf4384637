"""Transformers over the columns of a row: FT-Transformer, and SwitchTab, which is pretrained.

There is a token per column, attention among them, and a summary token in front.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._base import Limits, SelfSupervisedClassifier, StepwiseClassifier
from tabcast.models.neural._cells import Cells, TableShape, corrupt
from tabcast.models.neural._layers import Dropout, Encoder, Linear, Reconstruction, uniform

SHARED = 0.25  # proportion of a categorical token that is the same for all levels of its column
FEED_FORWARD = 4 / 3  # width of the feed-forward layers over that of tokens, as in the gated variant of FT-Transformer
DROPOUT = 0.1  # within the blocks of FT-Transformer
CORRUPTION = 0.3  # proportion of the cells of a row that SwitchTab replaces before it is encoded, as in its paper

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

    With `share`, a quarter of each categorical token is shared by all levels of its column, which then need not learn
    what they have in common (Huang et al., 2020).
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
    """Tokens attend to every token of their row, by several heads."""

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
    """The summary token after some blocks, normalized: blocks normalize their inputs, but not their outputs."""

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


@dataclass(kw_only=True, eq=False, repr=False)
class FTTransformerClassifier(StepwiseClassifier):
    """FT-Transformer: each column becomes a token, and the classes are predicted from a summary token.

    Parameters
    ----------
    input_embed_dim : int, default=32
        Length of a token.
    embedding_dropout : float, default=0.1
        Proportion of the tokens' units that are dropped in training.
    share_embedding : bool, default=False
        Whether a quarter of each categorical token is shared by all levels of its column.
    num_heads : int, default=4
        Number of heads of attention; divides `input_embed_dim`.
    num_attn_blocks : int, default=3
        Number of blocks.
    transformer_activation : {"GEGLU", "ReGLU", "SwiGLU"}, default="ReGLU"
        Gated unit of the feed-forward layers.
    use_batch_norm : bool, default=False
        Whether the summary is normalized by batch before the classes are predicted, instead of by row.
    batch_norm_continuous_input : bool, default=False
        Whether numbers are normalized by batch.

    See Also
    --------
    MLPClassifier : Faster, and often as good.

    References
    ----------
    Gorishniy, Rubachev, Khrulkov, Babenko. Revisiting deep learning models for tabular data. NeurIPS 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import FTTransformerClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FTTransformerClassifier(num_attn_blocks=2, learning_rate=0.01, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    ARCHITECTURE = (
        "input_embed_dim",
        "embedding_dropout",
        "share_embedding",
        "num_heads",
        "num_attn_blocks",
        "transformer_activation",
        "use_batch_norm",
        "batch_norm_continuous_input",
    )
    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("input_embed_dim", "num_heads", "num_attn_blocks"), 1),
        "embedding_dropout": "[0, 1)",
        "transformer_activation": tuple(GATES),
    }

    input_embed_dim: int = 32
    embedding_dropout: float = 0.1
    share_embedding: bool = False
    num_heads: int = 4
    num_attn_blocks: int = 3
    transformer_activation: Literal["GEGLU", "ReGLU", "SwiGLU"] = "ReGLU"
    use_batch_norm: bool = False
    batch_norm_continuous_input: bool = False
    epochs: int = 60

    def _build_encoder(self, shape: TableShape, generator: Generator) -> TableTransformer:
        if self.input_embed_dim % self.num_heads:
            raise ValueError(
                f"`num_heads` of {self._name} must divide `input_embed_dim`; got {self.num_heads} and "
                f"{self.input_embed_dim}."
            )
        width = self.input_embed_dim
        share, batch_norm = self.share_embedding, self.batch_norm_continuous_input
        tokens = Tokens(shape, width, generator, share=share, batch_norm=batch_norm)
        hidden = round(FEED_FORWARD * width)
        kind = (width, self.num_heads, hidden, self.transformer_activation, DROPOUT, generator)
        blocks = [Block(*kind, first=position == 0) for position in range(self.num_attn_blocks)]
        norm = nn.BatchNorm1d if self.use_batch_norm else nn.LayerNorm
        summary_norm = norm(width, device=generator.device)
        return TableTransformer(tokens, blocks, summary_norm, self.embedding_dropout, generator)

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Sequential:
        return nn.Sequential(nn.ReLU(), Linear(width, n_classes, generator))


class Switch(nn.Module):
    """SwitchTab's task: reconstruct rows from their salient part and the mutual part of their own or another row."""

    def __init__(self, encoder: TableTransformer, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.encoder, self.generator = encoder, generator
        width = encoder.width
        self.mutual = nn.Sequential(Linear(width, width, generator), nn.Sigmoid())
        self.salient = nn.Sequential(Linear(width, width, generator), nn.Sigmoid())
        self.reconstruction = Reconstruction(2 * width, shape, generator)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch; each row is paired with another one."""
        encoded = self.encoder(corrupt(cells, CORRUPTION, pool, self.generator))
        mutual, salient = self.mutual(encoded), self.salient(encoded)
        device = self.generator.device
        shift = int(torch.randint(1, max(len(cells), 2), (), generator=self.generator, device=device))
        own = self.reconstruction(torch.cat([mutual, salient], dim=1), cells)
        switched = self.reconstruction(torch.cat([mutual.roll(shift, 0), salient], dim=1), cells)
        return own + switched


@dataclass(kw_only=True, eq=False, repr=False)
class SwitchTabClassifier(SelfSupervisedClassifier):
    """SwitchTab: pretrained to separate what is particular to a row from what rows have in common.

    A transformer encodes corrupted rows. Two projections, mutual and salient, must suffice to reconstruct the row, also
    if the mutual one comes from another row. Then encoder and head are trained on the labeled rows.

    Parameters
    ----------
    encoder_head_dim : int, default=16
        Width of each head of attention; tokens are `n_head` times as long.
    encoder_depth : int, default=3
        Number of blocks of the transformer.
    n_head : int, default=2
        Number of heads.
    ffn_factor : int, default=2
        Width of the feed-forward layers over that of tokens.
    dropout_rate : float, default=0.1
        Proportion of units that are dropped in training.
    weight_decay : float, default=0.0001
        Decoupled weight decay of AdamW.

    See Also
    --------
    FTTransformerClassifier : The transformer without pretraining.

    Notes
    -----
    Every column is a token, as in FT-Transformer, with gated feed-forward layers (GEGLU). The summary is normalized
    before the projections and the linear head: otherwise pretraining makes it ever larger, until the projections are
    saturated and little can be learned from labels. The paper reconstructs all features by squared error; here levels
    are reconstructed by cross-entropy.

    References
    ----------
    Wu, Chen, Zhao, Sergazinov, Li, Liu, Zhao, Xie, Guo, Ji, Cociorva, Brunzell. SwitchTab: switched autoencoders are
    effective tabular learners. AAAI 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import SwitchTabClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SwitchTabClassifier(encoder_depth=1, pretrain_epochs=5, learning_rate=0.01, random_state=0)
    >>> model.fit(X[::2], y[::2], X_unlabeled=X[1::2]).score(X[1::2], y[1::2]) > 0.8
    True
    """

    ARCHITECTURE = ("encoder_head_dim", "encoder_depth", "n_head", "ffn_factor", "dropout_rate")
    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("encoder_head_dim", "encoder_depth", "n_head", "ffn_factor"), 1),
        "dropout_rate": "[0, 1)",
        "weight_decay": "[0, inf)",
    }

    encoder_head_dim: int = 16
    encoder_depth: int = 3
    n_head: int = 2
    ffn_factor: int = 2
    dropout_rate: float = 0.1
    weight_decay: float = 0.0001
    learning_rate: float = 0.0005

    def _build_encoder(self, shape: TableShape, generator: Generator) -> TableTransformer:
        width, rate = self.encoder_head_dim * self.n_head, self.dropout_rate
        tokens = Tokens(shape, width, generator)
        kind = (width, self.n_head, self.ffn_factor * width, "GEGLU", rate, generator)
        blocks = [Block(*kind, first=position == 0) for position in range(self.encoder_depth)]
        norm = nn.LayerNorm(width, device=generator.device)
        return TableTransformer(tokens, blocks, norm, rate, generator)

    def _build_pretext(self, encoder: TableTransformer, shape: TableShape, generator: Generator) -> Switch:
        return Switch(encoder, shape, generator)
