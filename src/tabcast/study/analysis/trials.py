"""The results table as the analysis reads it: what describes a trial, which rows count, what values are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

Labels = Mapping[str, Mapping[str, str]]  # column: value: label

WORDS: Labels = {
    "strategy": {"none": "", "threshold": "FPL", "curriculum": "CPL", "all": "Naive"},
    "noise_filter": {"none": "no filter", "mahalanobis": "Mahalanobis"},
    "tuning": {"paper": "paper's tuning", "sane": "sane tuning", "none": "untuned"},
}
STAND_INS: Mapping[str, str] = {"gusto": "6m-mortality"}  # our public set: the private one it stands in for


def display_name(column: str, value: Any, labels: Labels | None = None) -> str:
    """Give the text that tables and figures show for a value of the results table.

    Parameters
    ----------
    column : str
        Name of the column, because "none" means something else in each.
    value : object
        The value. One without a label is shown as it is.
    labels : mapping of str to mapping, default=None
        Labels of the values of each column, as `Catalog.labels` returns them.

    Returns
    -------
    str
        The label.

    Examples
    --------
    >>> from tabcast.study.analysis.trials import display_name
    >>> display_name("strategy", "threshold"), display_name("model", "my_model"), display_name("label_fraction", 0.1)
    ('FPL', 'my_model', '0.1')
    >>> display_name("method", "supervised", {"method": {"supervised": "w/o ST"}})
    'w/o ST'
    """
    if isinstance(value, float):
        return f"{value:g}"
    known = {**WORDS.get(column, {}), **(labels or {}).get(column, {})}
    return known.get(str(value), str(value))


def order_values(column: str, values: Iterable[Any]) -> list[Any]:
    """Sort numbers by size and words as in `WORDS`; keep all others, unique, as the configuration lists them.

    Examples
    --------
    >>> from tabcast.study.analysis.trials import order_values
    >>> order_values("strategy", ["curriculum", "none", "threshold", "none"])
    ['none', 'threshold', 'curriculum']
    >>> order_values("label_fraction", [0.3, 0.05])
    [0.05, 0.3]
    """
    distinct = list(pd.unique(pd.Series(list(values), dtype=object)))
    if all(isinstance(value, int | float) for value in distinct):
        return sorted(distinct)
    known = list(WORDS.get(column, {}))
    return sorted(distinct, key=lambda value: known.index(value) if value in known else len(known))


SETTING = (
    "dataset",
    "model",
    "tuning",
    "n_tuning_trials",
    "max_trees",
    "caps",
    "method",
    "strategy",
    "noise_filter",
    "label_fraction",
    "corruption",
    "preprocessing",
    "max_rows",
)
REPETITION = ("seed", "fold")


def present(results: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Keep the columns that the table has."""
    return [column for column in columns if column in results.columns]


def require_columns(results: pd.DataFrame, columns: Sequence[str], owner: str) -> None:
    """Raise if the table lacks columns."""
    lacking = [column for column in columns if column not in results.columns]
    if lacking:
        raise ValueError(
            f"`results` of {owner} lacks the column{'s' * (len(lacking) > 1)} {', '.join(map(repr, lacking))}; "
            f"it has {', '.join(map(repr, results.columns))}."
        )


def finished_trials(results: pd.DataFrame, value: str, owner: str) -> pd.DataFrame:
    """Select rows that are done and have a finite value; in a table without a status all rows are done."""
    if "status" in results.columns and not (results["status"] == "done").any():
        return results.iloc[:0].assign(**{value: pd.Series(dtype=float)})  # nothing is done, so nothing has a value yet
    require_columns(results, [value], owner)
    rows = results[results["status"] == "done"] if "status" in results.columns else results
    numbers = pd.to_numeric(rows[value]).to_numpy(dtype=float)
    rows = rows[np.isfinite(numbers)].astype({value: float})
    keys = present(rows, (*SETTING, *REPETITION))
    twice = rows.duplicated(keys) if keys else pd.Series(False, index=rows.index)
    if twice.any():
        raise ValueError(
            f"`results` of {owner} must hold each trial once; {int(twice.sum())} come again, for example "
            f"{describe(rows[twice].iloc[0])}."
        )
    return rows


def describe(row: pd.Series[Any]) -> str:
    """Name a trial, for instance adult/xgboost/cast-l/threshold/seed3-fold0."""
    parts = [
        str(row[name]) for name in ("dataset", "model", "method", "strategy") if name in row and row[name] != "none"
    ]
    marks = [f"{name}{row[name]}" for name in REPETITION if name in row and not pd.isna(row[name])]
    return "/".join([*parts, "-".join(marks)] if marks else parts)


def distinct(values: pd.Series[Any]) -> list[Any]:
    """List the distinct values in order; missing ones count as one."""
    return list(pd.unique(values.astype(object).where(values.notna(), None)))
