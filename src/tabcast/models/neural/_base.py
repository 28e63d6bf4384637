"""What all networks share: parameters, the training loop, `fit` and `predict_proba`, and pretraining without labels."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.checks import check_choice, check_integer, check_number
from tabcast.models.neural._cells import Cells, TableEncoder, TableShape
from tabcast.models.neural._layers import Encoder, Limited, Linear
from tabcast.progress import Bar, Progress
from tabcast.table import Floats, Index
from tabcast.table._tables import check_lengths, read_table
from tabcast.table._types import stack_rows

ENOUGH_ROWS = 100  # with fewer, a hold-out costs more than stopping early gains; docs/neural_models.md
HELD_OUT = 0.2  # proportion of the rows of a class that decide when to stop
PATIENCE = 10  # epochs without a smaller loss on the held-out rows before training stops
MAX_NORM = 1.0  # gradients are scaled down to this length: a large step must not end in NaN
FEWEST, MOST = 32, 256  # rows of a batch that is chosen automatically
AT_ONCE = 4_096  # rows predicted at a time
FITTING, PRETRAINING = 0, 1  # each phase has its own random numbers

Weights = dict[str, NDArray[Any]]
Limits = Mapping[str, int | str | tuple[str, ...]]


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: sums depend on how many share them, and a network on its sums."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(kw_only=True, eq=False, repr=False)
class NeuralClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base class of the networks. A member says how its encoder and its head are built.

    A member is a dataclass, so that its constructor has the parameters of this class and its own. A fitted classifier
    is plain data: an encoder of tables, the parameters it was built with and its weights as arrays. The network is
    built from them where it is needed.

    Parameters
    ----------
    learning_rate : float
        Step size of AdamW at first.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    epochs : int
        Number of passes over the labeled rows. From 100 rows on, a fifth of them is held out and training may stop
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
    """

    ARCHITECTURE: ClassVar[tuple[str, ...]]  # parameters that the network is built from
    # What a parameter must be: an integer of at least so much, a number in an interval, or one of some names.
    LIMITS: ClassVar[Limits] = {"learning_rate": "(0, inf)", "epochs": 1}

    learning_rate: float = 0.001
    categorical_features: ArrayLike | None = None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    epochs: int = 30
    batch_size: int | Literal["auto"] = "auto"
    device: str = "cpu"
    random_state: int | RandomState | None = None
    verbose: int = 0

    def __init_subclass__(cls) -> None:
        """Add what the base classes document, parameters and attributes, to the docstring of a member."""
        if cls.__doc__:
            bases = [kind for kind in cls.__mro__ if issubclass(kind, NeuralClassifier) and inspect.isabstract(kind)]
            shared = [inspect.getdoc(kind).partition("----------")[2] for kind in bases]  # type: ignore[union-attr]
            see_also = "\n\nSee Also\n"
            cls.__doc__ = inspect.cleandoc(cls.__doc__).replace(see_also, "".join(shared) + see_also, 1)

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
        with one_thread(), torch.inference_mode():
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

    def _rate(self, epoch: int) -> float:
        """Learning rate of an epoch."""
        return self.learning_rate

    def _start(self, encoder: Encoder, pretrained: Pretrained) -> None:
        """Give the encoder the weights of pretraining to start with."""

    def _unlabeled_loss(
        self, network: nn.Module, n_rows: int, pretrained: Pretrained | None, generator: Generator
    ) -> Tensor | float:
        """What is added to the loss of a batch of labeled rows."""
        return 0.0

    # ---- How it is trained

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _check(self) -> None:
        """Check the parameters before any work."""
        check_integer(self.batch_size, "batch_size", self._name, 2, allowed=["auto"])
        limits = {name: limit for kind in type(self).__mro__ for name, limit in vars(kind).get("LIMITS", {}).items()}
        for name, limit in limits.items():
            value = getattr(self, name)
            if isinstance(limit, int):
                check_integer(value, name, self._name, limit)
            elif isinstance(limit, str):
                check_number(value, name, self._name, limit)
            else:
                check_choice(value, limit, f"{name} of {self._name}")
        for label, weight in self.class_weight.items() if isinstance(self.class_weight, Mapping) else ():
            check_number(weight, f"class_weight of {label!r}", self._name, "[0, inf)")

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Index, Floats]:
        """The checked table, the positions of the classes, and the weights of rows, those of classes included."""
        self._check()
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
        network = self._build(encoder.shape, generator, pretrained)
        training, held_out = hold_out(target, generator)

        def loss(batch: Tensor) -> Tensor:
            batch = training[batch]
            supervised = weighted_loss(network(cells.take(batch)), target[batch], scaled[batch])
            return supervised + self._unlabeled_loss(network, len(batch), pretrained, generator)

        def held_out_loss() -> float:
            with torch.inference_mode():
                return float(weighted_loss(network(cells.take(held_out)), target[held_out], scaled[held_out]))

        stopping = held_out_loss if len(held_out) else None
        self.n_epochs_ = self._train(network, loss, len(training), self.epochs, generator, "Training", stopping)
        self.encoder_ = encoder
        self.architecture_ = {name: getattr(self, name) for name in self.ARCHITECTURE}
        self.weights_ = save_weights(network, self._name)
        return self

    def _train(
        self,
        network: nn.Module,
        loss: Callable[[Tensor], Tensor],
        n_rows: int,
        epochs: int,
        generator: Generator,
        title: str,
        held_out_loss: Callable[[], float] | None = None,
    ) -> int:
        """Train a network by the loss of batches of rows, and return the number of epochs.

        With held-out rows, it ends with the weights of the epoch in which their loss was smallest, and stops when it
        has not become smaller for ten epochs.
        """
        parameters = [one for one in network.parameters() if one.requires_grad]
        decay = getattr(self, "weight_decay", 0.0)  # not every network has one
        optimizer = torch.optim.AdamW(parameters, lr=self.learning_rate, weight_decay=decay, fused=True)
        best, best_loss, best_epoch = None, float("inf"), epochs
        bar = Bar(f"{title} {self._name}", epochs, unit="epochs") if self.verbose else Progress()
        with one_thread(), bar as progress:
            for epoch in range(epochs):
                optimizer.param_groups[0]["lr"] = self._rate(epoch)
                network.train()
                for rows in batches(n_rows, self._rows_per_batch(n_rows), generator):
                    optimizer.zero_grad()
                    loss(rows).backward()
                    nn.utils.clip_grad_norm_(parameters, MAX_NORM)
                    optimizer.step()
                progress.advance()
                if held_out_loss is None:
                    continue
                network.eval()
                current = held_out_loss()
                if current < best_loss:
                    best_loss, best_epoch = current, epoch + 1
                    best = {name: values.detach().clone() for name, values in network.state_dict().items()}
                elif epoch + 1 >= best_epoch + PATIENCE:
                    break
        if best is not None:
            network.load_state_dict(best)
        network.eval()
        return best_epoch

    def _build(self, shape: TableShape, generator: Generator, pretrained: Pretrained | None = None) -> nn.Sequential:
        """An encoder of rows and a head that gives one number per class."""
        encoder = self._build_encoder(shape, generator)
        if pretrained is not None:
            self._start(encoder, pretrained)
        head = self._build_head(encoder.width, len(self.classes_), generator)
        return nn.Sequential(OrderedDict(encoder=encoder, head=head))

    def _load(self) -> nn.Sequential:
        """The fitted network on the processor, whatever became of the parameters since.

        The weights decide: what does not fit them, as in a file that was made by hand, is refused before there is
        memory for it.
        """
        weights, generator = self.weights_, Limited()
        generator.left = sum(values.size for values in weights.values())
        made = type(self)(**self.architecture_)
        made._check()
        made.classes_ = self.classes_
        for value in self.architecture_.values():
            if isinstance(value, int) and value > generator.left:  # no layer is wider, no network deeper
                generator.spend(value)
        network = made._build(self.encoder_.shape, generator)
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


@dataclass(kw_only=True, eq=False, repr=False)
class StepwiseClassifier(NeuralClassifier):
    """Base class of networks whose learning rate falls in steps.

    Parameters
    ----------
    scheduler_gamma : float, default=0.95
        Factor by which the learning rate is multiplied every `scheduler_step_size` epochs.
    scheduler_step_size : int, default=10
        Number of epochs between two steps of the learning rate.
    """

    LIMITS: ClassVar[Limits] = {"scheduler_gamma": "(0, 1]", "scheduler_step_size": 1}

    scheduler_gamma: float = 0.95
    scheduler_step_size: int = 10

    def _rate(self, epoch: int) -> float:
        return self.learning_rate * self.scheduler_gamma ** (epoch // self.scheduler_step_size)


@dataclass(frozen=True, eq=False, repr=False)
class Pretrained:
    """An encoder that was trained without labels, with the rows it was trained on, for any number of fits."""

    encoder: TableEncoder
    architecture: dict[str, Any]
    weights: Weights
    cells: Cells

    def __deepcopy__(self, memo: dict[int, Any]) -> Pretrained:
        """Itself: nothing in it changes, and `clone` copies parameters."""
        return self

    def __repr__(self) -> str:
        return f"Pretrained(n_rows={len(self.cells)})"


@dataclass(kw_only=True, eq=False, repr=False)
class SelfSupervisedClassifier(NeuralClassifier):
    """Base class of networks that are pretrained. A member says by which task its encoder is trained.

    Parameters
    ----------
    pretrain_epochs : int, default=50
        Number of passes over all rows without labels.
    pretrained : Pretrained or None, default=None
        Set by :meth:`pretrain`.
    """

    LIMITS: ClassVar[Limits] = {"pretrain_epochs": 1}

    pretrain_epochs: int = 50
    pretrained: Pretrained | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A fitted network is stored without the rows that it was pretrained on: it predicts without them."""
        state: dict[str, Any] = super().__getstate__()
        return {**state, "pretrained": None} if "weights_" in state else state

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
        self._check()
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

        self._train(pretext, loss, len(everything), self.pretrain_epochs, generator, "Pretraining")
        architecture = {name: getattr(self, name) for name in self.ARCHITECTURE}
        return Pretrained(table_encoder, architecture, save_weights(encoder, self._name), cells)

    def _start(self, encoder: Encoder, pretrained: Pretrained) -> None:
        for name, value in pretrained.architecture.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"`{name}` of {self._name} is {getattr(self, name)!r}, but it was pretrained with {value!r}. "
                    "Pretrain it again, or set it back."
                )
        encoder.load_state_dict({name: torch.from_numpy(values) for name, values in pretrained.weights.items()})


def batches(n_rows: int, batch_size: int, generator: Generator) -> Iterator[Tensor]:
    """Yield all rows in random order, in batches of almost equal size: none of a single row if there are more.

    Examples
    --------
    >>> import torch
    >>> from tabcast.models.neural._base import batches
    >>> [len(rows) for rows in batches(129, 32, torch.Generator())]
    [26, 26, 26, 26, 25]
    >>> [len(rows) for rows in batches(3, 2, torch.Generator())]
    [3]
    """
    n_batches = max(1, min(ceil(n_rows / batch_size), n_rows // 2))
    yield from torch.randperm(n_rows, generator=generator, device=generator.device).tensor_split(n_batches)


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
