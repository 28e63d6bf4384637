"""Text that a spreadsheet would compute gets an apostrophe in front, which can always be taken away again."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcast.files import TableWriter
from tabcast.files._spreadsheet import guard_frame, guard_text, unguard, unguard_text
from tests.conftest import needs

FORMULAS = ["=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "'=1", "-1+2", "+49 30 1234", "=", "--"]
HARMLESS = [
    "",
    "x=1",
    "1",
    "-1",
    "+1.5",
    "-1,5",
    "-1.234,5",
    "-1e-5",
    "-.5",
    "'quoted'",
    " =1",
    "O'Neill",
    "2024-01-01",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_guarded(text):
    assert guard_text(text) == "'" + text


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_other_text_stay(text):
    assert guard_text(text) == text == unguard_text(text)


@given(st.text(alphabet="=+-@\t\r\n'1.,e ax") | st.text())
def test_the_text_comes_back(text):
    guarded = guard_text(text)
    assert unguard_text(guarded) == text
    assert guarded[:1] not in set("=@\t\r\n")


def test_a_table():
    frame = pd.DataFrame({"=name": ["=1", None, "b"], "x": [-1, 2, 3], "y": [-0.5, np.nan, 1], "z": ["-1", "a", "-b"]})
    frame["when"] = pd.Timestamp("2024-01-01")
    frame["kind"] = pd.Categorical(["@", "b", "b"])
    frame["text"] = frame["z"].astype("string")
    guarded = guard_frame(frame)
    assert guarded.columns.tolist() == ["'=name", "x", "y", "z", "when", "kind", "text"]
    assert guarded["'=name"].fillna("").tolist() == ["'=1", "", "b"]
    assert guarded["z"].tolist() == guarded["text"].tolist() == ["-1", "a", "'-b"]
    assert guarded["kind"].tolist() == ["'@", "b", "b"]
    pd.testing.assert_frame_equal(guarded[["x", "y", "when"]], frame[["x", "y", "when"]])
    assert unguard(guarded["z"]).tolist() == frame["z"].tolist()
    assert len(guard_frame(frame.iloc[:0])) == 0


@pytest.mark.parametrize(("safe", "first"), [(True, "'=1"), (False, "=1")])
def test_files_of_text(tmp_path, safe, first):
    frame = pd.DataFrame({"a": ["=1", "b"]})
    for ending, separator in ((".csv", ","), (".tsv", "\t")):
        with TableWriter(tmp_path / "out", ending, spreadsheet_safe=safe) as writer:
            writer.write(frame)
        assert pd.read_csv(tmp_path / "out", sep=separator)["a"].tolist() == [first, "b"]


@needs("pyarrow")
@pytest.mark.parametrize("safe", [True, False])
def test_files_of_types_are_left_alone(tmp_path, safe):
    with TableWriter(tmp_path / "out", ".parquet", spreadsheet_safe=safe) as writer:
        writer.write(pd.DataFrame({"a": ["=1", "b"]}))
    assert pd.read_parquet(tmp_path / "out")["a"].tolist() == ["=1", "b"]
