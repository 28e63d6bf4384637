"""Classifiers that need no validation fold: soft self-training, CAST with its defaults, scikit-learn's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier as SklearnSelfTraining

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.study.methods._base import Method, Request
from tabcast.study.work import Answer, Work
from tabcast.table import UNLABELED, stack_rows
from tabcast.teachers import Committee, SelfTeacher, TableCodes


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


@dataclass(frozen=True)
class SoftSelfTraining(Method):
    """`SoftSelfTrainingClassifier`, with the parameters that a study varies.

    Parameters
    ----------
    members : tuple of str, default=("own", "trees", "linear")
        Members of the committee. If empty, the user's estimator is its own teacher.
    temperature, class_prior, max_rounds : str or float, default="auto"
        As in the classifier, where `class_prior="none"` stands for None.
    """

    uses_strategy: ClassVar[bool] = False
    members: tuple[str, ...] = ("own", "trees", "linear")
    temperature: str | float = "auto"
    class_prior: str = "labeled"
    max_rounds: int = 1

    def run(self, work: Work, request: Request) -> Answer:
        """Fit teacher and student."""
        classifier = SoftSelfTrainingClassifier(
            request.estimator(),
            teacher=Committee(self.members) if self.members else SelfTeacher(),
            temperature=self.temperature,
            class_prior=None if self.class_prior == "none" else self.class_prior,
            max_rounds=self.max_rounds,
            categorical_features=work.fold.categorical,
            random_state=request.seed,
        )
        return fit_without_validation(work, classifier)


@dataclass(frozen=True)
class WithoutValidation(Method):
    """Another semi-supervised classifier, with its defaults.

    Parameters
    ----------
    classifier : str, default="cast"
        One of `CLASSIFIERS`.
    """

    uses_strategy: ClassVar[bool] = False
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
soft_two_rounds = SoftSelfTraining("soft-two-rounds", "Soft, two rounds", max_rounds=2)
soft_warm = SoftSelfTraining("soft-warm", "Soft, T = 1", temperature=1.0)
soft_cold = SoftSelfTraining("soft-cold", "Soft, T = 0.25", temperature=0.25)
soft_network = SoftSelfTraining("soft-network", "Soft, with a network", members=("own", "trees", "linear", "network"))
soft_neighbors = SoftSelfTraining(
    "soft-neighbors", "Soft, with neighbors", members=("own", "trees", "linear", "neighbors")
)
soft_boosting = SoftSelfTraining("soft-boosting", "Soft, with boosting", members=("own", "trees", "linear", "boosting"))
cast_default = WithoutValidation("cast-default", "CASTClassifier()")
sklearn_self_training = WithoutValidation("sklearn-self-training", "scikit-learn's", "scikit-learn")
