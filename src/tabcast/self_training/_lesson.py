"""What a teacher learns from: the training rows of a split, and the user's estimator fitted on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tabcast.models import Adaptation
from tabcast.self_training._data import Split, TrainingData, hold_out
from tabcast.self_training._fitter import Fitted, Fitter, predict_classes
from tabcast.table import Floats, Index, take_rows
from tabcast.teachers import Folds, Lesson


def make_lesson(
    data: TrainingData, split: Split, fitter: Fitter, supervised: Fitted, present: Index, seed: int
) -> Lesson:
    """The training rows of a split, in the classes that are present among them."""
    train, weight = split.train, data.sample_weight

    def own_out_of_fold(folds: Folds) -> Floats:
        """Predict the training rows with the user's estimator, fitted on the other folds."""
        splits = [hold_out(fitter.data, train[inside], train[outside]) for inside, outside in folds]
        proba = np.zeros((len(train), len(present)))
        for (_, outside), predicted in zip(folds, fitter.predict_held_out(splits), strict=True):
            proba[outside] = predicted[:, present]
        return proba

    return Lesson(
        take_rows(data.X, train),
        np.searchsorted(present, data.labels.codes[train]),
        data.X_pool,
        len(present),
        data.categorical,
        None if weight is None else weight[train],
        OwnModel(supervised.estimator, fitter.adaptation, len(present)),
        own_out_of_fold,
        seed,
    )


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The user's estimator, fitted on the training rows, for tables as the user has them."""

    model: Any
    adaptation: Adaptation
    n_classes: int

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes in the training rows."""
        return predict_classes(self.model, self.adaptation.encode(X), self.n_classes, np.arange(self.n_classes))
