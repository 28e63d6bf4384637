"""SCARF: contrastive learning with randomly corrupted cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.checks import check_integer, check_number
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._corruption import choose_cells, replace_cells
from tabcast.models.neural._layers import Encoder, Linear, TableInput, multilayer
from tabcast.models.neural._pretrained import Pretrained
from tabcast.models.neural._self_supervised import SelfSupervisedClassifier

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
    """Hidden layers of equal width over the features of a row.

    Parameters
    ----------
    shape : TableShape
        The columns of the table.
    width : int
        Width of each layer.
    depth : int
        Number of layers.
    rate : float
        Proportion of units that are dropped.
    generator : Generator
        Source of the initial weights and the dropped units.
    """

    def __init__(self, shape: TableShape, width: int, depth: int, rate: float, generator: Generator) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        self.layers = multilayer([self.input.width] + [width] * depth, nn.ReLU, rate, generator)
        self.width = width

    def forward(self, cells: Cells) -> Tensor:
        """Compute the representation of each row."""
        return self.layers(self.input(cells))


class Contrast(nn.Module):
    """SCARF's task: recognize a row whose cells were partly replaced.

    Parameters
    ----------
    encoder : Module
        The encoder to train.
    depth : int
        Number of layers of the head.
    rate : float
        Proportion of cells that are replaced.
    generator : Generator
        Source of the initial weights and the replaced cells.
    """

    def __init__(self, encoder: ScarfEncoder, depth: int, rate: float, generator: Generator) -> None:
        super().__init__()
        self.encoder, self.rate, self.generator = encoder, rate, generator
        width = encoder.width
        self.head = nn.Sequential(multilayer([width] * depth, nn.ReLU, 0.0, generator), Linear(width, width, generator))

    def corrupt(self, cells: Cells, pool: Cells) -> Cells:
        """Replace cells by those of random rows of the pool, within their column."""
        n_columns = cells.numbers.shape[1] + cells.codes.shape[1]
        chosen = choose_cells(len(cells), n_columns, self.rate, self.generator)
        return replace_cells(cells, chosen, pool, self.generator)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch."""
        views = cells.join(self.corrupt(cells, pool))
        anchors, positives = self.head(self.encoder(views)).chunk(2)
        return info_nce(anchors, positives)


class SCARFClassifier(SelfSupervisedClassifier):
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
    learning_rate : float, default=0.001
        Initial step size of AdamW, in both phases.
    scheduler_gamma : float, default=0.95
        Factor of the learning rate after every `scheduler_step_size` epochs.
    scheduler_step_size : int, default=10
        Number of epochs after which the learning rate changes.
    categorical_features : array-like of str, int or bool, default=None
        Which columns are categorical: names, positions or a mask. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    epochs : int, default=30
        Maximum number of passes over the labeled rows; with fewer than 100 of them the exact number.
    pretrain_epochs : int, default=50
        Number of passes over all rows without labels.
    batch_size : int or "auto", default="auto"
        Number of rows per step. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Where to train, in the words of torch.
    random_state : int, RandomState instance or None, default=None
        Seed of both phases. None: one from the operating system. No global random state is used.
    verbose : int, default=0
        Whether to show progress bars.
    pretrained : Pretrained or None, default=None
        Set by :meth:`pretrain`.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Number of epochs of supervised training.
    n_features_in_ : int
        Number of columns.
    encoder_ : TableEncoder
        How rows are encoded.
    architecture_ : dict
        The parameters that shaped the network.
    weights_ : dict of str to ndarray
        Weights of encoder and head.

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

    def __init__(
        self,
        *,
        emb_dim: int = 128,
        encoder_depth: int = 3,
        head_depth: int = 1,
        corruption_rate: float = 0.6,
        dropout_rate: float = 0.1,
        learning_rate: float = 0.001,
        scheduler_gamma: float = 0.95,
        scheduler_step_size: int = 10,
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
        self.emb_dim = emb_dim
        self.encoder_depth = encoder_depth
        self.head_depth = head_depth
        self.corruption_rate = corruption_rate
        self.dropout_rate = dropout_rate
        self.learning_rate = learning_rate
        self.scheduler_gamma = scheduler_gamma
        self.scheduler_step_size = scheduler_step_size
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
        check_integer(self.emb_dim, "emb_dim", self._name, 1)
        check_integer(self.encoder_depth, "encoder_depth", self._name, 1)
        check_integer(self.head_depth, "head_depth", self._name, 1)
        check_number(self.corruption_rate, "corruption_rate", self._name, "[0, 1]")
        check_number(self.dropout_rate, "dropout_rate", self._name, "[0, 1)")

    def _build_encoder(self, shape: TableShape, generator: Generator) -> ScarfEncoder:
        return ScarfEncoder(shape, self.emb_dim, self.encoder_depth, self.dropout_rate, generator)

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Sequential:
        hidden = multilayer([width] * self.head_depth, nn.ReLU, self.dropout_rate, generator)
        return nn.Sequential(hidden, Linear(width, n_classes, generator))

    def _build_pretext(self, encoder: ScarfEncoder, shape: TableShape, generator: Generator) -> Contrast:
        return Contrast(encoder, self.head_depth, self.corruption_rate, generator)
