"""The data embedded in the page for its table and its map: columns of numbers, sampled so that the page stays small."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from tabcast.files._spreadsheet import guard_text
from tabcast.report._text import clean, shorten

COLUMNS = ("row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round")
MAX_ROWS = 60_000
MAX_DRAWN = 1_500
MAX_COLUMNS = 40
MAX_TEXT = 160
VALUE_BYTES = 2_400_000

# Inside a script element none of these may end it, start another or end a line.
IN_SCRIPT = str.maketrans({one: f"\\u{ord(one):04x}" for one in "<>&\u2028\u2029"})


def to_json(data: Any) -> Markup:
    r"""JSON that is safe inside a script element whatever strings it contains.

    Examples
    --------
    >>> print(to_json({"a": "</script>"}))
    {"a":"\u003c/script\u003e"}
    """
    return Markup(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(IN_SCRIPT))


@dataclass(frozen=True)
class PageData:
    """The rows of the page.

    `json` is read by the script. `n_rows` and `n_used` count all unlabeled rows; `kept` are positions in the table of
    pseudo-labels of the rows on the page, `codes` the positions of their labels in the classes, and `drawn` the
    positions in `kept` of the dots of the map, in drawing order.
    """

    json: dict[str, Any]
    n_rows: int
    n_used: int
    kept: NDArray[np.intp]
    codes: NDArray[np.intp]
    drawn: NDArray[np.intp]


def check_pseudo_labels(pseudo_labels: pd.DataFrame, table: pd.DataFrame | None) -> None:
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


def rows_of_table(pseudo_labels: pd.DataFrame, table: pd.DataFrame) -> NDArray[np.intp]:
    """Position in `table` of each pseudo-label: its own if both have the same length, otherwise its column `row`."""
    if len(table) == len(pseudo_labels):
        return np.arange(len(table))
    return pseudo_labels["row"].to_numpy().astype(np.intp)


def embed(
    pseudo_labels: pd.DataFrame, table: pd.DataFrame | None, classes: Iterable[Any], wanted: Iterable[int] = ()
) -> PageData:
    """Choose the rows of the page, those with their values and those on its map.

    `classes` are names in the order of their colors; other labels follow. `wanted` are values of the column `row` that
    must be there with their values.
    """
    rng = np.random.default_rng(0)
    n = len(pseudo_labels)
    first = np.flatnonzero(pseudo_labels["row"].isin(list(wanted)).to_numpy())
    kept = _thin(n, MAX_ROWS, first, rng)
    finite = np.flatnonzero(_numbers(pseudo_labels["confidence"])[kept] == _numbers(pseudo_labels["confidence"])[kept])
    drawn = rng.permutation(finite)[:MAX_DRAWN]
    part = pseudo_labels.iloc[kept]
    names = [clean(one) for one in classes]
    codes = _encode(part["label"], names)
    data: dict[str, Any] = {
        "n": n,
        "row": part["row"].astype(int).tolist(),
        "label": codes.tolist(),
        "rawLabel": _encode(part["raw_label"], names).tolist(),
        "confidence": _tens_of_thousands(part["confidence"]),
        "rawConfidence": _tens_of_thousands(part["raw_confidence"]),
        "density": _tens_of_thousands(part["density"]) if part["density"].notna().any() else None,
        "used": "".join("1" if one else "0" for one in part["selected"]),
        "round": part["round"].astype(int).tolist(),
        "labels": [shorten(one, MAX_TEXT) for one in names],
        "values": None,
    }
    if table is not None and table.shape[1] and n:
        wanted_positions = np.flatnonzero(np.isin(kept, first))
        order = list(dict.fromkeys([*wanted_positions.tolist(), *drawn.tolist(), *rng.permutation(len(kept)).tolist()]))
        data["values"] = _values(table, rows_of_table(pseudo_labels, table)[kept], np.array(order, dtype=np.intp))
    return PageData(data, n, int(pseudo_labels["selected"].sum()), kept, codes, drawn)


def _thin(n: int, most: int, first: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Positions of at most `most` rows, in order, `first` among them."""
    if n <= most:
        return np.arange(n)
    others = rng.permutation(np.setdiff1d(np.arange(n), first))
    return np.sort(np.concatenate([first[:most], others[: max(0, most - len(first))]]))


def _values(table: pd.DataFrame, rows: NDArray[np.intp], order: NDArray[np.intp]) -> dict[str, Any]:
    """Columns of as many rows as fit, in the order of `order`."""
    columns = range(min(table.shape[1], MAX_COLUMNS))
    n = len(order)
    trial = min(n, 1_000)
    while True:
        chosen = np.sort(order[:trial])
        encoded = [encode_column(table.iloc[rows[chosen], j]) for j in columns]
        size = len(to_json(encoded).encode())
        if trial == n and size <= VALUE_BYTES:
            break
        fits = min(n, max(1, int(trial * 0.97 * VALUE_BYTES / max(size, 1))))
        # The first guess comes from a thousand rows; after that it only decreases.
        if size <= VALUE_BYTES and (trial > 1_000 or fits <= trial):
            break
        trial = fits if fits != trial else max(1, trial // 2)
        if size > VALUE_BYTES and len(chosen) == 1:
            break
    return {
        "names": [shorten(table.columns[j], MAX_TEXT) for j in columns],
        "more": table.shape[1] - len(columns),
        "of": None if len(chosen) == len(rows) else chosen.tolist(),
        "columns": encoded,
    }


def encode_column(column: pd.Series) -> dict[str, Any]:
    """Numbers as they are (six digits), everything else as codes of its levels; missing values are null and -1.

    Examples
    --------
    >>> import pandas as pd
    >>> encode_column(pd.Series([1.0, 0.1234567, None]))
    {'values': [1, 0.123457, None]}
    >>> encode_column(pd.Series(["red", None, "red"]))
    {'levels': ['red'], 'codes': [0, -1, 0]}
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        numbers = _numbers(column)
        return {"values": [_short_number(one) for one in numbers.tolist()]}
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.astype("string").str.removesuffix(" 00:00:00")
    codes, levels = pd.factorize(column.astype(object))
    return {"levels": [shorten(one, MAX_TEXT) for one in levels], "codes": codes.tolist()}


def _short_number(value: float) -> float | int | str | None:
    if value != value:
        return None
    if value in (np.inf, -np.inf):
        return "∞" if value > 0 else "-∞"
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.6g}")


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _tens_of_thousands(column: pd.Series) -> list[int | None]:
    """Numbers with four decimals, as integers: half as long."""
    return [None if one != one else round(10_000 * one) for one in _numbers(column).tolist()]


def _encode(labels: pd.Series, names: list[str]) -> NDArray[np.intp]:
    """Positions in `names`, to which missing labels are added."""
    codes, levels = pd.factorize(labels.astype(object))
    places: dict[str, int] = {one: i for i, one in enumerate(names)}
    mapped = []
    for level in levels:
        text = clean(level)
        if text not in places:
            places[text] = len(names)
            names.append(text)
        mapped.append(places[text])
    return np.array([*mapped, -1], dtype=np.intp)[codes]


def values_of_rows(
    pseudo_labels: pd.DataFrame, table: pd.DataFrame | None, wanted: Iterable[int]
) -> dict[int, list[tuple[str, str]]]:
    """Names and values of a few rows as text, by the column `row`."""
    if table is None:
        return {}
    rows, places = pseudo_labels["row"].to_numpy(), rows_of_table(pseudo_labels, table)
    found = {}
    for position in np.flatnonzero(np.isin(rows, list(wanted))):
        found[int(rows[position])] = [
            (clean(table.columns[j]), _first_text(encode_column(table.iloc[[places[position]], j])))
            for j in range(min(table.shape[1], MAX_COLUMNS))
        ]
    return found


def _first_text(encoded: dict[str, Any]) -> str:
    if "values" in encoded:
        return "" if encoded["values"][0] is None else str(encoded["values"][0])
    return "" if encoded["codes"][0] < 0 else encoded["levels"][0]


def write_csv(target: Any, rows: Sequence[Mapping[str, Any]], values: Mapping[int, list[tuple[str, str]]]) -> list[str]:
    """Lines of a CSV of rows to label: an empty column for the label, the likely one, and the values of the row.

    Text that a spreadsheet would take for a formula is guarded.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [key for key, _ in next(iter(values.values()), [])]
    writer.writerow(map(guard_text, ["row", clean(target), "likely", "probability", "why", *columns]))
    for one in rows:
        likely = one["likely"][0] if one["likely"] else {"label": None, "probability": None}
        probability = "" if likely["probability"] is None else f"{likely['probability']:.3f}"
        known = [value for _, value in values.get(int(one["row"]), [])]
        cells = [str(int(one["row"])), "", clean(likely["label"]), probability, clean(one["why"]), *known]
        writer.writerow(map(guard_text, cells))
    return out.getvalue().splitlines()
