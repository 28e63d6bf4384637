"""The contract of the teachers: from few labeled rows to soft labels of many unlabeled ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.table import Floats, Index, Mask

Folds = Sequence[tuple[Index, Index]]  # positions among the labeled rows: who trains, who is held out


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a teacher may learn from.

    Attributes
    ----------
    X, y : the labeled rows, and the index of their class; every class is there.
    X_pool : the unlabeled rows.
    n_classes : number of classes.
    categorical_features : mask of the categorical columns.
    sample_weight : what each labeled row counts; None: the same.
    own : the user's estimator fitted on the labeled rows; takes tables like `X`.
    own_out_of_fold : from folds to its probabilities of the held-out rows, a row for each labeled one; costs a fit a
        fold.
    random_state : seed of whatever is random.
    """

    X: Any
    y: Index
    X_pool: Any
    n_classes: int
    categorical_features: Mask
    sample_weight: Floats | None
    own: Any
    own_out_of_fold: Callable[[Folds], Floats]
    random_state: int


class Teacher(BaseEstimator, ABC):
    """Writes soft labels: for each unlabeled row a probability of each class.

    Attributes
    ----------
    temperature : how much its labels are sharpened unless the user says otherwise: ``q ** (1 / T)``.
    out_of_fold_ : after fitting: (n_rows, n_classes) what it says about labeled rows without having seen them; None
        for a teacher that cannot tell.
    """

    temperature: ClassVar[float] = 1.0
    out_of_fold_: Floats | None = None

    @property
    def n_own_fits(self) -> int:
        """How many more fits of the user's estimator it asks for."""
        return 0

    def check(self) -> None:
        """Raise a ValueError for a parameter that makes no sense; called before any long work."""

    @abstractmethod
    def fit(self, lesson: Lesson) -> Teacher:
        """Learn from the labeled rows."""

    @abstractmethod
    def teach(self, own_proba: Floats) -> Floats:
        """Soft labels of the unlabeled rows of the lesson.

        Parameters
        ----------
        own_proba : (n_unlabeled, n_classes) what the user's estimator says about them now.
        """

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """What the teacher says about other rows, with the user's estimator as it was in the lesson."""


def proba_of(model: Any, X: Any, n_classes: int) -> Floats:
    """A fitted model's probabilities; every class was in its training rows."""
    proba = np.asarray(model.predict_proba(X), dtype=float)
    assert proba.shape[1] == n_classes
    return proba
