"""The predictions of the model on the page: a preview, numbers per class, and where a threshold would divide them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.report._text import clean, shorten

MOST_ROWS = 12
MOST_IDENTIFIERS = 3
MAX_TEXT = 60
ROUNDING = 1e-7  # of probabilities in single precision


@dataclass(frozen=True)
class Preview:
    """The first predictions, as predictions.csv has them.

    `heads` are the names of the columns, `rows` their cells as text with the probability of the predicted class at the
    end, `codes` the positions of the predicted classes, `counts` the number of rows by predicted class, and `n` the
    number of all predictions.
    """

    heads: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    n: int = 0


def check_predictions(predictions: pd.DataFrame | None, n_classes: int) -> None:
    """Raise an error for a table that does not have the columns of predictions."""
    if predictions is not None and predictions.shape[1] < n_classes + 2:
        raise ValueError(
            "`predictions` of render_report must have the column `row`, a prediction, and one probability for each of "
            f"{n_classes} classes; it has the columns {', '.join(map(str, predictions.columns))}."
        )


def make_preview(predictions: pd.DataFrame | None, classes: Sequence[Any]) -> Preview:
    """The first rows of the predictions, and how many rows each class is predicted for."""
    if predictions is None or predictions.empty:
        return Preview()
    names = [clean(one) for one in classes]
    label, proba = _split(predictions, len(names))
    labels = [clean(one) for one in predictions.iloc[:MOST_ROWS, label]]
    places_of, levels = _clean_levels(predictions.iloc[:, label])
    found = pd.Series(np.bincount(places_of, minlength=len(levels)), index=levels).sort_values(ascending=False)
    counts = {name: int(found.get(name, 0)) for name in dict.fromkeys([*names, *found.index])}
    identifiers = list(range(1, min(label, 1 + MOST_IDENTIFIERS)))
    first = predictions.iloc[:MOST_ROWS]
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    codes = [places.get(one, len(names)) for one in labels]
    values = first.iloc[:, proba].to_numpy(dtype=float)
    own = [float(line[code]) if code < len(names) else float("nan") for line, code in zip(values, codes, strict=True)]
    rows = [
        [clean(first.iloc[place, 0]), *(shorten(first.iloc[place, column], MAX_TEXT) for column in identifiers)]
        for place in range(len(first))
    ]
    heads = ["row", *(clean(predictions.columns[column]) for column in identifiers)]
    return Preview(heads, rows, own, codes, counts, len(predictions))


def count_reaching(predictions: pd.DataFrame | None, thresholds: Sequence[float]) -> list[int] | None:
    """Number of unlabeled rows whose probability of the second of two classes reaches each threshold."""
    if predictions is None or predictions.empty:
        return None
    scores = np.sort(predictions.iloc[:, -1].to_numpy(dtype=float))
    below = np.searchsorted(scores, np.asarray(thresholds, dtype=float) - ROUNDING, side="left")
    return [int(one) for one in len(scores) - below]


def count_differences(predictions: pd.DataFrame | None, pseudo_labels: pd.DataFrame, n_classes: int) -> int | None:
    """Number of rows whose pseudo-label is not what the model predicts."""
    if predictions is None or predictions.empty or pseudo_labels.empty:
        return None
    label, _ = _split(predictions, n_classes)
    where = pd.Index(predictions.iloc[:, 0]).get_indexer(pseudo_labels["row"])
    predicted, names = _clean_levels(predictions.iloc[where[where >= 0], label])
    given, others = _clean_levels(pseudo_labels.loc[where >= 0, "label"])
    places = {name: place for place, name in enumerate(others)}
    return int((np.array([places.get(name, -1) for name in names])[predicted] != given).sum())


def _clean_levels(column: pd.Series) -> tuple[NDArray[np.intp], list[str]]:
    """The position of each cell among the different texts of a column, and these."""
    codes, levels = pd.factorize(column.astype(object), use_na_sentinel=False)
    places, names = pd.factorize(np.array([clean(one) for one in levels], dtype=object))
    return places[codes].astype(np.intp), list(names)


def _split(predictions: pd.DataFrame, n_classes: int) -> tuple[int, list[int]]:
    """Positions of the column of predictions and of those of probabilities, which come last."""
    n = predictions.shape[1]
    return n - n_classes - 1, list(range(n - n_classes, n))
