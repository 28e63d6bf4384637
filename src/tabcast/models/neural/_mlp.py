"""Multilayer perceptron."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, Tensor, nn

from tabcast.checks import check_choice, check_number
from tabcast.models.neural._base import NeuralClassifier
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Dropout, Encoder, TableInput, multilayer

ACTIVATIONS = {"ReLU": nn.ReLU, "LeakyReLU": nn.LeakyReLU}


class HiddenLayers(Encoder):
    """The features of a row through hidden layers.

    Parameters
    ----------
    shape : TableShape
        The columns of the table.
    layers : list of int
        Widths of the hidden layers.
    activation : type of Module
        What follows each of them.
    embedding_dropout : float
        Proportion of features that are dropped before the first.
    generator : Generator
        Source of the initial weights and the dropped features.
    """

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


class MLPClassifier(NeuralClassifier):
    """Multilayer perceptron for tables with numbers, categories and missing values.

    Numbers are normal scores of their ranks, normalized by batch; columns of up to ten levels are one-hot encoded and
    the others embedded. Each hidden layer has batch normalization.

    Parameters
    ----------
    layers : str, default="128-64-32"
        Widths of the hidden layers, joined by "-".
    activation : {"ReLU", "LeakyReLU"}, default="ReLU"
        What follows each hidden layer.
    embedding_dropout : float, default=0.1
        Proportion of the features that are dropped in training.
    learning_rate : float, default=0.003
        Step size of AdamW at first.
    scheduler_gamma : float, default=0.95
        Factor by which the learning rate is multiplied every `scheduler_step_size` epochs.
    scheduler_step_size : int, default=10
        Number of epochs between two steps of the learning rate.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    epochs : int, default=30
        Number of passes over the training rows. From 100 rows on, a fifth of them is held out and training may stop
        earlier.
    batch_size : int or "auto", default="auto"
        Number of rows per step. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Where to train, as torch names devices.
    random_state : int, RandomState instance or None, default=None
        Seed. None: a new one from the operating system. No global random state is used.
    verbose : int, default=0
        Whether to show a progress bar.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Number of epochs that the network was trained for.
    n_features_in_ : int
        Number of columns.
    encoder_ : TableEncoder
        How tables are encoded.
    architecture_ : dict
        The parameters that the network was built from.
    weights_ : dict of str to ndarray
        Its weights.

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

    def __init__(
        self,
        *,
        layers: str = "128-64-32",
        activation: Literal["ReLU", "LeakyReLU"] = "ReLU",
        embedding_dropout: float = 0.1,
        learning_rate: float = 0.003,
        scheduler_gamma: float = 0.95,
        scheduler_step_size: int = 10,
        categorical_features: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        epochs: int = 30,
        batch_size: int | Literal["auto"] = "auto",
        device: str = "cpu",
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.layers = layers
        self.activation = activation
        self.embedding_dropout = embedding_dropout
        self.learning_rate = learning_rate
        self.scheduler_gamma = scheduler_gamma
        self.scheduler_step_size = scheduler_step_size
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.epochs = epochs
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _check(self) -> None:
        read_layers(self.layers, self._name)
        check_choice(self.activation, ACTIVATIONS, f"activation of {self._name}")
        check_number(self.embedding_dropout, "embedding_dropout", self._name, "[0, 1)")

    def _build_encoder(self, shape: TableShape, generator: Generator) -> HiddenLayers:
        widths = read_layers(self.layers, self._name)
        return HiddenLayers(shape, widths, ACTIVATIONS[self.activation], self.embedding_dropout, generator)


def read_layers(layers: Any, owner: str) -> list[int]:
    """Widths from "128-64-32"."""
    parts = layers.split("-") if isinstance(layers, str) else []
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f'`layers` of {owner} must be widths joined by "-", as in "128-64-32"; got {layers!r}.')
    return [int(part) for part in parts]
