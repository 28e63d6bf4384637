"""Columns that know too much: one that predicts the target alone, and one that only labeled rows have values in.

Such a column is mostly filled in after the label, or made from it, and will not be known for new rows. This is the one
place that compares columns with labels: it decides nothing, it only raises an alarm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from tabcast.files._understand import CAUTION, MOST_NAMES, Understanding
from tabcast.wording import Argument, list_names

NEARLY_PERFECT = 0.98  # balanced accuracy on held-out rows from which a column is suspicious
HONEST = 0.85  # what an honest column may well reach: chance must not explain the rest
LEVEL = 0.05  # of the bound, over all columns
SIDE_BY_SIDE = 0.9  # of a class's rows, those with a neighbor of the same class; of two classes of noise, 0.75
MOST_ROWS = 2_000
N_FOLDS = 5
ONLY_LABELED = "has values in labeled rows and in hardly any unlabeled one"
HARDLY, OFTEN = 0.02, 0.5  # proportions of unlabeled and of labeled rows with a value


def note_leaks(understanding: Understanding, X: pd.DataFrame, y: NDArray[np.object_]) -> Understanding:
    """The understanding with an alarm on each column that predicts the target alone, or that only labeled rows have."""
    first = {rule.outputs[0]: rule.name for rule in understanding.rules}  # of a column of text the first feature
    labeled, X = ~pd.isna(y), X[list(first)].rename(columns=first)
    scores = find_predictive(X.loc[labeled], np.array([str(label) for label in y[labeled]]))
    only_labeled = find_only_labeled(X, labeled)
    where = "on held-out labeled rows"
    leaks = {name: f"alone it predicts the target (balanced accuracy {scores[name]:.1%} {where})" for name in scores}
    leaks |= dict.fromkeys(only_labeled, ONLY_LABELED)
    columns, notes = list(understanding.columns), list(understanding.notes)
    for place, column in enumerate(columns):
        leak = leaks.get(column.name)
        columns[place] = replace(column, why=f"{column.why}; {leak}", leak=leak) if leak else column
    score = f"balanced accuracy {min(scores.values(), default=1.0):.1%} or more {where}"
    predicts = f"alone predicts {understanding.target!r} nearly perfectly ({score}); if made from or after the label"
    learns = f"{ONLY_LABELED}; since the model learns from what it will not know"
    for names, what in ((list(scores), predicts), (only_labeled, learns)):
        who = f"{CAUTION}Column {list_names(names, MOST_NAMES)}"
        notes += [(f"{who} {what}, leave out with ", Argument("ignore", names[:MOST_NAMES]), ".")] if names else []
    return replace(understanding, columns=columns, notes=notes)


def find_predictive(X: pd.DataFrame, labels: NDArray[np.str_]) -> dict[str, float]:
    """The columns of labeled rows that predict the labels nearly perfectly, each with its balanced accuracy.

    The score is that of a tree of this column alone on held-out rows. It counts only if its exact lower bound, with
    Bonferroni's correction for the number of columns, is above what an honest column may reach, so that few rows raise
    no alarm.
    """
    rows, codes = _choose_rows(labels)
    if len(rows) == 0 or not _is_significant(1.0, codes, X.shape[1]):
        return {}
    folds = StratifiedKFold(min(N_FOLDS, int(np.bincount(codes).min())), shuffle=True, random_state=0)
    found = {}
    for name in X.columns:
        values = _to_floats(X[name].iloc[rows])
        if not _may_separate(values, codes):
            continue
        tree = DecisionTreeClassifier(class_weight="balanced", random_state=0)
        predicted = cross_val_predict(tree, values[:, None], codes, cv=folds)
        score = float(balanced_accuracy_score(codes, predicted))
        if score >= NEARLY_PERFECT and _is_significant(score, codes, X.shape[1]):
            found[str(name)] = score
    return found


def find_only_labeled(X: pd.DataFrame, labeled: NDArray[np.bool_]) -> list[str]:
    """The columns with a value in labeled rows and in hardly any unlabeled one, more than chance explains."""
    n_labeled, n = int(labeled.sum()), len(labeled)
    if n_labeled in (0, n):
        return []
    present = X.notna().to_numpy()
    inside, outside = present[labeled].sum(axis=0), present[~labeled].sum(axis=0)
    suspicious = (inside >= OFTEN * n_labeled) & (outside <= HARDLY * (n - n_labeled))
    chance = hypergeom.sf(inside - 1, n, inside + outside, n_labeled)
    return [str(name) for name in X.columns[suspicious & (chance * X.shape[1] < LEVEL)]]


def _choose_rows(labels: NDArray[np.str_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Labeled rows to look at, of classes with two rows at least, and their classes as codes; none if that is one."""
    rows = np.random.default_rng(0).permutation(len(labels))[:MOST_ROWS]
    _, codes, counts = np.unique(labels[rows], return_inverse=True, return_counts=True)
    rows = rows[counts[codes] > 1]
    classes, codes = np.unique(labels[rows], return_inverse=True)
    return (rows, codes) if len(classes) > 1 else (rows[:0], codes[:0])


def _is_significant(score: float, codes: NDArray[np.intp], n_columns: int) -> bool:
    """Whether a balanced accuracy is out of an honest column's reach, by the binomial distribution.

    Classes of different sizes count as the number of rows of equal classes that gives the score the same variance.
    """
    counts = np.bincount(codes)
    n = int(len(counts) ** 2 / (1 / counts).sum() + 1e-9)
    return bool(binom.sf(np.floor(score * n + 1e-9) - 1, n, HONEST) * n_columns < LEVEL)


def _may_separate(values: NDArray[np.float64], codes: NDArray[np.intp]) -> bool:
    """Whether rows of a class lie side by side when sorted by a column, so that a tree is worth its time."""
    ordered = codes[np.lexsort((codes, values))]
    same = ordered[1:] == ordered[:-1]
    beside = np.append(same, False) | np.append(False, same)
    shares = np.bincount(ordered, weights=beside) / np.bincount(ordered)
    return bool(shares.mean() >= SIDE_BY_SIDE)


def _to_floats(values: pd.Series[Any]) -> NDArray[np.float64]:
    """Numbers as they are and categories as codes; missing ones stay, because trees see them and they may tell."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.codes
    return np.asarray(values, dtype=np.float64)
