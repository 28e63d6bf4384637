"""`tabcast datasets`, as a person types it."""

import subprocess
import sys
from urllib.error import URLError

import pytest
from typer.testing import CliRunner

from tabcast.cli.datasets import datasets_app
from tabcast.study.datasets import list_datasets, load_dataset
from tabcast.study.datasets._dataset import find_info
from tests.conftest import read_dataset
from tests.study.datasets.fake_openml import answers_for, serve


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(home))
    monkeypatch.delenv("TABCAST_DATA_DIR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return home / "tabcast" / "datasets"


def run(*arguments):
    return CliRunner().invoke(datasets_app, arguments)


def rows_of(output):
    """Name and cells of each row of the table; `where` is the rest of the line."""
    lines = [line.split(maxsplit=6) for line in output.splitlines() if not line.startswith("* ")]
    return {cells[0]: [cell.strip() for cell in cells[1:]] for cells in lines if len(cells) == 7}


class TestList:
    def test_every_dataset_with_its_numbers(self):
        result = run("list")
        assert result.exit_code == 0
        rows = rows_of(result.output)
        for info in list_datasets():
            cells = rows["gusto*" if info.name == "gusto" else info.name]
            assert cells[:5] == [
                f"{info.n_rows:,}",
                f"{info.n_columns:,}",
                str(info.n_classes),
                info.metric,
                str(info.openml_id or "-"),
            ]
        assert rows["adult"][5] == "missing"
        assert rows["blob"][5] == "synthetic"
        assert "* gusto: a public stand-in for the paper's 6M-mortality registry (private)." in result.output

    def test_where_they_are(self, tmp_path, cache, monkeypatch):
        own, named = tmp_path / "own", tmp_path / "named"
        for folder, name in ((own, "kc2"), (named, "pc3"), (cache, "pc4")):
            folder.mkdir(parents=True)
            (folder / f"{name}.csv.gz").touch()
        monkeypatch.setenv("TABCAST_DATA_DIR", str(named))
        result = run("list", "--data-dir", str(own))
        rows = rows_of(result.output)
        assert {name for name, cells in rows.items() if cells[5].startswith("(")} == {"kc2", "pc3", "pc4"}
        for name, folder in (("kc2", own), ("pc3", named), ("pc4", cache)):
            assert f"{rows[name][5]} {folder}\n" in result.output

    @pytest.mark.parametrize("terminal", ["xterm", "dumb"])
    def test_nothing_is_cut_on_a_narrow_terminal(self, monkeypatch, terminal):
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("TERM", terminal)
        monkeypatch.setenv("FORCE_COLOR", "1")  # as if the output were a terminal
        rows = rows_of(run("list").output)
        assert [name.rstrip("*") for name in rows][1:] == [info.name for info in list_datasets()]

    def test_a_folder_that_has_all(self, tmp_path):
        for info in list_datasets():
            (tmp_path / f"{info.file}.csv.gz").touch()
        assert "missing" not in run("list", "--data-dir", str(tmp_path)).output

    def test_folder_that_does_not_exist(self):
        result = run("list", "--data-dir", "/nowhere")
        assert result.exit_code == 2
        assert "data_dir must be a folder that exists; got '/nowhere'." in result.stderr


class TestDownload:
    def test_into_the_cache(self, cache):
        X, labels = read_dataset("diabetes")
        with serve(answers_for(find_info("diabetes"), X.assign(**{"class": labels}))):
            result = run("download", "diabetes")
        assert result.exit_code == 0, result.output
        assert f"diabetes: in {cache}" in result.output
        assert rows_of(run("list").output)["diabetes"][5] == "(1)"
        assert load_dataset("diabetes").X.shape == (768, 8)

    def test_one_failure_does_not_stop_the_others(self, tmp_path, monkeypatch):
        (tmp_path / "kc2.csv.gz").touch()

        def offline(*args, **kwargs):
            raise URLError("no connection")

        monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
        result = run("download", "--data-dir", str(tmp_path), "gusto", "pc3", "kc2")
        assert result.exit_code == 1
        assert "gusto: Dataset 'gusto' is not on OpenML" in result.stderr
        assert "pc3: Dataset 'pc3' is not in" in result.stderr
        assert f"kc2: in {tmp_path}" in result.stdout
        assert "2 of 3 not downloaded: gusto, pc3." in result.stderr

    def test_all_are_those_on_openml(self, tmp_path):
        for info in list_datasets():
            (tmp_path / f"{info.file}.csv.gz").touch()
        result = run("download", "--all", "--data-dir", str(tmp_path))
        assert result.exit_code == 0
        names = [line.split(":")[0] for line in result.output.splitlines()]
        assert names == [info.name for info in list_datasets() if info.name not in ("gusto", "blob")]

    def test_unknown_name_before_any_download(self, cache):
        result = run("download", "diabetes", "chrun")
        assert result.exit_code == 2
        assert "Unknown dataset: 'chrun'." in result.stderr
        assert "Did you mean 'churn'?" in result.stderr
        assert not cache.exists()

    @pytest.mark.parametrize("arguments", [(), ("--all", "adult")])
    def test_names_or_all(self, arguments):
        result = run("download", *arguments)
        assert result.exit_code == 2
        assert "Name the datasets to download, or use --all (not both)." in result.stderr


def test_commands_are_listed():
    result = run("--help")
    assert "list" in result.output
    assert "download" in result.output


def test_importing_the_commands_is_light():
    code = (
        "import sys, tabcast.cli.datasets\n"
        "heavy = [name for name in ('sklearn', 'pandas', 'numpy', 'scipy') if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
