"""The guard around soft self-training as a method: its verdict beside what the unlabeled rows truly gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from tabcast import SoftSelfTrainingClassifier
from tabcast.guard import GuardedClassifier
from tabcast.study.methods import Request
from tabcast.study.methods._method import WithoutStrategy
from tabcast.study.protocol import METRICS, Fold
from tabcast.study.work import Answer, Work
from tabcast.teachers import Committee


@dataclass(frozen=True)
class Guarded(WithoutStrategy):
    """`GuardedClassifier` around soft self-training; the validation fold is not used.

    Parameters
    ----------
    members : tuple of str, default=("own", "trees", "linear")
        Members of the committee; "neighbors" is the classifier of ten nearest neighbors.
    n_splits, n_repeats : int, default=5
        Parameters of the guard.
    """

    members: tuple[str, ...] = ("own", "trees", "linear")
    n_splits: int = 5
    n_repeats: int = 2

    def run(self, work: Work, request: Request) -> Answer:
        """Fit, and compare the verdict with the scores on the test rows."""
        fold = work.fold
        neighbors = KNeighborsClassifier(10, weights="distance")
        members = [neighbors if name == "neighbors" else name for name in self.members]
        classifier = SoftSelfTrainingClassifier(
            request.estimator(), teacher=Committee(members), categorical_features=fold.categorical
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


guarded_neighbors = Guarded(
    "guarded-neighbors", "Guarded, soft without a forest", members=("own", "neighbors", "linear")
)
