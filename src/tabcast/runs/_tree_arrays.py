"""scikit-learn's trees as plain arrays, and back only if they hold together.

scikit-learn follows the numbers of child nodes and columns in a tree without checking that they exist: a file made by
hand could send it anywhere in memory. So children must come after their parent and exist, and so must columns and sets
of categories. docs/model_files.md says what each private name of scikit-learn is needed for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.tree._tree import Tree

State = dict[str, Any]
N_BITSET_WORDS = 8  # 256 categories


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
