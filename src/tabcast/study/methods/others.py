"""Methods beyond the paper's loop: what its figures 2 and 4 show, and classifiers that need no validation fold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline

from tabcast import SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware, DistributionAlignment
from tabcast.self_training._deployed import soften
from tabcast.self_training._engine import Outcome
from tabcast.self_training._soft import SoftMethod
from tabcast.study.methods._method import Request, WithoutStrategy
from tabcast.study.methods.paper import DENSITIES
from tabcast.study.protocol import METRICS
from tabcast.study.work import SELECTIONS, Answer, Work, describe_part
from tabcast.table import Floats, Index
from tabcast.table._labels import UNLABELED
from tabcast.table._types import stack_rows
from tabcast.teachers import Committee, SelfTeacher


@dataclass(frozen=True)
class DensityQuality(WithoutStrategy):
    """The quality of the supervised classifier's pseudo-labels by the density of their class.

    Parameters
    ----------
    density, selection : str, default="likelihood"
        As in CAST.
    n_bins : int, default=10
        Number of bins of density, with equally many rows each.
    """

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
        columns = describe_part(SELECTIONS[self.selection](0))
        return {**super().settings(), "part": describe_part(DENSITIES[self.density][0]), "columns": columns}


def score_by_density(density: Floats, labels: Index, truth: Index, work: Work, n_bins: int) -> list[dict[str, Any]]:
    """Bin rows by density, equally many per bin, and count right labels and the metric in each."""
    return [
        {
            "low": number / n_bins,
            "high": (number + 1) / n_bins,
            "n": len(rows),
            "correct": int((labels[rows] == truth[rows]).sum()),
            "score": METRICS[work.fold.metric](truth[rows], labels[rows], work.fold.n_classes),
        }
        for number, rows in enumerate(np.array_split(np.argsort(density, kind="stable"), n_bins))
        if len(rows)
    ]


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


@dataclass(frozen=True)
class ConfidenceMap(WithoutStrategy):
    """The supervised classifier's confidence on a grid over a table of two columns, before and after the CAST step.

    Parameters
    ----------
    density, alpha : str, default="likelihood"
        As in CAST.
    n_steps : int, default=60
        Number of grid points per side.
    """

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
            "labeled": [[*row.tolist(), int(y)] for row, y in zip(fold.X_labeled, fold.y_labeled, strict=True)],
        }
        return Answer(np.asarray(model.predict_proba(fold.X_test), dtype=float), {"alpha": self.alpha}, details=details)


confidence_map = ConfidenceMap("confidence-map", "Confidence map")


def fit_without_validation(work: Work, classifier: Any) -> Answer:
    """Fit on labeled and unlabeled rows without the validation fold, and measure the pseudo-labels."""
    fold = work.fold
    y = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), UNLABELED)])
    classifier.fit(stack_rows(fold.X_labeled, fold.X_pool), y)
    fitted = classifier[-1] if isinstance(classifier, Pipeline) else classifier
    transduced = np.asarray(fitted.transduction_)[len(fold.y_labeled) :]
    used = transduced != UNLABELED
    facts = {
        "alpha": getattr(fitted, "alpha_", None),
        "best_round": getattr(fitted, "best_round_", None),
        "n_rounds": getattr(fitted, "n_rounds_", None),
        "n_selected": int(used.sum()),
        "pseudo_accuracy": float((transduced[used] == fold.y_pool[used]).mean()) if used.any() else None,
        "n_fits": getattr(fitted, "n_fits_", None),
    }
    return Answer(np.asarray(classifier.predict_proba(fold.X_test), dtype=float), facts)


class AlignedSelfTraining(SoftSelfTrainingClassifier):
    """Soft self-training whose labels have the class proportions of the labeled rows.

    See Also
    --------
    DistributionAlignment : What aligns them.
    """

    def _build_method(self) -> SoftMethod:
        method = super()._build_method()
        return replace(method, parts=replace(method.parts, confidence=DistributionAlignment()))

    def _remember(self, outcome: Outcome[Any]) -> None:
        super()._remember(outcome)
        self.deployed_ = soften(self.estimator_, self.output_temperature_)  # may be 0 or 1, as in the tables


@dataclass(frozen=True)
class SoftSelfTraining(WithoutStrategy):
    """`SoftSelfTrainingClassifier`, with the parameters that a study varies.

    Parameters
    ----------
    members : tuple of str, default=("own", "trees", "linear")
        Members of the committee. If empty, the user's estimator is its own teacher.
    temperature : str or float, default="auto"
        As in the classifier.
    class_prior : {"labeled", "none"}, default="labeled"
        Whether the means of the soft labels are aligned with the proportions of the labeled rows.
    """

    members: tuple[str, ...] = ("own", "trees", "linear")
    temperature: str | float = "auto"
    class_prior: str = "labeled"

    def run(self, work: Work, request: Request) -> Answer:
        """Fit teacher and student."""
        kind = SoftSelfTrainingClassifier if self.class_prior == "none" else AlignedSelfTraining
        classifier = kind(
            request.estimator(),
            teacher=Committee(self.members) if self.members else SelfTeacher(),
            temperature=self.temperature,
            categorical_features=work.fold.categorical,
            random_state=request.seed,
        )
        return fit_without_validation(work, classifier)


soft = SoftSelfTraining("soft", "Soft, committee")
soft_self = SoftSelfTraining("soft-self", "Soft, self-teacher", members=())
soft_unaligned = SoftSelfTraining("soft-unaligned", "Soft, not aligned", temperature=1.0, class_prior="none")
