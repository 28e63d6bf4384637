"""The label file: what was answered is on the disk, whole, and only ever goes to the rows that it is about."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from tabcast.files import TableFileError, read_table_file
from tabcast.labeling._file import NO_ROW, Entry, Event, append_entry, digest_rows, read_entries, read_labels

TABLE = pd.DataFrame(
    {"age": [31, 45, 28, 60], "city": ["Bonn", None, "Ulm", "Kiel"], "spent": [1.5, 2.0, None, 4.25], "y": [None] * 4}
)


def answer(path, *said, table=TABLE):
    """Append answers: (row, event, label), all of rows drawn at random but row 0."""
    for row, event, *label in said:
        digest = digest_rows(table, [row], "y")[0] if row != NO_ROW else ""
        how = "" if row == NO_ROW else ("chosen" if row == 0 else "random")
        append_entry(path, Entry(row, digest, event, *label, how=how))


def labels(path, table=TABLE):
    return [tuple(one) for one in read_labels(path, table, "y").itertuples(index=False)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.csv"


def test_the_last_word_on_each_row_counts(path):
    answer(
        path,
        (2, Event.LABEL, "yes"),
        (0, Event.LABEL, "no"),
        (1, Event.SKIP),
        (3, Event.CANNOT_TELL),
        (1, Event.LABEL, "no"),
        (2, Event.LABEL, "no"),
    )
    assert labels(path) == [(0, "no", "chosen"), (1, "no", "random"), (2, "no", "random")]
    answer(path, (2, Event.UNDO), (0, Event.UNDO), (1, Event.UNDO))  # back to: yes, nothing, skipped
    assert labels(path) == [(2, "yes", "random")]
    answer(path, (2, Event.UNDO), (2, Event.UNDO))
    assert labels(path) == []


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "a,b", 'a "quoted" one', "<script>", "größer", "-1", "@x", "'"])
def test_any_class_name_comes_back_and_no_spreadsheet_takes_it_for_a_formula(path, name):
    answer(path, (NO_ROW, Event.NEW_CLASS, name), (1, Event.LABEL, name))
    assert labels(path) == [(1, name, "random")]
    assert all(not cell.startswith(("=", "@")) for cell in pd.read_csv(path, dtype=str)["label"])


def test_types_notation_and_order_of_columns_do_not_change_a_row(tmp_path, path):
    answer(path, (0, Event.LABEL, "yes"), (1, Event.LABEL, "no"), (2, Event.LABEL, "no"))
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    for table in (
        read_table_file(tmp_path / "t.csv"),
        TABLE.astype({"age": float})[["spent", "y", "city", "age"]],
        TABLE.drop(columns="y"),
        TABLE.assign(y=["yes", "no", "no", "no"]),  # the labels were put into the table
        pd.concat([TABLE, TABLE], ignore_index=True),  # rows came below
    ):
        assert len(labels(path, table)) == 3


def test_a_changed_table_and_another_table_are_refused(path):
    answer(path, (0, Event.LABEL, "yes"), (1, Event.LABEL, "no"), (2, Event.LABEL, "no"))
    for other, sentence in [
        (
            TABLE.assign(city=["Bonn", None, "Jena", "Kiel"]),
            r"does not fit this table: 1 of its 3 rows .* row 2 \(from 0\)",
        ),
        (TABLE.iloc[:2], r"does not fit this table: 1 of its 3 rows are not what they were, first row 2 "),
        (TABLE.iloc[::-1].reset_index(drop=True), r"does not fit this table: 3 of its 3 rows"),
        (TABLE.rename(columns={"age": "years"}), r"does not fit this table: 3 of its 3 rows"),
    ]:
        with pytest.raises(TableFileError, match=sentence):
            labels(path, other)


def test_a_torn_last_line_is_dropped_and_overwritten(path):
    answer(path, (0, Event.LABEL, "yes"), (1, Event.LABEL, "größer"))
    whole = path.read_bytes()
    first_two = whole[: whole.index(b"\n1,") + 1]
    for cut in range(len(first_two), len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert labels(path) == [(0, "yes", "chosen")]
    path.write_bytes(whole[:-9])
    answer(path, (2, Event.LABEL, "no"))
    assert labels(path) == [(0, "yes", "chosen"), (2, "no", "random")]
    path.write_bytes(b"row,dig")  # the very first write
    assert labels(path) == []
    answer(path, (0, Event.LABEL, "yes"), (2, Event.LABEL, "no"))
    path.write_bytes(path.read_bytes()[:-1])  # an editor took the last line break away: nothing is torn
    answer(path, (3, Event.LABEL, "no"))
    assert [row for row, _, _ in labels(path)] == [0, 2, 3]


def test_answers_survive_a_process_that_is_killed_right_after(path):
    script = (
        "import os, signal, sys; from pathlib import Path; from tabcast.labeling._file import Entry, append_entry\n"
        f"append_entry(Path(sys.argv[1]), Entry(1, {digest_rows(TABLE, [1], 'y')[0]!r}, 'label', 'yes', 'random'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert labels(path) == [(1, "yes", "random")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "is not a label file: its first line must be row,digest,event,label,how,time"),
        ("a", "is not a label file"),
        ("row,digest,event,label,how,time\n1,0,label,yes,random\n", "Line 2 of .* is none that `tabcast label` wrote"),
        ("row,digest,event,label,how,time\n1,0,label,yes,,2026-01-01T00:00:00Z\n", "Line 2 of"),
        ("row,digest,event,label,how,time\n1,0,guess,yes,random,2026-01-01T00:00:00Z\n", "Line 2 of"),
        ("[{", "cannot be read as JSON"),
        ('[{"data": {}}]', "Task 1 of .* export the project as JSON"),
        ("[1]", "Task 1 of"),
    ],
)
def test_what_is_no_label_file_is_refused(path, text, sentence):
    path.write_text(text)
    with pytest.raises(TableFileError, match=sentence):
        read_entries(path, TABLE, "y")


def test_unreadable_files_are_refused(path):
    with pytest.raises(TableFileError, match=r"The label file .*labels\.csv cannot be read: No such file"):
        read_entries(path, TABLE, "y")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TableFileError, match="is not a label file"):
        read_entries(path, TABLE, "y")


def label_studio(row, *choices, how="random", cancelled=False, table=TABLE):
    """A task as Label Studio exports it."""
    result = [{"type": "choices", "from_name": "label", "to_name": "row", "value": {"choices": list(choices)}}]
    data = {"row": row, "digest": digest_rows(table, [row], "y")[0], "how": how, "cells": {"age": 31}}
    return {"id": row + 1, "data": data, "annotations": [{"result": result, "was_cancelled": cancelled}]}


def test_an_export_of_label_studio_is_read(path):
    tasks = [label_studio(1, "yes"), label_studio(0, "no", how="chosen"), label_studio(2, "no", cancelled=True)]
    path.write_text(json.dumps([*tasks, label_studio(3) | {"annotations": []}]))
    assert labels(path) == [(0, "no", "chosen"), (1, "yes", "random")]
    with pytest.raises(TableFileError, match="does not fit this table"):
        labels(path, TABLE.assign(age=[31, 46, 28, 60]))
    path.write_text(json.dumps([label_studio(1, "yes", "no")]))
    with pytest.raises(TableFileError, match=r"Task 1 of .* has several labels \(yes, no\)"):
        labels(path)
