"""The rows of two tables as one: columns compared by name, each file read in its own notation."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from tabcast.files import TableFileError
from tabcast.files._errors import list_names
from tabcast.files._notations_of_two import read_alike

OTHER_CHARACTERS = re.compile(r"[\W_]+")


def unite(
    frame: pd.DataFrame, more: pd.DataFrame, target: str, names: tuple[str, str], ignore: Iterable[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of `more`, whose labels do not count, below those of `frame`; and what the user must know of it.

    `names` is what the two tables are called in messages; columns in `ignore` are not compared.
    """
    notes = compare_columns(frame, more, target, names, set(ignore))
    if target in more.columns and more[target].notna().any():
        notes.append(f"The labels of {names[1]} in {target!r} are not used: all of its rows count as unlabeled.")
    more = more[[column for column in frame.columns if column in more.columns and column != target]]
    frame, more, found = read_alike(frame, more, names)
    more = more.reindex(columns=[column for column in frame.columns if column != target])
    return pd.concat([frame, more], ignore_index=True), [*notes, *found]


def compare_columns(
    frame: pd.DataFrame, more: pd.DataFrame, target: str, names: tuple[str, str], ignore: set[str]
) -> list[str]:
    """Refuse tables whose columns are spelled differently, and name the columns that only one of the two has."""
    absent = [column for column in frame.columns if column not in more.columns and column != target]
    extra = [column for column in more.columns if column not in frame.columns]
    if target in frame.columns and len(absent) == frame.shape[1] - 1:
        raise TableFileError(f"{names[1]} has none of the columns of {names[0]}; the two must be alike.")
    by_letters = {_letters(column): column for column in extra}
    for column in absent:
        other = by_letters.get(_letters(column))
        if other is not None and column not in ignore:
            raise TableFileError(
                f"{names[1]} has no column {column!r}; did you mean its column {other!r}? Rename one of the two."
            )
    notes = []
    absent = [column for column in absent if column not in ignore]
    if absent:
        notes.append(f"{names[1]} lacks {_columns(absent)} of {names[0]}: missing in all of its {len(more):,} rows.")
    if extra:
        notes.append(f"{names[1]} has {_columns(extra)} that {names[0]} lacks: not used.")
    return notes


def _letters(name: object) -> str:
    """A name without case, spaces, underscores and the like; what is left of a name of these alone is itself."""
    folded = str(name).casefold()
    return OTHER_CHARACTERS.sub("", folded) or folded


def _columns(names: list[str]) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {list_names(names)}"
