"""Folders of tables: labeled rows of all files, a sample of the others, and every file predicted."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast import SelfTrainingClassifier, fit_table, load_run
from tabcast.cli.main import app
from tabcast.files import TableFileError
from tabcast.models import make_model
from tabcast.progress import Progress
from tabcast.runs import DaskError, load_model, predict_file
from tabcast.runs._predict import compare_versions
from tabcast.runs._table import prepare_table
from tabcast.wording import ArgumentError
from tests.conftest import needs

N_ROWS = 130


def quick():
    return SelfTrainingClassifier(make_model("logistic_regression"), strategy="all", validation=None, max_rounds=1)


def make_rows(seed=0, n=N_ROWS):
    """Rows whose class follows from a number; the first 60 are labeled."""
    random = np.random.default_rng(seed)
    rows = pd.DataFrame({"id": [f"r{seed}-{i}" for i in range(n)], "income": random.normal(0, 900, n).round(2)})
    rows["since"] = pd.Timestamp("2021-03-04") + pd.to_timedelta(random.integers(0, 900, n), unit="D")
    rows["plan"] = random.choice(["NA", "None", "gold"], n)
    truth = np.where(rows["income"] + 300 * (rows["plan"] == "NA") > 0, "yes", "no")
    return rows.assign(y=np.where(np.arange(n) < 60, truth, None)), truth


def write(rows, path, date="%Y-%m-%d", decimal=".", **options):
    text = rows.assign(
        since=rows["since"].dt.strftime(date),
        income=rows["income"].map(lambda number: f"{number:.2f}".replace(".", decimal)),
    )
    text.to_csv(path, index=False, **options)


@pytest.fixture
def folder(tmp_path):
    """Two CSV files, each in a notation of its own, and a Parquet file."""
    (tmp_path / "big").mkdir()
    write(make_rows(0)[0], tmp_path / "big" / "a.csv")
    write(make_rows(1)[0], tmp_path / "big" / "b.csv", "%d.%m.%Y", ",", sep=";")
    make_rows(2)[0].to_parquet(tmp_path / "big" / "c.parquet")
    return tmp_path / "big"


def test_every_row_of_every_file_is_predicted_as_from_one_table(folder, tmp_path):
    run = fit_table(folder, "y", estimator=quick(), max_pool=None)
    together = pd.concat([make_rows(seed)[0] for seed in range(3)], ignore_index=True)
    expected = fit_table(together, "y", estimator=quick(), max_pool=None)
    np.testing.assert_allclose(run.predictions["probability_yes"], expected.predictions["probability_yes"])
    assert run.predictions["id"].tolist() == expected.predictions["id"].tolist()
    assert run.predictions[["file", "file_row"]].iloc[0].tolist() == ["a.csv", 60]
    run.save(tmp_path / "run")
    for number, name in enumerate("abc"):
        found = pd.read_parquet(tmp_path / "run" / "predictions" / f"{name}.parquet")
        rows, truth = make_rows(number)
        assert found["id"].tolist() == rows["id"].tolist()
        assert (found["prediction"] == truth).mean() > 0.9
        np.testing.assert_allclose(found["probability_yes"], expected.predict(rows)["probability_yes"])
    again = load_run(tmp_path / "run")
    pd.testing.assert_frame_equal(again.predictions.astype(str), run.predictions.astype(str), check_dtype=False)


def test_a_sample_of_the_unlabeled_rows_trains_and_it_is_said(folder, tmp_path):
    run = fit_table(folder, "y", estimator=quick(), max_pool=50)
    assert (run.summary["table"]["n_labeled"], run.summary["table"]["n_unlabeled"]) == (180, 50)
    assert "big has 210 unlabeled rows in 3 files: 50 of them, drawn at random" in " ".join(run.summary["warnings"])
    assert run.predictions["file"].nunique() == 3
    other = fit_table(folder, "y", estimator=quick(), max_pool=50, random_state=1)
    assert other.predictions["id"].tolist() != run.predictions["id"].tolist()
    run.save(tmp_path / "run")
    assert sum(len(pd.read_parquet(one)) for one in (tmp_path / "run" / "predictions").iterdir()) == 3 * N_ROWS


def test_unlabeled_rows_in_a_folder(folder, tmp_path):
    write(make_rows(3)[0][:60], tmp_path / "labeled.csv")
    pattern = str(folder / "*.csv")
    run = fit_table(tmp_path / "labeled.csv", "y", unlabeled=pattern, estimator=quick())
    assert (run.summary["table"]["n_labeled"], len(run.predictions)) == (60, 2 * N_ROWS)
    run.save(tmp_path / "run")
    assert sorted(one.name for one in (tmp_path / "run" / "predictions").iterdir()) == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize("marker", ["NA", "N/A", "NULL", "NaN", "-1"])
def test_markers_of_unlabeled_rows_mean_the_same_in_a_folder(marker, folder, tmp_path):
    """A word for a missing value is one in every file, and the marker is unlabeled where the user says so."""
    for seed, name in enumerate("ab"):
        write(make_rows(seed)[0].fillna({"y": marker}), folder / f"{name}.csv")
    (folder / "c.parquet").unlink()
    together = pd.concat([make_rows(seed)[0] for seed in range(2)], ignore_index=True).fillna({"y": marker})
    missing = None if marker == "NaN" else marker
    both = [fit_table(table, "y", estimator=quick(), missing_label=missing) for table in (folder, together)]
    assert both[0].summary["table"]["n_unlabeled"] == both[1].summary["table"]["n_unlabeled"] == 140
    assert both[0].predictions["prediction"].tolist() == both[1].predictions["prediction"].tolist()
    both[0].save(tmp_path / "run")
    assert len(pd.read_parquet(tmp_path / "run" / "predictions" / "a.parquet")) == N_ROWS


def test_levels_are_those_of_a_single_file(folder, tmp_path):
    """ "NA" and "None" among the levels of a column mean in a folder what they mean in a file."""
    write(pd.concat([make_rows(seed)[0] for seed in range(3)], ignore_index=True), tmp_path / "all.csv")
    found = []
    for table in (folder, tmp_path / "all.csv"):
        prepared = prepare_table(table, "y")
        found.append((prepared.X["plan"].astype(str).tolist(), prepared.X["plan"].cat.categories.tolist()))
    assert found[0] == found[1]
    assert "None" in found[0][1]


def test_a_file_without_a_column_is_named(folder):
    with pytest.raises(TableFileError, match=r"a\.csv has no column 'Y', the target; did you mean 'y'\?"):
        fit_table(folder, "Y", estimator=quick())
    write(make_rows(4)[0].drop(columns="plan"), folder / "d.csv")
    with pytest.raises(TableFileError, match=r"d\.csv has no column 'plan', which a\.csv has"):
        fit_table(folder, "y", estimator=quick())


@pytest.mark.parametrize("change", ["rows", "columns"])
def test_a_file_that_changes_during_the_run_is_named(change, folder, tmp_path):
    run = fit_table(folder, "y", estimator=quick())
    rows, _ = make_rows(1)
    write(rows[:50] if change == "rows" else rows.drop(columns="plan"), folder / "b.csv", "%d.%m.%Y", ",", sep=";")
    with pytest.raises(TableFileError, match=r"b\.csv"):
        run.save(tmp_path / "run")
    assert not (tmp_path / "run").exists()


class TestCommand:
    def call(self, *arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    def test_fit_and_predict(self, folder, tmp_path):
        options = ["--estimator", "logistic_regression", "--max-pool", 100]
        result = self.call("fit", folder, "--target", "y", "--out", tmp_path / "run", *options)
        assert result.exit_code == 0, result.output
        assert "100 of them, drawn at random" in result.output
        result = self.call("predict", tmp_path / "run", folder, "-o", tmp_path / "out")
        assert result.exit_code == 0, result.output
        assert f"{3 * N_ROWS} rows in" in result.output
        for name in "abc":
            one, other = (
                pd.read_parquet(place / f"{name}.parquet")
                for place in (tmp_path / "run" / "predictions", tmp_path / "out")
            )
            pd.testing.assert_frame_equal(one, other)

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--out", "big/run"], r"--out big/run is inside big, whose files are the table"),
            (["--precision", "0.9"], r"--precision fills a table in one file"),
            (["--unlabeled", ""], r"--unlabeled is an empty path"),
            (["--labels", "big.csv"], r"--labels are of the rows of one file; big is a folder"),
        ],
    )
    def test_refused_before_any_training(self, options, sentence, folder, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        before = sorted(tmp_path.rglob("*"))
        result = self.call("fit", "big", "--target", "y", *options)
        assert result.exit_code == 2
        assert re.search(sentence, result.stderr)
        assert sorted(tmp_path.rglob("*")) == before

    def test_an_empty_path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = self.call("fit", "", "--target", "y", "--out", "run")
        assert result.exit_code == 2
        assert "is an empty path" in result.stderr

    def test_an_empty_folder(self, tmp_path):
        result = self.call("fit", tmp_path, "--target", "y", "--out", tmp_path.parent / "run")
        assert result.exit_code == 2
        assert "There is no Parquet or CSV file" in result.stderr

    def test_predictions_are_not_written_into_the_folder(self, folder, tmp_path):
        fit_table(folder, "y", estimator=quick()).save(tmp_path / "run")
        result = self.call("predict", tmp_path / "run", folder, "-o", folder / "out")
        assert result.exit_code == 2
        assert "is inside" in result.stderr


class TestDask:
    @pytest.fixture
    def cluster(self):
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as one:
            yield one

    def test_workers_predict_the_same(self, cluster, folder, tmp_path):
        run = fit_table(folder, "y", estimator=quick(), dask=cluster.scheduler_address)
        run.save(tmp_path / "run")
        predict_file(load_model(tmp_path / "run"), folder, tmp_path / "here")
        for one in (tmp_path / "here").iterdir():
            pd.testing.assert_frame_equal(
                pd.read_parquet(one), pd.read_parquet(tmp_path / "run" / "predictions" / one.name)
            )
        shutil.copy(folder / "a.csv", folder / "d.csv")
        (folder / "b.csv").write_text("id\n1\n")
        with pytest.raises(TableFileError, match=r"b\.csv"):
            run.save(tmp_path / "again")

    def test_no_scheduler(self, folder, tmp_path, monkeypatch):
        pytest.importorskip("distributed")
        monkeypatch.setattr("tabcast.runs._predict.PATIENCE", "1s")
        with pytest.raises(DaskError, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:9\."):
            fit_table(folder, "y", estimator=quick(), dask="tcp://127.0.0.1:9")
        command = ["fit", str(folder), "--target", "y", "--out", str(tmp_path / "run"), "--dask", "tcp://127.0.0.1:9"]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 1
        assert result.stderr == "There is no Dask scheduler at tcp://127.0.0.1:9.\n"

    def test_a_single_table_needs_no_cluster(self, cluster, folder):
        with pytest.raises(ArgumentError, match="`dask` is for folders of tables"):
            fit_table(folder / "a.csv", "y", estimator=quick(), dask=cluster.scheduler_address)

    @needs("distributed")
    def test_a_cluster_without_workers(self, folder):
        from distributed import LocalCluster

        with (
            LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty,
            pytest.raises(DaskError, match=r"^The Dask cluster at .* has no worker; start one\.$"),
        ):
            fit_table(folder, "y", estimator=quick(), dask=empty.scheduler_address)

    @pytest.mark.parametrize(
        ("name", "version", "said"),
        [
            ("tabcast", None, "that lacks tabcast; here it is 1.0"),
            ("tabcast", "0.9", "that has tabcast 0.9; here it is 1.0"),
            ("distributed", "2020.1", "that has distributed 2020.1; here it is 1.0"),
            ("python", "3.10", "that has python 3.10; here it is 1.0"),
        ],
    )
    def test_workers_that_differ_are_named(self, name, version, said):
        ours = dict.fromkeys(("python", "distributed", "tabcast"), "1.0")
        workers = {"tcp://1": {"packages": ours}, "tcp://2": {"packages": {**ours, name: version}}}
        found = {"client": {"packages": ours}, "workers": workers}
        assert compare_versions(found) == f"has a worker, tcp://2, {said}. Install the same on all"
        assert compare_versions({**found, "workers": {"tcp://1": {"packages": ours}}}) == ""

    @pytest.fixture
    def start(self, tmp_path):
        """Start a scheduler and a worker as processes, the worker with a path of its own; returns address and first."""
        pytest.importorskip("distributed")
        processes = []

        def begin(path):
            file = str(tmp_path / "scheduler.json")
            for name, options in (("scheduler", ["--host", "127.0.0.1", "--port", "0"]), ("worker", ["--no-nanny"])):
                command = [sys.executable, "-m", f"distributed.cli.dask_{name}", "--scheduler-file", file]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), *sys.path])}
                options = [*options, "--no-dashboard"]
                processes.append(subprocess.Popen([*command, *options], env=environment, stderr=subprocess.PIPE))
                for line in processes[-1].stderr:  # until it is registered
                    if b"Scheduler at:" in line or b"Starting established connection" in line:
                        break
            return json.loads((tmp_path / "scheduler.json").read_text())["address"], processes[0]

        yield begin
        for process in processes:
            process.kill()
            process.communicate()

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("file", "content", "said"),
        [
            ("tabcast-0.0.1.dist-info/METADATA", "Name: tabcast\nVersion: 0.0.1\n", "has tabcast 0.0.1; here it is"),
            ("sklearn/__init__.py", "raise ModuleNotFoundError('No module named x')", r"failed \(.*No module named"),
        ],
    )
    def test_a_worker_that_cannot_work(self, file, content, said, start, folder, tmp_path):
        (tmp_path / "lib" / file).parent.mkdir(parents=True)
        (tmp_path / "lib" / file).write_text(content)
        address, _ = start(tmp_path / "lib")
        command = ["fit", str(folder), "--target", "y", "--out", str(tmp_path / "run"), "--dask", address]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 1
        sentence = rf"The Dask cluster at {address} has a worker.* that {said}.* the same on all\.\n"
        assert re.fullmatch(sentence, result.stderr)
        assert not (tmp_path / "run").exists()

    @pytest.mark.slow
    def test_a_scheduler_that_is_gone(self, start, folder, tmp_path):
        address, scheduler = start(tmp_path)
        fit_table(folder, "y", estimator=quick()).save(tmp_path / "run")
        for number in range(40):
            shutil.copy(folder / "c.parquet", folder / f"c{number}.parquet")

        class Kill(Progress):
            def advance(self):
                scheduler.kill()
                scheduler.wait()

        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(DaskError, match=rf"^The Dask scheduler at {address} is gone; start it again and run the"):
            predict_file(
                load_model(tmp_path / "run"), folder, tmp_path / "out", dask=address, progress=lambda n: Kill()
            )
        assert sorted(tmp_path.rglob("*")) == before
