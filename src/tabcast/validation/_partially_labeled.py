"""Cross-validation and a scorer for labels with markers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from tabcast.table import Index
from tabcast.table._labels import find_unlabeled, read_labels, warn_ambiguous
from tabcast.table._tables import check_lengths, take_rows


class SemiSupervisedSplit(BaseEstimator):
    """Split so that every unlabeled row is in training and only labeled rows are tested on.

    Pass it as `cv` to `cross_val_score` or `GridSearchCV` for a y with markers. An ordinary splitter would test on rows
    of unknown class.

    Parameters
    ----------
    cv : int or splitter, default=5
        Number of stratified folds, or a splitter, applied to the labeled rows.
    missing_label : object, default="auto"
        Which label means unlabeled; see `SelfTrainingClassifier`.

    See Also
    --------
    LabeledScorer : A scorer for labels with markers.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.validation import SemiSupervisedSplit
    >>> y = np.array([0, -1, 1, 0, -1, 1])
    >>> for train, test in SemiSupervisedSplit(cv=2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 1 2 4] [3 5]
    """

    def __init__(self, cv: Any = 5, *, missing_label: Any = "auto") -> None:
        self.cv = cv
        self.missing_label = missing_label

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Index, Index]]:
        """Yield positions of training and test rows.

        Parameters
        ----------
        X : object
            Ignored, as in scikit-learn's splitters.
        y : array-like of shape (n_rows,)
            Classes, with markers for unlabeled rows.
        groups : array-like of shape (n_rows,), default=None
            Groups for the splitter.

        Yields
        ------
        train : ndarray of int
            Labeled training rows and all unlabeled rows.
        test : ndarray of int
            Labeled test rows.
        """
        labels = read_labels(y, self.missing_label)
        labeled, unlabeled = np.flatnonzero(labels.labeled), np.flatnonzero(~labels.labeled)
        own_groups = None if groups is None else np.asarray(groups)[labeled]
        splitter = check_cv(self.cv, labels.codes[labeled], classifier=True)
        for train, test in splitter.split(np.zeros((len(labeled), 1)), labels.codes[labeled], own_groups):
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X : object, default=None
            Ignored.
        y : array-like of shape (n_rows,), default=None
            Classes and markers, for splitters that need them.
        groups : array-like of shape (n_rows,), default=None
            Groups for the splitter.

        Returns
        -------
        int
            The number of splits.
        """
        splitter = check_cv(self.cv, classifier=True)
        if y is None:
            return int(splitter.get_n_splits())
        labeled = ~find_unlabeled(y, self.missing_label)
        rows, own_groups = np.zeros((labeled.sum(), 1)), None if groups is None else np.asarray(groups)[labeled]
        return int(splitter.get_n_splits(rows, rows[:, 0], own_groups))


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
