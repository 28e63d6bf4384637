"""A score on few held-out rows, in which some classes may be missing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, log_loss, make_scorer

from tabcast.self_training import evaluate
from tabcast.table import Index


class HeldOutScore:
    """A scorer for held-out rows that does not warn about missing classes, and gives NaN if it needs them.

    Parameters
    ----------
    scoring : str, callable or None
        The score, as in scikit-learn. None is the `score` method of the estimator.
    estimator : estimator
        The base estimator.
    classes : ndarray
        All classes.
    """

    def __init__(self, scoring: Any, estimator: Any, classes: Any) -> None:
        self.name = name_score(scoring)
        if isinstance(scoring, str) and scoring == "neg_log_loss":  # it can be given the classes
            scoring = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=classes)
        self.scorer = check_scoring(estimator, scoring=scoring)
        self.classes = classes

    def __call__(self, model: Any, X: Any, codes: Index) -> float:
        """Score of a model on held-out rows; NaN if the score needs a class that none of them has."""
        complete = len(np.unique(codes)) == len(self.classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
            warnings.filterwarnings("ignore", message="A single label was found")
            try:
                return evaluate(model, self.scorer, X, self.classes[codes])
            except ValueError:
                if complete:
                    raise
                return float("nan")


def name_score(scoring: Any) -> str:
    """The name of a score, or of its function."""
    if scoring is None:
        return "accuracy"
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", type(function).__name__))


def is_share(metric: str, *scores: float) -> bool:
    """Whether scores are proportions, the higher the better, so that differences are given in points."""
    return not metric.startswith("neg_") and all(0 <= score <= 1 for score in scores)
