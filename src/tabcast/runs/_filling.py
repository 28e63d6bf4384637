"""The filled table: every row of the table, with a label where one was given or where the model may be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabcast.runs._fill_costs import read_costs
from tabcast.runs._fill_rules import Choice, Guesses, HeldOut, choose_by_cost, choose_by_precision
from tabcast.runs._folder import FILLED, NEXT_ROWS
from tabcast.runs._history import describe_run
from tabcast.runs._next_rows import choose_next_rows
from tabcast.runs._options import RunOptions
from tabcast.runs._predictions import name_columns, unused_name
from tabcast.runs._prepared_table import PreparedTable
from tabcast.runs._training import Trained

GIVEN, IS_FILLED, REVIEW = "given", "filled", "review"


@dataclass(frozen=True, eq=False)
class Filling:
    """A filled table with its reasons.

    Parameters
    ----------
    filled : DataFrame
        The whole table, and the columns `status` and `probability`.
    next_rows : DataFrame
        The rows to label next.
    summary : dict
        How many rows were filled and why, plain JSON.
    """

    filled: pd.DataFrame
    next_rows: pd.DataFrame
    summary: dict[str, Any]


def fill_table(
    table: PreparedTable,
    trained: Trained,
    options: RunOptions,
    predictions: pd.DataFrame,
    summary: Mapping[str, Any],
    history: list[dict[str, Any]],
) -> Filling:
    """Fill the rows whose predictions are good enough, by the precision or the costs in the options."""
    classes, rows = trained.model.classes_, table.unlabeled
    label, columns = name_columns(classes, ["row", *table.identifiers.columns])
    proba = predictions[columns].to_numpy(dtype=float)
    pool = Guesses(proba, trained.decision.decide(proba))
    choice = _choose(HeldOut.of(trained.out_of_fold, len(classes)), pool, classes.tolist(), options)
    left = np.flatnonzero(~choice.filled)
    next_rows = left[
        choose_next_rows(
            table.X.iloc[rows[left]], proba[left], pool.confidence[left], choice.edge[left], seed=options.random_state
        )
    ]
    facts = {
        "rule": "precision" if options.cost is None else "cost",
        "precision": None if options.precision is None else float(options.precision),
        "confidence": float(options.precision_confidence),
        "per_class": bool(options.per_class),
        "n_given": len(table.y) - len(rows),
        "n_filled": int(choice.filled.sum()),
        "n_review": len(left),
        "share": float(choice.filled.mean()) if len(rows) else 0.0,
        "n_held_out": 0 if trained.out_of_fold is None else len(trained.out_of_fold.rows),
        "stopped": trained.guarded is not None and trained.guarded.verdict_.stopped,
        "n_next_rows": len(next_rows),
        "files": {"filled": FILLED, "next_rows": NEXT_ROWS},
        **choice.facts,
    }
    facts["history"] = [*history, describe_run(summary, facts)]
    shown = predictions.iloc[next_rows][["row", *table.identifiers.columns, label]].reset_index(drop=True)
    shown[unused_name("probability", set(shown.columns))] = pool.confidence[next_rows]
    return Filling(_assemble(table, predictions[label], pool.confidence, choice.filled), shown, facts)


def warn_of_filled(table: PreparedTable) -> list[str]:
    """Sentences about a table that is itself a filled one: its predictions would count as labels."""
    frame = table.frame
    if not {"status", "probability"} <= set(frame.columns):
        return []
    status = frame["status"].astype(object)
    if not set(status.dropna()) <= {GIVEN, IS_FILLED, REVIEW}:
        return []
    n_filled = int(((status == IS_FILLED) & ~pd.isna(table.y)).sum())
    if not n_filled:
        return []
    return [
        f"The table looks like a filled table: {n_filled:,} of its labels are predictions (status 'filled') and count "
        "as labels here, so that scores and bounds mean nothing; fit the original table with the labels added instead."
    ]


def _choose(held_out: HeldOut, pool: Guesses, classes: list[Any], options: RunOptions) -> Choice:
    """Which rows are filled."""
    if options.cost is not None:
        return choose_by_cost(held_out, pool, classes, read_costs(options.cost))
    assert options.precision is not None
    level, per_class = options.precision_confidence, options.per_class
    return choose_by_precision(held_out, pool, classes, options.precision, level, per_class=per_class)


def _assemble(table: PreparedTable, labels: pd.Series[Any], confidence: Any, filled: Any) -> pd.DataFrame:
    """The table with the labels that are filled in, spelled as in the table, and two columns more."""
    target, rows = table.understanding.target, table.unlabeled
    cells = table.frame[target].astype(object).to_numpy(copy=True)
    spelling = _spelling(table)
    cells[rows[filled]] = [spelling[one] for one in labels[filled]]
    status = np.full(len(cells), GIVEN, dtype=object)
    status[rows] = np.where(filled, IS_FILLED, REVIEW)
    probability = np.full(len(cells), np.nan)
    probability[rows] = confidence
    taken = set(table.frame.columns)
    whole = table.frame.copy(deep=False)
    whole[target] = pd.Series(cells, index=whole.index, dtype=object)
    return whole.assign(**{unused_name("status", taken): status, unused_name("probability", taken): probability})


def _spelling(table: PreparedTable) -> dict[Any, Any]:
    """How each class is written in the table, most often."""
    labeled = np.flatnonzero(~pd.isna(table.y))
    cells = table.frame[table.understanding.target].iloc[labeled].astype(object)
    counts: dict[Any, Counter[Any]] = {}
    for label, cell in zip(table.y[labeled], cells, strict=True):
        counts.setdefault(label, Counter())[cell] += 1
    return {label: counter.most_common(1)[0][0] for label, counter in counts.items()}
