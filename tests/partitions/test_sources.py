"""Where partitions come from, and the sentence for a file that cannot be one."""

import numpy as np
import pandas as pd
import pytest

from tabcast import CASTClassifier
from tabcast.files import TableFileError
from tabcast.partitions import StreamEngine, is_partitioned, open_partitions
from tabcast.partitions import _sources as sources
from tabcast.partitions._survey import read_typed, survey
from tabcast.table import learn_types

pyarrow = pytest.importorskip("pyarrow")

ROWS = pd.DataFrame(
    {
        "age": np.arange(30.0),
        "city": ["Ulm", "Bonn", None] * 10,
        "on": [True, False] * 15,
        "day": pd.date_range("2020-01-01", periods=30),
    }
)


def read_all(source):
    """All rows of a source, with the types of the labeled rows."""
    members = open_partitions(source).members
    return pd.concat([frame for one in members for frame in read_typed(one, learn_types(ROWS))], ignore_index=True)


def assert_rows(found):
    assert found["age"].tolist() == ROWS["age"].tolist()
    assert found["city"].astype(object).fillna("-").tolist() == ROWS["city"].fillna("-").tolist()
    assert found["on"].tolist() == ROWS["on"].tolist()
    assert pd.to_datetime(found["day"]).tolist() == ROWS["day"].tolist()


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        ROWS[number * 10 : number * 10 + 10].to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    (tmp_path / "_SUCCESS").write_text("")
    return tmp_path


def test_folders_patterns_lists_and_datasets_have_the_same_rows(folder, tmp_path):
    import pyarrow.dataset

    files = sorted(folder.glob("*.parquet"))
    for source in (folder, str(folder), f"{folder}/*.parquet", files, pyarrow.dataset.dataset(folder)):
        assert is_partitioned(source)
        assert_rows(read_all(source))
    assert not any(is_partitioned(table) for table in (ROWS, np.zeros((2, 2)), [[1.0]], [], None))


def test_csv_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tabcast.partitions._partition.BATCH", 4)  # types of chunks differ
    for number in range(2):
        ROWS[number * 15 : number * 15 + 15].to_csv(tmp_path / f"{number}.csv.gz", index=False)
    assert_rows(read_all(tmp_path))
    assert [one.count_rows() for one in open_partitions(tmp_path).members] == [15, 15]


def test_dask_dataframes(folder):
    dataframe = pytest.importorskip("dask.dataframe")
    table = dataframe.from_pandas(ROWS, npartitions=4)
    assert is_partitioned(table)
    assert_rows(read_all(table))


def test_row_groups_are_partitions(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PARTITION_ROWS", 12)
    ROWS.to_parquet(tmp_path / "a.parquet", index=False, row_group_size=5)
    assert [one.n_rows for one in open_partitions(tmp_path / "a.parquet").members] == [10, 10, 10]
    assert_rows(read_all(tmp_path / "a.parquet"))


def test_the_survey_does_not_depend_on_partitions(folder, tmp_path):
    ROWS.to_parquet(tmp_path / "whole.parquet", index=False)
    types = learn_types(ROWS)
    sources = (folder / "whole.parquet", [folder / f"part-{number}.parquet" for number in range(3)])
    whole, parts = (survey(StreamEngine(), open_partitions(one).members, types, n_sample=12) for one in sources)
    assert whole.rows.tolist() == parts.rows.tolist()
    assert whole.levels == parts.levels == {"city": ["Bonn", "Ulm"], "on": [False, True]}
    assert whole.sample["age"].tolist() == parts.sample["age"].tolist() == ROWS["age"][whole.rows].tolist()
    assert (whole.total, parts.offsets) == (30, [0, 10, 20])


def damage(folder, name):
    """A file of the folder that is not what it should be."""
    path = folder / "part-1.parquet"
    if name == "empty":
        path.write_bytes(b"")
    elif name == "unreadable":
        path.write_bytes(b"PAR1 but no more")
    elif name == "no rows":
        ROWS[:0].to_parquet(path, index=False)
    elif name == "missing column":
        ROWS.drop(columns="city").to_parquet(path, index=False)
    elif name == "another type":
        ROWS.assign(age="old").to_parquet(path, index=False)
    elif name == "infinity":
        ROWS.assign(age=np.inf).to_parquet(path, index=False)


SENTENCES = {
    "empty": "part-1.parquet is empty; remove it",
    "unreadable": "part-1.parquet could not be read",
    "no rows": "part-1.parquet has no rows; remove it",
    "missing column": "part-1.parquet has no column 'city', which the labeled rows have",
    "another type": "Column 'age' holds text in .*part-1.parquet but numbers in the labeled rows",
    "infinity": "Column 'age' of .*part-1.parquet holds infinity",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_bad_file_is_named_in_one_sentence(folder, name):
    xgboost = pytest.importorskip("xgboost")
    damage(folder, name)
    model = CASTClassifier(xgboost.XGBClassifier(n_estimators=2), alpha=0.5, validation=None)
    with pytest.raises(TableFileError, match=SENTENCES[name]) as caught:
        model.fit(ROWS, np.arange(30) % 2, X_unlabeled=open_partitions(folder, checkpoint=folder / "rounds"))
    assert "\n" not in str(caught.value)
    assert not (folder / "rounds").exists()
    assert not hasattr(model, "estimator_")


def test_a_folder_without_tables(tmp_path):
    with pytest.raises(TableFileError, match=r"There is no Parquet or CSV file in .*: it is empty"):
        open_partitions(tmp_path)
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(TableFileError, match=r"it has 'notes.txt'"):
        open_partitions(tmp_path)
    with pytest.raises(TableFileError, match=r"notes.txt is neither Parquet nor CSV"):
        open_partitions([tmp_path / "notes.txt"])
    with pytest.raises(TableFileError, match="There is no file or folder"):
        open_partitions(tmp_path / "none")
    with pytest.raises(TableFileError, match="No file matches"):
        open_partitions(tmp_path / "*.parquet")
    with pytest.raises(TypeError, match="Partitions must be a folder"):
        open_partitions(5)


def test_text_in_a_csv_file_where_numbers_are_expected(tmp_path):
    ROWS.assign(age="old").to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(TableFileError, match=r"Column 'age' has numbers in the labeled rows but text in .*a.csv"):
        read_all(tmp_path)
