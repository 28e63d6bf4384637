"""The user's table, read and understood: the first half of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files import (
    Argument,
    ArgumentError,
    TableFileError,
    Understanding,
    read_notes,
    read_table_file,
    understand,
)
from tabcast.files._leaks import note_leaks
from tabcast.files._words import ALARMS, word_note
from tabcast.runs._options import ColumnOptions
from tabcast.runs._unite import unite

TableLike = str | os.PathLike[str] | pd.DataFrame

NAME_OF_FRAME = "table"  # what a table is called that does not come from a file
PSEUDO_LABEL_COLUMNS = ("row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round")


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """The rows to train on: features of all rows, labels with None where there is none.

    Parameters
    ----------
    name : str
        The file's name.
    frame : DataFrame
        The table as it came, with the rows of `unlabeled` below.
    understanding : Understanding
        How it was interpreted.
    X : DataFrame
        Its features.
    y : ndarray of object
        Its labels.
    notes : list of str
        What was noticed about the files.
    differences : list of str
        Those of the notes that say how the table of unlabeled rows differs.
    alarms : list of str
        Why the table is probably not what its user takes it for.
    """

    name: str
    frame: pd.DataFrame
    understanding: Understanding
    X: pd.DataFrame
    y: NDArray[np.object_]
    notes: list[str]
    differences: list[str]
    alarms: list[str]

    @cached_property
    def unlabeled(self) -> NDArray[np.intp]:
        """Positions of the rows without a label."""
        return np.flatnonzero(pd.isna(self.y))

    @cached_property
    def identifiers(self) -> pd.DataFrame:
        """The columns that name rows, as they came."""
        return self.frame[find_identifiers(self.understanding, self.frame.columns)]


def prepare_table(
    table: TableLike,
    target: str,
    unlabeled: TableLike | None,
    columns: ColumnOptions,
    *,
    needs_unlabeled: bool,
    sheet: str | None = None,
) -> PreparedTable:
    """Read a table, with the rows of `unlabeled` below, and understand it."""
    frame = read_table(table, "table", sheet)
    notes, differences = read_notes(frame), list[str]()
    if unlabeled is not None:
        more = read_table(unlabeled, "unlabeled")
        notes += read_notes(more)
        names = (name_of(table), name_of(unlabeled, "`unlabeled`"))
        frame, differences = unite(frame, more, target, names, columns.ignore)
        notes += differences
    understanding = understand(frame, target, **asdict(columns))
    if understanding.target_rule.type == "float":
        raise TableFileError(
            f"Column {target!r} holds decimal numbers, for example {understanding.classes[-1]}; tabcast predicts "
            "classes: cut a quantity into ranges, or write class codes as whole numbers or words."
        )
    if needs_unlabeled and not understanding.n_unlabeled:
        marker = next((fact.values["label"] for fact in understanding.notes if fact.code == "marker_class"), None)
        if marker is not None and columns.missing_label is None:
            raise TableFileError(
                f"Every row has a label in {target!r}, but {marker!r} looks like a marker of unlabeled rows; if it is "
                "one, use ",
                Argument("missing_label", marker),
                "; if it is a class, add unlabeled rows (empty cells, or ",
                Argument("unlabeled"),
                "), or use ",
                Argument("method", "supervised"),
                ".",
            )
        raise TableFileError(
            f"Every row has a label in {target!r}, so there is nothing to learn from besides; add unlabeled rows "
            "(empty cells, or ",
            Argument("unlabeled"),
            "), or use ",
            Argument("method", "supervised"),
            ".",
        )
    X, y = understanding.convert(frame, understanding.notation).features, understanding.labels(frame)
    understanding = note_leaks(understanding, X, y)
    alarms = [word_note(fact) for fact in understanding.notes if fact.code in ALARMS]
    return PreparedTable(name_of(table), frame, understanding, X, y, notes, differences, alarms)


def read_table(table: Any, argument: str, sheet: str | None = None) -> pd.DataFrame:
    """A table from a file, or a DataFrame with its rows numbered from 0."""
    if isinstance(table, pd.DataFrame):
        if sheet is not None:
            raise ArgumentError(Argument("sheet"), f" is for Excel files; `{argument}` is a DataFrame.")
        return table.reset_index(drop=True)
    if isinstance(table, str | os.PathLike):
        return read_table_file(table, sheet)
    raise TypeError(f"`{argument}` must be a path or a pandas DataFrame; got {type(table).__name__}.")


def name_of(table: TableLike, of_frame: str = NAME_OF_FRAME) -> str:
    """The name of the table's file."""
    return of_frame if isinstance(table, pd.DataFrame) else Path(table).name


def find_identifiers(understanding: Understanding, names: Iterable[str]) -> list[str]:
    """The columns that name rows, without those that have the name of a column of the results."""
    found = {column.name for column in understanding.columns if column.kind == "identifier"}
    return [name for name in names if name in found and name not in PSEUDO_LABEL_COLUMNS]
