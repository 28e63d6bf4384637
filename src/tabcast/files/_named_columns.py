"""Names of columns that a table cannot have, or that a user gives and it does not have."""

from __future__ import annotations

from itertools import product

import pandas as pd

from tabcast.files._errors import TableFileError, list_names, show_value, suggest
from tabcast.files._wording import Argument


def check_named(frame: pd.DataFrame, target: str, named: dict[str, list[str]]) -> None:
    """Refuse a table without rows, with unusable names, or without the columns that are named."""
    odd = [name for name in frame.columns if not isinstance(name, str)]
    if odd:
        raise TableFileError(f"Column names must be text; got {list_names(odd)}.")
    if frame.columns.has_duplicates:
        doubles = frame.columns[frame.columns.duplicated()].unique()
        raise TableFileError(f"The table has more than one column named {list_names(doubles)}; rename or remove one.")
    if not len(frame):
        raise TableFileError("The table has no rows.")
    if target not in frame.columns:
        raise no_such_column(target, frame)
    for argument, columns in named.items():
        for name in columns:
            if name not in frame.columns:
                raise no_such_column(name, frame, ", which ", Argument(argument), " names")
            if name == target:
                raise TableFileError(
                    Argument(argument), f" names {name!r}, which is the target; choose one of the two."
                )
    for one, other in product(("ignore", "id_columns"), ("use", "categories")):
        both = sorted(set(named[one]) & set(named[other]))
        if both:
            arguments = (Argument(one), " and ", Argument(other))
            raise TableFileError(f"Column {list_names(both)} is named by both ", *arguments, "; choose one.")


def no_such_column(name: str, frame: pd.DataFrame, *named_by: str | Argument) -> TableFileError:
    """A column that is not there, and which one may have been meant."""
    names = [str(column) for column in frame.columns]
    begin = (f"The table has no column {show_value(name)}", *named_by)
    hint = suggest(str(name), names)
    if hint:
        return TableFileError(*begin, hint)
    more = ""
    if len(names) == 1:
        more = " (only one column was found: columns are separated by comma, semicolon, tab or pipe)"
    elif all(_is_value(column) for column in names):
        more = " (the first line seems to hold values, not names: add a line with column names)"
    return TableFileError(*begin, f"; its columns are {list_names(names)}{more}.")


def _is_value(name: str) -> bool:
    """Whether a column name is a number."""
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True
