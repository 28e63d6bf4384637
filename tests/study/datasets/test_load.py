"""Where data comes from, in which order, and what is said when it is nowhere."""

import json
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from tabcast.study.datasets import DatasetInfo, download_dataset, load_dataset
from tabcast.study.datasets._dataset import find_info
from tabcast.study.datasets._load import find_folder, read_files, write_files
from tests.conftest import SMALL_TABLES, read_dataset
from tests.study.datasets.fake_openml import answers_for, serve

INFO = DatasetInfo(
    name="fruit",
    metric="f1",
    n_rows=5,
    n_columns=4,
    n_classes=2,
    target="ripe",
    openml_id=99999,
    dropped=("id",),
    positive_class="2",
    file="Fruit",
)


def fruit(third=0.1):
    """All that is hard about a file: digits and "None" as levels, level order, unused levels, missing cells, text."""
    return pd.DataFrame(
        {
            "id": ["x1", "x2", "x3", "x4", "x5"],
            "weight": [1.0, np.nan, third, 1 / 3, 1e-300],
            "count": [1.0, 2.0, 3.0, 4.0, 5.0],
            "sort": pd.Categorical(["10", "2", None, "10", "2"], categories=["10", "2", "7"]),
            "peel": pd.Categorical(
                ["None", "none", "thick", "a,b", "None"], categories=["thick", "None", "none", "a,b"]
            ),
            "ripe": pd.Categorical(["2", "1", "1", "2", "1"], categories=["2", "1"]),
        }
    )


def store(folder, frame=None):
    return write_files(folder, INFO.file, fruit() if frame is None else frame, target="ripe", source="a test")


def check_fruit(dataset):
    expected = fruit()
    expected["sort"] = expected["sort"].cat.set_categories(["2", "10"])
    expected["peel"] = expected["peel"].cat.set_categories(["None", "a,b", "none", "thick"])
    assert dataset.X.columns.tolist() == ["weight", "count", "sort", "peel"]
    pd.testing.assert_frame_equal(dataset.X, expected[dataset.X.columns.tolist()], check_exact=True)
    assert dataset.classes.tolist() == ["1", "2"]
    assert dataset.y.tolist() == [1, 0, 0, 1, 0]


def offline(*args, **kwargs):
    raise URLError("no connection")


class TestFiles:
    def test_round_trip(self, tmp_path):
        store(tmp_path)
        check_fruit(load_dataset(INFO, data_dir=tmp_path))

    def test_entry_in_meta_json_will_do(self, tmp_path):
        store(tmp_path)
        entry = json.loads((tmp_path / "Fruit.json").read_text())
        (tmp_path / "meta.json").write_text(json.dumps([{"name": "other"}, entry]))
        (tmp_path / "Fruit.json").unlink()
        check_fruit(load_dataset(INFO, data_dir=str(tmp_path)))

    def test_same_table_same_bytes_and_nothing_left_over(self, tmp_path):
        first, second = store(tmp_path / "a"), store(tmp_path / "b")
        assert first.read_bytes() == second.read_bytes()
        assert sorted(path.name for path in first.parent.iterdir()) == ["Fruit.csv.gz", "Fruit.json"]

    def test_a_write_that_fails_leaves_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr(json, "dumps", lambda *args, **kwargs: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store(tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_table_without_an_entry(self, tmp_path):
        store(tmp_path)
        (tmp_path / "Fruit.json").unlink()
        (tmp_path / "meta.json").write_text(json.dumps([{"name": "other"}]))
        with pytest.raises(ValueError, match=r"Fruit.csv.gz has no entry that describes .* in Fruit.json or meta.json"):
            load_dataset(INFO, data_dir=tmp_path)

    def test_damaged_table(self, tmp_path):
        path = store(tmp_path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ValueError, match=r"Fruit.csv.gz is damaged \(.*Remove it and download"):
            load_dataset(INFO, data_dir=tmp_path)

    def test_table_without_the_target(self, tmp_path):
        store(tmp_path, fruit().rename(columns={"ripe": "sweet"}))
        with pytest.raises(ValueError, match=r"Fruit.csv.gz has no column 'ripe', the target of 'fruit'"):
            load_dataset(INFO, data_dir=tmp_path)

    @pytest.mark.parametrize("file", ["cmc", "credit-g"])
    def test_round_trip_of_real_tables(self, tmp_path, file):
        X, labels = read_dataset(file)
        frame = pd.concat([X, labels], axis=1)
        write_files(tmp_path, file, frame, target=labels.name, source="a test")
        pd.testing.assert_frame_equal(read_files(tmp_path, file), frame, check_exact=True)


class TestOrder:
    @pytest.fixture
    def three_folders(self, tmp_path, cache, monkeypatch):
        """Copies that tell by a number where they were read from."""
        for folder, number in ((tmp_path / "own", 1.0), (tmp_path / "named", 2.0), (cache, 3.0)):
            store(folder, fruit(third=number))
        monkeypatch.setenv("TABCAST_DATA_DIR", str(tmp_path / "named"))
        return tmp_path

    def test_data_dir_then_variable_then_cache(self, three_folders, cache):
        own, named = three_folders / "own", three_folders / "named"
        for folder, number in ((own, 1.0), (named, 2.0), (cache, 3.0)):
            assert find_folder(INFO, data_dir=own) == folder
            assert load_dataset(INFO, data_dir=own).X["weight"][2] == number
            (folder / "Fruit.csv.gz").unlink()
        assert find_folder(INFO, data_dir=own) is None

    def test_cache_in_home(self, tmp_path, monkeypatch):
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        store(tmp_path / ".cache" / "tabcast" / "datasets")
        check_fruit(load_dataset(INFO))

    def test_a_named_folder_must_exist(self, tmp_path, monkeypatch):
        with pytest.raises(ValueError, match="data_dir must be a folder that exists; got '/nowhere'"):
            load_dataset("adult", data_dir="/nowhere")
        monkeypatch.setenv("TABCAST_DATA_DIR", "/neither")
        with pytest.raises(ValueError, match="TABCAST_DATA_DIR must be a folder that exists; got '/neither'"):
            load_dataset("adult", data_dir=tmp_path)


class TestOpenML:
    def test_fetched_once_and_then_cached(self, cache):
        with serve(answers_for(INFO, fruit())) as asked:
            check_fruit(load_dataset(INFO))
            assert asked
        assert find_folder(INFO) == cache
        with serve() as asked:
            check_fruit(load_dataset(INFO))
        assert asked == []

    def test_a_column_that_openml_ignores(self, tmp_path):
        with serve(answers_for(INFO, fruit(), ignored=["id"])):
            check_fruit(load_dataset(INFO))

    def test_download_into_a_folder(self, tmp_path, cache):
        folder = tmp_path / "new" / "folder"
        with serve(answers_for(INFO, fruit())):
            assert download_dataset(INFO, data_dir=folder) == folder
        check_fruit(load_dataset(INFO, data_dir=folder))
        assert not cache.exists()

    @pytest.mark.parametrize("name", ["diabetes", "credit-g"])
    def test_real_tables_through_openml_are_the_files(self, name):
        info = find_info(name)
        X, labels = read_dataset(info.file)
        with serve(answers_for(info, pd.concat([X, labels], axis=1))):
            fetched = load_dataset(name)
        stored = load_dataset(name, data_dir=SMALL_TABLES)
        pd.testing.assert_frame_equal(fetched.X, stored.X)
        np.testing.assert_array_equal(fetched.y, stored.y)
        np.testing.assert_array_equal(fetched.classes, stored.classes)

    def test_another_table_than_described_is_refused_and_not_kept(self, cache):
        with (
            serve(answers_for(INFO, fruit().iloc[:4])),
            pytest.raises(ValueError, match=r"'fruit' is not the one that was described: expected n_rows 5, found 4\."),
        ):
            load_dataset(INFO)
        assert not cache.exists()

    def test_a_table_without_the_target(self):
        with (
            serve(answers_for(INFO, fruit().rename(columns={"ripe": "sweet"}))),
            pytest.raises(ValueError, match=r"OpenML 99999 is not what 'fruit' should be: .*'ripe'"),
        ):
            load_dataset(INFO)

    def test_no_connection(self, tmp_path, cache, monkeypatch):
        monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
        with pytest.raises(FileNotFoundError) as caught:
            load_dataset("bioresponse", data_dir=tmp_path)
        message = str(caught.value)
        assert f"Dataset 'bioresponse' is not in {tmp_path}, {cache}, and OpenML could not be reached" in message
        assert "no connection" in message
        assert "run: tabcast datasets download bioresponse." in message
        assert "the folder that has Bioresponse.csv.gz with data_dir or TABCAST_DATA_DIR." in message
        assert not cache.exists()

    def test_gusto_is_not_on_openml(self, tmp_path, cache):
        for get in (load_dataset, download_dataset):
            with serve() as asked, pytest.raises(FileNotFoundError) as caught:
                get("gusto", data_dir=tmp_path)
            assert asked == []
            message = str(caught.value)
            assert "Dataset 'gusto' is not on OpenML: clinical_gusto_15628.csv.gz and its entry have to be" in message
            assert "data_dir or TABCAST_DATA_DIR names." in message
            assert str(tmp_path) in message

    def test_nothing_to_download(self):
        with pytest.raises(ValueError, match="Dataset 'blob' is synthetic: there is nothing to down"):
            download_dataset("blob")
