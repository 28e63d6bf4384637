"""The facts of a page as plain data: what the summary does not say by itself, and what could make the answer wrong."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files._write import guard_text
from tabcast.plots._figure import clean, shorten

Data = Mapping[str, Any]

COLUMNS = ("row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round")
MOST_ROWS = 8  # of the predictions
MOST_IDENTIFIERS = 3
MOST_CLASSES = 12
MOST_CAVEATS = 5  # about invisible characters
MAX_COLUMNS = 40
MAX_TEXT = 160


def collect(
    summary: Data, pseudo_labels: pd.DataFrame, table: pd.DataFrame | None, predictions: pd.DataFrame | None
) -> dict[str, Any]:
    """The facts of a page, beside the summary itself."""
    _check(summary, pseudo_labels, table, predictions)
    classes = [clean(one["name"]) for one in summary["table"]["classes"]]
    diagnostics = summary.get("diagnostics") or {}
    rows = (diagnostics.get("rows_to_label") or {"rows": []})["rows"]
    return {
        "summary": summary,
        "table": summary["table"],
        "verdict": summary.get("verdict"),
        "training": summary.get("training") or {},
        "diagnostics": diagnostics,
        "caveats": [*_find_invisible(summary["table"]), *summary.get("warnings", [])],
        "per_class": _choose_classes(diagnostics.get("quality")),
        "thresholds": _choose_thresholds(diagnostics.get("thresholds")),
        "leaks": [one for one in summary["table"]["columns"] if one.get("leak")],
        "predictions": _preview(predictions, classes),
        "n_used": int(pseudo_labels["selected"].sum()),
        "csv": write_csv(summary["table"]["target"], rows, _find_values(pseudo_labels, table, rows)) if rows else [],
    }


def _check(
    summary: Data, pseudo_labels: pd.DataFrame, table: pd.DataFrame | None, predictions: pd.DataFrame | None
) -> None:
    """Raise an error for tables that do not belong together."""
    missing = [name for name in COLUMNS if name not in pseudo_labels.columns]
    if missing:
        raise ValueError(
            f"`pseudo_labels` of render_report must have the columns {', '.join(COLUMNS)}; not found: "
            f"{', '.join(missing)}."
        )
    if table is not None and len(pseudo_labels) and len(table) != len(pseudo_labels):
        last = int(pseudo_labels["row"].max())
        if last >= len(table):
            raise ValueError(
                f"`table` of render_report must have one row for each of {len(pseudo_labels)} pseudo-labels, or for "
                f"each row up to {last}; it has {len(table)}."
            )
    n_classes = len(summary["table"]["classes"])
    if predictions is not None and predictions.shape[1] < n_classes + 2:
        raise ValueError(
            "`predictions` of render_report must have the column `row`, a prediction, and one probability for each of "
            f"{n_classes} classes; it has the columns {', '.join(map(str, predictions.columns))}."
        )


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


def _choose_thresholds(data: Data | None) -> list[dict[str, Any]]:
    """A few thresholds with their counts, the one in use among them."""
    if not data:
        return []
    found = []
    for threshold in sorted({0.1, 0.25, 0.5, 0.75, 0.9, data["in_use"]}):
        one = next((row for row in data["counts"] if row["threshold"] >= threshold - 1e-6), data["counts"][-1])
        found.append({**one, "threshold": threshold, "used": threshold == data["in_use"]})
    return found


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


def _find_values(
    pseudo_labels: pd.DataFrame, table: pd.DataFrame | None, rows: Sequence[Data]
) -> dict[int, list[tuple[str, str]]]:
    """Names and values of a few rows as text, by their number."""
    if table is None:
        return {}
    numbers = pseudo_labels["row"].to_numpy()
    # A table of the unlabeled rows alone is in the order of the pseudo-labels; one of all rows, by number.
    places = np.arange(len(table)) if len(table) == len(numbers) else numbers.astype(np.intp)
    found = {}
    for position in np.flatnonzero(np.isin(numbers, [one["row"] for one in rows])):
        values = table.iloc[places[position], :MAX_COLUMNS]
        found[int(numbers[position])] = [(clean(name), _show(value)) for name, value in values.items()]
    return found


def _show(value: Any) -> str:
    """A cell as text."""
    if pd.isna(value):
        return ""
    if isinstance(value, float | np.floating):
        return clean(float(f"{value:.6g}"))
    return shorten(str(value).removesuffix(" 00:00:00"), MAX_TEXT)


def write_csv(target: Any, rows: Sequence[Data], values: Mapping[int, list[tuple[str, str]]]) -> list[str]:
    """Lines of a CSV of rows to label: an empty column for the label, the likely one, and the values of the row.

    Text that a spreadsheet would take for a formula is guarded.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [key for key, _ in next(iter(values.values()), [])]
    writer.writerow(map(guard_text, ["row", clean(target), "likely", "probability", *columns]))
    for one in rows:
        likely = one["likely"][0] if one["likely"] else {"label": None, "probability": None}
        probability = "" if likely["probability"] is None else f"{likely['probability']:.3f}"
        known = [value for _, value in values.get(int(one["row"]), [])]
        writer.writerow(map(guard_text, [str(int(one["row"])), "", clean(likely["label"]), probability, *known]))
    return out.getvalue().splitlines()
