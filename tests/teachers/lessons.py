"""A lesson for teachers, made as the classifier makes it."""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification

from tabcast.teachers._teachers import Lesson


def make_lesson(estimator, X, y, X_pool, *, sample_weight=None, categorical=None, seed=0):
    """The lesson, and a list in which every fit of the user's estimator on folds leaves its number of rows."""
    n_classes, fits = len(np.unique(y)), []
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}

    def own_out_of_fold(folds):
        proba = np.zeros((len(y), n_classes))
        for train, held_out in folds:
            fits.append(len(train))
            chosen = {name: values[train] for name, values in weights.items()}
            proba[held_out] = clone(estimator).fit(X[train], y[train], **chosen).predict_proba(X[held_out])
        return proba

    own = clone(estimator).fit(X, y, **weights)
    mask = np.zeros(X.shape[1], dtype=bool) if categorical is None else categorical
    return Lesson(X, y, X_pool, n_classes, mask, sample_weight, own, own_out_of_fold, seed), fits


def draw(n_labeled=40, n_pool=60, n_classes=2, seed=0, class_sep=1.0):
    """Labeled rows with classes, unlabeled rows, and what those are."""
    X, y = make_classification(
        n_labeled + n_pool,
        6,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        class_sep=class_sep,
        random_state=seed,
    )
    return X[:n_labeled], y[:n_labeled], X[n_labeled:], y[n_labeled:]
