"""`fit_table`, `Run` and `load_run`: the practitioner's job from Python."""

import json
import re
import subprocess
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from typer.testing import CliRunner

from tabcast import CASTClassifier, SelfTrainingClassifier, fit_table, load_run
from tabcast.cli.main import app
from tabcast.diagnostics import Diagnostics
from tabcast.exceptions import TabcastWarning
from tabcast.guard import Verdict
from tabcast.models import make_model
from tabcast.runs import ModelFileError, RunFolderError, RunReport, load_model, predict_file
from tests.cli.test_fit import FILES, make_table

LINEAR = make_model("logistic_regression")


def quick():
    return SelfTrainingClassifier(LINEAR, strategy="all", validation=None, max_rounds=1)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "customers.csv"
    make_table().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def run(path):
    return fit_table(path, "churned", estimator=CASTClassifier(LINEAR, alpha=0.5, validation=None))


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    run.save(folder)
    return folder


class TestFit:
    def test_what_a_run_has(self, run):
        assert isinstance(run.verdict, Verdict)
        assert run.verdict.to_dict() == run.summary["verdict"]
        assert isinstance(run.diagnostics, Diagnostics)
        assert run.diagnostics.to_dict() == run.summary["diagnostics"]
        assert run.model.classes_.tolist() == ["no", "yes"]
        assert json.loads(json.dumps(run.summary, allow_nan=False)) == run.summary
        assert (run.summary["method"]["name"], run.summary["training"]["alpha"]) == ("cast-l", 0.5)
        assert re.match(r"<Run: customers.csv, target 'churned', 60 labeled and 240 unlabeled rows, CAST", repr(run))

    def test_predictions(self, run, path):
        table = pd.read_csv(path)
        hidden = np.flatnonzero(table["churned"].isna())
        names = ["row", "customer", "prediction", "probability_no", "probability_yes"]
        assert run.predictions.columns.tolist() == names
        assert run.predictions["row"].tolist() == hidden.tolist()
        assert run.predictions["customer"].tolist() == table["customer"][hidden].tolist()
        assert len(run.pseudo_labels) == len(hidden)

    def test_predict_takes_files_and_frames(self, run, path, tmp_path):
        table = pd.read_csv(path)
        found = run.predict(path)
        pd.testing.assert_frame_equal(found, run.predict(table))
        table.drop(columns="churned")[["plan", *table.columns[:-3]]].to_parquet(tmp_path / "other.parquet")
        np.testing.assert_array_equal(
            run.predict(tmp_path / "other.parquet")["probability_yes"], found["probability_yes"]
        )

    def test_predict_warns_of_cells_that_it_cannot_use(self, run, path):
        table = pd.read_csv(path).astype({"age": object})
        table.loc[3, "age"] = "many"
        with pytest.warns(TabcastWarning, match=r"Column 'age': 1 value counted as missing: not a number"):
            run.predict(table)

    @pytest.mark.parametrize(
        "estimator",
        [
            "logistic_regression",
            HistGradientBoostingClassifier(max_iter=10),
            pytest.param("cast", marks=pytest.mark.slow),
            "auto",
        ],
        ids=lambda one: str(one)[:20],
    )
    def test_what_an_estimator_may_be(self, estimator, tmp_path):
        run = fit_table(make_table(120, 40), "churned", estimator=estimator)
        assert run.summary["method"]["name"] == ("cast-l" if estimator == "cast" else "soft")
        run.save(tmp_path / "run")
        proba = load_run(tmp_path / "run").predict(make_table(120, 40))["probability_yes"]
        np.testing.assert_array_equal(proba, run.predict(make_table(120, 40))["probability_yes"])

    def test_a_ready_classifier_keeps_its_own_settings(self):
        ready = CASTClassifier(LINEAR, alpha=0.3, validation=None, max_pool=30, random_state=7)
        table = make_table(120, 40)
        run = fit_table(table, "churned", estimator=ready, max_pool=50)
        assert (len(run.pseudo_labels), len(run.predictions)) == (30, 80)
        assert run.summary["training"]["alpha"] == 0.3
        assert ready.missing_label == "auto"  # a copy was fitted

    def test_some_rows_train_and_all_are_predicted(self):
        run = fit_table(make_table(120, 40), "churned", estimator=quick(), max_pool=30)
        assert run.summary["training"]["pool"] == {"n_unlabeled": 80, "n_trained": 30}
        assert (len(run.pseudo_labels), len(run.predictions)) == (30, 80)

    def test_warnings_reach_the_caller_and_the_summary(self):
        X, y = make_classification(900, 5, n_informative=4, n_redundant=0, weights=[0.93], class_sep=2, random_state=0)
        labeled = np.concatenate([np.flatnonzero(y == label)[:25] for label in (0, 1)])
        table = pd.DataFrame(X, columns=list("abcde"))
        table["y"] = np.where(np.isin(np.arange(900), labeled), np.where(y == 1, "rare", "common"), None)
        with pytest.warns(TabcastWarning, match="do not look like a random sample") as caught:
            run = fit_table(table, "y", estimator="logistic_regression")
        warned = [str(one.message) for one in caught if isinstance(one.message, TabcastWarning)]
        assert run.summary["warnings"][-len(warned) :] == warned

    @pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0], ["None", "?"]], ids=str)
    def test_labels_of_every_type_survive_saving(self, labels, tmp_path):
        table = make_table(120, 40)
        table["churned"] = table["churned"].map({"no": labels[0], "yes": labels[1]}).astype(object)
        run = fit_table(table, "churned", estimator=quick())
        run.save(tmp_path / "out")
        again = load_run(tmp_path / "out")
        for one, other in ((run.predictions, again.predictions), (run.pseudo_labels, again.pseudo_labels)):
            pd.testing.assert_frame_equal(one, other, check_dtype=False)
        assert type(again.predictions["prediction"].tolist()[0]) is type(run.predictions["prediction"].tolist()[0])


BAD = {
    "scoring": ({"scoring": "acuracy"}, "Unknown scoring: 'acuracy'.* Did you mean 'accuracy'"),
    "estimator": ({"estimator": "xgbost"}, "Unknown estimator: 'xgbost'.* Did you mean 'xgboost'"),
    "no classifier": ({"estimator": 3}, "`estimator` must be 'auto', 'cast', the name of a model, .*; got 3"),
    "precision": ({"precision": 95}, r"`precision` must be between 0 and 1, such as 0\.95; got 95"),
    "pool": ({"max_pool": "some"}, "`max_pool` must be a number of rows, or None for all; got 'some'"),
    "seed": ({"random_state": -1}, "`random_state` must be an integer from 0 to 4294967295; got -1"),
    "no seed": ({"random_state": None}, "got None"),
    "jobs": ({"n_jobs": 0}, "`n_jobs` must be a number of processes"),
    "a name instead of a list": ({"ignore": "age"}, "`ignore` must be a list of column names; got 'age'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_refused_before_the_table_is_read(case):
    options, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence):
        fit_table("/nowhere/table.csv", "churned", **options)


def test_a_classifier_that_no_file_can_hold_is_named(tmp_path):
    class Mine(HistGradientBoostingClassifier):
        pass

    run = fit_table(
        make_table(120, 40),
        "churned",
        estimator=SelfTrainingClassifier(Mine(max_iter=5), validation=None, max_rounds=1),
    )
    with pytest.raises(ModelFileError, match=r"Mine in it cannot be saved"):
        run.save(tmp_path / "run")
    assert not (tmp_path / "run").exists()


class TestReport:
    def test_it_is_the_page_that_is_saved(self, run, folder, tmp_path):
        assert isinstance(run.report, RunReport)
        run.report.save(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text() == str(run.report) == (folder / "report.html").read_text()

    def test_a_notebook_shows_it_in_a_frame_of_its_own(self, run):
        shown = run.report._repr_html_()
        (inside,) = re.findall(r'srcdoc="([^"]*)"', shown)
        assert "customers.csv" in unescape(inside)
        assert "customers.csv" in run._repr_html_()
        assert re.search(r'<iframe [^<]*sandbox=""[^<]* style="width: 100%; height: [1-9]\d+px;', shown)

    def test_a_verdict_is_read_without_print(self, run):
        assert repr(run.verdict) == str(run.verdict)
        assert repr(run.verdict).startswith(("The unlabeled rows", "No difference", "With the", "Better", "Probably"))


class TestSaving:
    def test_files(self, folder):
        assert {path.name for path in folder.iterdir()} == FILES

    def test_an_earlier_run_is_replaced_on_request_only(self, run, tmp_path):
        run.save(tmp_path / "out")
        with pytest.raises(RunFolderError, match=r"of an earlier run; give another folder, or `overwrite=True`"):
            run.save(tmp_path / "out")
        run.save(tmp_path / "out", overwrite=True)
        (tmp_path / "file").write_text("mine")
        with pytest.raises(RunFolderError, match="is a file; give a folder"):
            run.save(tmp_path / "file")

    def test_all_or_nothing(self, run, tmp_path, monkeypatch):
        def fail(*arguments, **options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(RunReport, "save", fail)
        with pytest.raises(OSError, match="No space left"):
            run.save(tmp_path / "out")
        assert list(tmp_path.iterdir()) == []


class TestLoading:
    def test_it_is_the_same_run(self, run, folder, path, tmp_path):
        again = load_run(folder)
        assert again.summary == run.summary
        assert str(again.verdict) == str(run.verdict)
        pd.testing.assert_frame_equal(again.predictions, run.predictions, check_dtype=False)
        pd.testing.assert_frame_equal(again.pseudo_labels, run.pseudo_labels, check_dtype=False)
        pd.testing.assert_frame_equal(again.predict(path), run.predict(path))
        again.save(tmp_path / "again")
        assert {one.name for one in (tmp_path / "again").iterdir()} == FILES

    @pytest.mark.parametrize("name", ["", "Unnamed: 1", "two\nlines", 'quo"te', " padded "])
    def test_identifiers_with_odd_names(self, name, tmp_path):
        table = make_table(120, 40).rename(columns={"customer": name})
        run = fit_table(table, "churned", estimator=quick(), id_columns=[name])
        run.save(tmp_path / "out")
        again = load_run(tmp_path / "out")
        assert again.predictions[name].tolist() == run.predictions[name].tolist()

    def test_what_is_no_run(self, folder, tmp_path):
        with pytest.raises(RunFolderError, match=r"is not the folder of a run: it has no summary\.json"):
            load_run(tmp_path)
        (tmp_path / "summary.json").write_text("{")
        with pytest.raises(RunFolderError, match="cannot be read"):
            load_run(tmp_path)
        (tmp_path / "summary.json").write_text("{}")
        with pytest.raises(RunFolderError, match="is not the summary of a run"):
            load_run(tmp_path)
        for name in ("summary.json", "model.skops"):
            (tmp_path / name).write_bytes((folder / name).read_bytes())
        with pytest.raises(RunFolderError, match=r"it has no predictions\.csv"):
            load_run(tmp_path)
        (tmp_path / "predictions.csv").write_text("row\nx\n")
        with pytest.raises(RunFolderError, match=r"predictions\.csv cannot be read: it has no column 'customer'"):
            load_run(tmp_path)


def test_the_command_line_gives_the_same(tmp_path):
    path = tmp_path / "customers.csv"
    make_table(120, 40).to_csv(path, index=False)
    command = ["fit", str(path), "--target", "churned", "--out", str(tmp_path / "cli"), "--seed", "4"]
    result = CliRunner().invoke(app, [*command, "--estimator", "logistic_regression"])
    assert result.exit_code == 0, result.output
    run = fit_table(path, "churned", estimator="logistic_regression", random_state=4)
    loaded = load_run(tmp_path / "cli")
    pd.testing.assert_frame_equal(loaded.predictions, run.predictions, check_dtype=False)
    assert loaded.verdict.to_dict() == run.verdict.to_dict()
    predict_file(load_model(tmp_path / "cli"), path, tmp_path / "all.csv")
    np.testing.assert_allclose(
        pd.read_csv(tmp_path / "all.csv")["probability_yes"], run.predict(path)["probability_yes"], rtol=1e-12
    )


def test_the_names_are_loaded_when_used():
    code = "import sys, tabcast; assert 'pandas' not in sys.modules; assert callable(tabcast.fit_table)"
    subprocess.run([sys.executable, "-c", code], check=True)
