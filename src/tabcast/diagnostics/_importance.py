"""Which columns the model needs: permutation importance on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student
from sklearn.ensemble import ExtraTreesClassifier

from tabcast.diagnostics._base import Diagnostic
from tabcast.models import Portfolio, seeded
from tabcast.self_training import predict_classes
from tabcast.table import Floats, Index, TableCodes, column_names, is_dataframe, take_rows

MOST_COLUMNS = 50  # that are shuffled; of a wider table, those that a forest uses most
MOST_PREDICTED = 100_000  # rows to predict in all, which bounds the time
MOST_REPEATS = 5
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Importance(Diagnostic):
    """How much worse the predictions of held-out rows become when the values of a column are shuffled.

    Attributes
    ----------
    columns : DataFrame
        One row per column, the most important first: `name`, `importance` (decrease of the probability of the true
        class, mean over the classes) and `low` and `high`, its 95% interval.
    whole : float
        Probability of the true class with no column shuffled, mean over the classes.
    n_rows : int
        Number of held-out rows.
    n_repeats : int
        How many times each column was shuffled.
    n_columns : int
        Number of all columns; of a wide table only some are shuffled.

    See Also
    --------
    importance : Computes it.
    """

    columns: pd.DataFrame
    whole: float
    n_rows: int
    n_repeats: int
    n_columns: int


def importance(
    model: Any,
    X: Any,
    codes: Index,
    splits: Sequence[tuple[Index, Index]],
    *,
    categorical_features: ArrayLike | None = None,
    random_state: int = 0,
) -> Importance | None:
    """Measure how much the model needs each column.

    Parameters
    ----------
    model : classifier
        The model; a copy of it is fitted on the training rows of each split.
    X : array-like or DataFrame of shape (n_rows, n_columns)
        The rows.
    codes : ndarray of int of shape (n_rows,)
        Index of the true class, for the rows of the splits.
    splits : sequence of (ndarray of int, ndarray of int)
        Positions of the training rows and of the held-out rows of each split. No row is held out twice.
    categorical_features : array-like of str, int or bool, default=None
        Names, positions or mask of the categorical columns. None infers them from the types.
    random_state : int, default=0
        Seed of the shuffling and of the drawn rows.

    Returns
    -------
    Importance or None
        The importance of each column. None if no row is held out.

    Notes
    -----
    The importance of a column is the mean over classes of the mean over their held-out rows of ``p - p_shuffled``, the
    probabilities of the true class as predicted with the row's own value and with that of another held-out row. A
    column may be shuffled up to five times. The interval accounts for the rows, by Student's t, not for the randomness
    of training. Redundant columns share their importance: shuffling one of them changes little.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tabcast.diagnostics import importance
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> codes, rows = (X[:, 1] > 0).astype(int), np.arange(200)
    >>> found = importance(LogisticRegression(), X, codes, [(rows[:100], rows[100:])])
    >>> found.columns["name"].tolist()[0], bool(found.columns["low"][0] > 0.2)
    (1, True)
    """
    random = np.random.default_rng(random_state)
    names = column_names(X)
    chosen = _choose_columns(X, codes, splits, categorical_features, random_state)
    splits = _draw_rows(splits, MOST_PREDICTED // max(1, len(chosen)), random)
    held_out = np.concatenate([rows for _, rows in splits]) if splits else np.empty(0, dtype=np.intp)
    if len(held_out) == 0 or len(chosen) == 0:
        return None
    n_repeats = int(np.clip(MOST_PREDICTED // (len(held_out) * len(chosen)), 1, MOST_REPEATS))
    whole, shuffled = [], []
    for train, rows in splits:
        fitted, present = _fit(model, X, codes, train, random_state)
        whole.append(_true_class(fitted, take_rows(X, rows), codes[rows], present))
        copies = _shuffle(X, rows, np.repeat(chosen, n_repeats), random)
        truth = np.tile(codes[rows], len(chosen) * n_repeats)
        proba = _true_class(fitted, copies, truth, present)
        shuffled.append(proba.reshape(len(chosen), n_repeats, len(rows)).mean(axis=1))
    own, others = np.concatenate(whole), np.concatenate(shuffled, axis=1)
    found = [
        (names[position], *_estimate(own - other, codes[held_out]))
        for position, other in zip(chosen, others, strict=True)
    ]
    table = pd.DataFrame(found, columns=["name", "importance", "low", "high"])
    table = table.sort_values("importance", ascending=False, kind="stable").reset_index(drop=True)
    return Importance(table, _estimate(own, codes[held_out])[0], len(held_out), n_repeats, len(names))


def _choose_columns(
    X: Any, codes: Index, splits: Sequence[tuple[Index, Index]], categorical_features: ArrayLike | None, seed: int
) -> Index:
    """Positions of the columns to shuffle: all, or those that a forest of the held-out rows uses most."""
    n_columns = X.shape[1]
    if n_columns <= MOST_COLUMNS or not splits:
        return np.arange(n_columns)
    rows = np.concatenate([held_out for _, held_out in splits])[: MOST_PREDICTED // n_columns]
    encoder = TableCodes(categorical_features).fit(take_rows(X, rows))
    columns = encoder.columns_
    forest = ExtraTreesClassifier(50, min_samples_leaf=3, random_state=seed)
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers, whose sums scikit-learn looks at
        forest.fit(encoder.transform(take_rows(X, rows)), codes[rows])
    positions = np.concatenate([columns.continuous_index, columns.categorical_index]).astype(np.intp)
    return np.sort(positions[np.argsort(-forest.feature_importances_, kind="stable")[:MOST_COLUMNS]])


def _draw_rows(
    splits: Sequence[tuple[Index, Index]], most: int, random: np.random.Generator
) -> list[tuple[Index, Index]]:
    """The splits with at most so many held-out rows in all."""
    n = sum(len(held_out) for _, held_out in splits)
    if n > most:
        share = most / n
        splits = [(train, random.permutation(rows)[: max(1, int(share * len(rows)))]) for train, rows in splits]
    return [(train, rows) for train, rows in splits if len(rows)]


def _fit(model: Any, X: Any, codes: Index, train: Index, seed: int) -> tuple[Any, Index]:
    """A copy of the model fitted on some rows, and the classes that they have."""
    while isinstance(model, Portfolio) and hasattr(model, "estimator_"):
        model = model.estimator_  # the kind that was chosen
    present, own = np.unique(codes[train], return_inverse=True)
    return seeded(model, seed).fit(take_rows(X, train), own), present


def _true_class(fitted: Any, X: Any, codes: Index, present: Index) -> Floats:
    """Probability of the true class; 0 for a class without training rows."""
    n_classes = int(max(codes.max(), present.max())) + 1
    proba = predict_classes(fitted, X, n_classes, present)
    return proba[np.arange(len(codes)), codes]


def _shuffle(X: Any, rows: Index, columns: Index, random: np.random.Generator) -> Any:
    """Copies of some rows below each other, in each of them one column shuffled."""
    n = len(rows)
    sources = np.tile(rows, (X.shape[1], len(columns)))
    for copy, position in enumerate(columns):
        sources[position, copy * n : (copy + 1) * n] = random.permutation(rows)
    if isinstance(X, pd.DataFrame):
        taken = [pd.Series(X.iloc[:, position].array.take(source)) for position, source in enumerate(sources)]
        table = pd.concat(taken, axis=1)
        table.columns = X.columns
        return table
    if is_dataframe(X):
        return type(X)([X[name][source] for name, source in zip(X.columns, sources, strict=True)])
    return X[sources.T, np.arange(X.shape[1])]


def _estimate(values: Floats, codes: Index) -> tuple[float, float, float]:
    """The mean over classes of the means of their rows, with its interval."""
    classes, own, counts = np.unique(codes, return_inverse=True, return_counts=True)
    means = np.bincount(own, weights=values) / counts
    center = np.where(counts[own] > 1, means[own], values.mean())  # one row alone has no spread
    spread = (values - center) ** 2 * (counts / np.maximum(counts - 1, 1))[own]
    variance = float((spread / (len(classes) * counts[own]) ** 2).sum())
    mean = float(means.mean())
    half = float(student.ppf((1 + LEVEL) / 2, max(1, len(values) - len(classes))) * np.sqrt(variance))
    return mean, mean - half, mean + half
