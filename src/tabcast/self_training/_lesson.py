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
    data: TrainingData, split: Split, fitter: Fitter, supervised: Fitted, own_out_of_fold: OwnOutOfFold, seed: int
) -> Lesson:
    """The training rows of a split, in the classes that are present among them."""
    train, weight, present = split.train, data.sample_weight, own_out_of_fold.present
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


class OwnOutOfFold:
    """Predicts the training rows with the user's estimator, fitted on the other folds, and keeps the result."""

    def __init__(self, fitter: Fitter, train: Index, present: Index) -> None:
        self.fitter, self.train, self.present = fitter, train, present
        self.proba: Floats | None = None
        self.held_out = np.empty(0, dtype=np.intp)

    def __call__(self, folds: Folds) -> Floats:
        """One row per training row; zeros for those that no fold holds out."""
        train = self.train
        splits = [hold_out(self.fitter.data, train[inside], train[outside]) for inside, outside in folds]
        self.proba = np.zeros((len(train), len(self.present)))
        for (_, outside), predicted in zip(folds, self.fitter.predict_held_out(splits), strict=True):
            self.proba[outside] = predicted[:, self.present]
        self.held_out = np.sort(np.concatenate([self.held_out, *(outside for _, outside in folds)]))
        return self.proba


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The user's estimator, fitted on the training rows, for tables as the user has them."""

    model: Any
    adaptation: Adaptation
    n_classes: int

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes in the training rows."""
        return predict_classes(self.model, self.adaptation.encode(X), self.n_classes, np.arange(self.n_classes))
