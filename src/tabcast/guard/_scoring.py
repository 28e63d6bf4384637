"""A score on few held-out rows, some of whose classes may be missing among them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, log_loss, make_scorer

from tabcast.self_training import evaluate
from tabcast.table import Index


class HeldOutScore:
    """A scorer for held-out rows: quiet about missing classes, and without a number where it needs them.

    Parameters
    ----------
    scoring : name or callable as everywhere in scikit-learn; None: the estimator's own `score`.
    estimator : the base estimator.
    classes : all classes.
    """

    def __init__(self, scoring: Any, estimator: Any, classes: Any) -> None:
        self.name = name_score(scoring)
        if isinstance(scoring, str) and scoring == "neg_log_loss":  # it can be told which classes there are
            scoring = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=classes)
        self.scorer = check_scoring(estimator, scoring=scoring)
        self.classes = classes

    def __call__(self, model: Any, X: Any, codes: Index) -> float:
        """Score of a model on held-out rows; NaN where the score needs a class that none of them has."""
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
    """What to call a score: its name, or that of the function."""
    if scoring is None:
        return "accuracy"
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", type(function).__name__))


def is_share(metric: str, *scores: float) -> bool:
    """Whether scores are shares between 0 and 1, more being better, so that differences are points."""
    return not metric.startswith("neg_") and all(0 <= score <= 1 for score in scores)
