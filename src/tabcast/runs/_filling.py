"""The filled table: labels where the model may be trusted, and the rows to label next, so that more can be filled."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions._rule import DecisionRule
from tabcast.diagnostics._rows import choose_apart, margin_uncertainty
from tabcast.guard._comparison import OutOfFold
from tabcast.runs._folder import FILLED, NEXT_ROWS
from tabcast.runs._predict import name_columns
from tabcast.runs._table import PreparedTable, unused_name
from tabcast.statistics._precision import (
    fewest_rows,
    labels_to_support,
    supported_precision,
    supported_threshold,
    threshold_grid,
)
from tabcast.table import Floats, Index
from tabcast.table._encoders import NormalScores

GIVEN, IS_FILLED, REVIEW = "given", "filled", "review"
CONFIDENCE = 0.9  # that the precision is reached
N_NEXT = 20
MOST_CANDIDATES = 500  # rows among which those to label next are chosen
MOST_AROUND = 2_000  # rows that stand for the whole pool
N_NEAREST = 10


@dataclass(frozen=True, eq=False)
class Guesses:
    """Predictions of some rows: the probability of the predicted class and its index."""

    confidence: Floats
    codes: Index

    @classmethod
    def of(cls, proba: Floats, codes: Index) -> Guesses:
        """From the probabilities of all classes."""
        return cls(proba[np.arange(len(codes)), codes], codes)


def fill_table(
    table: PreparedTable,
    predictions: pd.DataFrame,
    classes: NDArray[Any],
    rule: DecisionRule,
    held_out: OutOfFold,
    precision: float,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """The whole table with the labels that are good enough, the rows to label next, and the reasons as plain JSON."""
    rows = table.unlabeled
    label, columns = name_columns(classes, ["row", *table.identifiers.columns])
    proba = predictions[columns].to_numpy(dtype=float)
    pool = Guesses.of(proba, rule.decide(proba))
    filled, bound = choose_by_precision(
        Guesses.of(held_out.kept, held_out.kept_labels), held_out.codes, pool, precision
    )
    left = np.flatnonzero(~filled)
    edge = bound.get("threshold", np.nan)
    chosen = choose_next_rows(table.X.iloc[rows[left]], proba[left], pool.confidence[left], edge, seed=seed)
    next_rows = left[chosen]
    shown = predictions.iloc[next_rows][["row", *table.identifiers.columns, label]].reset_index(drop=True)
    shown[unused_name("probability", set(shown.columns))] = pool.confidence[next_rows]
    facts = {
        "precision": float(precision),
        "confidence": CONFIDENCE,
        "n_given": len(table.y) - len(rows),
        "n_filled": int(filled.sum()),
        "n_review": len(left),
        "share": float(filled.mean()) if len(rows) else 0.0,
        "n_held_out": len(held_out.rows),
        "n_next_rows": len(next_rows),
        "rule": "precision",
        "per_class": False,
        "stopped": False,
        "bounds": [{"class": None, **bound}],
        "history": [],
        "files": {"filled": FILLED, "next_rows": NEXT_ROWS},
    }
    return _assemble(table, predictions[label], pool.confidence, filled), shown, facts


def choose_by_precision(
    known: Guesses, truth: Index, pool: Guesses, precision: float, level: float = CONFIDENCE
) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Which rows have a confidence above the lowest one at which held-out rows show the precision, and the evidence."""
    right = known.codes == truth
    rows = np.flatnonzero(np.isin(pool.codes, np.unique(truth)))  # nothing is known of a class never held out
    grid = threshold_grid(pool.confidence[rows])
    filled = np.zeros(len(pool.codes), dtype=bool)
    found = supported_threshold(known.confidence, right, grid, precision, level)
    bound: dict[str, Any] = {
        "n_unlabeled": len(rows),
        "n_held_out": len(truth),
        "fewest": fewest_rows(precision, level),
    }
    if found is not None:
        filled[rows] = pool.confidence[rows] >= found.threshold
        bound |= found._asdict()
    elif len(rows):
        bound["best"] = supported_precision(known.confidence, right, grid, level)
        bound["more_labels"] = labels_to_support(known.confidence, right, grid, precision, level)
    return filled, {**bound, "n_filled": int(filled.sum())}


def choose_next_rows(X: Any, proba: Floats, confidence: Floats, edge: float, *, seed: int) -> Index:
    """Positions of up to 20 rows among some that were not filled, the most useful first.

    A row is worth more the closer its confidence comes to `edge`, from which on it would be filled; where that is NaN,
    the less certain it is. A chosen row lowers the worth of rows that are like it.
    """
    if not len(proba):
        return np.empty(0, dtype=np.intp)
    distance = 1 - margin_uncertainty(proba) if np.isnan(edge) else np.abs(edge - confidence)
    candidates = np.argsort(distance, kind="stable")[:MOST_CANDIDATES]
    around = np.sort(np.random.default_rng(seed).permutation(len(proba))[:MOST_AROUND])
    places = NormalScores().fit(X.iloc[around]).transform(X.iloc[candidates])
    scale = float(np.median(distance[candidates])) or 1.0
    chosen, _ = choose_apart(1 / (1 + distance[candidates] / scale), places, 2 * _typical_distance(places), N_NEXT)
    found: Index = candidates[chosen]
    return found


def warn_of_filled(table: PreparedTable) -> list[str]:
    """Sentences about a table that is itself a filled one: its predictions would count as labels."""
    frame = table.frame
    if not {"status", "probability"} <= set(frame.columns):
        return []
    status = frame["status"].astype(object)
    n_filled = int(((status == IS_FILLED) & ~pd.isna(table.y)).sum())
    if not n_filled or not set(status.dropna()) <= {GIVEN, IS_FILLED, REVIEW}:
        return []
    return [
        f"The table looks like a filled table: {n_filled:,} of its labels are predictions (status 'filled') and count "
        "as labels here, so that scores and bounds mean nothing; fit the original table with the labels added instead."
    ]


def _typical_distance(places: Floats) -> float:
    """Median distance to the tenth nearest row."""
    squares = (places**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * places @ places.T, 0.0)
    nearest = min(N_NEAREST, len(places) - 1)
    return float(np.sqrt(np.median(np.partition(distance, nearest, axis=1)[:, nearest])))


def _assemble(table: PreparedTable, labels: pd.Series[Any], confidence: Any, filled: Any) -> pd.DataFrame:
    """The table with the labels that are filled in, spelled as in the table, and two columns more."""
    target, rows = table.understanding.target, table.unlabeled
    cells = table.frame[target].astype(object).to_numpy(copy=True)
    labeled = np.flatnonzero(~pd.isna(table.y))
    counts: dict[Any, Counter[Any]] = {}
    for label, cell in zip(table.y[labeled], cells[labeled], strict=True):
        counts.setdefault(label, Counter())[cell] += 1
    spelling = {label: counter.most_common(1)[0][0] for label, counter in counts.items()}
    cells[rows[filled]] = [spelling[one] for one in labels[filled]]
    status = np.full(len(cells), GIVEN, dtype=object)
    status[rows] = np.where(filled, IS_FILLED, REVIEW)
    probability = np.full(len(cells), np.nan)
    probability[rows] = confidence
    taken = set(table.frame.columns)
    whole = table.frame.copy(deep=False)
    whole[target] = pd.Series(cells, index=whole.index, dtype=object)
    return whole.assign(**{unused_name("status", taken): status, unused_name("probability", taken): probability})
