"""Methods beyond the paper's loop: what its figures 2 and 4 show, and classifiers that need no validation fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier as SklearnSelfTraining

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware, DistributionAlignment
from tabcast.guard import GuardedClassifier
from tabcast.self_training._deployed import soften
from tabcast.self_training._engine import Outcome
from tabcast.self_training._soft import SoftMethod
from tabcast.study.methods._method import Request, WithoutStrategy
from tabcast.study.methods.paper import DENSITIES
from tabcast.study.protocol import METRICS, Fold
from tabcast.study.work import SELECTIONS, Answer, Work, describe_part
from tabcast.table import Floats, Index
from tabcast.table._encoders import TableCodes
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


@dataclass(frozen=True)
class WithoutValidation(WithoutStrategy):
    """Another semi-supervised classifier, with its defaults.

    Parameters
    ----------
    classifier : str, default="cast"
        One of `CLASSIFIERS`.
    """

    classifier: str = "cast"

    def run(self, work: Work, request: Request) -> Answer:
        """Fit it."""
        return fit_without_validation(work, CLASSIFIERS[self.classifier](work, request))


def sklearn_self_trained(work: Work, request: Request) -> Any:
    """Build scikit-learn's classifier, with levels encoded as codes where there are any."""
    classifier = SklearnSelfTraining(request.estimator())
    numbers_only = isinstance(work.fold.X_labeled, np.ndarray)
    return classifier if numbers_only else make_pipeline(TableCodes(work.fold.categorical), classifier)


CLASSIFIERS: dict[str, Callable[[Work, Request], Any]] = {
    "cast": lambda work, request: CASTClassifier(
        request.estimator(), categorical_features=work.fold.categorical, random_state=request.seed
    ),
    "scikit-learn": sklearn_self_trained,
}

soft = SoftSelfTraining("soft", "Soft, committee")
soft_self = SoftSelfTraining("soft-self", "Soft, self-teacher", members=())
soft_unaligned = SoftSelfTraining("soft-unaligned", "Soft, not aligned", temperature=1.0, class_prior="none")
cast_default = WithoutValidation("cast-default", "CASTClassifier()")
sklearn_self_training = WithoutValidation("sklearn-self-training", "scikit-learn's", "scikit-learn")


@dataclass(frozen=True)
class Guarded(WithoutStrategy):
    """`GuardedClassifier` around soft self-training; the validation fold is not used.

    Parameters
    ----------
    members : tuple of str, default=("own", "trees", "linear")
        Members of the committee.
    n_splits, n_repeats : int, default=5
        Parameters of the guard.
    """

    members: tuple[str, ...] = ("own", "trees", "linear")
    n_splits: int = 5
    n_repeats: int = 2

    def run(self, work: Work, request: Request) -> Answer:
        """Fit, and compare the verdict with the scores on the test rows."""
        fold = work.fold
        classifier = SoftSelfTrainingClassifier(
            request.estimator(), teacher=Committee(self.members), categorical_features=fold.categorical
        )
        guarded = GuardedClassifier(
            classifier,
            scoring="f1_macro" if fold.metric == "f1" and fold.n_classes > 2 else fold.metric,
            n_splits=self.n_splits,
            n_repeats=self.n_repeats,
            random_state=request.seed,
        ).fit(fold.X_labeled, fold.y_labeled, X_unlabeled=fold.X_pool)
        facts = {"best_round": guarded.self_trained_.best_round_, "n_fits": guarded.n_fits_}
        proba = np.asarray(guarded.predict_proba(fold.X_test), dtype=float)
        return Answer(proba, facts, {}, details=compare_with_truth(guarded, fold))


def compare_with_truth(guarded: GuardedClassifier, fold: Fold) -> dict[str, Any]:
    """Collect the verdict, the test scores of all models, and what the self-trained one truly gains.

    `true_total` is its gain over the supervised model, `true_gain` that over the best model without unlabeled rows.
    """

    def score(labels: Any) -> float:
        return METRICS[fold.metric](fold.y_test, np.asarray(labels, dtype=np.intp), fold.n_classes)

    models = {"supervised": guarded.supervised_, "self_trained": guarded.self_trained_, "chosen": guarded}
    test = {name: score(model.predict(fold.X_test)) for name, model in models.items()}
    if guarded.verdict_.committee is not None:
        proba = guarded.self_trained_.parts_.teacher.predict_proba(fold.X_test)
        test["committee"] = score(guarded.classes_[proba.argmax(axis=1)])
    return {
        "verdict": guarded.verdict_.to_dict(),
        "test": test,
        "true_total": test["self_trained"] - test["supervised"],
        "true_gain": test["self_trained"] - max(test["supervised"], test.get("committee", -np.inf)),
    }


guarded = Guarded("guarded", "Guarded, soft")
guarded_neighbors = Guarded(
    "guarded-neighbors", "Guarded, soft without a forest", members=("own", "neighbors", "linear")
)
