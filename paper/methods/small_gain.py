"""Why the gain is small: alpha chosen on the test rows, and other readings of the paper's prior knowledge gamma.

Choosing on test rows is a mistake made on purpose, to see how large a gain it would show.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tabcast.confidence import ClusterAware
from tabcast.confidence._confidence import SCALINGS
from tabcast.density import EmpiricalLikelihood, KernelDensity
from tabcast.self_training._engine import Candidate
from tabcast.study.methods.paper import Cast
from tabcast.study.protocol import METRICS, Fold
from tabcast.study.work import Tested, Work
from tabcast.table import Index


def choose_on_test(fold: Fold, candidates: list[Candidate]) -> Candidate:
    """The alpha with the best score on the test rows; the round of each alpha was chosen on the validation rows."""

    def score(candidate: Candidate) -> float:
        predicted = cast(Tested, candidate.best[0].fitted).test_proba.argmax(axis=1)
        return METRICS[fold.metric](fold.y_test, predicted, fold.n_classes)

    return max(candidates, key=score)


@dataclass(frozen=True)
class FromTest(Cast):
    """CAST whose alpha is chosen on the test rows: the most that a search over eight alphas can appear to gain."""

    def options(self, work: Work) -> dict[str, Any]:
        """Choose on the test rows."""
        return {**super().options(work), "choose": partial(choose_on_test, work.fold)}


class ScaledTogether(ClusterAware):
    """Min-max over all classes together, so that a class with smaller densities keeps them smaller."""

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> ClusterAware:
        """Scale the densities of all classes as if they were one column."""
        super().prepare(X, y, X_pool, n_classes=n_classes, categorical_features=categorical_features)
        log_density = self.density_.score_samples(X_pool)
        self.gamma_ = SCALINGS[self.scaling](log_density.reshape(-1, 1)).reshape(log_density.shape)
        return self


class QuantileBins(ClusterAware):
    """Bins with equally many labeled rows instead of equal width; the outer ones have no end."""

    def prepare(
        self, X: Any, y: Index, X_pool: Any, *, n_classes: int, categorical_features: ArrayLike | None = None
    ) -> ClusterAware:
        """Replace each continuous value by the number of its bin, which is then a level."""
        X, X_pool = np.array(X, dtype=float), np.array(X_pool, dtype=float)
        for column in np.flatnonzero(~np.asarray(categorical_features, dtype=bool)):
            edges = np.quantile(X[:, column], np.linspace(0, 1, 11)[1:-1])
            for rows in (X, X_pool):
                rows[:, column] = np.searchsorted(edges, rows[:, column], side="right")
        return super().prepare(X, y, X_pool, n_classes=n_classes, categorical_features=np.full(X.shape[1], True))


READINGS = {
    # The likelihood itself, not its logarithm.
    "plain": lambda: ClusterAware(EmpiricalLikelihood(n_bins=10, smoothing=0.0), scaling="density"),
    "together": lambda: ScaledTogether(EmpiricalLikelihood(n_bins=10, smoothing=0.0), scaling="log"),
    "quantiles": lambda: QuantileBins(EmpiricalLikelihood(n_bins=10, smoothing=0.0), scaling="log"),
    "kernel together": lambda: ScaledTogether(KernelDensity(bandwidth="normal_reference"), scaling="density"),
}


@dataclass(frozen=True)
class Reading(Cast):
    """CAST with another reading of gamma, one of `READINGS`."""

    def confidence(self) -> ClusterAware:
        """Return the CAST step of this reading."""
        return READINGS[self.density]()


cast_l_from_test = FromTest("cast-l-from-test", "CAST-L, alpha from test")
cast_d_from_test = FromTest("cast-d-from-test", "CAST-D, alpha from test", "kernel")
cast_l_shuffled = FromTest("cast-l-permuted-from-test", "CAST-L, shuffled, alpha from test", permuted=True)
cast_d_shuffled = FromTest("cast-d-permuted-from-test", "CAST-D, shuffled, alpha from test", "kernel", permuted=True)
cast_l_plain = Reading("cast-l-density", "CAST-L, likelihood without log", "plain")
cast_l_together = Reading("cast-l-together", "CAST-L, scaled over all classes", "together")
cast_l_quantiles = Reading("cast-l-quantiles", "CAST-L, quantile bins", "quantiles")
cast_d_together = Reading("cast-d-together", "CAST-D, scaled over all classes", "kernel together")
