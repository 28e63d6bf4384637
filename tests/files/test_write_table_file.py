"""Writing: the whole table or nothing."""

import numpy as np
import pandas as pd
import pytest

from tabcast.files import TableFileError, TableWriter, open_table_file, read_table_file, write_table_file
from tests.conftest import need_pyarrow

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
    if ending not in (".parquet", ".feather"):
        assert (tmp_path / f"whole{ending}").read_bytes() == (tmp_path / f"batches{ending}").read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".feather"])
def test_a_file_is_read_column_by_column(tmp_path, ending):
    need_pyarrow(ending)
    frame = pd.DataFrame({"a": np.arange(50), "b": np.arange(50.0), "c": [f"n{number}" for number in range(50)]})
    write_table_file(frame, tmp_path / f"t{ending}")
    table = open_table_file(tmp_path / f"t{ending}")
    assert (table.names, table.notes, table.count_rows()) == (["a", "b", "c"], [], 50)
    used, kept = zip(*table.batches(20, ["c", "a"], ["a"]), strict=True)
    assert [len(one) for one in used] == [len(one) for one in kept] == [20, 20, 10]
    assert used[0].columns.tolist() == ["c", "a"]
    assert pd.concat(used)["c"].tolist() == frame["c"].tolist()
    assert pd.concat(kept)["a"].astype(int).tolist() == list(range(50))
    assert pd.concat(used).index.tolist() == list(range(50))
