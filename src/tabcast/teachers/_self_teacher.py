"""The user's estimator as its own teacher."""

from __future__ import annotations

from typing import Any, ClassVar

from tabcast.table import Floats
from tabcast.teachers._base import Lesson, Teacher, proba_of


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
