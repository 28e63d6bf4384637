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
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        The labeled rows.
    y : ndarray of int of shape (n_rows,)
        Class index of each labeled row; every class occurs.
    X_pool : ndarray or DataFrame of shape (n_unlabeled, n_columns)
        The unlabeled rows.
    n_classes : int
        Number of classes.
    categorical_features : ndarray of bool of shape (n_columns,)
        Mask of the categorical columns.
    sample_weight : ndarray of shape (n_rows,) or None
        Weights of the labeled rows. None means equal weights.
    own : classifier
        The user's estimator fitted on the labeled rows; takes tables like `X`.
    own_out_of_fold : callable
        Maps folds to its probabilities of the held-out rows, one row per labeled one; costs one fit per fold.
    random_state : int
        Seed of everything random.

    See Also
    --------
    SelfTeacher : The simplest teacher that learns from it.
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
    """Base class of teachers: predict soft labels, a probability of each class for each unlabeled row.

    Attributes
    ----------
    temperature : float
        How much its labels are sharpened by default: ``q ** (1 / T)``.
    stands_alone : bool
        Whether it is a model of its own, which could be used without any unlabeled row.
    can_retrain : bool
        Whether :meth:`retrain` trains its members once more on soft labels.
    predicts_out_of_fold : bool
        Whether fitting leaves `out_of_fold_` and `held_out_`.
    out_of_fold_ : ndarray of shape (n_rows, n_classes) or None
        After fitting, probabilities of labeled rows that it was not trained on; None for a teacher without any.
    held_out_ : ndarray of int of shape (n_rows,)
        Positions of these rows among the labeled ones.

    See Also
    --------
    tabcast.testing.check_teacher : Checks of the contract, also for members of your own.
    """

    temperature: ClassVar[float] = 1.0
    stands_alone: ClassVar[bool] = True
    can_retrain: ClassVar[bool] = False
    predicts_out_of_fold: ClassVar[bool] = False
    out_of_fold_: Floats | None = None

    @property
    def n_own_fits(self) -> int:
        """Number of further fits of the user's estimator that it needs."""
        return 0

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

    def as_member(self) -> Any:
        """Return how it is built as a member of a committee; None if it cannot be one."""
        return None

    @abstractmethod
    def fit(self, lesson: Lesson) -> Teacher:
        """Learn from the labeled rows.

        Parameters
        ----------
        lesson : Lesson
            The rows and the user's estimator.

        Returns
        -------
        Teacher
            The fitted teacher itself.
        """

    @abstractmethod
    def teach(self, own_proba: Floats) -> Floats:
        """Return soft labels of the unlabeled rows of the lesson.

        Parameters
        ----------
        own_proba : ndarray of shape (n_unlabeled, n_classes)
            Current probabilities predicted by the user's estimator.

        Returns
        -------
        ndarray of shape (n_unlabeled, n_classes)
            Probabilities; rows sum to 1.
        """

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities of other rows.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            Rows with the columns of the lesson.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities; rows sum to 1.
        """

    def list_classifiers(self, own: Any) -> list[tuple[float, Any]]:
        """List the classifiers that it averages, each with its weight, so that it can be deployed.

        Parameters
        ----------
        own : classifier
            The user's estimator fitted on the labeled rows, for tables as the user has them.

        Returns
        -------
        list of tuple (float, classifier)
            Weights that sum to 1, and fitted classifiers; the teacher itself if it averages none.
        """
        return [(1.0, self)]

    def retrain(
        self, own: Any, X: Any, soft: Floats, row_weight: Floats | None, random_state: int
    ) -> list[tuple[float, Any]]:
        """Train its members once more, on soft labels; only where `can_retrain`.

        Parameters
        ----------
        own : classifier
            The user's estimator, trained on the soft labels already.
        X : ndarray or DataFrame of shape (n_rows, n_columns)
            Labeled and unlabeled rows.
        soft : ndarray of shape (n_rows, n_classes)
            Proportions of the classes in each row; rows sum to 1.
        row_weight : ndarray of shape (n_rows,) or None
            Weight of each row. None means equal weights.
        random_state : int
            Seed of everything random.

        Returns
        -------
        list of tuple (float, classifier)
            As :meth:`list_classifiers`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no members to retrain.")


def proba_of(model: Any, X: Any, n_classes: int) -> Floats:
    """A fitted model's probabilities; every class was in its training rows."""
    proba = np.asarray(model.predict_proba(X), dtype=float)
    assert proba.shape[1] == n_classes
    return proba
