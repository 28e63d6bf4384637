"""A forest that predicts many rows at a time: bits of rows go down the trees, not rows one by one.

In a forest of fully grown trees a leaf has rows of one class, so that the forest counts votes. Which rows of a block
reach a node is then a mask of one bit per row, and a split is a comparison of a column and two operations on masks.
Counts are whole numbers: the result is that of scikit-learn, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline

from tabcast.table import Floats

BLOCK = 65_536  # rows at a time
WORTHWHILE = 40_000  # with fewer rows in a block, scikit-learn is faster
WORD = 64  # bits of a mask that are combined at a time
FEW = 256  # values of a column whose masks are kept while a block is predicted
Bits = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class VotingTree:
    """A tree as lists by node, parents before children: -1 for the column of a leaf, the class of its rows.

    `whole` has thresholds rounded down to whole numbers.
    """

    column: list[int]
    threshold: list[np.float32]
    whole: list[float]
    left: list[int]
    right: list[int]
    vote: list[int]


@dataclass(frozen=True, eq=False)
class ForestVotes:
    """A classifier, perhaps behind an encoding, whose probabilities are counts of votes where that is possible.

    Parameters
    ----------
    model : classifier
        A fitted classifier, or a pipeline of an encoding and one.
    """

    model: Any

    @cached_property
    def trees(self) -> list[VotingTree] | None:
        """The trees; None if the model is no forest, or has leaves with rows of several classes."""
        forest = self.model.steps[-1][1] if isinstance(self.model, Pipeline) else self.model
        if type(forest) not in (ExtraTreesClassifier, RandomForestClassifier) or forest.n_outputs_ != 1:
            return None
        trees = [read_votes(tree.tree_) for tree in forest.estimators_]
        return None if None in trees else [tree for tree in trees if tree is not None]

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities, as the model does.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_columns)
            Any number of rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The same numbers.
        """
        if len(X) < WORTHWHILE or self.trees is None:
            return np.asarray(self.model.predict_proba(X), dtype=float)
        forest, encoded = self.model, X
        if isinstance(self.model, Pipeline):
            forest, encoded = self.model.steps[-1][1], self.model[:-1].transform(X)
        with np.errstate(over="ignore"):
            values = np.asarray(encoded).astype(np.float32)
        if not np.isfinite(values).all():  # missing values have ways of their own, infinite ones are errors
            return np.asarray(forest.predict_proba(encoded), dtype=float)
        votes = [
            count_votes(self.trees, values[first : first + BLOCK], len(forest.classes_))
            for first in range(0, len(values), BLOCK)
        ]
        return np.concatenate(votes) / len(self.trees)


def read_votes(tree: Any) -> VotingTree | None:
    """A tree of scikit-learn; None if one of its leaves has rows of several classes.

    Thresholds are rounded down to 32 bits, the precision of the values that are compared with them.
    """
    leaf, shares = tree.children_left < 0, tree.value[:, 0, :]
    if not np.isin(shares[leaf], (0.0, 1.0)).all():
        return None
    near = tree.threshold.astype(np.float32)
    below = np.where(near > tree.threshold, np.nextafter(near, np.float32(-np.inf)), near)
    return VotingTree(
        np.where(leaf, -1, tree.feature).tolist(),
        list(below),
        np.floor(below).tolist(),
        tree.children_left.tolist(),
        tree.children_right.tolist(),
        shares.argmax(axis=1).tolist(),
    )


def count_votes(trees: list[VotingTree], values: NDArray[np.float32], n_classes: int) -> NDArray[np.int32]:
    """The number of trees that vote for each class, for each row of a block."""
    n_rows = len(values)
    columns = np.zeros((values.shape[1], -(-n_rows // WORD) * WORD), dtype=np.float32)
    columns[:, :n_rows] = values.T
    known: dict[tuple[int, float], Bits] = {}
    few = [bool((column == np.floor(column)).all() and np.ptp(column) < FEW) for column in columns]
    votes = np.zeros((n_classes, n_rows), dtype=np.int32)
    votes[0] = len(trees)
    for tree in trees:
        for code, rows in enumerate(vote(tree, columns, few, known, n_classes), start=1):
            votes[code] += np.unpackbits(rows.view(np.uint8), count=n_rows)
    votes[0] -= votes[1:].sum(axis=0)
    return votes.T


def vote(
    tree: VotingTree,
    columns: NDArray[np.float32],
    few: list[bool],
    known: dict[tuple[int, float], Bits],
    n_classes: int,
) -> Bits:
    """Masks of the rows that get the vote of a tree, one per class but the first, which has all others."""
    n_words = columns.shape[1] // WORD
    found = np.zeros((n_classes - 1, n_words), dtype=np.uint64)
    reached = {0: np.full(n_words, np.iinfo(np.uint64).max, dtype=np.uint64)}
    for node, column in enumerate(tree.column):
        rows = reached.pop(node)
        if column < 0:
            if tree.vote[node] > 0:
                found[tree.vote[node] - 1] |= rows
            continue
        if few[column]:  # whole numbers: all thresholds between two of them divide the rows alike
            key = (column, tree.whole[node])
            if key not in known:
                known[key] = compare(columns[column], tree.threshold[node])
            below = known[key]
        else:
            below = compare(columns[column], tree.threshold[node])
        reached[tree.left[node]] = below = rows & below
        reached[tree.right[node]] = np.bitwise_xor(rows, below, out=rows)
    return found


def compare(column: NDArray[np.float32], threshold: np.float32) -> Bits:
    """A mask of the rows that go to the left."""
    return np.packbits(column <= threshold).view(np.uint64)
