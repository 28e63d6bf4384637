"""Numbers of the rows of a folder: a run on some of its rows shows them as they are counted in all files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.runs._run import Run

WITH_ROWS = ("rows_to_label", "flipped_labels")  # diagnostics that name rows


def find_first_rows(masks: Sequence[NDArray[np.bool_]], n_before: int) -> list[int]:
    """The number of the first row of each file, counted through all of them after the rows of a file before."""
    return (n_before + np.cumsum([0, *(len(mask) for mask in masks)])[:-1]).tolist()


def number_rows(
    masks: Sequence[NDArray[np.bool_]], samples: Sequence[NDArray[Any]], first_rows: Sequence[int], n_before: int
) -> NDArray[np.int64]:
    """The numbers of the rows of a run: those of a file before, or the labeled ones of all files, then the samples."""
    labeled = [np.arange(n_before)]
    if not n_before:
        labeled = [first + np.flatnonzero(~mask) for mask, first in zip(masks, first_rows, strict=True)]
    sampled = [first + rows for rows, first in zip(samples, first_rows, strict=True)]
    return np.concatenate([*labeled, *sampled]).astype(np.int64)


def renumber(run: Run, numbers: NDArray[np.int64]) -> Run:
    """The run with other numbers for its rows, in all that it writes and shows.

    `numbers` has one for each row of the table of the run. The values to show are those of the rows with pseudo-labels.
    """
    values, diagnostics, summary = run.feature_values, run.diagnostics, run.summary
    if values is not None:
        values = values.iloc[_positions(run.pseudo_labels)]
    if diagnostics is not None:
        named = {name: getattr(diagnostics, name) for name in WITH_ROWS}
        found = {
            name: replace(one, rows=_renumber(one.rows, numbers)) for name, one in named.items() if one is not None
        }
        diagnostics = replace(diagnostics, **found)
        plain = {name: one.to_dict() for name, one in found.items()}
        summary = {**summary, "diagnostics": {**summary["diagnostics"], **plain}}
    return replace(
        run,
        predictions=_renumber(run.predictions, numbers),
        pseudo_labels=_renumber(run.pseudo_labels, numbers),
        summary=summary,
        diagnostics=diagnostics,
        feature_values=values,
    )


def _renumber(table: pd.DataFrame, numbers: NDArray[np.int64]) -> pd.DataFrame:
    """A table with other numbers for its rows."""
    return table.assign(row=numbers[_positions(table)])


def _positions(table: pd.DataFrame) -> NDArray[np.intp]:
    """The positions that a table of a run has for row numbers."""
    return table["row"].to_numpy(dtype=np.intp)
