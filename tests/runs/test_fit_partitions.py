"""A folder of table files: judged on a sample, trained on all rows, predicted to the last row."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app
from tabcast.files import ArgumentError, TableFileError
from tabcast.runs import fit_partitions, fit_table, load_model, load_run, predict_partitions
from tests.conftest import read_dataset

pytest.importorskip("xgboost")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with labeled and unlabeled rows, and the same rows in two places."""
    folder = tmp_path_factory.mktemp("folder")
    X, y = read_dataset("diabetes")
    table = X.assign(name=[f"person {at}" for at in range(len(X))], result=np.asarray(y))
    order = np.random.default_rng(0).permutation(len(table))
    table = table.iloc[order].reset_index(drop=True)
    both = table.assign(result=table["result"].where(table.index % 6 == 0, None))
    (folder / "both").mkdir()
    (folder / "others").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
        both.iloc[rows].to_parquet(folder / "both" / f"{number}.parquet", index=False)
        others = both.iloc[rows][both["result"].iloc[rows].isna()].drop(columns="result")
        others.to_csv(folder / "others" / f"{number}.csv", index=False)
    both[both["result"].notna()].to_csv(folder / "labeled.csv", index=False)
    both.to_pickle(folder / "both.pkl")
    return folder


OPTIONS = {"teacher": "self", "guard": False, "time_limit": 1e-3}


@pytest.fixture(scope="module")
def run(tables):
    return fit_partitions(tables / "both", "result", **OPTIONS)


def test_all_unlabeled_rows_are_predicted(run, tables, tmp_path):
    both = pd.read_pickle(tables / "both.pkl")
    unlabeled = both["result"].isna()
    assert run.summary["partitions"] == {"files": 3, "unlabeled": unlabeled.sum(), "trained": unlabeled.sum()}
    run.save(tmp_path / "run")
    predictions = pd.read_parquet(tmp_path / "run" / "predictions")
    assert predictions["row"].tolist() == np.flatnonzero(unlabeled).tolist()
    assert predictions["name"].tolist() == both["name"][unlabeled].tolist()
    again = load_run(tmp_path / "run").predict(both[unlabeled])
    assert again["prediction"].tolist() == predictions["prediction"].tolist()
    sample = run.predictions.set_index("name")  # the same model predicts the sample
    assert sample["prediction"].loc[predictions["name"]].tolist() == predictions["prediction"].tolist()
    run.save(tmp_path / "run", overwrite=True)  # the folder of parts is part of a run
    saved = load_model(tmp_path / "run")
    found = predict_partitions(saved, tables / "others", tmp_path / "out", keep=["name"])
    assert found.n_rows == unlabeled.sum()
    assert pd.read_parquet(tmp_path / "out")["prediction"].tolist() == predictions["prediction"].tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "run"]


def test_row_numbers_are_those_of_the_folder(run, tables):
    both = pd.read_pickle(tables / "both.pkl")
    parts = run.prediction_parts.to_pandas().set_index("row")
    for table in (run.predictions, run.pseudo_labels):
        assert table["name"].tolist() == both["name"].loc[table["row"]].tolist()
        assert both["result"].loc[table["row"]].isna().all()
    labels = parts["prediction"].loc[run.predictions["row"]]
    assert labels.tolist() == run.predictions["prediction"].tolist()
    to_label = run.diagnostics.rows_to_label.rows["row"]
    assert both["result"].loc[to_label].isna().all()
    assert [one["row"] for one in run.summary["diagnostics"]["rows_to_label"]["rows"]] == to_label.tolist()
    assert len(run.feature_values) == len(run.pseudo_labels)
    features = run.feature_values.reset_index(drop=True)
    pd.testing.assert_frame_equal(features, both.loc[run.pseudo_labels["row"], features.columns].reset_index(drop=True))
    assert "in the order of all files" in str(run.report)


def test_row_numbers_of_a_sample(tables, monkeypatch):
    monkeypatch.setattr("tabcast.runs._fit_partitions.SAMPLE_ROWS", 50)
    both = pd.read_pickle(tables / "both.pkl")
    run = fit_partitions(tables / "both", "result", method="supervised")
    assert len(run.predictions) == 50
    assert run.summary["title"] == run.summary["table"]["file"] == "both"
    assert run.summary["warnings"][0].startswith("There are 640 unlabeled rows in 3 files.")
    assert "a random sample of 50 of them, and this page is about the sample" in str(run.report)
    assert run.predictions["name"].tolist() == both["name"].loc[run.predictions["row"]].tolist()
    parts = run.prediction_parts.to_pandas().set_index("row").loc[run.predictions["row"]].reset_index()
    pd.testing.assert_frame_equal(parts, run.predictions, check_dtype=False)


def test_rows_of_a_labeled_file_are_counted_first(tables, tmp_path):
    labeled = pd.read_csv(tables / "labeled.csv")
    labeled.assign(result=labeled["result"].where(labeled.index != 3)).to_csv(tmp_path / "labeled.csv", index=False)
    others = pd.concat([pd.read_csv(tables / "others" / f"{number}.csv") for number in range(3)])
    names = pd.concat([labeled["name"], others["name"]], ignore_index=True)
    run = fit_partitions(tmp_path / "labeled.csv", "result", unlabeled=tables / "others", method="supervised")
    assert run.predictions["row"].tolist() == [3, *range(len(labeled), len(names))]
    assert run.predictions["name"].tolist() == names.loc[run.predictions["row"]].tolist()
    parts = run.prediction_parts.to_pandas()
    pd.testing.assert_frame_equal(parts, run.predictions.iloc[1:].reset_index(drop=True), check_dtype=False)
    one = pd.concat([labeled, others])  # a table in memory has the same numbers
    one.assign(result=one["result"].where(np.arange(len(one)) < len(labeled))).to_csv(tmp_path / "one.csv", index=False)
    memory = fit_table(tmp_path / "one.csv", "result", method="supervised", model="xgboost")
    assert memory.predictions["row"].tolist() == parts["row"].tolist()


def test_labeled_rows_in_a_file_of_their_own(run, tables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["fit", str(tables / "labeled.csv"), "--unlabeled", str(tables / "others"), "--target", "result"]
    command += ["--teacher", "self", "--no-guard", "--time-limit", "1s", "--engine", "stream"]
    result = CliRunner().invoke(app, [*command, "--out", "results", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    assert "3 files with 640 unlabeled rows; this process, a file at a time." in result.output
    assert "predictions" in result.output
    assert len(pd.read_parquet(tmp_path / "results" / "predictions")) == 640
    assert [path.name for path in tmp_path.iterdir()] == ["results"]  # finished rounds are gone
    command = ["predict", "results", str(tables / "others"), "--out", "predicted"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "640 rows in predicted" in result.output


@pytest.mark.slow
def test_a_killed_run_resumes(tables, tmp_path, monkeypatch):
    from tabcast.partitions import StreamEngine

    trained, train = [], StreamEngine.train

    def stop(self, *args):
        trained.append(1)
        if len(trained) == 1:
            raise KeyboardInterrupt
        return train(self, *args)

    monkeypatch.setattr(StreamEngine, "train", stop)
    monkeypatch.chdir(tmp_path)
    command = ["fit", str(tables / "both"), "--target", "result", "--teacher", "self"]
    command += ["--no-guard", "--time-limit", "1s", "--out", "results", "--jobs", "1"]
    stopped = CliRunner().invoke(app, command)
    assert (stopped.exit_code, [path.name for path in tmp_path.iterdir()]) == (130, [".results.rounds"])
    resumed = CliRunner().invoke(app, [*command, "--resume"])
    assert resumed.exit_code == 0, resumed.output
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_what_folders_cannot_do_is_refused(tables, tmp_path):
    with pytest.raises(ArgumentError, match="Folders are trained with XGBoost only"):
        fit_partitions(tables / "both", "result", model="logistic_regression")
    with pytest.raises(ArgumentError, match=r"precision.* works on a table in memory only"):
        fit_partitions(tables / "both", "result", precision=0.9)
    with pytest.raises(TableFileError, match=r"0.parquet has no column 'outcome', the target"):
        fit_partitions(tables / "both", "outcome")
    result = CliRunner().invoke(app, ["fit", str(tables / "labeled.csv"), "--target", "result", "--engine", "stream"])
    assert result.exit_code == 2
    assert "--engine is for folders" in result.output


def test_a_file_that_lacks_a_column_is_named(tables, tmp_path):
    for path in (tables / "both").iterdir():
        frame = pd.read_parquet(path)
        (frame.drop(columns="plas") if path.name == "1.parquet" else frame).to_parquet(tmp_path / path.name)
    with pytest.raises(TableFileError, match=r"1.parquet has no column 'plas'"):
        fit_partitions(tmp_path, "result", **OPTIONS)
