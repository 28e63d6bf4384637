"""The CAST step: confidence is lowered where labeled rows of the class are sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tabcast.checks import check_number
from tabcast.confidence._base import Confidence
from tabcast.confidence._scaling import SCALINGS
from tabcast.density import ClassConditional, Density
from tabcast.table import Floats, Index, map_rows


def regularize(proba: Floats, gamma: Floats, alpha: float) -> Floats:
    """The paper's equation 4: ``alpha * (gamma * proba) + (1 - alpha) * proba``."""
    result = gamma * proba
    result *= alpha
    result += (1 - alpha) * proba
    return result


class ClusterAware(Confidence):
    """Lower the confidence in each class where labeled rows of that class are sparse (CAST).

    Parameters
    ----------
    density : Density
        How density is measured; a copy is fitted to the labeled rows of each class.
    alpha : float, default=0.5
        Weight of the density, in [0, 1]: 0 leaves the classifier's confidence unchanged, 1 multiplies it by gamma.
    scaling : "log", "density", "robust" or callable, default="log"
        How log densities of the unlabeled rows become gamma in [0, 1], separately for each class: min-max of the log
        density, min-max of the density (the paper's CAST-D), or as "log" but clipped at the 5% and 95% quantiles. A
        function maps (n_rows, n_classes) log densities to an array of the same shape.
    min_samples : int, default=5
        Number of labeled rows from which a class has a density of its own alone.

    Attributes
    ----------
    density_ : ClassConditional
        The fitted densities.
    gamma_ : ndarray of shape (n_unlabeled, n_classes)
        Scaled densities, computed once and used in every round.

    See Also
    --------
    tabcast.CASTClassifier : Self-training with this confidence.
    Chain : Calibrates before the density is taken into account.

    Notes
    -----
    ``c_r = alpha * (gamma * c) + (1 - alpha) * c``, element by element (equation 4 of the paper). The class with the
    largest `c_r` may differ from the one with the largest `c`. `c_r` is not a probability: rows do not sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import ClusterAware
    >>> from tabcast.density import EmpiricalLikelihood
    >>> X, y, pool = [[0.0], [0.1], [0.9], [1.0]], np.array([0, 0, 1, 1]), [[0.0], [1.0]]
    >>> part = ClusterAware(EmpiricalLikelihood(n_bins=2), alpha=0.5, min_samples=1)
    >>> part = part.prepare(X, y, pool, n_classes=2)
    >>> part.gamma_
    array([[1., 0.],
           [0., 1.]])
    >>> part.adjust(np.array([[0.6, 0.4], [0.6, 0.4]]))  # the second row changes sides
    array([[0.6, 0.2],
           [0.3, 0.4]])
    """

    knows_only_pool = True

    def __init__(
        self,
        density: Density,
        *,
        alpha: float = 0.5,
        scaling: str | Callable[[Floats], Floats] = "log",
        min_samples: int = 5,
    ) -> None:
        self.density = density
        self.alpha = alpha
        self.scaling = scaling
        self.min_samples = min_samples

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> ClusterAware:
        """Fit a density to each class of the labeled rows and keep gamma of the unlabeled ones."""
        check_number(self.alpha, "alpha", "ClusterAware", "[0, 1]")
        scale = self._resolve_scaling()
        self.density_ = ClassConditional(self.density, min_samples=self.min_samples)
        self.density_.fit(X, y, categorical_features, classes=np.arange(n_classes))
        self.gamma_ = scale(map_rows(self.density_.score_samples, X_pool))
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the regularized confidence `c_r` of the unlabeled rows."""
        return regularize(proba, self.gamma_, self.alpha)

    @property
    def gamma(self) -> Floats | None:
        """Scaled density of each unlabeled row under each class."""
        return getattr(self, "gamma_", None)

    @property
    def density_part(self) -> ClusterAware:
        """The member itself."""
        return self

    def _resolve_scaling(self) -> Callable[[Floats], Floats]:
        if callable(self.scaling):
            return self.scaling
        if self.scaling not in SCALINGS:
            choices = ", ".join(map(repr, SCALINGS))
            raise ValueError(f"`scaling` of ClusterAware must be one of {choices} or a function; got {self.scaling!r}.")
        return SCALINGS[self.scaling]
