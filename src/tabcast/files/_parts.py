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

from tabcast.files._columns import Column, NumberRule, decide_columns
from tabcast.files._read import TableFile, open_table_file
from tabcast.files._understand import find_labels
from tabcast.wording import TableFileError, list_names, suggest

PART_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq", ".feather", ".arrow", ".ft", ".xlsx", ".xlsm")
WILDCARDS = "*?["
BATCH_ROWS = 100_000
BATCHES_IN_MEMORY = 8
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
        seen = f"it has {list_names([one.name for one in files], 3)}" if files else "it is empty"
    else:
        found = sorted(Path(one) for one in glob.glob(str(path), recursive=True) if not Path(one).is_dir())
        seen = "no file matches"
    if not found:
        raise TableFileError(f"There is no Parquet or CSV file in {folder}: {seen}.")
    return found


def open_parts(paths: Sequence[str | os.PathLike[str]], columns: Sequence[str] = ()) -> list[TableFile]:
    """The files, open for reading; refused if one lacks a column of the first, which would else be all missing.

    A file remembers its columns and, once all rows were read, how many there are: when it is read again (to predict
    it, perhaps much later or on another machine) and differs, that is an error that names it. Of a workbook the sheet
    with most of `columns` is read.
    """
    parts = [open_table_file(path, columns) for path in paths]
    names = parts[0].names
    for part in parts[1:]:
        missing = [name for name in names if name not in part.names]
        if missing:
            hint = suggest(missing[0], [name for name in part.names if name not in names])
            absent = f"no column {list_names(missing)}, which {parts[0].path.name} has"
            raise TableFileError(f"{part.path} has {absent}{hint or '.'}")
    return parts


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of several files as one table: all that have a label, and a uniform sample of the others.

    `frame` is in the order of files and rows, numbered from 0; `origin` has the file of each row and its position
    there. `n_unlabeled` counts those of all rows, `n_sampled` those in `frame`. `notes` is what the user must know.
    """

    frame: pd.DataFrame
    origin: pd.DataFrame
    n_unlabeled: int
    n_sampled: int
    notes: list[str]


Piece = tuple[int, NDArray[np.float64], pd.DataFrame]  # number of the part, a random key per row (-1: labeled), rows


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
    rng, n_unlabeled = np.random.default_rng(random_state), 0
    kept: list[Piece] = []
    for number, part in enumerate(parts):
        for frame, _ in part.batches(BATCH_ROWS, parts[0].names):
            labeled = np.zeros(len(frame), dtype=bool)
            if target is not None:
                labeled = find_labels(frame[target], missing_label).codes >= 0
            kept.append((number, np.where(labeled, -1.0, rng.random(len(frame))), frame))
            n_unlabeled += int((~labeled).sum())
            if len(kept) % BATCHES_IN_MEMORY == 0:
                kept = _keep_smallest(kept, most)
    kept = _keep_smallest(kept, most)
    n_sampled = sum(int((keys >= 0).sum()) for _, keys, _ in kept)
    origin = [pd.DataFrame({"file": parts[one].path.name, "file_row": frame.index}) for one, _, frame in kept]
    by_part = {part: [frame for one, _, frame in kept if one == part] for part, _, _ in kept}
    files = [parts[part].path.name for part in by_part]
    names = [name for name in parts[0].names if name != target]
    tables, notes = read_alike([pd.concat(frames) for frames in by_part.values()], files, names)
    notes = [*dict.fromkeys(note for part in parts for note in part.notes), *notes]
    frame = pd.concat(tables, ignore_index=True)
    return RowSample(frame, pd.concat(origin, ignore_index=True), n_unlabeled, n_sampled, notes)


def _keep_smallest(kept: list[Piece], most: int | None) -> list[Piece]:
    """The labeled rows and the unlabeled ones with the smallest keys: a uniform sample, whatever the sizes of files."""
    keys = np.sort(np.concatenate([keys[keys >= 0] for _, keys, _ in kept]))
    if most is None or len(keys) <= most:
        return kept
    last = keys[most - 1] if most else -1.0
    return [(part, keys[keys <= last], frame[keys <= last]) for part, keys, frame in kept]


def read_alike(
    frames: Sequence[pd.DataFrame], files: Sequence[str], names: Sequence[str]
) -> tuple[list[pd.DataFrame], list[str]]:
    """The tables of some files, with those columns read that the files write differently; and what could not be read.

    A column of numbers with a decimal comma in one file and a decimal point in another, or of dates with the day first
    in one and the month first in another, becomes numbers or dates in all. All other columns stay as they are; only
    those in `names` are compared.
    """
    decided = [decide_columns(frame, names) for frame in frames]
    tables, notes = [frame.copy(deep=False) for frame in frames], list[str]()
    for name in names:
        columns = [columns[name] for columns in decided]
        filled = [column for column in columns if column.kind != "empty"]
        if not _contradict(filled):
            continue
        for file, table, column in zip(files, tables, columns, strict=True):
            rule = column.rule or filled[0].rule
            assert isinstance(rule, NumberRule)
            features, problems = rule.convert(table[name])
            values: Any = features[name]
            table[name] = pd.to_datetime((values + rule.origin) * DAY, unit="us") if rule.kind == "date" else values
            notes += [f"In {file}: {problem.say()}" for problem in problems]
    return tables, notes


def _contradict(columns: list[Column]) -> bool:
    """Whether the same column of several files is numbers, or dates, in notations that cannot be read together."""
    rules = [column.rule for column in columns if isinstance(column.rule, NumberRule) and column.kind != "identifier"]
    if len(rules) < len(columns) or len({rule.kind for rule in rules}) != 1:
        return False
    said = {column.decisive for column in columns} - {None}
    if rules[0].kind == "number" and any(rule.notation is None for rule in rules):
        said.add("thousands_comma")  # what is a number by its type has a point when it stands among texts
    return len(said) > 1
