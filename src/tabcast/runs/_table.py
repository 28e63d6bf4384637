"""The user's table, read and understood: a file, a folder of files or a DataFrame, with unlabeled rows of another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files import TableFileError, Understanding, read_table_file, understand
from tabcast.files._leaks import note_leaks
from tabcast.files._parts import is_folder, list_parts, open_parts, read_alike, sample_rows
from tabcast.files._read import TableFile, read_notes
from tabcast.files._understand import CAUTION, find_labels, find_markers
from tabcast.files._values import plain_number
from tabcast.labeling._file import CHOSEN, read_labels
from tabcast.table._tables import to_pandas
from tabcast.wording import PYTHON, Argument, ArgumentError, list_names, suggest

TableLike = Any  # a path, or a DataFrame of pandas or polars

FEW_RANDOM = 30  # labels of random rows below which a note says that scores are hardly known
NAME_OF_FRAME = "table"  # what a table is called that does not come from a file
PSEUDO_LABEL_COLUMNS = ("row", "label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round")
OTHER_CHARACTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """The rows to train on: features of all rows, labels with None where there is none.

    `frame` is the table as it came, with the rows of `unlabeled` below; of folders, a sample. `differences` are those
    of the notes that say how the table of unlabeled rows, or a file of labels, differs, `alarms` why the table is
    probably not what its user takes it for. `parts` are the files of folders, all of which will be predicted. `chosen`
    are the positions of labeled rows that are no random sample, because they were chosen to be labeled.
    """

    name: str
    frame: pd.DataFrame
    understanding: Understanding
    X: pd.DataFrame
    y: NDArray[np.object_]
    notes: list[str]
    differences: list[str]
    alarms: list[str]
    parts: list[TableFile]
    chosen: NDArray[np.intp]

    @cached_property
    def unlabeled(self) -> NDArray[np.intp]:
        """Positions of the rows without a label."""
        return np.flatnonzero(pd.isna(self.y))

    @cached_property
    def identifiers(self) -> pd.DataFrame:
        """The columns that name rows, as they came."""
        return self.frame[find_identifiers(self.understanding, self.frame.columns)]


@dataclass(frozen=True, eq=False)
class Source:
    """What was read of one of the user's tables; `origin` has the file of each row and its position there."""

    frame: pd.DataFrame
    notes: list[str]
    parts: list[TableFile]
    origin: pd.DataFrame


def prepare_table(
    table: TableLike,
    target: str,
    *,
    unlabeled: TableLike | None = None,
    missing_label: Any = None,
    ignore: Iterable[str] = (),
    use: Iterable[str] = (),
    categories: Iterable[str] = (),
    id_columns: Iterable[str] = (),
    labels: str | os.PathLike[str] | None = None,
    max_pool: int | None = None,
    random_state: int = 0,
) -> PreparedTable:
    """Read a table, with the rows of `unlabeled` below, and understand it; the arguments are those of `fit_table`."""
    columns = {"ignore": ignore, "use": use, "categories": categories, "id_columns": id_columns}
    for argument, given in columns.items():
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ArgumentError(Argument(argument), f" must be a list of column names; got {given!r}.")
    names = {argument: list(given) for argument, given in columns.items()}
    sampling = {"missing_label": missing_label, "most": max_pool, "random_state": random_state}
    if labels is not None and is_folder(table):
        raise ArgumentError(Argument("labels"), f" are of the rows of one file; {table} is a folder.")
    source = _read_source(table, "table", target, [target], sampling)
    frame, notes, parts, origin, differences = source.frame, source.notes, source.parts, source.origin, list[str]()
    chosen = np.empty(0, dtype=np.intp)
    if labels is not None:
        frame, chosen, differences = add_labels(frame, target, labels, missing_label)
    if unlabeled is not None:
        more = _read_source(unlabeled, "unlabeled", None, [name for name in frame.columns if name != target], sampling)
        both = (name_of(table), name_of(unlabeled, "`unlabeled`"))
        frame, found = unite(frame, more.frame, target, both, names["ignore"])
        notes, parts, differences = [*notes, *more.notes], [*parts, *more.parts], [*differences, *found]
        origin = pd.concat([origin, more.origin], ignore_index=True)
    if parts:  # the number of a row in a sample of several files tells nobody where it is
        taken = set(frame.columns)
        origin.columns = pd.Index([unused_name(name, taken) for name in origin.columns])
        frame = pd.concat([origin, frame], axis=1)
        names["id_columns"] += list(origin.columns)
    understanding = understand(frame, target, missing_label=missing_label, **names)
    if understanding.target_rule.type == "float":
        raise TableFileError(
            f"Column {target!r} holds decimal numbers, for example {understanding.classes[-1]}; tabcast predicts "
            "classes: cut a quantity into ranges, or write class codes as whole numbers or words."
        )
    _need_unlabeled(understanding, missing_label)
    X, y = understanding.features(frame), understanding.labels(frame)
    chosen = chosen[~pd.isna(y[chosen])]
    differences += say_chosen(len(chosen), understanding.n_labeled - len(chosen))
    understanding = note_leaks(understanding, X, y)
    alarms = [one for one in (PYTHON.sentence(*note) for note in understanding.notes) if one.startswith(CAUTION)]
    notes += differences
    return PreparedTable(name_of(table), frame, understanding, X, y, notes, differences, alarms, parts, chosen)


def _need_unlabeled(understanding: Understanding, missing_label: Any) -> None:
    """Refuse a table whose rows are all labeled; a label that looks like a marker is named."""
    if understanding.n_unlabeled:
        return
    add = ("add unlabeled rows (empty cells, or ", Argument("unlabeled"), ").")
    markers = find_markers(understanding.class_counts)
    if markers and missing_label is None:
        raise TableFileError(
            f"Every row has a label in {understanding.target!r}, but {markers[0]!r} looks like a marker of unlabeled "
            "rows; if it is one, use ",
            Argument("missing_label", markers[0]),
            "; if it is a class, ",
            *add,
        )
    raise TableFileError(
        f"Every row has a label in {understanding.target!r}, so there is nothing to learn from besides; ", *add
    )


def _read_source(
    table: TableLike, argument: str, target: str | None, columns: list[str], sampling: dict[str, Any]
) -> Source:
    """A table in memory: of a folder its labeled rows (none without a target) and a uniform sample of the others."""
    if not is_folder(table) or not os.fspath(table):
        frame = read_table(table, argument, columns, unique=target is not None)
        notes = read_notes(frame)
        origin = pd.DataFrame({"file": name_of(table, argument), "file_row": np.arange(len(frame))})
        return Source(frame, notes, [], origin)
    parts = open_parts(list_parts(table), columns)
    if target is not None and target not in parts[0].names:
        hint = suggest(target, parts[0].names) or f"; its columns are {list_names(parts[0].names)}."
        raise TableFileError(f"{parts[0].path} has no column {target!r}, the target{hint}")
    found = sample_rows(parts, target, **sampling)
    notes = list(found.notes)
    if found.n_sampled < found.n_unlabeled:
        notes.append(
            f"{name_of(table)} has {found.n_unlabeled:,} unlabeled rows in {len(parts):,} files: {found.n_sampled:,} "
            "of them, drawn at random, are used for training; every row of every file is predicted."
        )
    return Source(found.frame, notes, parts, found.origin)


def read_table(table: TableLike, argument: str, columns: Sequence[str] = (), *, unique: bool = False) -> pd.DataFrame:
    """A table from a file (of a workbook the sheet with these columns), or a DataFrame with rows numbered from 0."""
    if isinstance(table, str | os.PathLike):
        if not os.fspath(table):
            raise ArgumentError(Argument(argument), " is an empty path; give the name of a file.")
        return read_table_file(table, columns, unique=unique)
    table = to_pandas(table, name=argument)
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"`{argument}` must be a path or a DataFrame; got {type(table).__name__}.")
    return table.reset_index(drop=True)


def add_labels(
    frame: pd.DataFrame, target: str, labels: str | os.PathLike[str], missing_label: Any
) -> tuple[pd.DataFrame, NDArray[np.intp], list[str]]:
    """The table with the labels of a file in its target column, the rows that were chosen, and what the user must know.

    A label of the file replaces one of the table.
    """
    found = read_labels(labels, frame, target)
    rows, texts = found["row"].to_numpy(dtype=np.intp), found["label"].to_numpy(dtype=object)
    cells = frame[target].astype(object) if target in frame else pd.Series(None, index=frame.index, dtype=object)
    known = find_labels(cells.iloc[rows], missing_label)
    before = known.spread(np.array([plain_number(text) for text in known.levels], dtype=object), None)
    n_others = sum(old is not None and old != plain_number(new) for old, new in zip(before, texts, strict=True))
    cells.iloc[rows] = texts
    notes = []
    if n_others:
        notes.append(f"Labels of {name_of(labels)} that differ from the table's replace them: {n_others:,}.")
    return frame.assign(**{target: cells}), rows[(found["how"] == CHOSEN).to_numpy()], notes


def say_chosen(n_chosen: int, n_random: int) -> list[str]:
    """What the user must know of labels of rows that were chosen."""
    if not n_chosen:
        return []
    few = f" These are fewer than {FEW_RANDOM}, so that intervals are wide: label more random rows."
    return [
        f"{n_chosen:,} of {n_chosen + n_random:,} labels are of rows that were chosen to be labeled. They train; "
        f"scores, class proportions, verdict and precision are those of the other {n_random:,}, drawn at random."
        + (few if n_random < FEW_RANDOM else "")
    ]


def name_of(table: TableLike, of_frame: str = NAME_OF_FRAME) -> str:
    """The name of the table's file or folder."""
    return (Path(table).name or Path(table).resolve().name) if isinstance(table, str | os.PathLike) else of_frame


def find_identifiers(understanding: Understanding, names: Iterable[str]) -> list[str]:
    """The columns that name rows, without those that have the name of a column of the results."""
    found = {column.name for column in understanding.columns if column.kind == "identifier"}
    return [name for name in names if name in found and name not in PSEUDO_LABEL_COLUMNS]


def unused_name(name: str, used: set[str]) -> str:
    """The name, with a number behind it where it is taken already; from now on it is taken."""
    chosen, number = name, 1
    while chosen in used:
        number += 1
        chosen = f"{name}_{number}"
    used.add(chosen)
    return chosen


def unite(
    frame: pd.DataFrame, more: pd.DataFrame, target: str, names: tuple[str, str], ignore: Sequence[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of `more`, whose labels do not count, below those of `frame`; and what the user must know of it.

    Each table is read in its own notation. `names` is what the two are called in messages; columns in `ignore` are not
    compared.
    """
    notes = _compare_columns(frame, more, target, names, ignore)
    if target in more.columns and more[target].notna().any():
        notes.append(f"The labels of {names[1]} in {target!r} are not used: all of its rows count as unlabeled.")
    more = more[[column for column in frame.columns if column in more.columns and column != target]]
    (frame, more), found = read_alike([frame, more], names, list(more.columns))
    more = more.reindex(columns=[column for column in frame.columns if column != target])
    return pd.concat([frame, more], ignore_index=True), [*notes, *found]


def _compare_columns(
    frame: pd.DataFrame, more: pd.DataFrame, target: str, names: tuple[str, str], ignore: Sequence[str]
) -> list[str]:
    """Refuse tables whose columns are spelled differently, and name the columns that only one of the two has."""
    absent = [column for column in frame.columns if column not in more.columns and column != target]
    extra = [column for column in more.columns if column not in frame.columns]
    if target in frame.columns and len(absent) == frame.shape[1] - 1:
        raise TableFileError(f"{names[1]} has none of the columns of {names[0]}; the two must be alike.")
    by_letters = {_letters(column): column for column in extra}
    absent = [column for column in absent if column not in ignore]
    for column in absent:
        other = by_letters.get(_letters(column))
        if other is not None:
            raise TableFileError(
                f"{names[1]} has no column {column!r}; did you mean its column {other!r}? Rename one of the two."
            )
    notes = []
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
