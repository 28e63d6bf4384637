"""A scorer for labels with markers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from tabcast.table import check_lengths, find_unlabeled, take_rows, warn_ambiguous


class LabeledScorer:
    """Score on the labeled rows only, with any scorer of scikit-learn.

    Parameters
    ----------
    scoring : str, callable or None, default=None
        Name or scorer as everywhere in scikit-learn. None means the estimator's own `score`.
    missing_label : object, default="auto"
        Which label means unlabeled; see `SelfTrainingClassifier`.

    See Also
    --------
    SemiSupervisedSplit : Splits for labels with markers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from tabcast.validation import LabeledScorer
    >>> X, y = np.zeros((5, 1)), np.array([0, 0, 1, -1, -1])
    >>> model = DummyClassifier(strategy="constant", constant=0).fit(X[:3], y[:3])
    >>> round(LabeledScorer("accuracy")(model, X, y), 2)
    0.67
    """

    def __init__(self, scoring: Any = None, *, missing_label: Any = "auto") -> None:
        self.scoring = scoring
        self.missing_label = missing_label

    def __call__(self, estimator: Any, X: Any, y: Any, **score_params: Any) -> float:
        """Score on the labeled rows."""
        check_lengths(X, y=y)
        warn_ambiguous(y, self.missing_label)
        unlabeled = find_unlabeled(y, self.missing_label)
        rows = np.flatnonzero(~unlabeled)
        if len(rows) == 0:
            raise ValueError("LabeledScorer got no labeled row to score; use SemiSupervisedSplit as cv.")
        known = np.array(np.asarray(y, dtype=object)[rows].tolist())
        scorer = check_scoring(estimator, scoring=self.scoring)
        by_row = {
            name: np.asarray(values)[rows] if np.ndim(values) and len(values) == len(unlabeled) else values
            for name, values in score_params.items()
        }
        return float(scorer(estimator, take_rows(X, rows), known, **by_row))

    def __repr__(self) -> str:
        return f"LabeledScorer({self.scoring!r})"
