"""Scores of predictions: stored ones as a classifier for scorers, and which of two classes is the positive one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils.metaestimators import available_if

from tabcast.self_training._fitter import Scorer
from tabcast.table import Floats


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Predictions that were made already, as a classifier that scikit-learn's scorers take.

    Rows of several folds were predicted by several models; a score of all of them together needs one "model".

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        All classes.
    labels : ndarray of shape (n_rows,)
        The predicted classes.
    proba : ndarray of shape (n_rows, n_classes)
        The probabilities.

    See Also
    --------
    evaluate : Scores a model.
    """

    def __init__(self, classes: NDArray[Any], labels: NDArray[Any], proba: Floats) -> None:
        self.classes = classes
        self.labels = labels
        self.proba = proba

    @property
    def classes_(self) -> NDArray[Any]:
        """All classes."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the stored classes, whatever the table.

        Parameters
        ----------
        X : object
            Ignored.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.
        """
        return self.labels

    def predict_proba(self, X: Any) -> Floats:
        """Return the stored probabilities, whatever the table.

        Parameters
        ----------
        X : object
            Not looked at.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities.
        """
        return self.proba


def _model_has(method: str) -> Any:
    """Whether the classifier has a method."""
    return lambda self: hasattr(self.model, method)


class _Coded(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts positions of classes instead of their names."""

    def __init__(self, model: Any, classes: NDArray[Any]) -> None:
        self.model = model
        self.classes = classes

    @property
    def classes_(self) -> NDArray[Any]:
        return np.searchsorted(self.classes, np.asarray(self.model.classes_))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        return np.searchsorted(self.classes, np.asarray(self.model.predict(X)))

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        return self.model.predict_proba(X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        return self.model.decision_function(X)


def find_scorer(scoring: Any, estimator: Any, classes: NDArray[Any], *, numbers_too: bool = False) -> Scorer:
    """Find the scorer of a name; of two classes the second in sorted order is the positive one.

    scikit-learn's binary scores, such as "f1", look for a class 1, which classes with names do not have.

    Parameters
    ----------
    scoring : str, callable or None
        The score, as in scikit-learn. A callable is used as it is.
    estimator : classifier
        The base estimator.
    classes : ndarray of shape (n_classes,)
        All classes.
    numbers_too : bool, default=False
        Whether the second is the positive one also where classes are numbers, such as 1 and 2.

    Returns
    -------
    callable
        Scores a classifier on rows with their classes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast.self_training import find_scorer
    >>> model = GaussianNB().fit([[0.0], [1.0]], ["no", "yes"])
    >>> find_scorer("f1", model, model.classes_)(model, [[0.1], [0.9]], ["no", "yes"])
    1.0
    """
    scorer: Scorer = check_scoring(estimator, scoring=scoring)
    if not isinstance(scoring, str) or len(classes) != 2 or not (numbers_too or classes.dtype.kind not in "biuf"):
        return scorer

    def score(model: Any, X: Any, y: NDArray[Any]) -> float:
        return scorer(_Coded(model, classes), X, np.searchsorted(classes, y))

    return score
