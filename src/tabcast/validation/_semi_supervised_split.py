"""Cross-validation for labels with markers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv

from tabcast.table import Index, find_unlabeled, read_labels


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
        known = None if y is None else np.zeros(int((~find_unlabeled(y, self.missing_label)).sum()))
        own_groups = None
        if groups is not None and y is not None:
            own_groups = np.asarray(groups)[~find_unlabeled(y, self.missing_label)]
        rows = None if known is None else known[:, None]
        return int(check_cv(self.cv, classifier=True).get_n_splits(rows, known, own_groups))
