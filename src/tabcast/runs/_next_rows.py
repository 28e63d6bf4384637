"""The rows to label next, so that more of the table can be filled: close to being filled, and unlike one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabcast.diagnostics._rows_to_label import choose_apart, margin_uncertainty
from tabcast.table import Floats, Index, NormalScores, take_rows

COUNT = 20
MOST_CANDIDATES = 500  # rows among which is chosen
MOST_AROUND = 2_000  # rows that stand for the whole pool
N_NEAREST = 10


def choose_next_rows(X: Any, proba: Floats, confidence: Floats, edge: Floats, *, seed: int) -> Index:
    """Positions of up to 20 rows among some that were not filled, the most useful first.

    A row is worth more the closer its confidence comes to `edge`, from which on it would be filled; where that is NaN
    everywhere, the less certain it is. A chosen row lowers the worth of rows that are like it.
    """
    if not len(proba):
        return np.empty(0, dtype=np.intp)
    distance = np.abs(edge - confidence)
    if np.isnan(distance).all():
        distance = 1 - margin_uncertainty(proba)
    distance = np.where(np.isnan(distance), np.nanmax(distance), distance)
    candidates = np.argsort(distance, kind="stable")[:MOST_CANDIDATES]
    random = np.random.default_rng(seed)
    around = np.sort(random.permutation(len(proba))[:MOST_AROUND])
    places = NormalScores().fit(take_rows(X, around)).transform(take_rows(X, candidates))
    scale = float(np.median(distance[candidates])) or 1.0
    chosen, _ = choose_apart(1 / (1 + distance[candidates] / scale), places, 2 * _typical_distance(places), COUNT)
    found: Index = candidates[chosen]
    return found


def _typical_distance(places: Floats) -> float:
    """Median distance to the tenth nearest row."""
    squares = (places**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * places @ places.T, 0.0)
    nearest = min(N_NEAREST, len(places) - 1)
    return float(np.sqrt(np.median(np.partition(distance, nearest, axis=1)[:, nearest])))
