"""scikit-learn's trees as plain arrays, and back only if they hold together.

scikit-learn follows the numbers of child nodes and columns in a tree without checking that they exist: a file made by
hand could send it anywhere in memory. So children must come after their parent and exist, and so must columns and sets
of categories. docs/model_files.md says what each private name of scikit-learn is needed for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from tabcast.checks import is_number

State = dict[str, Any]
N_BITSET_WORDS = 8  # 256 categories
THREADS = ("n_jobs", "nthread", "nthreads", "num_thread", "num_threads", "thread_count")
MOST_THREADS = 4096


class BadTreeError(ValueError):
    """A tree that points to what is not there."""


def write_tree(tree: Tree) -> State:
    """A tree of a decision tree or a forest."""
    _, (n_features, n_classes, n_outputs), state = tree.__reduce__()
    return {"n_features": n_features, "n_classes": n_classes, "n_outputs": n_outputs, **state}


def read_tree(made: type[Tree], state: State) -> Tree:
    """The tree, if its nodes hold together; types and shapes of the arrays are checked by scikit-learn."""
    nodes, n_features, n_outputs = state["nodes"], int(state["n_features"]), int(state["n_outputs"])
    n_classes = np.ascontiguousarray(state["n_classes"], dtype=np.intp)
    if n_classes.shape != (n_outputs,) or n_outputs < 1 or n_classes.min() < 1 or state["node_count"] != len(nodes):
        raise BadTreeError("sizes of a tree disagree")
    leaf = nodes["left_child"] == -1
    _check_nodes(nodes["left_child"], nodes["right_child"], nodes["feature"], leaf, n_features)
    tree = made(n_features, n_classes, n_outputs)
    kept = ("max_depth", "node_count", "nodes", "values")
    tree.__setstate__({name: state[name] for name in kept})
    return tree


def write_predictor(predictor: TreePredictor) -> State:
    """A tree of histogram gradient boosting."""
    return dict(vars(predictor))


def read_predictor(made: type[TreePredictor], state: State) -> TreePredictor:
    """The tree, if its nodes hold together."""
    nodes = np.ascontiguousarray(state["nodes"]).astype(PREDICTOR_RECORD_DTYPE, casting="same_kind")
    bitsets = [_check_bitsets(state[name]) for name in ("binned_left_cat_bitsets", "raw_left_cat_bitsets")]
    leaf = nodes["is_leaf"].astype(bool)
    _check_nodes(nodes["left"], nodes["right"], nodes["feature_idx"], leaf, np.iinfo(np.intp).max)
    by_category = nodes[(nodes["is_categorical"] != 0) & ~leaf]
    if len(by_category) and by_category["bitset_idx"].max() >= min(map(len, bitsets)):
        raise BadTreeError("a tree names a set of categories that is not there")
    return made(nodes, *bitsets)


def _check_bitsets(bitsets: NDArray[Any]) -> NDArray[Any]:
    if bitsets.dtype != np.uint32 or bitsets.ndim != 2 or bitsets.shape[1] != N_BITSET_WORDS:
        raise BadTreeError("sets of categories have the wrong shape")
    return np.ascontiguousarray(bitsets)


def _check_nodes(
    left: NDArray[Any], right: NDArray[Any], feature: NDArray[Any], leaf: NDArray[np.bool_], n_features: int
) -> None:
    """Children come after their parent, which rules out circles, and before the end; columns are there."""
    if leaf.ndim != 1 or len(leaf) == 0:
        raise BadTreeError("a tree has no node")
    inner = np.flatnonzero(~leaf)
    for child in (left[inner].astype(np.int64), right[inner].astype(np.int64)):
        if (child <= inner).any() or (child >= len(leaf)).any():
            raise BadTreeError("a tree names a node that is not there")
    if len(inner) and (feature[inner].min() < 0 or feature[inner].max() >= n_features):
        raise BadTreeError("a tree names a column that is not there")


def check_owners(model: Any) -> None:
    """Refuse trees that ask for a column that their estimator, which checks the table once for all, does not have."""
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
    rows, classes = getattr(model, "_fit_X", None), getattr(model, "_y", None)
    if not isinstance(rows, np.ndarray) or rows.dtype.kind != "f" or rows.ndim != 2 or 0 in rows.shape:
        raise ValueError("nearest neighbors have no rows")
    if rows.shape != (model.n_samples_fit_, model.n_features_in_):
        raise ValueError("nearest neighbors disagree with themselves on the number of rows or columns")
    if not isinstance(classes, np.ndarray) or classes.dtype.kind not in "iu" or classes.shape != (len(rows),):
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
