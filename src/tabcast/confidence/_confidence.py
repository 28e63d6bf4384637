"""The contract of the family, the classifier's own probabilities, the CAST step, and several parts in sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tabcast.checks import check_number
from tabcast.density import ClassConditional, Density
from tabcast.table import Floats, Index
from tabcast.table._tables import map_rows


class Confidence(BaseEstimator):
    """Base class of confidences: turns a classifier's probabilities into the scores by which pseudo-labels are chosen.

    The loop calls `prepare` once, then per round `calibrate` on held-out rows (only if `needs_held_out`) and `adjust`
    on the unlabeled rows. A member overrides what it needs; this base does nothing.

    Attributes
    ----------
    needs_held_out : bool
        Whether `calibrate` has to be called with labeled rows that the classifier was not trained on.
    knows_only_pool : bool
        Whether `adjust` works only for the unlabeled rows given to `prepare`, in their order.

    See Also
    --------
    tabcast.testing.check_confidence : Checks of the contract, also for members of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Confidence
    >>> class Squared(Confidence):
    ...     def adjust(self, proba):
    ...         return proba**2
    ...
    >>> Squared().adjust(np.array([[0.5, 0.5]]))
    array([[0.25, 0.25]])
    """

    needs_held_out: bool = False
    knows_only_pool: bool = False

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> Confidence:
        """Learn once per run what does not change between rounds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The labeled rows that the classifier is trained on.
        y : ndarray of int of shape (n_rows,)
            Class index of each labeled row.
        X_pool : array-like or DataFrame of shape (n_unlabeled, n_columns)
            The unlabeled rows.
        n_classes : int
            Number of classes; some may have no row in `X`.
        categorical_features : array-like of str, int or bool, default=None
            Names, positions or mask of the categorical columns. None infers them from the types.

        Returns
        -------
        Confidence
            The member itself.
        """
        return self

    def calibrate(self, proba: Floats, y: Index) -> Confidence:
        """Learn from probabilities of held-out rows.

        Parameters
        ----------
        proba : ndarray of shape (n_rows, n_classes)
            Probabilities predicted for held-out rows.
        y : ndarray of int of shape (n_rows,)
            Their class indices.

        Returns
        -------
        Confidence
            The member itself.
        """
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the confidence in each class.

        Parameters
        ----------
        proba : ndarray of shape (n_rows, n_classes)
            The classifier's probabilities.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The confidence; rows need not sum to 1.
        """
        return proba

    @property
    def gamma(self) -> Floats | None:
        """Scaled density of each unlabeled row under each class; None for a member without a density."""
        return getattr(self, "gamma_", None)


class Raw(Confidence):
    """Use the classifier's probabilities as they are: the do-nothing member, conventional self-training.

    See Also
    --------
    TemperatureScaling : The simplest calibration.
    ClusterAware : Takes density into account.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Raw
    >>> Raw().adjust(np.array([[0.3, 0.7]]))
    array([[0.3, 0.7]])
    """


def min_max(values: Floats) -> Floats:
    """Each column scaled to [0, 1]; a column without spread becomes 1, which changes no confidence."""
    if len(values) == 0:
        return values
    low, high = values.min(axis=0), values.max(axis=0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        spread = high - low
        scaled = np.clip((values - low) / spread, 0.0, 1.0)
    return np.where(np.isfinite(spread) & (spread > 0), scaled, 1.0)


def scale_density(log_density: Floats) -> Floats:
    """Min-max of the density itself (the paper's CAST-D): a few rows near 1, most near 0."""
    if len(log_density) == 0:
        return log_density
    with np.errstate(over="ignore"):  # what is too far below the largest to subtract is 0
        return min_max(np.exp(log_density - log_density.max(axis=0)))


def scale_robust(log_density: Floats) -> Floats:
    """Min-max of the log density after clipping each column at its 5% and 95% quantiles."""
    if len(log_density) == 0:
        return log_density
    low, high = np.quantile(log_density, [0.05, 0.95], axis=0)
    return min_max(np.clip(log_density, low, high))


SCALINGS: dict[Any, Callable[[Floats], Floats]] = {
    "log": min_max,  # the paper's CAST-L
    "density": scale_density,
    "robust": scale_robust,
}


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
        scale = self.scaling if callable(self.scaling) else SCALINGS.get(self.scaling)
        if scale is None:
            choices = ", ".join(map(repr, SCALINGS))
            raise ValueError(f"`scaling` of ClusterAware must be one of {choices} or a function; got {self.scaling!r}.")
        self.density_ = ClassConditional(self.density, min_samples=self.min_samples)
        self.density_.fit(X, y, categorical_features, classes=np.arange(n_classes))
        self.gamma_ = scale(map_rows(self.density_.score_samples, X_pool))
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Return the regularized confidence `c_r` of the unlabeled rows."""
        return regularize(proba, self.gamma_, self.alpha)


class Chain(Confidence):
    """Apply confidence parts in sequence, for instance a calibrator and then :class:`ClusterAware`.

    Parameters
    ----------
    parts : sequence of Confidence
        The parts, first to last. One that knows only the unlabeled rows (`ClusterAware`) has to be the last.

    Attributes
    ----------
    parts_ : list of Confidence
        The fitted copies.

    See Also
    --------
    ClusterAware : Usually the last part.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.confidence import Chain, Raw
    >>> chain = Chain([Raw(), Raw()]).prepare(np.zeros((2, 1)), np.array([0, 1]), np.zeros((1, 1)), n_classes=2)
    >>> chain.adjust(np.array([[0.3, 0.7]]))
    array([[0.3, 0.7]])
    """

    def __init__(self, parts: Sequence[Confidence]) -> None:
        self.parts = parts

    @property
    def needs_held_out(self) -> bool:  # type: ignore[override]
        """Whether any part needs held-out rows."""
        return any(part.needs_held_out for part in self.parts)

    @property
    def knows_only_pool(self) -> bool:  # type: ignore[override]
        """Whether any part knows only the pool."""
        return any(part.knows_only_pool for part in self.parts)

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> Chain:
        """Prepare every part."""
        for position, part in enumerate(self.parts[:-1]):
            if part.knows_only_pool:
                raise ValueError(
                    f"{type(part).__name__} must be the last part of a Chain, because it knows only the unlabeled rows "
                    f"and the parts after it could not be calibrated; it is number {position + 1} of {len(self.parts)}."
                )
        self.parts_ = [
            clone(part).prepare(X, y, X_pool, n_classes=n_classes, categorical_features=categorical_features)
            for part in self.parts
        ]
        return self

    def calibrate(self, proba: Floats, y: Index) -> Chain:
        """Calibrate each part on the held-out rows as adjusted by the parts before it."""
        for part in self.parts_:
            part.calibrate(proba, y)
            if not part.knows_only_pool:
                proba = part.adjust(proba)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """Apply every part in turn."""
        for part in self.parts_:
            proba = part.adjust(proba)
        return proba

    @property
    def gamma(self) -> Floats | None:
        """Scaled density of the last part, which is the only one that may have one."""
        parts = getattr(self, "parts_", [])
        return parts[-1].gamma if parts else None
