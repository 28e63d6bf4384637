"""Folders of table files, and tables that write numbers or dates differently: one table of all of them.

Each file is read by the reader of single files, in its own notation, with the same rules for missing values.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._decide import Decision, decide
from tabcast.files._read import TableFile, open_table_file
from tabcast.files._rules import DateRule, NumberRule
from tabcast.files._source import TYPED_ENDINGS
from tabcast.files._understand import remove_marker, settle_decisions
from tabcast.files._values import NOT_NUMBERS, find_texts, plain_dates, read_dates, swapped_format
from tabcast.files._words import Problem
from tabcast.wording import TableFileError, list_names, suggest

PART_ENDINGS = (
    ".csv",
    ".tsv",
    ".csv.gz",
    ".tsv.gz",
    *(ending for ending, kind in TYPED_ENDINGS.items() if kind != "excel"),
)
WILDCARDS = "*?["
BATCH_ROWS = 100_000


def is_folder(path: Any) -> bool:
    """Whether a user's table is a folder, or a pattern of files such as `big/*.parquet`."""
    if not isinstance(path, str | os.PathLike):
        return False
    return Path(path).is_dir() or (not Path(path).exists() and any(sign in str(path) for sign in WILDCARDS))


def list_parts(path: str | os.PathLike[str]) -> list[Path]:
    """The table files below a folder, or those that match a pattern, sorted by name.

    CSV and TSV (also gzipped), Parquet and Feather files count, in any mixture. In a folder, files and folders whose
    names begin with "." or "_" are skipped, because other programs keep their notes there.
    """
    folder = Path(path)
    if not str(path).strip():
        raise TableFileError("The path of the table is empty.")
    if folder.is_dir():
        inside = (one.relative_to(folder) for one in folder.rglob("*") if one.is_file())
        files = sorted(folder / one for one in inside if not any(name.startswith((".", "_")) for name in one.parts))
        found = [one for one in files if one.name.lower().endswith(PART_ENDINGS)]
        if not found:
            seen = f"it has {list_names([one.name for one in files], 3)}" if files else "it is empty"
            raise TableFileError(f"There is no Parquet or CSV file in {folder}: {seen}.")
        return found
    found = sorted(Path(one) for one in glob.glob(str(path), recursive=True) if not Path(one).is_dir())
    if not found:
        raise TableFileError(f"No file matches {path}.")
    return found


def open_parts(paths: Sequence[str | os.PathLike[str]]) -> list[TableFile]:
    """The files, open for reading; refused if one lacks a column of the first, which would else be all missing.

    A file remembers its columns and, once all rows were read, how many there are: when it is read again (to predict
    it, perhaps much later or on another machine) and differs, that is an error that names it.
    """
    parts = [open_table_file(path) for path in paths]
    for part in parts[1:]:
        check_part(part, parts[0].names, parts[0].path.name)
    return parts


def check_part(part: TableFile, names: Sequence[str], other: str) -> None:
    """Refuse a file that lacks one of some columns; `other` is what has them."""
    missing = [name for name in names if name not in part.names]
    if missing:
        hint = suggest(missing[0], [name for name in part.names if name not in names])
        raise TableFileError(f"{part.path} has no column {list_names(missing)}, which {other} has{hint or '.'}")


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of several files as one table: all that have a label, and a uniform sample of the others.

    `frame` is in the order of files and rows, numbered from 0; `part` and `row` say which file each row is from and
    where it is there. `n_rows` and `n_unlabeled` count all rows of each file. `notes` is what the user must know.
    """

    frame: pd.DataFrame
    part: NDArray[np.intp]
    row: NDArray[np.intp]
    n_rows: list[int]
    n_unlabeled: list[int]
    notes: list[str]


def sample_rows(
    parts: Sequence[TableFile],
    target: str | None,
    *,
    missing_label: Any = None,
    most: int | None = 50_000,
    random_state: int = 0,
    columns: Sequence[str] | None = None,
) -> RowSample:
    """Read every file once and keep the labeled rows and `most` of the unlabeled ones (None: all), chosen uniformly.

    A row is labeled under the rules of `understand`. With `target=None` no row counts as labeled. `columns` are those
    to read, by default the columns of the first file.
    """
    names = list(parts[0].names if columns is None else columns)
    if target is not None and target not in names:
        names.append(target)
    marker = None if missing_label is None else str(missing_label).strip()
    rng = np.random.default_rng(random_state)
    kept: list[tuple[int, NDArray[np.intp], NDArray[np.float64], pd.DataFrame]] = []
    n_rows, n_unlabeled = [0] * len(parts), [0] * len(parts)
    threshold, n_since = np.inf, 0
    for number, part in enumerate(parts):
        check_part(part, names, parts[0].path.name)
        for frame, _ in part.batches(BATCH_ROWS, names):
            labeled = np.zeros(len(frame), dtype=bool) if target is None else find_labeled(frame[target], marker)
            # The rows with the smallest random keys are a uniform sample, whatever the sizes of the files.
            keys = np.where(labeled, -1.0, rng.random(len(frame)))
            chosen = np.flatnonzero(keys <= threshold)
            kept.append((number, chosen + n_rows[number], keys[chosen], frame.iloc[chosen]))
            n_rows[number] += len(frame)
            n_unlabeled[number] += int((~labeled).sum())
            n_since += len(chosen)
            if most is not None and n_since > 2 * most + BATCH_ROWS:
                kept, threshold = _keep_smallest(kept, most)
                n_since = 0
    if most is not None:
        kept, _ = _keep_smallest(kept, most)
    frame, notes = _unite(parts, kept, target)
    part_of = np.concatenate([np.full(len(rows), number) for number, rows, _, _ in kept])
    row_of = np.concatenate([rows for _, rows, _, _ in kept])
    return RowSample(frame, part_of, row_of, n_rows, n_unlabeled, notes)


def find_labeled(values: pd.Series[Any], marker: str | None = None) -> NDArray[np.bool_]:
    """Which rows have a label."""
    return remove_marker(find_texts(values), marker).codes >= 0


def _keep_smallest(kept: list[Any], most: int) -> tuple[list[Any], float]:
    """The labeled rows and those with the smallest keys, and the largest key among them."""
    keys = np.concatenate([keys for _, _, keys, _ in kept])
    keys = keys[keys >= 0]
    if len(keys) <= most:
        return kept, np.inf
    threshold = float(np.partition(keys, most - 1)[most - 1]) if most else -0.5
    small = [keys <= threshold for _, _, keys, _ in kept]
    pieces = zip(kept, small, strict=True)
    return [(number, rows[one], keys[one], frame.loc[one]) for (number, rows, keys, frame), one in pieces], threshold


def _unite(parts: Sequence[TableFile], kept: list[Any], target: str | None) -> tuple[pd.DataFrame, list[str]]:
    """The rows of all files as one table, what the files write differently read in each one's own notation."""
    by_part: dict[int, list[pd.DataFrame]] = {}
    for number, _, _, frame in (one for one in kept if len(one[1])):
        by_part.setdefault(number, []).append(frame)
    notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    frames = [(parts[number].path.name, pd.concat(some)) for number, some in by_part.items()]

    def add(one: tuple[str, pd.DataFrame], other: tuple[str, pd.DataFrame]) -> tuple[str, pd.DataFrame]:
        labels = [] if target is None else [pd.concat([one[1][target], other[1][target]])]
        features = [frame.drop(columns=[] if target is None else target) for _, frame in (one, other)]
        first, second, found = read_alike(features[0], features[1], (one[0], other[0]))
        notes.extend(found)
        united = pd.concat([pd.concat([first, second]), *labels], axis=1)[one[1].columns]
        return one[0], united

    return reduce(add, [(name, frame.reset_index(drop=True)) for name, frame in frames])[1].reset_index(
        drop=True
    ), notes


def read_alike(
    one: pd.DataFrame, other: pd.DataFrame, names: tuple[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The two tables with the columns read that they write differently; and which cells could not be read.

    A column of numbers with a decimal comma in one file and a decimal point in the other, or of dates with the day
    first in one and the month first in the other, becomes numbers or dates in both. All other columns stay as they
    are. `names` is what the tables are called in messages.
    """
    shared = [name for name in one.columns if name in other.columns]
    decisions = [{name: decide(str(name), frame[name]) for name in shared} for frame in (one, other)]
    for frame, found in zip((one, other), decisions, strict=True):
        settle_decisions(frame, found)
    frames, notes = [one.copy(deep=False), other.copy(deep=False)], []
    for name in shared:
        pair = [found[name] for found in decisions]
        if not _differ(*pair):
            continue
        for position, decision in enumerate(pair):
            frames[position][name], problems = _read(frames[position][name], decision)
            notes += [f"In {names[position]}: {problem.say()}" for problem in problems]
    return frames[0], frames[1], notes


def _differ(one: Decision, other: Decision) -> bool:
    """Whether two columns are both numbers, or both dates, in notations that cannot be read together."""
    if one.is_open or other.is_open or "identifier" in (one.kind, other.kind):
        return False
    rules = (one.rule, other.rule)
    formats = {getattr(rule, "format", None) or "plain" for rule in rules}
    if len(formats) == 1:
        return False
    if all(isinstance(rule, NumberRule) for rule in rules):
        return formats != {"plain", "thousands_comma"}  # what is plain is also read with thousands
    return all(isinstance(rule, DateRule) for rule in rules) and not _is_settled_by_the_other(one, other)


def _is_settled_by_the_other(one: Decision, other: Decision) -> bool:
    """Whether only one of two columns tells that the day or the month comes first, so that it holds for both."""
    formats = [rule.format for rule in (one.rule, other.rule) if isinstance(rule, DateRule)]
    if None in formats or swapped_format(formats[0] or "") != formats[1]:
        return False
    return any(fact.code == "day_or_month" for decision in (one, other) for fact in decision.facts)


def _read(values: pd.Series[Any], decision: Decision) -> tuple[pd.Series[Any], list[Problem]]:
    """A column in its own notation, by type."""
    if isinstance(decision.rule, NumberRule):
        return decision.rule.convert(values)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return pd.Series(plain_dates(values), index=values.index), []
    texts = find_texts(values).without(NOT_NUMBERS)
    rule = decision.rule
    assert isinstance(rule, DateRule)
    _, problems = rule.convert(values)
    levels = read_dates(texts.levels, rule.format or "ISO8601")
    dates = pd.Series(levels).reindex(texts.codes).to_numpy()  # code -1 is no position: not a time
    return pd.Series(dates, index=values.index), problems
