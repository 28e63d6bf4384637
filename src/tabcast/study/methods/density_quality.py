"""The paper's figure 2: are pseudo-labels better where labeled rows are dense?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tabcast.confidence import ClusterAware
from tabcast.study.methods._base import Method, Request
from tabcast.study.methods.cast import DENSITIES
from tabcast.study.protocol import METRICS
from tabcast.study.work import SELECTIONS, Answer, Work, describe_part
from tabcast.table import Floats, Index


@dataclass(frozen=True)
class DensityQuality(Method):
    """The supervised classifier labels the unlabeled rows; its labels are judged by the density of their class there.

    Attributes
    ----------
    density, selection : as in CAST.
    n_bins : into how many equal shares of rows the densities are cut.
    """

    uses_strategy: ClassVar[bool] = False
    density: str = "likelihood"
    selection: str = "boruta"
    n_bins: int = 10

    def run(self, work: Work, request: Request) -> Answer:
        """Label, measure the density, and count what is right."""
        fitted = work.supervised(request.estimator())
        density, scaling = DENSITIES[self.density]
        prepared, seconds = work.prepare(ClusterAware(density, scaling=scaling), self.selection)
        gamma = prepared.parts.confidence.gamma
        assert gamma is not None
        labels = fitted.pool_proba.argmax(axis=1)
        bins = judge_by_density(gamma[np.arange(len(labels)), labels], labels, work.fold.y_pool, work, self.n_bins)
        facts = {"validation_score": float(fitted.score), "best_round": 0}
        details = {"metric": work.fold.metric, "bins": bins}
        return Answer(fitted.test_proba, facts, {"fit": fitted.seconds, "density": seconds}, details=details)

    def settings(self) -> dict[str, Any]:
        """With its parts in full."""
        parts = {
            "part": describe_part(DENSITIES[self.density][0]),
            "columns": describe_part(SELECTIONS[self.selection](0)),
        }
        return {**super().settings(), **parts}


def judge_by_density(density: Floats, labels: Index, truth: Index, work: Work, n_bins: int) -> list[dict[str, Any]]:
    """Rows in the order of their density, cut into equal shares: how many labels are right, and the metric."""
    bins = []
    for number, rows in enumerate(np.array_split(np.argsort(density, kind="stable"), n_bins)):
        if len(rows) == 0:
            continue
        bins.append(
            {
                "low": number / n_bins,
                "high": (number + 1) / n_bins,
                "n": len(rows),
                "correct": int((labels[rows] == truth[rows]).sum()),
                "score": METRICS[work.fold.metric](truth[rows], labels[rows], work.fold.n_classes),
            }
        )
    return bins


density_quality = DensityQuality("density-quality", "Pseudo-labels by density")
