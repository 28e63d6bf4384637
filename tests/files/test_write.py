"""Writing: the whole table or nothing, and text that a spreadsheet would compute gets an apostrophe in front."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabcast.files import TableFileError, read_table_file, write_table_file
from tabcast.files._read import open_table_file
from tabcast.files._write import TableWriter, guard_frame, guard_text, unguard, unguard_text
from tests.conftest import need_pyarrow, needs

TABLE = pd.DataFrame({"name": ["Ann", 'B"o,b', None], "x": [0.1, np.nan, 3.0]}, index=[5, 6, 7])


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "t.parquet", "t.feather"])
def test_what_is_written_is_read(tmp_path, name):
    need_pyarrow(name)
    write_table_file(TABLE, tmp_path / name)
    frame = read_table_file(tmp_path / name)
    assert frame["name"].astype(object).where(frame["name"].notna(), None).tolist() == ["Ann", 'B"o,b', None]
    np.testing.assert_array_equal(frame["x"].astype(float), TABLE["x"])
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.feather"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, name, problem):
    (tmp_path / name).write_text("old")

    def fail(self, frame):
        self._path.write_bytes(b"half")
        raise problem

    monkeypatch.setattr(TableWriter, "write", fail)
    with pytest.raises((TableFileError, KeyboardInterrupt), match=r"No space left|"):
        write_table_file(TABLE, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "old"


@pytest.mark.parametrize("name", ["t", "t.xlsx", "t.gz", "t.parquet.gz"])
def test_the_name_must_say_how(tmp_path, name):
    with pytest.raises(TableFileError, match=r"must end in \.csv"):
        write_table_file(TABLE, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_no_such_folder(tmp_path):
    with pytest.raises(TableFileError, match=r"t.csv could not be written"):
        write_table_file(TABLE, tmp_path / "nowhere" / "t.csv")


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".feather"])
def test_batches_make_the_same_file_as_a_whole_table(tmp_path, ending):
    need_pyarrow(ending)
    frame = pd.DataFrame({"name": [f"n{number}" for number in range(50)], "x": np.arange(50.0)})
    write_table_file(frame, tmp_path / f"whole{ending}")
    with TableWriter(tmp_path / f"batches{ending}", ending) as writer:
        for start in range(0, 50, 15):
            writer.write(frame[start : start + 15])
    whole, batches = (read_table_file(tmp_path / f"{name}{ending}") for name in ("whole", "batches"))
    pd.testing.assert_frame_equal(whole, batches)
    if ending == ".csv":
        assert (tmp_path / f"whole{ending}").read_bytes() == (tmp_path / f"batches{ending}").read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".feather"])
def test_a_file_is_read_column_by_column(tmp_path, ending):
    need_pyarrow(ending)
    frame = pd.DataFrame({"a": np.arange(50), "b": np.arange(50.0), "c": [f"n{number}" for number in range(50)]})
    write_table_file(frame, tmp_path / f"t{ending}")
    table = open_table_file(tmp_path / f"t{ending}")
    assert (table.names, table.notes) == (["a", "b", "c"], [])
    used, kept = zip(*table.batches(20, ["c", "a"], ["a"]), strict=True)
    assert [len(one) for one in used] == [len(one) for one in kept] == [20, 20, 10]
    assert used[0].columns.tolist() == ["c", "a"]
    assert pd.concat(used)["c"].tolist() == frame["c"].tolist()
    assert pd.concat(kept)["a"].astype(int).tolist() == list(range(50))
    assert pd.concat(used).index.tolist() == list(range(50))


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


@pytest.mark.parametrize("text", [*FORMULAS, "\uff1d1", "\uff0b1", "\uff0d1", "\uff20a", "'\uff1d1"])
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
