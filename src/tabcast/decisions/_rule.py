"""A fitted decision, one matrix of payoffs, and a classifier that predicts by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from tabcast.table import Floats, Index


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """A fitted decision: predicts the class with the largest expected payoff, ``argmax_k (p @ payoffs)_k``.

    `payoffs` has true classes as rows and predicted ones as columns; the identity predicts the most probable class.
    `meaning` says in words what is predicted.
    """

    name: str
    payoffs: Floats
    meaning: str = ""

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.payoffs)

    @property
    def is_most_probable(self) -> bool:
        """Whether the predicted class is always the most probable one."""
        return np.array_equal(self.payoffs, np.eye(self.n_classes))

    def decide(self, proba: ArrayLike) -> Index:
        """Index of the predicted class of each row; of classes with the same payoff, the first."""
        values = np.asarray(proba, dtype=float)
        if values.ndim != 2 or values.shape[1] != self.n_classes:
            raise ValueError(
                f"`proba` of DecisionRule.decide must have one column for each of {self.n_classes} classes; got an "
                f"array of shape {values.shape}."
            )
        n_bad = int(np.isnan(values).any(axis=1).sum())
        if n_bad:
            raise ValueError(f"`proba` of DecisionRule.decide has NaN in {n_bad} of {len(values)} rows.")
        expected = np.zeros(values.shape)
        for true, payoffs in enumerate(self.payoffs):  # not `@`, whose rounding depends on the number of rows
            expected += values[:, [true]] * payoffs
        return expected.argmax(axis=1)

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain data that JSON can hold."""
        return {"name": self.name, "payoffs": self.payoffs.tolist(), "meaning": self.meaning}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The rule that :meth:`to_dict` gave; a ValueError if the payoffs are not a square matrix of numbers."""
        name, meaning, payoffs = plain["name"], plain["meaning"], np.array(plain["payoffs"])
        square = payoffs.ndim == 2 and payoffs.shape[0] == payoffs.shape[1] >= 1 and payoffs.dtype.kind in "if"
        if not (isinstance(name, str) and isinstance(meaning, str) and square and np.isfinite(payoffs).all()):
            raise ValueError("a decision rule must have a name, and a square matrix of payoffs")
        return cls(name, payoffs.astype(float), meaning)


def _model_has(method: str) -> Any:
    """Whether the classifier has a method."""
    return lambda self: hasattr(self.model, method)


class DecidedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier that predicts classes by a rule on its probabilities, which stay as they are.

    `classes` are those of the rule, in sorted order; ones that the classifier does not know have probability 0.
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
        """Predict the class of each row, by the rule."""
        proba = np.asarray(self.model.predict_proba(X), dtype=float)
        if proba.shape[1] < self.rule.n_classes:
            known, proba = proba, np.zeros((len(proba), self.rule.n_classes))
            proba[:, np.searchsorted(self.classes, self.classes_)] = known
        return np.asarray(self.classes)[self.rule.decide(proba)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the classifier's own probabilities."""
        return self.model.predict_proba(X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return the classifier's own decision function."""
        return self.model.decision_function(X)


def decide_with(model: Any, rule: DecisionRule, classes: NDArray[Any]) -> Any:
    """A fitted classifier that predicts by a rule; the classifier itself if the rule changes nothing."""
    return model if rule.is_most_probable else DecidedClassifier(model, rule, classes)
