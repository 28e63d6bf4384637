"""The paper's figure 4: confidence over the plane, raw and after the CAST step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tabcast.confidence import ClusterAware
from tabcast.study.methods._base import Method, Request
from tabcast.study.methods.cast import DENSITIES
from tabcast.study.work import Answer, Work


@dataclass(frozen=True)
class ConfidenceMap(Method):
    """The supervised classifier's confidence on a grid over a table of two columns, before and after the CAST step.

    Parameters
    ----------
    density, alpha : str, default="likelihood"
        As in CAST.
    n_steps : int, default=60
        Number of grid points per side.
    """

    uses_strategy: ClassVar[bool] = False
    density: str = "likelihood"
    alpha: float = 0.75
    n_steps: int = 60

    def run(self, work: Work, request: Request) -> Answer:
        """Fit, and evaluate the grid as if it were the pool."""
        fold = work.fold
        rows = np.vstack([fold.X_labeled, fold.X_pool])
        if rows.shape[1] != 2:
            raise ValueError(f"A confidence map needs a table of two columns; this one has {rows.shape[1]}.")
        x, y = (np.linspace(column.min(), column.max(), self.n_steps) for column in rows.T)
        grid = np.stack([side.ravel() for side in np.meshgrid(x, y)], axis=1)
        model = request.estimator().fit(fold.X_labeled, fold.y_labeled)
        density, scaling = DENSITIES[self.density]
        cast = ClusterAware(density, alpha=self.alpha, scaling=scaling)
        cast.prepare(fold.X_labeled, fold.y_labeled, grid, n_classes=fold.n_classes, categorical_features=[])
        proba = np.asarray(model.predict_proba(grid), dtype=float)
        shape = (self.n_steps, self.n_steps)
        details = {
            "x": x.tolist(),
            "y": y.tolist(),
            "raw": proba.max(axis=1).reshape(shape).tolist(),
            "cast": cast.adjust(proba).max(axis=1).reshape(shape).tolist(),
            "labeled": [
                [*row, code] for row, code in zip(fold.X_labeled.tolist(), fold.y_labeled.tolist(), strict=True)
            ],
        }
        return Answer(np.asarray(model.predict_proba(fold.X_test), dtype=float), {"alpha": self.alpha}, details=details)


confidence_map = ConfidenceMap("confidence-map", "Confidence map")
