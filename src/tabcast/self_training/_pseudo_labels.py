"""What a round adds to the labeled rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.table import MANY_ROWS, Floats, Index, Mask, map_rows


def narrow(labels: Index, n_classes: int) -> NDArray[np.integer[Any]]:
    """Class indices in the smallest signed integers that hold them: candidates in step have many of them."""
    return labels.astype(np.min_scalar_type(-max(n_classes, 1)))


def entries_of(values: Floats, labels: NDArray[np.integer[Any]]) -> Floats:
    """For each row the entry of its label."""
    return map_rows(lambda block, of: block[np.arange(len(of)), of], values, labels)


def share_constant(values: Floats) -> Floats:
    """A long array whose entries are all equal, as one number in memory; another one as it is."""
    if len(values) <= MANY_ROWS or (values != values[0]).any():
        return values
    return np.broadcast_to(values[0], len(values))


@dataclass(frozen=True)
class PseudoLabels:
    """The pseudo-labels of one round; all arrays have one entry per unlabeled row.

    Attributes
    ----------
    labels : ndarray of int
        Class index, in a type as small as the number of classes allows.
    raw_labels : ndarray of int
        Class index that the classifier alone would predict.
    chosen : ndarray of bool
        Whether the row is used.
    confidence, raw_confidence : ndarray of float
        Confidence in `labels`, after and before adjusting.
    weight : ndarray of float
        Weight of a chosen row, where a labeled row weighs 1.
    soft : ndarray of shape (n_unlabeled, n_classes) or None, default=None
        Proportions of the classes in a row. None: the row belongs to its label alone.
    required : ndarray of shape (n_classes,) or None, default=None
        Confidence that the strategy required of each class. None: it selects by rank, or everything.
    power : float, default=1.0
        The power that probabilities of a classifier trained on them are raised to; 1 leaves them as they are.

    See Also
    --------
    run_method : Runs a method on a table.
    """

    labels: NDArray[np.integer[Any]]
    raw_labels: NDArray[np.integer[Any]]
    chosen: Mask
    confidence: Floats
    raw_confidence: Floats
    weight: Floats
    soft: Floats | None = None
    required: Floats | None = None
    power: float = 1.0

    @classmethod
    def none(cls, n_rows: int) -> PseudoLabels:
        """Make pseudo-labels that use no row: the supervised model.

        Parameters
        ----------
        n_rows : int
            Number of unlabeled rows.

        Returns
        -------
        PseudoLabels
            Nothing chosen.
        """
        no_class, nothing = np.broadcast_to(np.int8(0), n_rows), np.broadcast_to(0.0, n_rows)
        return cls(no_class, no_class, np.broadcast_to(np.False_, n_rows), nothing, nothing, nothing)

    def without_reasons(self) -> PseudoLabels:
        """Drop what training does not need: the labels of the classifier alone, and confidences.

        Returns
        -------
        PseudoLabels
            The same rows, labels and weights.
        """
        return replace(self, raw_labels=self.labels[:0], confidence=self.weight[:0], raw_confidence=self.weight[:0])

    @property
    def is_supervised(self) -> bool:
        """Whether no row is used."""
        return not self.chosen.any()

    def class_counts(self, n_classes: int) -> Floats:
        """Count the rows in use per class; a row with soft labels counts in proportion.

        Parameters
        ----------
        n_classes : int
            Number of classes.

        Returns
        -------
        ndarray of shape (n_classes,)
            The counts.
        """
        if self.soft is not None:
            return self.soft[self.chosen].sum(axis=0)
        return np.bincount(self.labels[self.chosen], minlength=n_classes).astype(float)

    def count_changes(self, before: PseudoLabels) -> int:
        """Count the rows that came, went or changed their label.

        Parameters
        ----------
        before : PseudoLabels
            Those of the previous round.

        Returns
        -------
        int
            Number of rows.
        """
        both = before.chosen & self.chosen
        return int(((before.chosen != self.chosen) | (both & (before.labels != self.labels))).sum())

    @cached_property
    def key(self) -> bytes:
        """Equal exactly if the same rows are used with the same labels and weights."""
        digest = blake2b(np.packbits(self.chosen).data)
        rows: Mask | slice = slice(None) if self.chosen.all() else self.chosen
        digest.update(np.ascontiguousarray(self.labels[rows]).data)
        weight = self.weight[rows]
        digest.update(np.ascontiguousarray(weight[:1] if (weight == weight[:1]).all() else weight).data)
        if self.soft is not None:
            digest.update(np.ascontiguousarray(self.soft[rows]).data)
            digest.update(repr(float(self.power)).encode())
        return digest.digest()
