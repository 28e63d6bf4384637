"""Several confidence parts, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from tabcast.confidence._base import Confidence
from tabcast.confidence._cluster_aware import ClusterAware
from tabcast.table import Floats, Index


class Chain(Confidence):
    """Parts applied in order: for instance a calibrator, then :class:`ClusterAware`. The paper calls CAST orthogonal.

    Parameters
    ----------
    parts : the parts, first to last. One that knows only the unlabeled rows (`ClusterAware`) has to be the last.

    Attributes
    ----------
    parts_ : the fitted copies.

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
        """Whether any part does."""
        return any(part.needs_held_out for part in self.parts)

    @property
    def knows_only_pool(self) -> bool:  # type: ignore[override]
        """Whether any part does."""
        return any(part.knows_only_pool for part in self.parts)

    @property
    def changes_labels(self) -> bool:  # type: ignore[override]
        """Whether any part does."""
        return any(part.changes_labels for part in self.parts)

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
        """Calibrate each part on what the parts before it make of the held-out rows."""
        for part in self.parts_:
            part.calibrate(proba, y)
            if not part.knows_only_pool:
                proba = part.adjust(proba)
        return self

    def adjust(self, proba: Floats) -> Floats:
        """What the last part makes of what the others make."""
        for part in self.parts_:
            proba = part.adjust(proba)
        return proba

    @property
    def gamma(self) -> Floats | None:
        """Scaled density, from the part that has one."""
        part = self.density_part
        return None if part is None else part.gamma

    @property
    def density_part(self) -> ClusterAware | None:
        """That of the last part that has one."""
        found = [part.density_part for part in getattr(self, "parts_", self.parts)]
        return next((part for part in reversed(found) if part is not None), None)
