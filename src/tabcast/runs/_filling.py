"""The filled table: labels where the model may be trusted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions._rule import DecisionRule
from tabcast.guard._comparison import OutOfFold
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

GIVEN, IS_FILLED, REVIEW = "given", "filled", "review"
CONFIDENCE = 0.9  # that the precision is reached


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
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The whole table with the labels that are good enough, and the reasons as plain JSON."""
    rows = table.unlabeled
    label, columns = name_columns(classes, ["row", *table.identifiers.columns])
    proba = predictions[columns].to_numpy(dtype=float)
    pool = Guesses.of(proba, rule.decide(proba))
    filled, bound = choose_by_precision(
        Guesses.of(held_out.kept, held_out.kept_labels), held_out.codes, pool, precision
    )
    most = int(np.bincount(held_out.codes).argmax())
    facts = {
        "precision": float(precision),
        "confidence": CONFIDENCE,
        "n_given": len(table.y) - len(rows),
        "n_filled": int(filled.sum()),
        "n_review": int((~filled).sum()),
        "share": float(filled.mean()) if len(rows) else 0.0,
        "per_class": [
            {"name": str(name), "n_filled": int(filled[pool.codes == code].sum()), "n": int((pool.codes == code).sum())}
            for code, name in enumerate(classes)
        ],
        "constant": str(classes[most]),
        **bound,
    }
    return _assemble(table, predictions[label], pool.confidence, filled), facts


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
        above = truth[known.confidence >= found.threshold]
        bound |= found._asdict() | {"constant_precision": float((above == np.bincount(truth).argmax()).mean())}
    elif len(rows):
        bound["best"] = supported_precision(known.confidence, right, grid, level)
        bound["more_labels"] = labels_to_support(known.confidence, right, grid, precision, level)
    return filled, bound


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
