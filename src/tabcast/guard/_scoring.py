"""A score on few held-out rows, in which some classes may be missing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import log_loss, make_scorer

from tabcast.guard._comparison import Compared
from tabcast.self_training import StoredPredictions, TrainingData, evaluate, find_scorer
from tabcast.table import Index, take_rows


class HeldOutScore:
    """A scorer for held-out rows that does not warn about missing classes, and gives NaN if it needs them.

    The positive one of two classes is the second in sorted order.

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
        self.scorer = find_scorer(scoring, estimator, classes, numbers_too=True)
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


def score_splits(compared: Sequence[Compared], name: str, data: TrainingData, score: HeldOutScore) -> float:
    """Score of a contender on the held-out rows of some splits together."""
    rows = np.concatenate([one.split.held_out for one in compared])
    labels, proba = (
        np.concatenate([getattr(one.predicted[name], what) for one in compared]) for what in ("labels", "proba")
    )
    model = StoredPredictions(data.labels.classes, labels, proba)
    return score(model, take_rows(data.X, rows), data.labels.codes[rows])


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
