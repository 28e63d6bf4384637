"""SwitchTab: what a row has in common with others is exchanged with another row, and the row is reconstructed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, Tensor, nn

from tabcast.checks import check_integer, check_number
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._corruption import choose_cells, replace_cells
from tabcast.models.neural._layers import Linear
from tabcast.models.neural._pretrained import Pretrained
from tabcast.models.neural._reconstruction import Reconstruction
from tabcast.models.neural._self_supervised import SelfSupervisedClassifier
from tabcast.models.neural._training import Schedule
from tabcast.models.neural._transformer import Block, TableTransformer, Tokens

CORRUPTION = 0.3  # proportion of the cells of a row that are replaced before it is encoded, as in the paper


class Switch(nn.Module):
    """SwitchTab's task: reconstruct rows from their salient part and the mutual part of their own or another row.

    Parameters
    ----------
    encoder : TableTransformer
        The encoder to train.
    shape : TableShape
        The columns of the table.
    generator : Generator
        Source of the initial weights, the replaced cells and the pairs of rows.
    """

    def __init__(self, encoder: TableTransformer, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.encoder, self.generator = encoder, generator
        width = encoder.width
        self.mutual = nn.Sequential(Linear(width, width, generator), nn.Sigmoid())
        self.salient = nn.Sequential(Linear(width, width, generator), nn.Sigmoid())
        self.reconstruction = Reconstruction(2 * width, shape, generator)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch; each row is paired with another one."""
        n_rows, n_columns = len(cells), cells.numbers.shape[1] + cells.codes.shape[1]
        chosen = choose_cells(n_rows, n_columns, CORRUPTION, self.generator)
        encoded = self.encoder(replace_cells(cells, chosen, pool, self.generator))
        mutual, salient = self.mutual(encoded), self.salient(encoded)
        shift = int(torch.randint(1, max(n_rows, 2), (), generator=self.generator, device=self.generator.device))
        own = self.reconstruction(torch.cat([mutual, salient], dim=1), cells)
        switched = self.reconstruction(torch.cat([mutual.roll(shift, 0), salient], dim=1), cells)
        return own + switched


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
    learning_rate : float, default=0.0005
        Step size of AdamW.
    weight_decay : float, default=0.0001
        Decoupled weight decay of AdamW.
    categorical_features : array-like of str, int or bool, default=None
        Mask, names or positions of the categorical columns. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights per class, as in scikit-learn.
    epochs : int, default=30
        Passes over the labeled rows, fewer if held-out rows (from 100 rows on) say so.
    pretrain_epochs : int, default=50
        Passes over all rows, whose labels are not used.
    batch_size : int or "auto", default="auto"
        Rows per batch. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Device of torch for training.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. None: from the operating system. No global random state is used.
    verbose : int, default=0
        Whether to show how far training is.
    pretrained : Pretrained or None, default=None
        Comes from :meth:`pretrain`.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Epochs until training with labels ended.
    n_features_in_ : int
        How many columns there are.
    encoder_ : TableEncoder
        What tables are encoded with.
    architecture_ : dict
        Parameters behind the weights.
    weights_ : dict of str to ndarray
        Weights of the network.

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

    def __init__(
        self,
        *,
        encoder_head_dim: int = 16,
        encoder_depth: int = 3,
        n_head: int = 2,
        ffn_factor: int = 2,
        dropout_rate: float = 0.1,
        learning_rate: float = 0.0005,
        weight_decay: float = 0.0001,
        categorical_features: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        epochs: int = 30,
        pretrain_epochs: int = 50,
        batch_size: int | Literal["auto"] = "auto",
        device: str = "cpu",
        random_state: int | RandomState | None = None,
        verbose: int = 0,
        pretrained: Pretrained | None = None,
    ) -> None:
        self.encoder_head_dim = encoder_head_dim
        self.encoder_depth = encoder_depth
        self.n_head = n_head
        self.ffn_factor = ffn_factor
        self.dropout_rate = dropout_rate
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.epochs = epochs
        self.pretrain_epochs = pretrain_epochs
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.pretrained = pretrained

    def _check(self) -> None:
        for name in ("encoder_head_dim", "encoder_depth", "n_head", "ffn_factor"):
            check_integer(getattr(self, name), name, self._name, 1)
        check_number(self.dropout_rate, "dropout_rate", self._name, "[0, 1)")
        check_number(self.weight_decay, "weight_decay", self._name, "[0, inf)")

    def _schedule(self, epochs: int, n_rows: int) -> Schedule:
        batch_size = self._rows_per_batch(n_rows)
        return Schedule(epochs, batch_size, self.learning_rate, weight_decay=self.weight_decay)

    def _build_encoder(self, shape: TableShape, generator: Generator) -> TableTransformer:
        width, rate = self.encoder_head_dim * self.n_head, self.dropout_rate
        tokens = Tokens(shape, width, generator)
        kind = (width, self.n_head, self.ffn_factor * width, "GEGLU", rate, generator)
        blocks = [Block(*kind, first=position == 0) for position in range(self.encoder_depth)]
        norm = nn.LayerNorm(width, device=generator.device)
        return TableTransformer(tokens, blocks, norm, rate, generator)

    def _build_pretext(self, encoder: TableTransformer, shape: TableShape, generator: Generator) -> Switch:
        return Switch(encoder, shape, generator)
