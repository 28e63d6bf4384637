"""VIME: value imputation and mask estimation, then consistency on unlabeled rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._base import Limits, Pretrained, SelfSupervisedClassifier, StepwiseClassifier
from tabcast.models.neural._cells import Cells, TableShape, find_changed, replace_cells
from tabcast.models.neural._layers import Encoder, Linear, Reconstruction, TableInput

NARROWEST = 64  # the encoder is as wide as the features of a row, as in the paper, and at least so wide


def mask_cells(cells: Cells, rate: float, pool: Cells, generator: Generator) -> Cells:
    """Replace each cell with a probability by that of a random row of the pool in the same column."""
    n_columns = cells.numbers.shape[1] + cells.codes.shape[1]
    chosen = torch.rand((len(cells), n_columns), generator=generator, device=generator.device) < rate
    return replace_cells(cells, chosen, pool, generator)


class VimeEncoder(Encoder):
    """One layer over the features of a row."""

    def __init__(self, shape: TableShape, generator: Generator) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        self.width = max(self.input.width, NARROWEST)
        self.layer = Linear(self.input.width, self.width, generator)

    def forward(self, cells: Cells) -> Tensor:
        """Compute the representation of each row."""
        return self.layer(self.input(cells)).relu()


class MaskedCells(nn.Module):
    """VIME's task: find the cells that were replaced, and what they were."""

    def __init__(self, encoder: VimeEncoder, shape: TableShape, options: VIMEClassifier, generator: Generator) -> None:
        super().__init__()
        self.encoder, self.options, self.generator = encoder, options, generator
        self.mask = Linear(encoder.width, shape.n_columns, generator)
        self.reconstruction = Reconstruction(encoder.width, shape, generator)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch."""
        options = self.options
        masked = mask_cells(cells, options.p_m, pool, self.generator)
        changed = find_changed(cells, masked).float()
        representation = self.encoder(masked)
        of_mask = functional.binary_cross_entropy_with_logits(self.mask(representation), changed)
        of_numbers, of_levels = self.reconstruction.losses(representation, cells)
        return of_mask + options.alpha_1 * of_levels + options.alpha_2 * of_numbers


@dataclass(kw_only=True, eq=False, repr=False)
class VIMEClassifier(StepwiseClassifier, SelfSupervisedClassifier):
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
    LIMITS: ClassVar[Limits] = {
        **dict.fromkeys(("predictor_hidden_dim", "K"), 1),
        "p_m": "[0, 1]",
        **dict.fromkeys(("alpha_1", "alpha_2", "beta"), "[0, inf)"),
    }

    predictor_hidden_dim: int = 128
    p_m: float = 0.3
    alpha_1: float = 1.0
    alpha_2: float = 1.0
    beta: float = 0.1
    K: int = 3

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
        return MaskedCells(encoder, shape, self, generator)

    def _start(self, encoder: Encoder, pretrained: Pretrained) -> None:
        super()._start(encoder, pretrained)
        encoder.requires_grad_(False)

    def _unlabeled_loss(
        self, network: nn.Module, n_rows: int, pretrained: Pretrained | None, generator: Generator
    ) -> Tensor | float:
        assert pretrained is not None
        if self.beta == 0:
            return 0.0
        pool = pretrained.cells.to(self.device)
        rows = torch.randint(len(pool), (n_rows,), generator=generator, device=generator.device)
        copies = mask_cells(pool.take(rows.repeat(self.K)), self.p_m, pool, generator)
        difference = network(copies).view(self.K, n_rows, -1) - network(pool.take(rows))
        return self.beta * difference.square().mean()
