"""VIME: value imputation and mask estimation, then consistency on unlabeled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.checks import check_integer, check_number
from tabcast.models.neural._base import Network
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._corruption import find_changed, replace_cells
from tabcast.models.neural._layers import Encoder, Linear, TableInput
from tabcast.models.neural._pretrained import Pretrained
from tabcast.models.neural._reconstruction import Reconstruction
from tabcast.models.neural._self_supervised import SelfSupervisedClassifier

NARROWEST = 64  # the encoder is as wide as the features of a row, as in the paper, and at least so wide


def mask_cells(cells: Cells, rate: float, pool: Cells, generator: Generator) -> Cells:
    """Replace each cell with a probability by that of a random row of the pool in the same column."""
    n_columns = cells.numbers.shape[1] + cells.codes.shape[1]
    chosen = torch.rand((len(cells), n_columns), generator=generator, device=generator.device) < rate
    return replace_cells(cells, chosen, pool, generator)


class VimeEncoder(Encoder):
    """One layer over the features of a row.

    Parameters
    ----------
    shape : TableShape
        The columns of the table.
    generator : Generator
        Source of the initial weights.
    """

    def __init__(self, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        self.width = max(self.input.width, NARROWEST)
        self.layer = Linear(self.input.width, self.width, generator)

    def forward(self, cells: Cells) -> Tensor:
        """Compute the representation of each row."""
        return self.layer(self.input(cells)).relu()


class MaskedCells(nn.Module):
    """VIME's task: find the cells that were replaced, and what they were.

    Parameters
    ----------
    encoder : VimeEncoder
        The encoder to train.
    shape : TableShape
        The columns of the table.
    p_m, alpha_1, alpha_2 : float
        As in :class:`VIMEClassifier`.
    generator : Generator
        Source of the initial weights and the replaced cells.
    """

    def __init__(
        self,
        encoder: VimeEncoder,
        shape: TableShape,
        p_m: float,
        alpha_1: float,
        alpha_2: float,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.encoder, self.p_m, self.generator = encoder, p_m, generator
        self.alpha_1, self.alpha_2 = alpha_1, alpha_2
        self.mask = Linear(encoder.width, shape.n_columns, generator)
        self.reconstruction = Reconstruction(encoder.width, shape, generator)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch."""
        masked = mask_cells(cells, self.p_m, pool, self.generator)
        changed = find_changed(cells, masked).float()
        representation = self.encoder(masked)
        of_mask = functional.binary_cross_entropy_with_logits(self.mask(representation), changed)
        of_numbers, of_levels = self.reconstruction.losses(representation, cells)
        return of_mask + self.alpha_1 * of_levels + self.alpha_2 * of_numbers


class VIMEClassifier(SelfSupervisedClassifier):
    """VIME: pretrained to find and undo replaced cells, then trained to predict the same whatever is replaced.

    In the first phase an encoder learns, from rows in which some cells come from other rows, which cells these are and
    what they were. In the second phase the encoder is fixed, and a predictor learns from the labeled rows and from the
    pretraining rows, for which its logits should not change when cells are replaced.

    Parameters
    ----------
    predictor_hidden_dim : int, default=128
        Width of the predictor's two hidden layers.
    p_m : float, default=0.3
        Probability that a cell is replaced.
    alpha_1 : float, default=1.0
        Weight of the loss of reconstructed levels.
    alpha_2 : float, default=1.0
        Weight of the loss of reconstructed numbers.
    beta : float, default=0.1
        Weight of the consistency loss on unlabeled rows.
    K : int, default=3
        Number of corrupted copies of each unlabeled row.
    learning_rate : float, default=0.001
        Step size of AdamW at first, in both phases.
    scheduler_gamma : float, default=0.95
        Factor by which the learning rate shrinks.
    scheduler_step_size : int, default=10
        Number of epochs between two such changes.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or a mask of categorical columns. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Class weights, as scikit-learn has them.
    epochs : int, default=30
        Number of passes over the labeled rows at most, and exactly if there are fewer than 100.
    pretrain_epochs : int, default=50
        Number of passes over all rows in the first phase.
    batch_size : int or "auto", default="auto"
        Labeled, and as many unlabeled, rows of a step. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Device to train on.
    random_state : int, RandomState instance or None, default=None
        Seed; None takes one from the operating system. No global random state is used.
    verbose : int, default=0
        Whether progress bars are shown.
    pretrained : Pretrained or None, default=None
        The result of :meth:`pretrain`, which sets it.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Number of epochs in the second phase.
    n_features_in_ : int
        Number of columns that `fit` was given.
    encoder_ : TableEncoder
        Encodes tables.
    architecture_ : dict
        What the network was built from.
    weights_ : dict of str to ndarray
        Weights of encoder and predictor.

    See Also
    --------
    SCARFClassifier : Contrasts corrupted rows instead.

    Notes
    -----
    The paper has one loss for all reconstructed cells; here, as in the CAST paper, levels (cross-entropy) and numbers
    (squared error) have their own weights. The consistency loss is the mean squared difference between the logits of a
    row and of its K corrupted copies.

    References
    ----------
    Yoon, Zhang, Jordon, van der Schaar. VIME: extending the success of self- and semi-supervised learning to tabular
    domain. NeurIPS 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import VIMEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = VIMEClassifier(pretrain_epochs=5, random_state=0)
    >>> model.fit(X[::2], y[::2], X_unlabeled=X[1::2]).score(X[1::2], y[1::2]) > 0.8
    True
    """

    ARCHITECTURE = ("predictor_hidden_dim",)

    def __init__(
        self,
        *,
        predictor_hidden_dim: int = 128,
        p_m: float = 0.3,
        alpha_1: float = 1.0,
        alpha_2: float = 1.0,
        beta: float = 0.1,
        K: int = 3,
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
        self.predictor_hidden_dim = predictor_hidden_dim
        self.p_m = p_m
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.beta = beta
        self.K = K
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
        check_integer(self.predictor_hidden_dim, "predictor_hidden_dim", self._name, 1)
        check_number(self.p_m, "p_m", self._name, "[0, 1]")
        check_number(self.alpha_1, "alpha_1", self._name, "[0, inf)")
        check_number(self.alpha_2, "alpha_2", self._name, "[0, inf)")
        check_number(self.beta, "beta", self._name, "[0, inf)")
        check_integer(self.K, "K", self._name, 1)

    def _build_encoder(self, shape: TableShape, generator: Generator) -> VimeEncoder:
        return VimeEncoder(shape, generator)

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Sequential:
        hidden = self.predictor_hidden_dim
        return nn.Sequential(
            Linear(width, hidden, generator),
            nn.ReLU(),
            Linear(hidden, hidden, generator),
            nn.ReLU(),
            Linear(hidden, n_classes, generator),
        )

    def _build_pretext(self, encoder: VimeEncoder, shape: TableShape, generator: Generator) -> MaskedCells:
        return MaskedCells(encoder, shape, self.p_m, self.alpha_1, self.alpha_2, generator)

    def _start(self, encoder: Encoder, pretrained: Pretrained | None) -> None:
        super()._start(encoder, pretrained)
        encoder.requires_grad_(False)

    def _unlabeled_loss(
        self, network: Network, n_rows: int, pretrained: Pretrained | None, generator: Generator
    ) -> Tensor | float:
        assert pretrained is not None
        if self.beta == 0:
            return 0.0
        pool = pretrained.cells.to(self.device)
        rows = torch.randint(len(pool), (n_rows,), generator=generator, device=generator.device)
        copies = mask_cells(pool.take(rows.repeat(self.K)), self.p_m, pool, generator)
        difference = network(copies).view(self.K, n_rows, -1) - network(pool.take(rows))
        return self.beta * difference.square().mean()
