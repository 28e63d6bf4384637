"""A fitted classifier whose predicted classes follow a rule, for scorers and everything else that calls `predict`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from tabcast.decisions._rule import DecisionRule
from tabcast.table import Floats


def _model_has(method: str) -> Any:
    """Whether the classifier has a method."""
    return lambda self: hasattr(self.model, method)


class DecidedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts classes by a rule on its probabilities, which stay as they are.

    Parameters
    ----------
    model : classifier
        Fitted. Classes of the rule that it does not know have probability 0.
    rule : DecisionRule
        Decides.
    classes : ndarray of shape (n_classes,)
        The classes of the rule, in sorted order.

    See Also
    --------
    decide_with : The same, unless the rule changes nothing.
    """

    def __init__(self, model: Any, rule: DecisionRule, classes: NDArray[Any]) -> None:
        self.model = model
        self.rule = rule
        self.classes = classes

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the classifier: the columns of `predict_proba`."""
        return np.asarray(self.model.classes_)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n_rows, n_columns)
            The rows, as the classifier takes them.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes that the rule decides for.
        """
        proba = np.asarray(self.model.predict_proba(X), dtype=float)
        if proba.shape[1] < self.rule.n_classes:
            known, proba = proba, np.zeros((len(proba), self.rule.n_classes))
            proba[:, np.searchsorted(self.classes, self.classes_)] = known
        return np.asarray(self.classes)[self.rule.decide(proba)]

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array or DataFrame
            Rows as above.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The classifier's own probabilities.
        """
        return self.model.predict_proba(X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Evaluate the decision function of the classifier.

        Parameters
        ----------
        X : array or DataFrame
            The rows.

        Returns
        -------
        ndarray
            What the classifier gives.
        """
        return self.model.decision_function(X)


def decide_with(model: Any, rule: DecisionRule, classes: NDArray[Any]) -> Any:
    """Make a fitted classifier predict by a rule; the classifier itself if the rule changes nothing.

    Parameters
    ----------
    model : classifier
        Fitted.
    rule : DecisionRule
        Decides.
    classes : ndarray of shape (n_classes,)
        The classes of the rule, in sorted order.

    Returns
    -------
    classifier
        The classifier itself with the rule of the most probable class, else a :class:`DecidedClassifier`.

    See Also
    --------
    DecidedClassifier : What is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from tabcast.decisions import DecisionRule, decide_with
    >>> model = DummyClassifier().fit([[0], [1], [2]], ["no", "no", "yes"])
    >>> rule = DecisionRule("mine", np.array([[1.0, 0.0], [0.0, 5.0]]))
    >>> decide_with(model, rule, model.classes_).predict([[0]])
    array(['yes'], dtype='<U3')
    """
    return model if rule.is_most_probable else DecidedClassifier(model, rule, classes)
