"""Writing: the whole table or nothing."""

import numpy as np
import pandas as pd
import pytest

from tabcast.files import TableFileError, read_table_file, write_table_file

TABLE = pd.DataFrame({"name": ["Ann", 'B"o,b', None], "x": [0.1, np.nan, 3.0]}, index=[5, 6, 7])


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "t.parquet", "t.feather"])
def test_what_is_written_is_read(tmp_path, name):
    write_table_file(TABLE, tmp_path / name)
    frame = read_table_file(tmp_path / name)
    assert frame["name"].astype(object).where(frame["name"].notna(), None).tolist() == ["Ann", 'B"o,b', None]
    np.testing.assert_array_equal(frame["x"].astype(float), TABLE["x"])
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.feather"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, name, problem):
    (tmp_path / name).write_text("old")

    def fail(self, path, *args, **kwargs):
        path.write_bytes(b"half")
        raise problem

    for method in ("to_csv", "to_parquet", "to_feather"):
        monkeypatch.setattr(pd.DataFrame, method, fail)
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
