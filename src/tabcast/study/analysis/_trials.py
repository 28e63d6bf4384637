"""The results table as the analysis reads it: which columns describe a trial, and which rows count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

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
