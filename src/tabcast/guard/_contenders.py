"""The models that are compared: the user's alone, the best without unlabeled rows, and the self-trained one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from tabcast.decisions import DecisionRule, decide_with
from tabcast.self_training import SelfTrainer, predict_classes
from tabcast.table import Floats, Index

SUPERVISED, COMMITTEE, SELF_TRAINED = "supervised", "committee", "self-trained"


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a contender predicts for some rows.

    Attributes
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities of all classes.
    labels : ndarray of shape (n_rows,)
        Predicted classes.
    """

    proba: Floats
    labels: NDArray[Any]


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Predictions that were made already, as a classifier that scikit-learn's scorers take.

    Rows of several folds were predicted by several models; a score of all of them together needs one "model".
    """

    def __init__(self, classes: NDArray[Any], predicted: Predicted) -> None:
        self.classes = classes
        self.predicted = predicted

    @property
    def classes_(self) -> NDArray[Any]:
        """All classes."""
        return self.classes

    def predict(self, X: Any) -> NDArray[Any]:
        """The stored labels, whatever the table."""
        return self.predicted.labels

    def predict_proba(self, X: Any) -> Floats:
        """The stored probabilities, whatever the table."""
        return self.predicted.proba


def predict_contenders(model: SelfTrainer, X: Any, classes: NDArray[Any], present: Index) -> dict[str, Predicted]:
    """What every contender predicts for held-out rows.

    Parameters
    ----------
    model : SelfTrainer
        Fitted without these rows.
    X : array or DataFrame
        The rows.
    classes : ndarray
        All classes.
    present : ndarray of int
        Indices of the classes that have a training row.

    Returns
    -------
    dict
        By name, the simplest first. There is a committee where the classifier has a teacher that knows more than the
        user's own estimator.
    """

    def ask(one: Any, rule: DecisionRule) -> Predicted:
        labels = decide_with(one, rule, classes).predict(X)
        return Predicted(predict_classes(one, X, len(classes), present), np.asarray(labels))

    found = {SUPERVISED: ask(model.supervised_, model.supervised_decision_)}
    teacher = model.parts_.teacher
    if teacher is not None and teacher.stands_alone and len(model.pseudo_labels_):
        proba = predict_classes(teacher, X, len(classes), present)
        found[COMMITTEE] = Predicted(proba, classes[model.decision_.decide(proba)])
    found[SELF_TRAINED] = ask(model.estimator_, model.decision_)
    return found
