"""Folders of table files, and tables that write numbers or dates differently: one table of all of them.

Each file is read by the reader of single files, in its own notation, with the same rules for missing values.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._decide import Column, decide_columns
from tabcast.files._read import TableFile, open_table_file
from tabcast.files._rules import NumberRule
from tabcast.files._source import TYPED_ENDINGS
from tabcast.files._understand import find_labels
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
DAY = 86_400_000_000  # microseconds


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
    names = parts[0].names
    for part in parts[1:]:
        missing = [name for name in names if name not in part.names]
        if missing:
            hint = suggest(missing[0], [name for name in part.names if name not in names])
            other = parts[0].path.name
            raise TableFileError(f"{part.path} has no column {list_names(missing)}, which {other} has{hint or '.'}")
    return parts


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of several files as one table: all that have a label, and a uniform sample of the others.

    `frame` is in the order of files and rows, numbered from 0; `part` and `row` say which file each row is from and
    where it is there. `n_unlabeled` counts those of all rows, `n_sampled` those in `frame`. `notes` is what the user
    must know.
    """

    frame: pd.DataFrame
    part: NDArray[np.intp]
    row: NDArray[np.intp]
    n_unlabeled: int
    n_sampled: int
    notes: list[str]


@dataclass(frozen=True, eq=False)
class _Piece:
    """Rows of a part, and a random number for each that decides whether it is kept; -1 for a labeled row."""

    part: int
    keys: NDArray[np.float64]
    frame: pd.DataFrame


def sample_rows(
    parts: Sequence[TableFile],
    target: str | None,
    *,
    missing_label: Any = None,
    most: int | None = 50_000,
    random_state: int = 0,
) -> RowSample:
    """Read every file once and keep the labeled rows and `most` of the unlabeled ones (None: all), chosen uniformly.

    A row is labeled under the rules of `understand`. With `target=None` no row counts as labeled.
    """
    rng = np.random.default_rng(random_state)
    pieces: list[_Piece] = []
    n_unlabeled = n_kept = 0
    for number, part in enumerate(parts):
        for frame, _ in part.batches(BATCH_ROWS, parts[0].names):
            labeled = np.zeros(len(frame), dtype=bool)
            if target is not None:
                labeled = find_labels(frame[target], missing_label).codes >= 0
            pieces.append(_Piece(number, np.where(labeled, -1.0, rng.random(len(frame))), frame))
            n_unlabeled += int((~labeled).sum())
            n_kept += int((~labeled).sum())
            if most is not None and n_kept > 2 * most + BATCH_ROWS:
                pieces, n_kept = _keep_smallest(pieces, most), most
    if most is not None:
        pieces = _keep_smallest(pieces, most)
    part_of = np.concatenate([np.full(len(piece.frame), piece.part) for piece in pieces])
    row_of = np.concatenate([piece.frame.index for piece in pieces])
    frames = {parts[one].path.name: pd.concat(p.frame for p in pieces if p.part == one) for one in np.unique(part_of)}
    features = {name: frame.drop(columns=[] if target is None else target) for name, frame in frames.items()}
    read, notes = read_alike(features)
    united = pd.concat(read)
    if target is not None:
        united[target] = pd.concat(frame[target] for frame in frames.values())
    notes = [*dict.fromkeys(note for part in parts for note in part.notes), *notes]
    n_sampled = sum(int((piece.keys >= 0).sum()) for piece in pieces)
    frame = united[parts[0].names].reset_index(drop=True)
    return RowSample(frame, part_of, row_of, n_unlabeled, n_sampled, notes)


def _keep_smallest(pieces: list[_Piece], most: int) -> list[_Piece]:
    """The labeled rows and the unlabeled ones with the smallest keys: a uniform sample, whatever the sizes of files."""
    keys = np.concatenate([piece.keys for piece in pieces])
    keys = np.sort(keys[keys >= 0])
    if len(keys) <= most:
        return pieces
    last = keys[most - 1] if most else -1.0
    return [_Piece(one.part, one.keys[one.keys <= last], one.frame[one.keys <= last]) for one in pieces]


def read_alike(frames: dict[str, pd.DataFrame]) -> tuple[list[pd.DataFrame], list[str]]:
    """Tables, by name, with the columns read that they write differently; and which cells could not be read.

    A column of numbers with a decimal comma in one file and a decimal point in another, or of dates with the day first
    in one and the month first in another, becomes numbers or dates in all. All other columns stay as they are.
    """
    first, *others = frames.values()
    shared = [name for name in first.columns if all(name in other.columns for other in others)]
    decided = [decide_columns(frame, shared) for frame in frames.values()]
    tables, notes = [frame.copy(deep=False) for frame in frames.values()], []
    for name in shared:
        columns = [columns[name] for columns in decided]
        if not _contradict(columns):
            continue
        for file, table, column in zip(frames, tables, columns, strict=True):
            rule = column.rule
            assert isinstance(rule, NumberRule)
            features, problems = rule.convert(table[name])
            table[name] = features[name]
            if rule.kind == "date":
                days: Any = features[name] + rule.origin
                table[name] = pd.to_datetime(days * DAY, unit="us")
            notes += [f"In {file}: {problem.say()}" for problem in problems]
    return tables, notes


def _contradict(columns: list[Column]) -> bool:
    """Whether the same column of several files is numbers, or dates, in notations that cannot be read together."""
    rules = [column.rule for column in columns if isinstance(column.rule, NumberRule) and column.kind != "identifier"]
    if len(rules) < len(columns) or len({rule.kind for rule in rules}) > 1:
        return False
    said = {column.decisive for column in columns} - {None}
    if rules[0].kind == "number" and any(rule.notation is None for rule in rules):
        said.add("thousands_comma")  # what is a number by its type has a point when it stands among texts
    return len(said) > 1
