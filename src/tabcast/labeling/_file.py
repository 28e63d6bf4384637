"""The label file: one line per answer, appended and synced at once, so that whatever happens no answer is lost.

A line names its row by its number and by a digest of its cells, so that labels never go to rows of a changed table.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabcast.files._values import find_texts, plain_number
from tabcast.files._write import guard_text, unguard_text
from tabcast.wording import TableFileError

LABEL, SKIP, CANNOT_TELL, UNDO, NEW_CLASS = EVENTS = ("label", "skip", "cannot tell", "undo", "class")
RANDOM, CHOSEN = HOW = ("random", "chosen")  # how a row was found
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NO_ROW = -1  # of the line of a new class


class Entry(NamedTuple):
    """One line: an answer about a row, the withdrawal of one, or a new class."""

    row: int
    digest: str
    event: str
    label: str = ""
    how: str = ""
    time: str = ""


HEADER = ",".join(Entry._fields) + "\n"


def read_labels(path: str | os.PathLike[str], frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """The labels in a label file or in Label Studio's JSON export: `row` (position), `label` (text) and `how`."""
    last = {one.row: one for one in find_standing(read_entries(path, frame, target))}
    rows = [(row, one.label, one.how) for row, one in sorted(last.items()) if one.event == LABEL]
    return pd.DataFrame(rows, columns=["row", "label", "how"]).astype({"row": int, "label": object, "how": object})


def read_entries(path: str | os.PathLike[str], frame: pd.DataFrame, target: str) -> list[Entry]:
    """All lines of a label file, which must be about the rows of this table."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise TableFileError(f"There is no label file {path}; check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise TableFileError(f"{path} cannot be read as a label file: {reason}.") from None
    entries = _read_label_studio(path, text) if text.lstrip()[:1] in ("[", "{") else _read_lines(path, text)
    _check_rows(path, [one for one in entries if one.row != NO_ROW], frame, target)
    return entries


def find_standing(entries: Iterable[Entry]) -> list[Entry]:
    """The lines that were not taken back: an undo takes back the last one of its row that is left."""
    standing: list[Entry] = []
    for one in entries:
        if one.event != UNDO:
            standing.append(one)
        elif places := [place for place, other in enumerate(standing) if other.row == one.row]:
            del standing[places[-1]]
    return standing


def append_entry(path: Path, entry: Entry) -> None:
    """Append a line with the time, and return only once it is on the disk; a half-written last line is dropped."""
    line = [entry.row, entry.digest, entry.event, guard_text(entry.label), entry.how, f"{datetime.now(UTC):%FT%TZ}"]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(line)
    is_new = not path.exists()
    with open(path, "ab+") as file:
        file.seek(0)
        kept = _without_torn_line(file.read())
        file.truncate(len(kept))
        if not kept:
            file.write(HEADER.encode())
        elif not kept.endswith(b"\n"):  # an editor left out the last line break
            file.write(b"\n")
        file.write(written.getvalue().encode())
        file.flush()
        os.fsync(file.fileno())
    if is_new and os.name == "posix":
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name of a new file is on the disk when its folder is
        finally:
            os.close(folder)


def digest_rows(frame: pd.DataFrame, rows: Sequence[int], target: str) -> list[str]:
    """Digests of rows without the target; neither types nor spelling of numbers nor the order of columns matter."""
    some, cells = frame.iloc[list(rows)], []
    for name in sorted(str(name) for name in frame.columns if name != target):
        texts = find_texts(some[name])
        levels = np.array([plain_number(level).casefold() for level in texts.levels], dtype=object)
        cells.append([f"{name}={text}" for text in texts.spread(levels, "")])
    lines = [json.dumps(row) for row in zip(*cells, strict=True)] if cells else [""] * len(some)
    return [hashlib.sha256(line.encode()).hexdigest()[:12] for line in lines]


def _read_lines(path: Path, text: str) -> list[Entry]:
    """The lines of a label file; what a killed process left half-written at its end does not count."""
    if HEADER.startswith(text):
        return []
    header, *lines = list(csv.reader(io.StringIO(_without_torn_line(text.encode()).decode()))) or [[]]
    if tuple(header) != Entry._fields:
        raise TableFileError(f"{path} is not a label file: its first line must be {HEADER.strip()}.")
    entries = []
    for number, line in enumerate(lines, 2):
        entry = _parse_line(line)
        if entry is None:
            raise TableFileError(f"Line {number} of {path} is none that `tabcast label` wrote; restore or remove it.")
        entries.append(entry)
    return entries


def _parse_line(line: list[str]) -> Entry | None:
    """A line as an entry, None if it is none."""
    if len(line) != len(Entry._fields) or not re.fullmatch(r"-1|\d{1,15}", line[0]):
        return None
    one = Entry(int(line[0]), line[1], line[2], unguard_text(line[3]), line[4], line[5])
    is_known = one.event in EVENTS and one.how in ("", *HOW) and TIME.fullmatch(one.time)
    is_whole = bool(one.label) == (one.event in (LABEL, NEW_CLASS)) and (one.how or one.event != LABEL)
    return one if is_known and is_whole and (one.row == NO_ROW or one.event != NEW_CLASS) else None


def _without_torn_line(text: bytes) -> bytes:
    """The text without a last line that is not whole: every whole one ends in a time, even where no line break is."""
    whole, mark, last = text.rpartition(b"\n")
    is_whole = not last or TIME.fullmatch(last.rpartition(b",")[2].decode(errors="replace")) is not None
    return text if is_whole else whole + mark


def _read_label_studio(path: Path, text: str) -> list[Entry]:
    """The choices in a JSON export of Label Studio, of tasks that `tabcast label --export label-studio` wrote."""
    try:
        tasks = json.loads(text)
    except ValueError as error:
        raise TableFileError(f"{path} cannot be read as JSON: {error}.") from None
    entries = []
    for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
        try:
            data = task["data"]
            row, digest, how = int(data["row"]), str(data["digest"]), str(data["how"])
            done = [one["result"] for one in task.get("annotations", []) if not one.get("was_cancelled")]
            found = [part["value"]["choices"] for result in done for part in result if part["type"] == "choices"]
            labels = [str(choice) for choices in found for choice in choices]
        except (KeyError, TypeError, ValueError, AttributeError):
            how = ""
        if how not in HOW:
            raise TableFileError(
                f"Task {number} of {path} is none of `tabcast label --export label-studio`: export the project as JSON "
                "(not JSON-MIN), with `row`, `digest` and `how` in the data of every task."
            )
        if len(set(labels)) > 1:
            raise TableFileError(f"Task {number} of {path} has several labels ({', '.join(labels)}); keep one.")
        entries += [Entry(row, digest, LABEL, label, how) for label in labels[:1]]
    return entries


def _check_rows(path: Path, entries: list[Entry], frame: pd.DataFrame, target: str) -> None:
    """Refuse labels of rows that are not in the table as they were."""
    rows = sorted({one.row for one in entries if 0 <= one.row < len(frame)})
    known = dict(zip(rows, digest_rows(frame, rows, target), strict=True))
    wrong = sorted({one.row for one in entries if known.get(one.row) != one.digest})
    n_rows = len({one.row for one in entries})
    if wrong and len(wrong) == n_rows:
        raise TableFileError(
            f"{path} has the labels of another table: no row of it is in this one as it was; name its own label file."
        )
    if wrong:
        raise TableFileError(
            f"The table has changed since {path} was written: {len(wrong):,} of {n_rows:,} labeled rows are not what "
            f"they were, first row {wrong[0]} (from 0). Restore the table, or begin a new label file."
        )
