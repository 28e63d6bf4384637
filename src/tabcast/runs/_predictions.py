"""Predictions as a table: what names a row, its label, and one probability per class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.decisions import DecisionRule

LABEL = "prediction"
PROBABILITY = "probability_"
LONGEST_NAME = 80
BLOCK = 100_000  # rows that are predicted at a time


def tabulate_predictions(
    model: Any, rule: DecisionRule, features: pd.DataFrame, rows: NDArray[np.intp], identifiers: pd.DataFrame
) -> pd.DataFrame:
    """Row number, identifiers, the class that the rule decides for, and probabilities of some rows of a table.

    Rows are predicted in blocks, so that memory for encoded rows does not grow with the table.
    """
    classes = model.classes_
    blocks = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]
    probas = [np.asarray(model.predict_proba(_take(features, block))) for block in blocks]
    proba = np.concatenate(probas) if probas else np.empty((0, len(classes)))
    label, probabilities = name_columns(classes, ["row", *identifiers.columns])
    named = {name: _take(identifiers[[name]], rows)[name].array for name in identifiers.columns}
    columns: dict[str, Any] = {"row": rows, **named}
    columns[label] = classes[rule.decide(proba)] if len(rows) else np.empty(0, dtype=object)
    return pd.DataFrame({**columns, **dict(zip(probabilities, proba.T, strict=True))})


def _take(frame: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    """Some rows of a table; the table itself where these are all of them, in order."""
    if len(rows) == len(frame) and np.array_equal(rows, np.arange(len(frame))):
        return frame
    return frame.iloc[rows]


def name_columns(classes: Iterable[Any], taken: Iterable[str] = ()) -> tuple[str, list[str]]:
    """Name the column of labels and those of probabilities, printable and different from all others.

    Parameters
    ----------
    classes : iterable
        The classes, in the order of the columns of `predict_proba`.
    taken : iterable of str, default=()
        Names of other columns in the same table.

    Returns
    -------
    label : str
        Name of the column of labels.
    probabilities : list of str
        Names of the columns of probabilities, one per class.

    Examples
    --------
    >>> from tabcast.runs import name_columns
    >>> name_columns(["yes", "no"], taken=["prediction"])
    ('prediction_2', ['probability_yes', 'probability_no'])
    """
    used = set(taken)
    label = unused_name(LABEL, used)
    names = []
    for position, one in enumerate(classes, start=1):
        printable = "".join(character if character.isprintable() else " " for character in str(one))
        names.append(unused_name(PROBABILITY + (" ".join(printable.split())[:LONGEST_NAME] or str(position)), used))
    return label, names


def unused_name(name: str, used: set[str]) -> str:
    """The name, with a number behind it where it is taken already; from now on it is taken."""
    chosen, number = name, 1
    while chosen in used:
        number += 1
        chosen = f"{name}_{number}"
    used.add(chosen)
    return chosen
