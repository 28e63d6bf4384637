"""The facts of a page as plain data: what the summary does not say by itself, and what could make the answer wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tabcast.plots._figure import clean, shorten

Data = Mapping[str, Any]

MOST_ROWS = 5  # of the predictions
MOST_IDENTIFIERS = 3
MOST_CLASSES = 12
MOST_CAVEATS = 5  # about invisible characters


def collect(summary: Data, pseudo_labels: pd.DataFrame, predictions: pd.DataFrame | None) -> dict[str, Any]:
    """The facts of a page, beside the summary itself."""
    classes = [clean(one["name"]) for one in summary["table"]["classes"]]
    diagnostics = summary.get("diagnostics") or {}
    return {
        "summary": summary,
        "table": summary["table"],
        "verdict": summary.get("verdict"),
        "training": summary.get("training") or {},
        "diagnostics": diagnostics,
        "caveats": [*_find_invisible(summary["table"]), *summary.get("warnings", [])],
        "per_class": _choose_classes(diagnostics.get("quality")),
        "leaks": [one for one in summary["table"]["columns"] if one.get("leak")],
        "predictions": _preview(predictions, classes),
        "n_used": int(pseudo_labels["selected"].sum()),
    }


def _find_invisible(table: Data) -> list[str]:
    """Names with invisible characters: two of them may look the same."""
    found = []
    for what, names in (("class", table["classes"]), ("column", table["columns"])):
        for one in names:
            hidden = {sign for sign in str(one["name"]) if unicodedata.category(sign) in ("Cf", "Cc")}
            if codes := [f"U+{ord(sign):04X}" for sign in sorted(hidden - {"\t", "\n", "\r"})]:
                found.append(f"The {what} {shorten(one['name'])!r} has invisible characters: {', '.join(codes)}.")
    more = [f"Further names with invisible characters: {len(found) - MOST_CAVEATS}."]
    return found if len(found) <= MOST_CAVEATS else [*found[:MOST_CAVEATS], *more]


def _choose_classes(quality: Data | None) -> list[Data]:
    """Classes with a held-out row; of many, those that are found least often."""
    known = [one for one in (quality or {"per_class": []})["per_class"] if one["recall"] is not None]
    return known if len(known) <= MOST_CLASSES else sorted(known, key=lambda one: one["recall"])[:MOST_CLASSES]


def _preview(predictions: pd.DataFrame | None, classes: Sequence[str]) -> dict[str, Any] | None:
    """The first predictions with the columns that identify them, and the number of rows per predicted class."""
    if predictions is None or predictions.empty:
        return None
    label = predictions.shape[1] - len(classes) - 1  # the prediction, followed by one probability per class
    first = predictions.iloc[:MOST_ROWS]
    shown = [0, *range(1, min(label, 1 + MOST_IDENTIFIERS)), label]
    # The decision need not be the most probable class. Classes are text, 1.0 as well as 1.
    places = {name: place for place, name in enumerate(classes)}
    codes = [places.get(str(one), places.get(clean(one), -1)) for one in first.iloc[:, label]]
    probabilities = first.iloc[:, label + 1 :].to_numpy(dtype=float)[np.arange(len(first)), codes]
    counts = predictions.iloc[:, label].astype(object).map(clean).value_counts()
    return {
        "heads": [clean(predictions.columns[one]) for one in shown],
        "rows": [[clean(first.iloc[row, one]) for one in shown] for row in range(len(first))],
        "probabilities": probabilities.tolist(),
        "counts": [(str(name), int(n)) for name, n in counts.items()],
        "n": len(predictions),
    }
