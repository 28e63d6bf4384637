"""Which predictions are good enough to be filled in: by a precision that is to be reached, or by what errors cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabcast.confidence import TemperatureScaling
from tabcast.guard import OutOfFold
from tabcast.runs._fill_costs import FillCosts
from tabcast.statistics import (
    fewest_rows,
    labels_to_support,
    supported_precision,
    supported_threshold,
    threshold_grid,
)
from tabcast.table import Floats, Index

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Guesses:
    """Predictions of some rows: the probabilities of all classes, and the index of the predicted one."""

    proba: Floats
    codes: Index

    @property
    def confidence(self) -> Floats:
        """Probability of the predicted class."""
        found: Floats = self.proba[np.arange(len(self.codes)), self.codes]
        return found

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of labeled rows from models that were not trained on them, and the true classes."""

    guesses: Guesses
    truth: Index

    @property
    def right(self) -> Mask:
        """Which predictions are correct."""
        found: Mask = self.guesses.codes == self.truth
        return found

    @classmethod
    def of(cls, found: OutOfFold | None, n_classes: int) -> HeldOut:
        """What a run knows; nothing if no row was held out."""
        if found is None:
            return cls(Guesses(np.empty((0, n_classes)), np.empty(0, dtype=np.intp)), np.empty(0, dtype=np.intp))
        return cls(Guesses(found.kept, found.kept_labels), found.codes)


@dataclass(frozen=True, eq=False)
class Choice:
    """Which rows are filled, and why.

    Parameters
    ----------
    filled : ndarray of bool
        One entry per unlabeled row.
    edge : ndarray
        For each unlabeled row the confidence from which on it would be filled; NaN where no confidence suffices.
    facts : dict
        The reasons, plain JSON.
    """

    filled: Mask
    edge: Floats
    facts: dict[str, Any]


def choose_by_precision(
    held_out: HeldOut, pool: Guesses, classes: Sequence[Any], precision: float, level: float, *, per_class: bool
) -> Choice:
    """Fill the rows above the lowest confidence at which held-out rows show the precision, for each class if wanted."""
    filled, edge, bounds = np.zeros(len(pool), dtype=bool), np.full(len(pool), np.nan), []
    known = np.isin(pool.codes, np.unique(held_out.truth))  # nothing is known about a class that was never held out
    for code in range(len(classes)) if per_class else [None]:
        rows = np.flatnonzero(known & (True if code is None else pool.codes == code))
        evidence = np.flatnonzero(
            np.ones(len(held_out.truth), bool) if code is None else held_out.guesses.codes == code
        )
        confidence, right = held_out.guesses.confidence[evidence], held_out.right[evidence]
        grid = threshold_grid(pool.confidence[rows])
        found = supported_threshold(confidence, right, grid, precision, level)
        fact: dict[str, Any] = {
            "class": None if code is None else str(classes[code]),
            "n_unlabeled": len(rows),
            "n_held_out": len(evidence),
            "fewest": fewest_rows(precision, level),
        }
        if found is not None:
            filled[rows] = pool.confidence[rows] >= found.threshold
            edge[rows] = found.threshold
            fact |= found._asdict()
        elif len(rows):
            fact["best"] = supported_precision(confidence, right, grid, level)
            fact["more_labels"] = _more_labels(held_out, evidence, grid, precision, level)
        bounds.append({**fact, "n_filled": int(filled[rows].sum())})
    return Choice(filled, edge, {"bounds": bounds})


def _predicted(guesses: Guesses, code: int | None) -> Mask:
    """Which rows are predicted as a class; None: as any."""
    return np.ones(len(guesses), dtype=bool) if code is None else guesses.codes == code


def _more_labels(held_out: HeldOut, evidence: Index, grid: Floats, precision: float, level: float) -> int | None:
    """About how many more labels would do; of a class, as many times more as it has rows among the held-out ones."""
    confidence, right = held_out.guesses.confidence[evidence], held_out.right[evidence]
    more = labels_to_support(confidence, right, grid, precision, level)
    return None if more is None else int(np.ceil(more * len(held_out.truth) / len(evidence)))


def choose_by_cost(held_out: HeldOut, pool: Guesses, classes: Sequence[Any], costs: FillCosts) -> Choice:
    """Fill the rows whose expected error costs less than a review, by probabilities calibrated on held-out rows.

    The temperature is at least 1: few labels may be predicted correctly by chance, which must not make the model more
    certain than it is.
    """
    matrix = costs.matrix(classes)
    known = np.isin(pool.codes, np.unique(held_out.truth))
    if not len(held_out.truth):
        return Choice(np.zeros(len(pool), dtype=bool), np.full(len(pool), np.nan), {"cost": costs.to_dict()})
    scaling = TemperatureScaling().calibrate(held_out.guesses.proba, held_out.truth)
    scaling.temperature_ = max(scaling.temperature_, 1.0)
    expected = _expect(scaling.adjust(pool.proba) if len(pool) else pool.proba, pool.codes, matrix)
    filled = known & (expected < costs.review)
    tried = _expect(scaling.adjust(held_out.guesses.proba), held_out.guesses.codes, matrix) < costs.review
    paid = np.where(tried, matrix[held_out.truth, held_out.guesses.codes], costs.review)
    facts = {
        **costs.to_dict(),
        "temperature": float(scaling.temperature_),
        "expected": float(expected[filled].mean()) if filled.any() else None,
        "n_held_out": len(tried),
        "n_rows": int(tried.sum()),
        "n_right": int((tried & held_out.right).sum()),
        "paid": float(paid.mean()),
    }
    lowest = pool.confidence[filled].min(initial=np.inf)
    return Choice(filled, np.where(known & np.isfinite(lowest), lowest, np.nan), {"cost": facts})


def _expect(proba: Floats, codes: Index, matrix: Floats) -> Floats:
    """Expected cost of each prediction."""
    found: Floats = (proba * matrix[:, codes].T).sum(axis=1)
    return found
