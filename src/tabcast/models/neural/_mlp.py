"""Multilayer perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Generator, Tensor, nn

from tabcast.models.neural._base import Limits, StepwiseClassifier
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Dropout, Encoder, TableInput, multilayer

ACTIVATIONS = {"ReLU": nn.ReLU, "LeakyReLU": nn.LeakyReLU}


class HiddenLayers(Encoder):
    """The features of a row through hidden layers."""

    def __init__(
        self,
        shape: TableShape,
        layers: list[int],
        activation: type[nn.Module],
        embedding_dropout: float,
        generator: Generator,
    ) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        self.norm = nn.BatchNorm1d(shape.n_numbers, device=generator.device) if shape.n_numbers else None
        self.dropout = Dropout(embedding_dropout, generator)
        self.layers = multilayer([self.input.width, *layers], activation, 0.0, generator)
        self.width = layers[-1]

    def forward(self, cells: Cells) -> Tensor:
        """Compute the last hidden layer."""
        features = self.input(cells)
        if self.norm is not None:
            n_numbers = self.norm.num_features
            features = torch.cat([self.norm(features[:, :n_numbers]), features[:, n_numbers:]], dim=1)
        return self.layers(self.dropout(features))


@dataclass(kw_only=True, eq=False, repr=False)
class MLPClassifier(StepwiseClassifier):
    """Multilayer perceptron for tables with numbers, categories and missing values.

    Numbers are normal scores of their ranks, normalized by batch; categorical columns are embedded.

    Parameters
    ----------
    layers : str, default="128-64-32"
        Widths of the hidden layers, joined by "-".
    activation : {"ReLU", "LeakyReLU"}, default="ReLU"
        What follows each hidden layer.
    embedding_dropout : float, default=0.1
        Proportion of the features that are dropped in training.

    See Also
    --------
    FTTransformerClassifier : A transformer over the columns.

    References
    ----------
    Gorishniy, Rubachev, Khrulkov, Babenko. Revisiting deep learning models for tabular data. NeurIPS 2021. The widths
    of embeddings are those of PyTorch Tabular (Joseph, 2021), which the CAST paper uses.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> MLPClassifier(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    ARCHITECTURE = ("layers", "activation", "embedding_dropout")
    LIMITS: ClassVar[Limits] = {"activation": tuple(ACTIVATIONS), "embedding_dropout": "[0, 1)"}

    layers: str = "128-64-32"
    activation: Literal["ReLU", "LeakyReLU"] = "ReLU"
    embedding_dropout: float = 0.1
    learning_rate: float = 0.003

    def _build_encoder(self, shape: TableShape, generator: Generator) -> HiddenLayers:
        widths = read_layers(self.layers, self._name)
        return HiddenLayers(shape, widths, ACTIVATIONS[self.activation], self.embedding_dropout, generator)


def read_layers(layers: Any, owner: str) -> list[int]:
    """Widths from "128-64-32"."""
    parts = layers.split("-") if isinstance(layers, str) else []
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f'`layers` of {owner} must be widths joined by "-", as in "128-64-32"; got {layers!r}.')
    return [int(part) for part in parts]
