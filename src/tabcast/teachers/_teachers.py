"""The contract of the teachers, which write soft labels of the unlabeled rows, and the simplest one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from tabcast.statistics._intervals import hotelling_p_value
from tabcast.table import Floats, Index, Mask
from tabcast.table._tables import map_rows

Folds = Sequence[tuple[Index, Index]]  # positions among the labeled rows: who trains, who is held out
ALARM = 0.01  # p-value below which the labeled rows do not look like a random sample


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
    folds : sequence of (train, held_out) or None
        The folds to predict out of, where a comparison has chosen them; None: the teacher draws its own.
    random_state : int
        Seed of everything random.
    chosen : ndarray of bool of shape (n_rows,) or None
        Mask of the rows that were chosen to be labeled; they are never held out. None: no row was.
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
    folds: Folds | None = None
    chosen: Mask | None = None


class Teacher(BaseEstimator, ABC):
    """Base class of teachers: predict soft labels, a probability of each class for each unlabeled row.

    Attributes
    ----------
    temperature : float
        How much its labels are sharpened by default: ``q ** (1 / T)``.
    stands_alone : bool
        Whether it is a model of its own, which could be used without any unlabeled row.
    predicts_out_of_fold : bool
        Whether fitting leaves `out_of_fold_` and `held_out_`.
    out_of_fold_ : ndarray of shape (n_rows, n_classes) or None
        After fitting, probabilities of labeled rows that it was not trained on; None for a teacher without any.
    held_out_ : ndarray of int of shape (n_rows,)
        Positions of these rows among the labeled ones.

    See Also
    --------
    Committee : The default member.
    """

    temperature: ClassVar[float] = 1.0
    stands_alone: ClassVar[bool] = True
    predicts_out_of_fold: ClassVar[bool] = False
    out_of_fold_: Floats | None = None

    @property
    def n_own_fits(self) -> int:
        """Number of further fits of the user's estimator that it needs."""
        return 0

    def check(self) -> None:
        """Raise a ValueError for an invalid parameter; called before any long work."""

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


class SelfTeacher(Teacher):
    """Use the user's estimator alone: the do-nothing member, classical self-training with soft labels.

    Attributes
    ----------
    own_ : classifier
        The user's estimator, fitted on the labeled rows.
    n_classes_ : int
        Number of classes.

    See Also
    --------
    Committee : Averages several kinds of classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> from tabcast.teachers import SelfTeacher
    >>> X, y = load_iris(return_X_y=True)
    >>> y[y.argsort(kind="stable") % 10 != 0] = -1
    >>> model = SoftSelfTrainingClassifier(LogisticRegression(max_iter=500), teacher=SelfTeacher()).fit(X, y)
    >>> model.n_fits_  # the teacher, the student
    2
    """

    stands_alone: ClassVar[bool] = False
    own_: Any

    def fit(self, lesson: Lesson) -> SelfTeacher:
        """Remember the user's estimator."""
        self.own_, self.n_classes_ = lesson.own, lesson.n_classes
        return self

    def teach(self, own_proba: Floats) -> Floats:
        """Return the probabilities of the user's estimator."""
        return own_proba

    def predict_proba(self, X: Any) -> Floats:
        """Predict with the user's estimator as it was trained on the labeled rows alone."""
        return proba_of(self.own_, X, self.n_classes_)


def proba_of(model: Any, X: Any, n_classes: int) -> Floats:
    """A fitted model's probabilities; every class was in its training rows."""
    proba = map_rows(lambda rows: np.asarray(model.predict_proba(rows), dtype=float), X)
    assert proba.shape[1] == n_classes
    return proba


@dataclass(frozen=True, eq=False)
class Sampling:
    """Mean predictions of a teacher for the labeled and for the unlabeled rows.

    Attributes
    ----------
    labeled : ndarray of shape (n_classes,)
        Mean probability of labeled rows, predicted out of fold.
    unlabeled : ndarray of shape (n_classes,)
        Mean probability of unlabeled rows.
    p_value : float
        P-value of the difference, if both were random samples of the same rows.
    """

    labeled: Floats
    unlabeled: Floats
    p_value: float

    @property
    def looks_random(self) -> bool:
        """Whether chance may explain the difference."""
        return self.p_value >= ALARM


def compare_samples(labeled: Floats, unlabeled: Floats) -> Sampling:
    """Test whether two sets of predicted probabilities have the same mean (Hotelling's test).

    If the labeled rows were balanced by design, a teacher predicts a rare class more often in them than in the
    unlabeled rows. The test has the more power the better the teacher separates the classes, and none if it is
    uninformative.

    With many classes some hardly vary in the predictions, and tiny differences between predictions out of fold and
    others would seem significant there. Therefore ``(n_classes - 2) / n_labeled`` of the covariance of the class labels
    is added to that of the predictions: nothing with two classes.
    """
    n_labeled, n_classes = labeled.shape
    mean = np.concatenate([labeled, unlabeled]).mean(axis=0)[:-1]
    of_labels = np.diag(mean) - np.outer(mean, mean)  # what the covariance of the classes themselves would be
    p_value = hotelling_p_value(
        labeled,
        unlabeled,
        n_free=n_classes - 1,  # probabilities sum to 1
        extra_covariance=min(1.0, (n_classes - 2) / n_labeled) * of_labels,
    )
    return Sampling(labeled.mean(axis=0), unlabeled.mean(axis=0), p_value)
