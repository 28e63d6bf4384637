"""What calibrators share: probabilities checked, their logarithms, rows that sum to 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from tabcast.confidence._base import Confidence
from tabcast.table import Floats, Index

ROUNDING = 1e-6  # what single precision may add to a probability of 1


def log_probabilities(proba: Floats, floor: float = float(np.finfo(np.float64).eps)) -> Floats:
    """Logarithms that stay finite: a probability below `floor` counts as `floor`."""
    return np.log(np.clip(proba, floor, 1.0))


def normalize_rows(values: Floats, proba: Floats) -> Floats:
    """Rows that sum to 1; a row without any weight becomes what it was in `proba`, made to sum to 1."""
    empty = values.sum(axis=1) <= 0
    values = np.where(empty[:, None], np.where(proba.sum(axis=1, keepdims=True) > 0, proba, 1.0), values)
    return values / values.sum(axis=1, keepdims=True)


def check_calibrated(part: Confidence, attribute: str) -> None:
    """A calibrator that was asked before it was taught says so."""
    if not hasattr(part, attribute):
        raise NotFittedError(f"{type(part).__name__} is not calibrated yet: call `calibrate` on held-out rows first.")


def check_proba(proba: Any, owner: str, n_classes: int | None = None) -> Floats:
    """Probabilities as a table of numbers from 0 to 1, with the number of columns seen in calibration."""
    table = np.asarray(proba, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"`proba` of {owner} must have shape (n_rows, n_classes); got {table.shape}.")
    if n_classes is not None and table.shape[1] != n_classes:
        raise ValueError(
            f"`proba` of {owner} must have the {n_classes} columns it was calibrated with; got {table.shape[1]}."
        )
    wrong = ~((table >= 0) & (table <= 1 + ROUNDING))
    if wrong.any():
        raise ValueError(f"`proba` of {owner} must hold numbers in [0, 1]; got {table[wrong][0]}.")
    return np.minimum(table, 1.0)


def check_held_out(proba: Any, y: Any, owner: str) -> tuple[Floats, Index]:
    """Probabilities of held-out rows and the index of their class, at least one row."""
    table = check_proba(proba, owner)
    index = np.asarray(y)
    if len(table) == 0:
        raise ValueError(f"{owner} needs at least one held-out row to calibrate; `proba` has none.")
    if index.shape != (len(table),):
        raise ValueError(f"`y` of {owner} must hold one class index for each of {len(table)} rows; got {index.shape}.")
    if index.dtype.kind not in "iu" or index.min() < 0 or index.max() >= table.shape[1]:
        strange = [one for one in np.unique(index).tolist() if one not in range(table.shape[1])]
        raise ValueError(
            f"`y` of {owner} must hold class indices, integers from 0 to {table.shape[1] - 1}; "
            f"got {strange[0] if strange else index.dtype.name!r}."
        )
    return table, index.astype(np.intp)
