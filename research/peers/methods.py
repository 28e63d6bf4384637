"""Semi-supervised learners of other projects, and ours with its defaults, on the folds of our own studies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelSpreading
from sklearn.semi_supervised import SelfTrainingClassifier as SklearnSelfTraining

from tabcast import CASTClassifier
from tabcast.study.methods import Method, Request
from tabcast.study.methods._method import WithoutStrategy
from tabcast.study.methods.others import fit_without_validation
from tabcast.study.work import Answer, Work
from tabcast.table._encoders import NormalScores, TableCodes
from tabcast.table._labels import UNLABELED
from tabcast.table._types import stack_rows


class Spreading(Method):
    """scikit-learn's LabelSpreading on the nearest neighbors of normal scores; no base classifier."""

    uses_strategy: ClassVar[bool] = False

    def run(self, work, request):
        """Spread labels over labeled and unlabeled rows, and predict the test rows from their neighbors."""
        fold = work.fold
        both = stack_rows(fold.X_labeled, fold.X_pool)
        encoding = NormalScores(fold.categorical).fit(both)
        y = np.concatenate([fold.y_labeled, np.full(len(fold.y_pool), UNLABELED)])
        proba = np.zeros((len(fold.y_test), fold.n_classes))
        with np.errstate(invalid="ignore"):  # rows that no label reaches: 0 / 0
            model = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=100).fit(encoding.transform(both), y)
            proba[:, model.classes_] = np.nan_to_num(model.predict_proba(encoding.transform(fold.X_test)))
        nowhere = proba.sum(axis=1) == 0
        proba[nowhere] = np.bincount(fold.y_labeled, minlength=fold.n_classes) / len(fold.y_labeled)
        return Answer(np.clip(proba, 1e-6, None) / np.clip(proba, 1e-6, None).sum(axis=1, keepdims=True))


label_spreading = Spreading("label-spreading", "scikit-learn's LabelSpreading")


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


cast_default = WithoutValidation("cast-default", "CASTClassifier()")
sklearn_self_training = WithoutValidation("sklearn-self-training", "scikit-learn's", "scikit-learn")
