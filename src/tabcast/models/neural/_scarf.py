"""SCARF: contrastive learning with randomly corrupted cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._base import Limits, SelfSupervisedClassifier, StepwiseClassifier
from tabcast.models.neural._cells import Cells, TableShape, corrupt
from tabcast.models.neural._layers import Encoder, Linear, TableInput, multilayer

TEMPERATURE = 1.0  # of the contrastive loss, as in the paper


def info_nce(anchors: Tensor, positives: Tensor) -> Tensor:
    """Contrastive loss: each row should be closest, by cosine, to its own corrupted view.

    ``mean over i of -log(exp(s_ii) / sum over j of exp(s_ij))`` with similarities s divided by the temperature.

    Examples
    --------
    >>> import torch
    >>> from tabcast.models.neural._scarf import info_nce
    >>> rows = torch.eye(3)
    >>> bool(info_nce(rows, rows) < info_nce(rows, rows.roll(1, 0)))
    True
    """
    similarity = functional.normalize(anchors, dim=1) @ functional.normalize(positives, dim=1).T
    return functional.cross_entropy(similarity / TEMPERATURE, torch.arange(len(anchors), device=anchors.device))


class ScarfEncoder(Encoder):
    """Hidden layers of equal width over the features of a row."""

    def __init__(self, shape: TableShape, width: int, depth: int, rate: float, generator: Generator) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        self.layers = multilayer([self.input.width] + [width] * depth, nn.ReLU, rate, generator)
        self.width = width

    def forward(self, cells: Cells) -> Tensor:
        """Compute the representation of each row."""
        return self.layers(self.input(cells))


class Contrast(nn.Module):
    """SCARF's task: recognize a row whose cells were partly replaced."""

    def __init__(self, encoder: ScarfEncoder, depth: int, rate: float, generator: Generator) -> None:
        super().__init__()
        self.encoder, self.rate, self.generator = encoder, rate, generator
        width = encoder.width
        self.head = nn.Sequential(multilayer([width] * depth, nn.ReLU, 0.0, generator), Linear(width, width, generator))

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch."""
        views = cells.join(corrupt(cells, self.rate, pool, self.generator))
        anchors, positives = self.head(self.encoder(views)).chunk(2)
        return info_nce(anchors, positives)


@dataclass(kw_only=True, eq=False, repr=False)
class SCARFClassifier(StepwiseClassifier, SelfSupervisedClassifier):
    """SCARF: pretrained to recognize rows of which some cells were replaced.

    A row and its corrupted view, in which a proportion of the cells comes from other rows, should have similar
    representations, and different rows different ones. Then encoder and head are trained on the labeled rows.

    Parameters
    ----------
    emb_dim : int, default=128
        Width of the encoder's layers.
    encoder_depth : int, default=3
        Number of layers of the encoder.
    head_depth : int, default=1
        Number of layers of each head, the one for pretraining and the one for the classes.
    corruption_rate : float, default=0.6
        Proportion of the cells of a row that are replaced.
    dropout_rate : float, default=0.1
        Proportion of the encoder's units that are dropped in training.

    See Also
    --------
    VIMEClassifier : Reconstructs replaced cells instead.

    References
    ----------
    Bahri, Jiang, Tay, Metzler. SCARF: self-supervised contrastive learning using random feature corruption. ICLR 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import SCARFClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SCARFClassifier(emb_dim=32, pretrain_epochs=5, random_state=0)
    >>> model.fit(X[::2], y[::2], X_unlabeled=X[1::2]).score(X[1::2], y[1::2]) > 0.8
    True
    """

    ARCHITECTURE = ("emb_dim", "encoder_depth", "head_depth", "dropout_rate")
    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("emb_dim", "encoder_depth", "head_depth"), 1),
        "corruption_rate": "[0, 1]",
        "dropout_rate": "[0, 1)",
    }

    emb_dim: int = 128
    encoder_depth: int = 3
    head_depth: int = 1
    corruption_rate: float = 0.6
    dropout_rate: float = 0.1

    def _build_encoder(self, shape: TableShape, generator: Generator) -> ScarfEncoder:
        return ScarfEncoder(shape, self.emb_dim, self.encoder_depth, self.dropout_rate, generator)

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Sequential:
        hidden = multilayer([width] * self.head_depth, nn.ReLU, self.dropout_rate, generator)
        return nn.Sequential(hidden, Linear(width, n_classes, generator))

    def _build_pretext(self, encoder: ScarfEncoder, shape: TableShape, generator: Generator) -> Contrast:
        return Contrast(encoder, self.head_depth, self.corruption_rate, generator)
