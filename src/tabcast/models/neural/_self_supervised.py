"""Networks that learn without labels first: `pretrain`, and `fit` that starts from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import torch
from numpy.typing import ArrayLike
from sklearn.base import clone
from torch import Generator, Tensor, nn

from tabcast.checks import check_integer
from tabcast.models.neural._base import PRETRAINING, NeuralClassifier, save_weights
from tabcast.models.neural._cells import TableEncoder, TableShape
from tabcast.models.neural._layers import Encoder
from tabcast.models.neural._pretrained import Pretrained
from tabcast.models.neural._training import train
from tabcast.table import read_table, stack_rows


class SelfSupervisedClassifier(NeuralClassifier):
    """Base class of networks that are pretrained. A member says by which task its encoder is trained."""

    pretrain_epochs: int
    pretrained: Pretrained | None

    def pretrain(self, X: Any) -> Self:
        """Train the encoder without labels.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The rows, labeled or not.

        Returns
        -------
        SelfSupervisedClassifier
            An unfitted copy whose `fit` starts from the pretrained encoder, as do its clones.
        """
        self._check_all()
        copy = clone(self)
        copy.pretrained = self._pretrain(read_table(X))
        return copy

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, X_unlabeled: Any | None = None
    ) -> Self:
        """Train the network, starting from the pretrained encoder.

        A classifier that is not pretrained yet is pretrained on `X` and `X_unlabeled`: ``fit(X, y, X_unlabeled=U)``
        equals ``pretrain(X and U).fit(X, y)``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The labeled rows; cells may be missing.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the labeled rows. None: all equal. A row of weight 0 does not train the classes.
        X_unlabeled : array-like or DataFrame of shape (n_unlabeled, n_columns), default=None
            Further rows for pretraining.

        Returns
        -------
        SelfSupervisedClassifier
            The fitted classifier itself.
        """
        table, codes, weight = self._read(X, y, sample_weight)
        pretrained = self.pretrained
        if pretrained is None:
            unlabeled = None if X_unlabeled is None else read_table(X_unlabeled, name="X_unlabeled")
            pretrained = self._pretrain(table if unlabeled is None else stack_rows(table, unlabeled))
        elif X_unlabeled is not None:
            raise ValueError(
                f"{self._name} is pretrained already, so that `X_unlabeled` would have no effect. Pass all rows to "
                "`pretrain`, or leave `X_unlabeled` out."
            )
        return self._fit(pretrained.encoder, table, codes, weight, pretrained)

    @abstractmethod
    def _build_pretext(self, encoder: Any, shape: TableShape, generator: Generator) -> nn.Module:
        """A module that holds the encoder, from a batch of cells and all cells to a loss."""

    def _check_all(self) -> None:
        super()._check_all()
        check_integer(self.pretrain_epochs, "pretrain_epochs", self._name, 1)

    def _pretrain(self, table: Any) -> Pretrained:
        """Train the encoder on all rows of a checked table, without held-out rows."""
        generator = self._generator(PRETRAINING)
        table_encoder = TableEncoder(table, self.categorical_features)
        cells = table_encoder.encode(table)
        rows = torch.arange(len(cells)) if len(cells) > 1 else torch.zeros(2, dtype=torch.long)
        everything = cells.take(rows).to(self.device)
        encoder = self._build_encoder(table_encoder.shape, generator)
        pretext = self._build_pretext(encoder, table_encoder.shape, generator)

        def loss(batch: Tensor) -> Tensor:
            return pretext(everything.take(batch), everything)

        schedule = self._schedule(self.pretrain_epochs, len(everything))
        with self._progress(schedule.epochs, "Pretraining") as progress:
            train(pretext, loss, len(everything), schedule, generator, progress)
        architecture = {name: getattr(self, name) for name in self.ARCHITECTURE}
        return Pretrained(table_encoder, architecture, save_weights(encoder, self._name), cells)

    def _start(self, encoder: Encoder, pretrained: Pretrained | None) -> None:
        assert pretrained is not None
        for name, value in pretrained.architecture.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"`{name}` of {self._name} is {getattr(self, name)!r}, but it was pretrained with {value!r}. "
                    "Pretrain it again, or set it back."
                )
        encoder.load_state_dict({name: torch.from_numpy(values) for name, values in pretrained.weights.items()})
