"""SubTab: subsets of the columns as views of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from tabcast.models.neural._base import Limits, SelfSupervisedClassifier, StepwiseClassifier
from tabcast.models.neural._cells import Cells, TableShape
from tabcast.models.neural._layers import Encoder, Linear, Reconstruction, TableInput


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
    """SubTab's task: reconstruct the whole row from a noisy subset, with similar projections of all subsets."""

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


@dataclass(kw_only=True, eq=False, repr=False)
class SubTabClassifier(StepwiseClassifier, SelfSupervisedClassifier):
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
    LIMITS: ClassVar[Limits] = {
        "emb_dim": 1,
        "tau": "(0, inf)",
        "n_subsets": 1,
        "overlap_ratio": "[0, 1]",
        "mask_ratio": "[0, 1]",
        "noise_level": "[0, inf)",
        "noise_type": ("Swap", "Gaussian", "Zero_Out"),
    }

    emb_dim: int = 128
    tau: float = 0.1
    use_cosine_similarity: bool = True
    use_contrastive: bool = True
    use_distance: bool = True
    n_subsets: int = 4
    overlap_ratio: float = 0.5
    mask_ratio: float = 0.2
    noise_level: float = 1.0
    noise_type: Literal["Swap", "Gaussian", "Zero_Out"] = "Swap"

    def _build_encoder(self, shape: TableShape, generator: Generator) -> SubsetEncoder:
        return SubsetEncoder(shape, self.emb_dim, self.n_subsets, self.overlap_ratio, generator)

    def _build_pretext(self, encoder: SubsetEncoder, shape: TableShape, generator: Generator) -> Views:
        return Views(encoder, shape, self, generator)
