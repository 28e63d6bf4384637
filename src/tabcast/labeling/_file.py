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
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabcast.files._values import find_texts, plain_number
from tabcast.files._write import guard_text, unguard_text
from tabcast.wording import TableFileError

RANDOM, CHOSEN = HOW = ("random", "chosen")  # how a row was found
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NO_ROW = -1  # of the line of a new class


class Event(StrEnum):
    """What a line says."""

    LABEL = "label"
    SKIP = "skip"
    CANNOT_TELL = "cannot tell"
    UNDO = "undo"
    NEW_CLASS = "class"


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
    rows = [(row, one.label, one.how) for row, one in sorted(last.items()) if one.event == Event.LABEL]
    return pd.DataFrame(rows, columns=["row", "label", "how"]).astype({"row": int, "label": object, "how": object})


def read_entries(path: str | os.PathLike[str], frame: pd.DataFrame, target: str) -> list[Entry]:
    """All lines of a label file, which must be about the rows of this table."""
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TableFileError(f"The label file {path} cannot be read: {error.strerror}; check the path.") from None
    entries = _read_label_studio(path, raw) if _is_json(raw) else _read_lines(path, raw)
    rows = {one.row: one.digest for one in entries if one.row != NO_ROW}
    there = sorted(row for row in rows if 0 <= row < len(frame))
    known = dict(zip(there, digest_rows(frame, there, target), strict=True))
    wrong = sorted({one.row for one in entries if one.row != NO_ROW and known.get(one.row) != one.digest})
    if wrong:
        raise TableFileError(
            f"{path} does not fit this table: {len(wrong):,} of its {len(rows):,} rows are not what they were, first "
            f"row {wrong[0]} (from 0). Restore the table if it has changed; name another file if this is another's."
        )
    return entries


def find_standing(entries: Iterable[Entry]) -> list[Entry]:
    """The lines that were not taken back: an undo takes back the last one of its row that is left."""
    standing: list[Entry] = []
    for one in entries:
        if one.event != Event.UNDO:
            standing.append(one)
        elif places := [place for place, other in enumerate(standing) if other.row == one.row]:
            del standing[places[-1]]
    return standing


def append_entry(path: Path, entry: Entry) -> None:
    """Append a line with the time, and return only once it is on the disk; a half-written last line is dropped."""
    line = [entry.row, entry.digest, entry.event, guard_text(entry.label), entry.how, f"{datetime.now(UTC):%FT%TZ}"]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(line)
    try:
        with open(path, "ab+") as file:
            file.seek(0)
            raw = file.read()
            if _is_json(raw):
                raise TableFileError(f"{path} is an export of Label Studio; name another label file.")
            kept = _without_torn_line(raw)
            file.truncate(len(kept))
            begin = HEADER if not kept else ("" if kept.endswith(b"\n") else "\n")  # which an editor left out
            file.write(f"{begin}{written.getvalue()}".encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise TableFileError(f"{path} cannot be written: {error.strerror}; the answer was not taken.") from None


def digest_rows(frame: pd.DataFrame, rows: Sequence[int], target: str) -> list[str]:
    """Digests of rows without the target; neither types nor spelling of numbers nor the order of columns matter."""
    some, cells = frame.iloc[list(rows)], []
    for name in sorted(str(name) for name in frame.columns if name != target):
        texts = find_texts(some[name])
        levels = np.array([plain_number(level).casefold() for level in texts.levels], dtype=object)
        cells.append([f"{name}={text}" for text in texts.spread(levels, "")])
    lines = [json.dumps(row) for row in zip(*cells, strict=True)] if cells else [""] * len(some)
    return [hashlib.sha256(line.encode()).hexdigest()[:12] for line in lines]


def _read_lines(path: Path, raw: bytes) -> list[Entry]:
    """The lines of a label file; what a killed process left half-written at its end does not count."""
    if HEADER.encode().startswith(raw):
        return []
    text = _without_torn_line(raw).decode("utf-8-sig", errors="replace")
    lines = [*csv.reader(io.StringIO(text))]
    if not lines or tuple(lines[0]) != Entry._fields:
        raise TableFileError(f"{path} is not a label file: its first line must be {HEADER.strip()}.")
    return [_read_line(path, number, line) for number, line in enumerate(lines[1:], 2)]


def _read_line(path: Path, number: int, line: list[str]) -> Entry:
    """A line as an entry."""
    if len(line) == len(Entry._fields) and re.fullmatch(r"-1|\d{1,15}", line[0]):
        one = Entry(int(line[0]), line[1], line[2], unguard_text(line[3]), line[4], line[5])
        has_label = one.event in (Event.LABEL, Event.NEW_CLASS)
        hows = HOW if one.event == Event.LABEL else ("", *HOW)
        if one.event in list(Event) and bool(one.label) == has_label and one.how in hows:
            return one
    raise TableFileError(f"Line {number} of {path} is none that `tabcast label` wrote; restore or remove it.")


def _without_torn_line(text: bytes) -> bytes:
    """The text without a last line that is not whole: every whole one ends in a time, even where no line break is."""
    whole, mark, last = text.rpartition(b"\n")
    is_whole = not last or TIME.fullmatch(last.rpartition(b",")[2].decode(errors="replace")) is not None
    return text if is_whole else whole + mark


def _is_json(raw: bytes) -> bool:
    return raw.lstrip()[:1] in (b"[", b"{")


def _read_label_studio(path: Path, raw: bytes) -> list[Entry]:
    """The choices in a JSON export of Label Studio, of tasks that `tabcast label --export label-studio` wrote."""
    try:
        tasks = json.loads(raw)
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
        entries += [Entry(row, digest, Event.LABEL, label, how) for label in labels[:1]]
    return entries
