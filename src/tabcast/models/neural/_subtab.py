"""SubTab: subsets of the columns as views of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.checks import check_choice, check_integer, check_number
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Encoder, Linear, TableInput
from tabcast.models.neural._pretrained import Pretrained
from tabcast.models.neural._reconstruction import Reconstruction
from tabcast.models.neural._self_supervised import SelfSupervisedClassifier

NOISES = ("Swap", "Gaussian", "Zero_Out")


def find_windows(width: int, n_subsets: int, overlap_ratio: float) -> list[list[int]]:
    """Divide features into subsets of equal size that overlap with the one before; every feature is in one.

    Examples
    --------
    >>> from tabcast.models.neural._subtab import find_windows
    >>> find_windows(6, 3, overlap_ratio=0.5)
    [[0, 1, 2], [1, 2, 3], [3, 4, 5]]
    >>> find_windows(5, 2, overlap_ratio=0.0)
    [[0, 1, 2], [2, 3, 4]]
    """
    n_subsets = min(n_subsets, width)
    own = -(-width // n_subsets)
    size = min(width, own + int(overlap_ratio * own))
    starts = [min(max(0, (one + 1) * own - size), width - size) for one in range(n_subsets)]
    return [list(range(start, start + size)) for start in starts]


def nt_xent(one: Tensor, other: Tensor, tau: float, cosine: bool) -> Tensor:
    """Contrastive loss of pairs of views: each view should be most similar to the other view of its row.

    The normalized temperature-scaled cross-entropy over all ``2 n - 1`` other views of a pair; similarities, cosines or
    dot products, are divided by `tau`. Views have the shape (n_pairs, n_rows, width).
    """
    views = torch.cat([one, other], dim=1)
    views = functional.normalize(views, dim=2) if cosine else views
    n_pairs, n_views, _ = views.shape
    itself = torch.eye(n_views, dtype=torch.bool, device=views.device)
    similarity = (views @ views.mT / tau).masked_fill(itself, float("-inf"))
    partner = torch.arange(n_views, device=views.device).roll(n_views // 2).repeat(n_pairs)
    return functional.cross_entropy(similarity.flatten(0, 1), partner)


class SubsetEncoder(Encoder):
    """One network for every subset of the features, and the mean of its outputs.

    The network takes rows in which the features outside of the subset are 0, so that it can tell features apart.

    Parameters
    ----------
    shape : TableShape
        The columns of the table.
    width : int
        Length of the representation.
    n_subsets : int
        Number of subsets, at most one per feature.
    overlap_ratio : float
        How much of a subset is shared with the one before.
    generator : Generator
        Source of the initial weights.
    """

    def __init__(
        self, shape: TableShape, width: int, n_subsets: int, overlap_ratio: float, generator: Generator
    ) -> None:
        super().__init__()
        self.input = TableInput(shape, generator)
        n_features = self.input.width
        windows = find_windows(n_features, n_subsets, overlap_ratio)
        is_inside = [[feature in window for feature in range(n_features)] for window in windows]
        self.inside = torch.tensor(is_inside, device=generator.device)
        first = Linear(n_features, width, generator)
        self.layers = nn.Sequential(first, nn.LeakyReLU(), Linear(width, width, generator))
        self.width = width

    def cut(self, cells: Cells) -> Tensor:
        """Features of each subset, 0 outside of it; of shape (n_rows, n_subsets, n_features)."""
        return self.input(cells)[:, None, :] * self.inside

    def forward(self, cells: Cells) -> Tensor:
        """Compute the mean representation over the subsets."""
        return self.layers(self.cut(cells)).mean(dim=1)


class Views(nn.Module):
    """SubTab's task: reconstruct the whole row from a noisy subset, with similar projections of all subsets.

    Parameters
    ----------
    encoder : SubsetEncoder
        The encoder to train.
    shape : TableShape
        The columns of the table.
    options : SubTabClassifier
        Says what the loss is made of and what the noise is.
    generator : Generator
        Source of the initial weights and the noise.
    """

    def __init__(
        self, encoder: SubsetEncoder, shape: TableShape, options: SubTabClassifier, generator: Generator
    ) -> None:
        super().__init__()
        self.encoder, self.options, self.generator = encoder, options, generator
        width = encoder.width
        self.reconstruction = Reconstruction(width, shape, generator)
        self.project = nn.Sequential(Linear(width, width, generator), nn.LeakyReLU(), Linear(width, width, generator))

    def disturb(self, views: Tensor) -> Tensor:
        """Replace a proportion of the features of each subset by noise."""
        options = self.options
        draw: dict[str, Any] = {"generator": self.generator, "device": views.device}
        chosen = (torch.rand(views.shape, **draw) < options.mask_ratio) & self.encoder.inside
        if options.noise_type == "Gaussian":
            noisy = views + options.noise_level * torch.randn(views.shape, **draw)
        elif options.noise_type == "Swap":
            noisy = views.gather(0, torch.randint(len(views), views.shape, **draw))
        else:
            noisy = torch.zeros_like(views)
        return torch.where(chosen, noisy, views)

    def forward(self, cells: Cells, pool: Cells) -> Tensor:
        """Compute the loss of a batch."""
        options, n_subsets = self.options, len(self.encoder.inside)
        hidden = self.encoder.layers(self.disturb(self.encoder.cut(cells)))
        rows = torch.arange(len(cells), device=hidden.device).repeat_interleave(n_subsets)
        loss = self.reconstruction(hidden.flatten(0, 1), cells.take(rows))
        if n_subsets == 1:  # nothing to compare
            return loss
        first, second = torch.combinations(torch.arange(n_subsets, device=hidden.device)).T
        projections = self.project(hidden).transpose(0, 1)
        one, other = projections[first], projections[second]
        if options.use_contrastive:
            loss = loss + nt_xent(one, other, options.tau, options.use_cosine_similarity)
        if options.use_distance:
            loss = loss + functional.mse_loss(one, other)
        return loss


class SubTabClassifier(SelfSupervisedClassifier):
    """SubTab: pretrained to reconstruct a row from parts of it, which should agree with each other.

    The features are divided into overlapping subsets, and one encoder takes them all. Pretraining adds noise; after
    it, a row is represented by the mean over its subsets, and encoder and head are trained on the labeled rows.

    Parameters
    ----------
    emb_dim : int, default=128
        Length of the representation.
    tau : float, default=0.1
        Temperature of the contrastive loss.
    use_cosine_similarity : bool, default=True
        Whether the contrastive loss compares cosines instead of dot products.
    use_contrastive : bool, default=True
        Whether the projections of two subsets of a row are contrasted with those of other rows.
    use_distance : bool, default=True
        Whether the squared distance between projections of a row is added to the loss.
    n_subsets : int, default=4
        Number of subsets.
    overlap_ratio : float, default=0.5
        How much of a subset is shared with the one before it.
    mask_ratio : float, default=0.2
        Proportion of the features that noise replaces.
    noise_level : float, default=1.0
        Standard deviation of Gaussian noise.
    noise_type : {"Swap", "Gaussian", "Zero_Out"}, default="Swap"
        Noise: the feature of another row, a Gaussian number added, or 0.
    learning_rate : float, default=0.001
        First step size of AdamW.
    scheduler_gamma : float, default=0.95
        What the learning rate is multiplied by every `scheduler_step_size` epochs.
    scheduler_step_size : int, default=10
        Epochs between two steps of the learning rate.
    categorical_features : array-like of str, int or bool, default=None
        Categorical columns by name, position or mask. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, with scikit-learn's meaning.
    epochs : int, default=30
        Passes over the labeled rows: so many below 100 rows, at most so many from there on.
    pretrain_epochs : int, default=50
        Passes over all rows before that.
    batch_size : int or "auto", default="auto"
        Rows of a step. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Where torch computes while training.
    random_state : int, RandomState instance or None, default=None
        The seed; None takes a new one from the operating system. No global random state is used.
    verbose : int, default=0
        Whether bars show the progress.
    pretrained : Pretrained or None, default=None
        What :meth:`pretrain` learned; it sets it.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Epochs of training with labels.
    n_features_in_ : int
        Number of columns of `X`.
    encoder_ : TableEncoder
        Turns tables into cells.
    architecture_ : dict
        Parameters that determine the network.
    weights_ : dict of str to ndarray
        All weights of the network.

    See Also
    --------
    SwitchTabClassifier : Separates what a row has in common with others.

    Notes
    -----
    Two things differ from the paper. It reconstructs all features by squared error; here levels are reconstructed by
    cross-entropy. Its encoder takes the features of a subset alone, so that the mean over subsets cannot tell the first
    feature of one from the first of another; here the encoder takes all features, with 0 outside of the subset.

    References
    ----------
    Ucar, Hajiramezanali, Edwards. SubTab: subsetting features of tabular data for self-supervised representation
    learning. NeurIPS 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import SubTabClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SubTabClassifier(emb_dim=32, pretrain_epochs=5, learning_rate=0.01, random_state=0)
    >>> model.fit(X[::2], y[::2], X_unlabeled=X[1::2]).score(X[1::2], y[1::2]) > 0.8
    True
    """

    ARCHITECTURE = ("emb_dim", "n_subsets", "overlap_ratio")

    def __init__(
        self,
        *,
        emb_dim: int = 128,
        tau: float = 0.1,
        use_cosine_similarity: bool = True,
        use_contrastive: bool = True,
        use_distance: bool = True,
        n_subsets: int = 4,
        overlap_ratio: float = 0.5,
        mask_ratio: float = 0.2,
        noise_level: float = 1.0,
        noise_type: Literal["Swap", "Gaussian", "Zero_Out"] = "Swap",
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
        self.tau = tau
        self.use_cosine_similarity = use_cosine_similarity
        self.use_contrastive = use_contrastive
        self.use_distance = use_distance
        self.n_subsets = n_subsets
        self.overlap_ratio = overlap_ratio
        self.mask_ratio = mask_ratio
        self.noise_level = noise_level
        self.noise_type = noise_type
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
        check_number(self.tau, "tau", self._name, "(0, inf)")
        check_integer(self.n_subsets, "n_subsets", self._name, 1)
        check_number(self.overlap_ratio, "overlap_ratio", self._name, "[0, 1]")
        check_number(self.mask_ratio, "mask_ratio", self._name, "[0, 1]")
        check_number(self.noise_level, "noise_level", self._name, "[0, inf)")
        check_choice(self.noise_type, NOISES, f"noise_type of {self._name}")

    def _build_encoder(self, shape: TableShape, generator: Generator) -> SubsetEncoder:
        return SubsetEncoder(shape, self.emb_dim, self.n_subsets, self.overlap_ratio, generator)

    def _build_pretext(self, encoder: SubsetEncoder, shape: TableShape, generator: Generator) -> Views:
        return Views(encoder, shape, self, generator)
