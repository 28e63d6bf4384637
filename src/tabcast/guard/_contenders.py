"""The models that are compared: the user's alone, the best without unlabeled rows, and the self-trained ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule, decide_with
from tabcast.self_training import SelfTrainer, predict_classes
from tabcast.table import Floats, Index

SUPERVISED, COMMITTEE, SELF_TRAINED = "supervised", "committee", "self-trained"
OFFERED = "offered"  # what may be kept besides the supervised model: in each fold the best of them on the other folds


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


def predict_contenders(
    variants: dict[str, SelfTrainer], X: Any, classes: NDArray[Any], present: Index
) -> dict[str, Predicted]:
    """What every contender predicts for held-out rows.

    Parameters
    ----------
    variants : dict
        The self-trained classifiers by name, fitted without these rows.
    X : array or DataFrame
        The rows.
    classes : ndarray
        All classes.
    present : ndarray of int
        Indices of the classes that have a training row.

    Returns
    -------
    dict
        By name: the supervised model; the committee, where the classifier has a teacher that knows more than the user's
        own estimator; the variants.
    """

    def ask(one: Any, rule: DecisionRule) -> Predicted:
        labels = decide_with(one, rule, classes).predict(X)
        return Predicted(predict_classes(one, X, len(classes), present), np.asarray(labels))

    model = next(iter(variants.values()))
    found = {SUPERVISED: ask(model.supervised_, model.supervised_decision_)}
    committee = getattr(model, "committee_", None)
    if committee is not None:
        found[COMMITTEE] = ask(committee, model.decision_)
    return found | {name: ask(one.student_, one.decision_) for name, one in variants.items()}
