"""A classifier that records its training sets, and tables whose first column is the row number."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification

from tabcast.confidence import Confidence


class Training(NamedTuple):
    """Arguments of one `fit` of the base estimator; `ids` are the positions of the rows in X."""

    ids: tuple[int, ...]
    y: tuple[Any, ...]
    weights: tuple[float, ...] | None
    tags: Any
    option: Any


class NearestMean(ClassifierMixin, BaseEstimator):
    """A cheap classifier that records every training set. The first column of X is the row number."""

    fits: ClassVar[list[Training]] = []

    def fit(self, X, y, sample_weight=None, tags=None, option=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        weights = None if sample_weight is None else tuple(np.asarray(sample_weight).tolist())
        self.fits.append(Training(tuple(X[:, 0].astype(int).tolist()), tuple(y.tolist()), weights, tags, option))
        self.classes_ = np.unique(y)
        counted = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        members = [y == one for one in self.classes_]
        self.means_ = np.array([np.average(X[mask, 1:], axis=0, weights=counted[mask]) for mask in members])
        return self

    def predict_proba(self, X):
        X = np.asarray(X, dtype=float)[:, 1:]
        likely = np.exp(-((X[:, None, :] - self.means_) ** 2).sum(axis=2))
        return likely / likely.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def draw(seed: int = 0, n_rows: int = 90, n_classes: int = 2, n_labeled: int = 30) -> tuple[Any, Any, Any]:
    """Rows with their number in the first column, labels with markers, and the true labels."""
    X, truth = make_classification(
        n_rows, 4, n_informative=3, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1, random_state=seed
    )
    known = np.random.default_rng(seed).permutation(n_rows)[:n_labeled]
    y = np.full(n_rows, -1)
    y[known] = truth[known]
    return np.column_stack([np.arange(n_rows), X]), y, truth


def validation_rows(seed: int = 0, n_rows: int = 40) -> tuple[Any, Any]:
    """Validation rows, numbered from 1000."""
    X, _, truth = draw(seed, 90 + n_rows)
    X[:, 0] += 1000
    return X[90:], truth[90:]


class Diary(Confidence):
    """Records its arguments. Row numbers are encoded in the probabilities; see `Numbered`."""

    events: ClassVar[list[tuple[str, Any]]] = []
    prepared_on: ClassVar[list[tuple[tuple[int, ...], int]]] = []
    needs_held_out = True

    def prepare(self, X, y, X_pool, *, n_classes, categorical_features=None):
        self.prepared_on.append((tuple(np.asarray(X)[:, 0].astype(int).tolist()), X.shape[1]))
        assert len(y) == len(X)
        assert X_pool.shape[1] == X.shape[1] == len(categorical_features)
        return self

    def calibrate(self, proba, y):
        self.events.append(("calibrate", (proba.copy(), y.copy())))
        return self

    def adjust(self, proba):
        self.events.append(("adjust", proba.copy()))
        return proba
