"""What a round adds to the labeled rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from tabcast.table import Floats, Index, Mask


@dataclass(frozen=True)
class PseudoLabels:
    """The pseudo-labels of one round; all arrays have one entry per unlabeled row.

    Attributes
    ----------
    labels : ndarray of int
        Class index.
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
    """

    labels: Index
    raw_labels: Index
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
        no_class, nothing = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows)
        return cls(no_class, no_class, np.zeros(n_rows, dtype=bool), nothing, nothing, nothing)

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
        digest = blake2b(np.packbits(self.chosen).tobytes())
        digest.update(self.labels[self.chosen].tobytes())
        digest.update(self.weight[self.chosen].tobytes())
        if self.soft is not None:
            digest.update(self.soft[self.chosen].tobytes())
            digest.update(repr(float(self.power)).encode())
        return digest.digest()
