"""The paper's figure 2: are pseudo-labels better where labeled rows are dense?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import roc_auc_score

from tabcast.confidence import ClusterAware
from tabcast.study.methods._base import Method, Request
from tabcast.study.methods.cast import DENSITIES
from tabcast.study.protocol import METRICS
from tabcast.study.work import SELECTIONS, Answer, Work, describe_part
from tabcast.table import Floats, Index


@dataclass(frozen=True)
class DensityQuality(Method):
    """The quality of the supervised classifier's pseudo-labels by the density of their class.

    Parameters
    ----------
    density, selection : str, default="likelihood"
        As in CAST.
    n_bins : int, default=10
        Number of bins of density, with equally many rows each.
    """

    uses_strategy: ClassVar[bool] = False
    density: str = "likelihood"
    selection: str = "boruta"
    n_bins: int = 10

    def run(self, work: Work, request: Request) -> Answer:
        """Label the pool, bin it by density, and count the right labels per bin."""
        fitted = work.supervised(request.estimator())
        estimator, scaling = DENSITIES[self.density]
        prepared, seconds = work.prepare(ClusterAware(estimator, scaling=scaling), self.selection)
        gamma = prepared.parts.confidence.gamma
        assert gamma is not None
        labels = fitted.pool_proba.argmax(axis=1)
        density, truth = gamma[np.arange(len(labels)), labels], work.fold.y_pool
        details = {
            "metric": work.fold.metric,
            "bins": score_by_density(density, labels, truth, work, self.n_bins),
            "ranking": rank_by_density(density, labels, truth, work.fold.n_classes),
        }
        facts = {"validation_score": float(fitted.score), "best_round": 0, "n_fits": 1}
        return Answer(fitted.test_proba, facts, {"fit": fitted.seconds, "density": seconds}, details=details)

    def settings(self) -> dict[str, Any]:
        """Add the parts with all their parameters."""
        parts = {
            "part": describe_part(DENSITIES[self.density][0]),
            "columns": describe_part(SELECTIONS[self.selection](0)),
        }
        return {**super().settings(), **parts}


def score_by_density(density: Floats, labels: Index, truth: Index, work: Work, n_bins: int) -> list[dict[str, Any]]:
    """Bin rows by density, equally many per bin, and count right labels and the metric in each."""
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


def rank_by_density(density: Floats, labels: Index, truth: Index, n_classes: int) -> list[dict[str, Any]]:
    """Measure how well density ranks right pseudo-labels above wrong ones, in all rows and within each pseudo-label.

    A rare class has sparse rows that are often wrong, so density may rank well in all rows and not at all within a
    class. The AUC is None where all labels are right or all are wrong; the first entry, of all rows, has label None.
    """
    right, ranking = labels == truth, []
    for label in (None, *range(n_classes)):
        rows = np.full(len(labels), True) if label is None else labels == label
        n, n_right = int(rows.sum()), int(right[rows].sum())
        auc = float(roc_auc_score(right[rows], density[rows])) if 0 < n_right < n else None
        ranking.append({"label": label, "n": n, "correct": n_right, "auc": auc})
    return ranking


density_quality = DensityQuality("density-quality", "Pseudo-labels by density")
