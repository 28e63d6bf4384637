"""Semi-supervised learners of other projects, on the folds of our own studies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.semi_supervised import LabelSpreading

from tabcast.study.methods import Method
from tabcast.study.work import Answer
from tabcast.table._encoders import NormalScores
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
