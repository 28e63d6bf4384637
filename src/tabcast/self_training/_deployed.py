"""What predicts in the end, where that is not the student as it is: softened probabilities, and averages of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from tabcast.table import Floats


def sharpen(proba: Floats, temperature: float) -> Floats:
    """Raise probabilities to the power ``1 / temperature`` and normalize: below 1 the likely becomes more likely.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities.
    temperature : float
        Positive; 1 changes nothing.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        The sharpened probabilities.

    See Also
    --------
    SoftenedClassifier : Undoes it in the predictions of a student.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.self_training._deployed import sharpen
    >>> sharpen(np.array([[0.8, 0.2]]), 0.5).round(3)
    array([[0.941, 0.059]])
    """
    powered = (proba / proba.max(axis=1, keepdims=True)) ** (1 / temperature)
    return powered / powered.sum(axis=1, keepdims=True)


def smooth(proba: Floats, n_rows: int) -> Floats:
    """Add one row, divided equally among the classes, to the `n_rows` training rows behind probabilities.

    ``(n p + 1 / K) / (n + 1)`` is never exactly 0 or 1, which no number of labels supports.
    """
    return (n_rows * proba + 1 / proba.shape[1]) / (n_rows + 1)


class SoftenedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier with softer probabilities: ``p ** power``, normalized. The order of the classes stays.

    With `n_rows`, no probability is exactly 0 or 1: one row, divided equally among the classes, is added to so many.

    Parameters
    ----------
    estimator : classifier
        Fitted.
    power : float
        Positive; below 1 probabilities become less extreme.
    n_rows : int, default=None
        Number of labeled rows behind the probabilities.

    See Also
    --------
    sharpen : What was done to the labels that the classifier was trained on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tabcast.self_training._deployed import SoftenedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=500).fit(X, y)
    >>> soft = SoftenedClassifier(model, 0.5)
    >>> [float(one.predict_proba(X[:1]).max().round(2)) for one in (model, soft)]
    [0.98, 0.88]
    """

    def __init__(self, estimator: Any, power: float, n_rows: int | None = None) -> None:
        self.estimator = estimator
        self.power = power
        self.n_rows = n_rows

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the classifier."""
        return np.asarray(self.estimator.classes_)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, as the classifier does.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.
        """
        return self.estimator.predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Predict softened probabilities.

        Parameters
        ----------
        X : array-like or DataFrame
            Rows as the classifier takes them.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities.
        """
        proba = sharpen(np.asarray(self.estimator.predict_proba(X), dtype=float), 1 / self.power)
        return proba if self.n_rows is None else smooth(proba, self.n_rows)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Evaluate the decision function of the classifier, which softening does not change.

        Parameters
        ----------
        X : array-like or DataFrame
            The rows, as above.

        Returns
        -------
        ndarray
            What the classifier gives.
        """
        return self.estimator.decision_function(X)


class AveragedClassifier(ClassifierMixin, BaseEstimator):
    """Fitted classifiers whose probabilities are averaged: a committee as one model. None is exactly 0 or 1.

    Parameters
    ----------
    members : sequence of classifier
        Fitted; the columns of their `predict_proba` are those of `classes`, whatever the classes are called there.
    weights : array-like of shape (n_members,)
        Their weights, which sum to 1.
    classes : ndarray of shape (n_classes,)
        The classes.
    n_rows : int
        Number of labeled rows behind the probabilities; see `SoftenedClassifier`.

    See Also
    --------
    SoftSelfTrainingClassifier : Deploys one without an estimator.
    """

    def __init__(self, members: Sequence[Any], weights: Sequence[float], classes: NDArray[Any], n_rows: int) -> None:
        self.members = members
        self.weights = weights
        self.classes = classes
        self.n_rows = n_rows

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes."""
        return np.asarray(self.classes)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> AveragedClassifier:
        """Fit copies of the members on other rows; the weights stay.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows, as every member takes them.
        y : array-like of shape (n_rows,)
            Their classes.

        Returns
        -------
        AveragedClassifier
            The classifier itself.
        """
        self.members = [clone(member).fit(X, y) for member in self.members]
        self.classes, self.n_rows = np.unique(np.asarray(y)), len(y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class of each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Rows, as every member takes them.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Average the probabilities of the members.

        Parameters
        ----------
        X : array-like or DataFrame
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The weighted mean.
        """
        probas = [np.asarray(member.predict_proba(X), dtype=float) for member in self.members]
        return smooth(np.tensordot(np.asarray(self.weights, dtype=float), np.stack(probas), axes=1), self.n_rows)


def soften(model: Any, power: float) -> Any:
    """The classifier with softened probabilities; the classifier itself if the power is 1."""
    return model if power == 1 else SoftenedClassifier(model, power)
