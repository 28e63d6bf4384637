"""What all networks share: `fit` and `predict_proba` around an encoder of rows and a head for the classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import log2
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.checks import check_integer, check_number
from tabcast.models.neural._cells import Cells, TableEncoder, TableShape
from tabcast.models.neural._layers import Encoder, Limited, Linear
from tabcast.models.neural._pretrained import Pretrained, Weights
from tabcast.models.neural._training import Schedule, train
from tabcast.progress import Bar, Progress
from tabcast.table import Floats, Index, check_lengths, read_table

ENOUGH_ROWS = 100  # with fewer, a hold-out costs more than stopping early gains; docs/neural_models.md
HELD_OUT = 0.2  # proportion of the rows of a class that decide when to stop
FEWEST, MOST = 32, 256  # rows of a batch that is chosen automatically
AT_ONCE = 4_096  # rows predicted at a time
FITTING, PRETRAINING = 0, 1  # each phase has its own random numbers


class Network(nn.Module):
    """An encoder of rows and a head that gives one number per class.

    Parameters
    ----------
    encoder : Encoder
        From cells to a representation.
    head : Module
        From the representation to logits.
    """

    def __init__(self, encoder: Encoder, head: nn.Module) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, cells: Cells) -> Tensor:
        """Compute logits."""
        return self.head(self.encoder(cells))


class NeuralClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base class of the networks. A member says how its encoder and its head are built.

    A fitted classifier is plain data: an encoder of tables, the parameters it was built with and its weights as
    arrays. The network is built from them where it is needed.
    """

    ARCHITECTURE: ClassVar[tuple[str, ...]]  # parameters that the network is built from
    # Common parameters, set by the constructors of the members.
    learning_rate: float
    categorical_features: Any
    class_weight: Any
    epochs: int
    batch_size: Any
    device: str
    random_state: Any
    verbose: int

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The training rows; cells may be missing.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows. None: all equal. A row of weight 0 does not train.

        Returns
        -------
        NeuralClassifier
            The fitted classifier itself.
        """
        table, codes, weight = self._read(X, y, sample_weight)
        return self._fit(TableEncoder(table, self.categorical_features), table, codes, weight)

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class.

        The network computes in double precision here, so that the prediction for a row does not depend on the rows
        next to it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows to classify; levels that were not there in `fit` count as unknown.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of `classes_`.
        """
        check_is_fitted(self)
        cells = self.encoder_.encode(validate_data(self, read_table(X), reset=False, skip_check_array=True))
        network = self._load().double().eval()
        blocks = []
        with torch.inference_mode():
            for start in range(0, len(cells), AT_ONCE):
                block = cells.take(slice(start, start + AT_ONCE))
                blocks.append(network(Cells(block.numbers.double(), block.codes)).softmax(dim=1))
        return torch.cat(blocks).numpy()

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The table, with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.
        """
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    # ---- What a member says

    @abstractmethod
    def _build_encoder(self, shape: TableShape, generator: Generator) -> Encoder:
        """From cells to a representation."""

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Module:
        """From a representation to logits."""
        return Linear(width, n_classes, generator)

    def _check(self) -> None:
        """Check the parameters of the member."""

    def _schedule(self, epochs: int, n_rows: int) -> Schedule:
        """How to train on so many rows; a member without a stepwise learning rate overrides it."""
        gamma, step_size = self.scheduler_gamma, self.scheduler_step_size
        check_number(gamma, "scheduler_gamma", self._name, "(0, 1]")
        check_integer(step_size, "scheduler_step_size", self._name, 1)
        return Schedule(epochs, self._rows_per_batch(n_rows), self.learning_rate, step_size, gamma)

    # ---- How it is trained

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Index, Floats]:
        """The checked table, the positions of the classes, and the weights of rows, those of classes included."""
        self._check_all()
        table = read_table(X)
        validate_data(self, table, skip_check_array=True)
        if y is None:
            raise ValueError(f"{self._name} requires y to be passed, but the target y is None.")
        y = column_or_1d(y, warn=True)
        check_lengths(table, y=y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight = _check_sample_weight(sample_weight, y[:, None], dtype=np.float64, ensure_non_negative=True)
        weight = weight * compute_sample_weight(self.class_weight, y)
        if not weight.any():
            raise ValueError(f"Every row has weight 0, so that {self._name} has nothing to learn from.")
        return table, codes, weight

    def _check_all(self) -> None:
        """Check every parameter before any work."""
        check_number(self.learning_rate, "learning_rate", self._name, "(0, inf)")
        check_integer(self.epochs, "epochs", self._name, 1)
        check_integer(self.batch_size, "batch_size", self._name, 2, allowed=["auto"])
        self._schedule(self.epochs, 1)
        self._check()

    def _fit(
        self, encoder: TableEncoder, table: Any, codes: Index, weight: Floats, pretrained: Pretrained | None = None
    ) -> Self:
        """Build and train the network on encoded rows, and keep its weights."""
        generator = self._generator(FITTING)
        kept = np.flatnonzero(weight)
        rows = torch.from_numpy(kept if len(kept) > 1 else kept.repeat(2))  # a batch cannot be normalized by one row
        cells = encoder.encode(table).take(rows).to(self.device)
        target = torch.from_numpy(codes)[rows].to(self.device)
        scaled = torch.from_numpy(weight / weight[kept].mean()).float()[rows].to(self.device)
        encoder_network = self._build_encoder(encoder.shape, generator)
        self._start(encoder_network, pretrained)
        head = self._build_head(encoder_network.width, len(self.classes_), generator)
        network = Network(encoder_network, head)
        training, held_out = hold_out(target, generator)

        def loss(batch: Tensor) -> Tensor:
            batch = training[batch]
            supervised = weighted_loss(network(cells.take(batch)), target[batch], scaled[batch])
            return supervised + self._unlabeled_loss(network, len(batch), pretrained, generator)

        def held_out_loss() -> float:
            with torch.inference_mode():
                return float(weighted_loss(network(cells.take(held_out)), target[held_out], scaled[held_out]))

        schedule = self._schedule(self.epochs, len(training))
        with self._progress(schedule.epochs) as progress:
            stopping = held_out_loss if len(held_out) else None
            self.n_epochs_ = train(network, loss, len(training), schedule, generator, progress, stopping)
        self.encoder_ = encoder
        self.architecture_ = {name: getattr(self, name) for name in self.ARCHITECTURE}
        self.weights_ = save_weights(network, self._name)
        return self

    def _start(self, encoder: Encoder, pretrained: Pretrained | None) -> None:
        """Give the encoder other weights than random ones to start with."""

    def _unlabeled_loss(
        self, network: Network, n_rows: int, pretrained: Pretrained | None, generator: Generator
    ) -> Tensor | float:
        """What is added to the loss of a batch of labeled rows."""
        return 0.0

    def _load(self) -> Network:
        """The fitted network on the processor, whatever became of the parameters since.

        The weights decide: what does not fit them, as in a file that was made by hand, is refused before there is
        memory for it.
        """
        weights, generator = self.weights_, Limited()
        generator.left = sum(values.size for values in weights.values())
        made = type(self)(**self.architecture_)
        made._check_all()
        for value in self.architecture_.values():
            if isinstance(value, int) and value > generator.left:  # no layer is wider, no network deeper
                generator.spend(value)
        encoder = made._build_encoder(self.encoder_.shape, generator)
        head = made._build_head(encoder.width, len(self.classes_), generator)
        network = Network(encoder, head)
        shapes = {name: tuple(values.shape) for name, values in network.state_dict().items()}
        if {name: values.shape for name, values in weights.items()} != shapes:
            raise ValueError(
                "the weights of a network are not those of the layers that it claims: it was damaged, or another "
                "version of tabcast made it; fit it again"
            )
        network.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
        return network

    def _rows_per_batch(self, n_rows: int) -> int:
        """Rows of a batch: a power of two, about a thirty-second of the rows, if chosen automatically."""
        if self.batch_size != "auto":
            return int(self.batch_size)
        return int(np.clip(2 ** int(log2(max(n_rows // 32, 1))), FEWEST, MOST))

    def _generator(self, phase: int) -> Generator:
        """Random numbers of a phase; without a seed from the operating system, not from numpy's global state."""
        seed = self.random_state
        if seed is not None and not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(2**31)
        entropy = np.random.SeedSequence(None if seed is None else [int(seed), phase])
        try:
            generator = Generator(device=self.device)
        except RuntimeError as error:
            raise ValueError(f"`device` of {self._name} is {self.device!r}, which torch cannot use here.") from error
        return generator.manual_seed(int(entropy.generate_state(1, np.uint64)[0] >> 1))

    def _progress(self, n_epochs: int, title: str = "Training") -> Progress:
        return Bar(f"{title} {self._name}", n_epochs, unit="epochs") if self.verbose else Progress()


def weighted_loss(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Mean over rows of weight times cross-entropy."""
    return (functional.cross_entropy(logits, target, reduction="none") * weight).mean()


def hold_out(target: Tensor, generator: Generator) -> tuple[Tensor, Tensor]:
    """Positions of training rows, and of held-out rows: a fifth of each class from 100 rows on, else none."""
    order = torch.randperm(len(target), generator=generator, device=generator.device)
    if len(target) < ENOUGH_ROWS:
        return order, order[:0]
    of_class = [order[target[order] == one] for one in target.unique()]
    sizes = [int(len(rows) * HELD_OUT) for rows in of_class]
    pairs = list(zip(of_class, sizes, strict=True))
    return torch.cat([rows[size:] for rows, size in pairs]), torch.cat([rows[:size] for rows, size in pairs])


def save_weights(network: nn.Module, name: str) -> Weights:
    """The weights and statistics of a network as arrays; an error if training diverged."""
    weights = {key: values.detach().cpu().numpy() for key, values in network.state_dict().items()}
    if not all(np.isfinite(values).all() for values in weights.values()):
        raise ValueError(f"Training of {name} diverged. Lower its `learning_rate`.")
    return weights
