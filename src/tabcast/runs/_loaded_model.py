"""What a model from a file must hold, beyond its parts: numbers that compiled code trusts.

Trees ask for columns that their estimator has, nearest neighbors have rows, and nobody starts a million threads:
otherwise compiled code of other libraries reads anywhere in memory, or ends the process.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import BaseDecisionTree

from tabcast.checks import is_number
from tabcast.runs._tree_arrays import BadTreeError

THREADS = ("n_jobs", "nthread", "nthreads", "num_thread", "num_threads", "thread_count")
MOST_THREADS = 4096


def check_estimators(model: Any) -> None:
    """Refuse estimators whose arrays do not hold together: trees, and nearest neighbors."""
    for value in _walk(model, set()):
        if isinstance(value, BaseHistGradientBoosting) and hasattr(value, "_predictors"):
            _check_boosting(value)
        elif isinstance(value, BaseDecisionTree) and hasattr(value, "tree_"):
            _check_columns(value.tree_, value.n_features_in_)
        elif isinstance(value, KNeighborsClassifier):
            _check_neighbors(value)
        for member in _entries(getattr(value, "estimators_", ())):
            if isinstance(member, BaseDecisionTree) and hasattr(value, "n_features_in_"):
                _check_columns(member.tree_, value.n_features_in_)


def check_threads(model: Any) -> None:
    """Refuse numbers of threads that no machine has: compiled code ends the process when it cannot start them."""
    for value in _walk(model, set()):
        named = value if isinstance(value, dict) else getattr(value, "__dict__", {})
        for number in (named[name] for name in THREADS if name in named):
            if number is not None and (type(number) is not int or abs(number) > MOST_THREADS):
                raise ValueError("a number of threads is out of range")


def _check_columns(tree: Any, n_features: int) -> None:
    inner = tree.children_left != -1
    if inner.any() and tree.feature[inner].max() >= n_features:
        raise BadTreeError("a tree names a column that its estimator does not have")


def _check_boosting(model: BaseHistGradientBoosting) -> None:
    """Columns of all nodes are there, and those split by category are known as categorical."""
    is_categorical = np.asarray(model._bin_mapper.is_categorical_, dtype=bool)
    if is_categorical.shape != (model._n_features,):
        raise BadTreeError("gradient boosting disagrees with itself on the number of columns")
    for predictor in (one for several in model._predictors for one in several):
        inner = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        if len(inner) and inner["feature_idx"].max() >= len(is_categorical):
            raise BadTreeError("a tree names a column that its estimator does not have")
        if not is_categorical[inner["feature_idx"][inner["is_categorical"] != 0]].all():
            raise BadTreeError("a tree splits a numeric column by category")


def _check_neighbors(model: KNeighborsClassifier) -> None:
    """There are rows, each of a class: compiled code divides by their number, which ends the process if it is 0."""
    if not hasattr(model, "_fit_X"):  # not fitted, as the copy that an adapted classifier was made from
        return
    rows, classes = model._fit_X, np.asarray(model._y)
    if not isinstance(rows, np.ndarray) or rows.dtype.kind not in "biuf" or rows.ndim != 2 or 0 in rows.shape:
        raise ValueError("nearest neighbors have no rows")
    if rows.shape != (model.n_samples_fit_, model.n_features_in_):
        raise ValueError("nearest neighbors disagree with themselves on the number of rows or columns")
    if classes.dtype.kind not in "iu" or classes.shape != (len(rows),):
        raise ValueError("nearest neighbors have not one class per row")
    if classes.min() < 0 or classes.max() >= len(model.classes_):
        raise ValueError("a row of nearest neighbors is of no class")
    if not is_number(model.n_neighbors, "[1, inf)") or model.n_neighbors > len(rows):
        raise ValueError("there are fewer rows than nearest neighbors")


def _walk(value: Any, seen: set[int]) -> Iterable[Any]:
    """A value and everything in it, each once."""
    if id(value) in seen:
        return
    seen.add(id(value))
    yield value
    for entry in [*_entries(value), *getattr(value, "__dict__", {}).values()]:
        if not isinstance(entry, type):
            yield from _walk(entry, seen)


def _entries(value: Any) -> Iterable[Any]:
    """What a container holds."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.ravel().tolist()
    return ()
