"""What a run works on: the rows that `fit` was given, and the splits of the labeled ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabcast.models import Adaptation
from tabcast.table import MANY_ROWS, Floats, Index, Labels, Mask, find_categorical, join_rows, row_blocks, take_rows
from tabcast.validation import Validation


@dataclass(frozen=True)
class TrainingData:
    """Everything `fit` was given, read and checked.

    Attributes
    ----------
    X : array or DataFrame
        All rows, labeled and unlabeled.
    labels : Labels
        Their classes.
    labeled, pool : ndarray of shape (n_labeled,) and (n_unlabeled,)
        Positions of the labeled and of the unlabeled rows.
    sample_weight : ndarray of shape (n_rows,) or None, default=None
        Weight of each row.
    row_params, other_params : mapping
        Fit parameters with one entry per row, and the others.
    validation : tuple (X, class indices) or None, default=None
        Labeled rows that the user set apart for evaluation.
    categorical_features : array-like or None, default=None
        What the user said about columns.

    See Also
    --------
    read_training_data : Makes it from what `fit` was given.
    """

    X: Any
    labels: Labels
    labeled: Index
    pool: Index
    sample_weight: Floats | None = None
    row_params: Mapping[str, Any] = field(default_factory=dict)
    other_params: Mapping[str, Any] = field(default_factory=dict)
    validation: tuple[Any, Index] | None = None
    categorical_features: ArrayLike | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels.classes)

    @property
    def is_large(self) -> bool:
        """Whether the unlabeled rows are too many to be copied without need, and are handled block by block."""
        return len(self.pool) > MANY_ROWS

    @property
    def X_pool(self) -> Any:
        """The unlabeled rows; where they are many, a new copy that is not kept."""
        return take_rows(self.X, self.pool) if self.is_large else self._few_rows

    @cached_property
    def _few_rows(self) -> Any:
        return take_rows(self.X, self.pool)

    @cached_property
    def categorical(self) -> Mask:
        """Mask of the categorical columns."""
        return find_categorical(self.X, self.categorical_features)

    def encoded(self, adaptation: Adaptation) -> TrainingData:
        """Encode the tables for an estimator.

        Parameters
        ----------
        adaptation : Adaptation
            What is encoded around the estimator.

        Returns
        -------
        TrainingData
            The same rows, with tables as the estimator takes them.
        """
        if adaptation.columns is None:
            return self
        validation = None if self.validation is None else (adaptation.encode(self.validation[0]), self.validation[1])
        return replace(self, X=adaptation.encode(self.X), validation=validation)

    def map_pool(self, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Apply a function that treats every row by itself to the unlabeled rows.

        Parameters
        ----------
        function : callable
            From a table to an array with one entry per row.

        Returns
        -------
        ndarray
            What the function returns for all unlabeled rows.
        """
        if not self.is_large:
            return function(self.X_pool)
        blocks = row_blocks(len(self.pool))
        return join_rows((function(take_rows(self.X, self.pool[rows])) for rows in blocks), len(self.pool))


@dataclass(frozen=True, eq=False)
class Split:
    """The labeled rows divided into rows that train and rows that are held out.

    Attributes
    ----------
    train : ndarray
        Positions of the training rows.
    held_out : tuple (X, class indices) or None, default=None
        The held-out rows, None where there are none.
    held_out_rows : ndarray
        Positions of the held-out rows where they are rows of the table.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    train: Index
    held_out: tuple[Any, Index] | None = None
    held_out_rows: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows train and the same rows are held out."""
        rows = np.sort(self.train).tobytes() + b"|" + np.sort(self.held_out_rows).tobytes()
        return blake2b(rows).digest()

    @property
    def y_held_out(self) -> Index:
        """Class indices of the held-out rows."""
        return np.empty(0, dtype=np.intp) if self.held_out is None else self.held_out[1]


def make_splits(data: TrainingData, validation: Validation, random_state: np.random.RandomState) -> list[Split]:
    """The splits of `validation`, or the one that `validation_data` makes."""
    if data.validation is not None:
        return [Split(data.labeled, data.validation)]
    codes = data.labels.codes[data.labeled]
    splits = []
    for train, held_out in validation.split(codes, random_state):
        if len(np.unique(codes[train])) < 2:
            raise ValueError(
                "A split of `validation` trains on one class only; use stratified splits or fewer of them."
            )
        splits.append(hold_out(data, data.labeled[train], data.labeled[held_out]))
    return splits


def hold_out(data: TrainingData, train: Index, rows: Index) -> Split:
    """A split that trains on some labeled rows and holds out others, both given by position."""
    held_out = (take_rows(data.X, rows), data.labels.codes[rows]) if len(rows) else None
    return Split(train, held_out, rows)
