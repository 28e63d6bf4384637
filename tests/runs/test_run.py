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
from typer.testing import CliRunner

import tabcast
from tabcast import fit_table, load_run
from tabcast.cli.main import app
from tabcast.cli.wording import COMMAND_LINE
from tabcast.diagnostics import Diagnostics
from tabcast.exceptions import SamplingWarning, TabcastWarning
from tabcast.files import ArgumentError, TableFileError, Understanding, describe
from tabcast.guard import Verdict
from tabcast.runs import RunFolderError, RunReport, check_folder, load_model, predict_file
from tests.cli.test_fit import FILES, make_table
from tests.report.browser import Browser, find_browser

QUICK = {"model": "logistic_regression", "time_limit": 1.0}


@pytest.fixture(scope="module")
def path(tmp_path_factory, small_committee):
    path = tmp_path_factory.mktemp("table") / "customers.csv"
    make_table().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def run(path):
    return fit_table(path, "churned", method="cast-l", alpha=0.5, **QUICK)


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "out"
    run.save(folder)
    return folder


class TestFit:
    def test_what_a_run_has(self, run):
        assert isinstance(run.verdict, Verdict)
        assert run.verdict.to_dict() == run.summary["verdict"]
        assert "balanced accuracy" in str(run.verdict)
        assert isinstance(run.understanding, Understanding)
        assert isinstance(run.diagnostics, Diagnostics)
        assert run.diagnostics.to_dict() == run.summary["diagnostics"]
        assert run.model.classes_.tolist() == ["no", "yes"]
        assert json.loads(json.dumps(run.summary, allow_nan=False)) == run.summary
        assert re.fullmatch(
            r"<Run: customers.csv, target 'churned', 60 labeled and 240 unlabeled rows, method 'cast-l', "
            r"verdict '[a-z ]+', (supervised|self-trained) model>",
            repr(run),
        )

    def test_predictions(self, run, path):
        table = pd.read_csv(path)
        hidden = table["churned"].isna().to_numpy()
        columns = ["row", "customer", "prediction", "probability_no", "probability_yes"]
        assert run.predictions.columns.tolist() == columns
        assert run.predictions["row"].tolist() == np.flatnonzero(hidden).tolist()
        proba = run.model.predict_proba(run.understanding.features(table))[hidden]
        np.testing.assert_array_equal(run.predictions[["probability_no", "probability_yes"]], proba)
        every = run.predict(path)
        assert every.columns.tolist() == columns
        pd.testing.assert_frame_equal(every[hidden].reset_index(drop=True), run.predictions)

    def test_predict_takes_files_and_frames(self, run, path):
        table = pd.read_csv(path)
        expected = run.predict(path)
        pd.testing.assert_frame_equal(run.predict(table), expected)
        shuffled = table.drop(columns=["churned", "customer"]).sample(frac=1, random_state=0)
        got = run.predict(shuffled[shuffled.columns[::-1]])
        assert got.columns.tolist() == ["row", "prediction", "probability_no", "probability_yes"]
        np.testing.assert_allclose(got["probability_yes"], expected["probability_yes"].loc[shuffled.index], rtol=1e-12)

    def test_predict_warns_of_cells_that_it_cannot_use(self, run, path):
        odd = pd.read_csv(path).head(3).astype({"age": object})
        odd.loc[1, "age"] = "forty"
        with pytest.warns(TabcastWarning, match=r"Column 'age': 1 value is not a number and counts as missing"):
            run.predict(odd)
        with pytest.raises(TableFileError, match="lacks column 'age' of the training table"):
            run.predict(odd.drop(columns="age"))

    def test_a_frame_is_as_good_as_a_file(self, run, path):
        table = pd.read_csv(path)
        table.index = table.index[::-1] + 1000
        before = table.copy()
        again = fit_table(table, "churned", method="cast-l", alpha=0.5, **QUICK)
        pd.testing.assert_frame_equal(table, before)
        pd.testing.assert_frame_equal(again.pseudo_labels, run.pseudo_labels)
        if again.verdict.chosen == run.verdict.chosen:  # the time limit decides how many splits are compared
            pd.testing.assert_frame_equal(again.predictions, run.predictions)
        assert again.summary["table"]["file"] == "table"

    def test_unlabeled_rows_in_a_frame_of_their_own(self, path):
        table = pd.read_csv(path)
        hidden = table["churned"].isna()
        run = fit_table(
            table[~hidden], "churned", unlabeled=table[hidden].drop(columns="churned"), method="supervised", **FAST
        )
        assert run.predictions["row"].tolist() == list(range(60, 300))
        with pytest.raises(TableFileError, match="`unlabeled` has none of the columns of table"):
            fit_table(table, "churned", unlabeled=pd.DataFrame({"zzz": [1]}), **FAST)

    def test_supervised(self, path):
        run = fit_table(path, "churned", method="supervised", **FAST)
        assert (run.verdict, run.diagnostics, len(run.pseudo_labels)) == (None, None, 0)
        assert len(run.predictions) == 240
        assert repr(run).endswith("method 'supervised'>")

    def test_how_the_table_is_interpreted_is_known_before_training(self, path):
        class Stopped(Exception):
            pass

        def look(understanding, notes):
            assert notes == []
            assert understanding.n_labeled == 60
            assert "Leave columns out with --ignore NAME" in " ".join(describe(understanding, COMMAND_LINE))
            raise Stopped

        with pytest.raises(Stopped):
            fit_table(path, "churned", on_understood=look)

    def test_warnings_reach_the_caller_and_the_summary(self):
        X, y = make_classification(400, 5, n_informative=4, n_redundant=0, weights=[0.93], class_sep=2, random_state=0)
        labeled = np.concatenate([np.flatnonzero(y == label)[:15] for label in (0, 1)])
        table = pd.DataFrame(X, columns=list("abcde")).assign(y=None)
        table.loc[labeled, "y"] = np.where(y[labeled] == 1, "rare", "common")
        with pytest.warns(SamplingWarning, match="do not look like a random sample") as caught:
            run = fit_table(table, "y", **QUICK)
        warned = [str(one.message) for one in caught if isinstance(one.message, TabcastWarning)]
        assert warned
        assert run.summary["warnings"][-len(warned) :] == warned

    @pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0], ["None", "?"]], ids=str)
    def test_labels_of_every_type_survive_saving(self, labels, tmp_path):
        table = make_table(120, 40)
        table["churned"] = table["churned"].map({"no": labels[0], "yes": labels[1]}).astype(object)
        run = fit_table(table, "churned", method="naive", strategy="all", **QUICK)
        run.save(tmp_path / "out")
        again = load_run(tmp_path / "out")
        for one, other in ((run.predictions, again.predictions), (run.pseudo_labels, again.pseudo_labels)):
            pd.testing.assert_frame_equal(one, other, check_dtype=False)
        assert set(again.predictions["prediction"].tolist()) <= set(labels)
        assert type(again.predictions["prediction"].tolist()[0]) is type(run.predictions["prediction"].tolist()[0])


FAST = {"model": "logistic_regression"}
BAD = {
    "density with soft": (
        {"density": "kernel"},
        "`density` is for cast-l and cast-d; it has no effect with `method='soft'`",
    ),
    "alpha with naive": ({"method": "naive", "alpha": 0.5}, "`alpha` is for cast-l and cast-d"),
    "prior with cast": ({"method": "cast-l", "class_prior": "none"}, "`class_prior` is for soft"),
    "no guard supervised": (
        {"method": "supervised", "guard": False},
        "`guard=False` has no effect with `method='supervised'`",
    ),
    "time supervised": ({"method": "supervised", "time_limit": 3}, "`time_limit` is for all methods but supervised"),
    "alpha too large": ({"method": "cast-l", "alpha": 1.5}, r"`alpha` must be in \[0, 1\]; got 1.5"),
    "alpha true": ({"method": "cast-l", "alpha": True}, "got True"),
    "method": ({"method": "cast"}, "Unknown method: 'cast'"),
    "strategy": ({"method": "naive", "strategy": "cpl"}, "Unknown strategy: 'cpl'"),
    "density": ({"method": "cast-l", "density": "kde"}, "Unknown density: 'kde'"),
    "class prior": ({"class_prior": "balanced"}, "Unknown class_prior: 'balanced'"),
    "metric": ({"metric": "acuracy"}, "Did you mean 'accuracy'"),
    "model": ({"model": "xgbost"}, "Did you mean 'xgboost'"),
    "time": ({"time_limit": -1}, "`time_limit` must be a positive number of seconds; got -1"),
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


def test_bad_tables(path):
    with pytest.raises(TypeError, match="`table` must be a path or a pandas DataFrame; got list"):
        fit_table([1, 2], "churned")
    with pytest.raises(TypeError, match="`unlabeled` must be a path or a pandas DataFrame; got int"):
        fit_table(path, "churned", unlabeled=3)
    with pytest.raises(TableFileError, match="which `use` names"):
        fit_table(path, "churned", use=["size"])
    with pytest.raises(TableFileError, match=r"or `unlabeled`\), or use `method='supervised'`") as caught:
        fit_table(pd.read_csv(path).dropna(subset="churned"), "churned")
    assert "or --unlabeled), or use --method supervised" in caught.value.say(COMMAND_LINE)


class TestReport:
    def test_it_is_the_page_that_is_saved(self, run, folder, tmp_path):
        assert isinstance(run.report, RunReport)
        assert str(run.report) == run.report.html == (folder / "report.html").read_text(encoding="utf-8")
        run.report.save(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == run.report.html
        assert len(repr(run.report)) < 100

    def test_a_notebook_shows_it_in_a_frame_of_its_own(self, run):
        shown = run.report._repr_html_()
        (page,) = re.findall(r'srcdoc="([^"]*)"', shown)
        plain = re.sub(
            '<a class="file" href="[^"]*">', '<a class="file">', run.report.html
        )  # no file beside a notebook
        assert unescape(page).replace('<base href="about:srcdoc">', "", 1) == plain != run.report.html
        assert re.fullmatch(r"<iframe [^<>]*></iframe>", shown)
        assert 'sandbox="allow-scripts allow-downloads"' in shown

    def test_a_notebook_shows_a_card_of_the_run(self, run):
        card = run._repr_html_()
        assert str(run.verdict).splitlines()[0] in card
        assert f"{run.verdict.total.gain:+.3f}" in card
        assert "customers.csv" in card
        assert run.summary["table"]["classes"][0]["name"] in card
        assert f"{run.summary['diagnostics']['quality']['accuracy']:.1%}" in card

    def test_links_within_the_page_stay_in_the_frame(self, run, tmp_path):
        program = find_browser()
        if program is None:
            pytest.skip("needs a browser")
        notebook = tmp_path / "notebook.html"
        notebook.write_text(f"<!doctype html><body>{run.report._repr_html_()}</body>", encoding="utf-8")
        with Browser(program) as browser, browser.open(notebook) as page:
            (frame,) = (one for one in browser.call("Target.getTargets")["targetInfos"] if one["url"] == "about:srcdoc")
            session = browser.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]

            def evaluate(expression):
                found = browser.call("Runtime.evaluate", session=session, expression=expression, returnByValue=True)
                return found["result"].get("value")

            assert "customers.csv" in evaluate("document.title")
            evaluate("document.querySelector('a[href=\"#training\"]').click()")
            assert evaluate("location.href") == "about:srcdoc#training"
            assert page.complaints() == []


class TestSaving:
    def test_files(self, folder):
        assert {path.name for path in folder.iterdir()} == FILES
        assert [path.name for path in folder.parent.iterdir()] == ["out"]

    def test_an_earlier_run_is_replaced_on_request_only(self, run, folder, tmp_path):
        with pytest.raises(RunFolderError, match="or `overwrite=True` to replace it") as caught:
            run.save(folder)
        assert "--out " in caught.value.say(COMMAND_LINE)
        assert "or --overwrite to replace it" in caught.value.say(COMMAND_LINE)
        before = (folder / "predictions.csv").read_bytes()
        run.save(folder, overwrite=True)
        assert (folder / "predictions.csv").read_bytes() == before
        check_folder(tmp_path / "new")
        (tmp_path / "file").write_text("x")
        with pytest.raises(RunFolderError, match=r"`folder` .* is a file; give a folder"):
            check_folder(tmp_path / "file")

    def test_all_or_nothing(self, run, tmp_path, monkeypatch):
        def fail(*arguments, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(RunReport, "save", fail)
        with pytest.raises(KeyboardInterrupt):
            run.save(tmp_path / "out")
        assert list(tmp_path.iterdir()) == []


class TestLoading:
    def test_it_is_the_same_run(self, run, folder, path):
        again = load_run(folder)
        pd.testing.assert_frame_equal(again.predict(path), run.predict(path))
        pd.testing.assert_frame_equal(again.predictions, run.predictions, check_dtype=False)
        pd.testing.assert_frame_equal(again.pseudo_labels, run.pseudo_labels, check_dtype=False)
        assert again.understanding == run.understanding
        assert again.summary == run.summary
        assert again.verdict.to_dict() == run.verdict.to_dict()
        assert str(again.verdict) == str(run.verdict)
        assert repr(again) == repr(run)
        assert again.diagnostics is None
        assert "customers.csv" in again.report.html

    def test_a_loaded_run_can_be_saved(self, folder, tmp_path):
        load_run(folder).save(tmp_path / "again")
        for name in ("predictions.csv", "pseudo_labels.csv", "summary.json"):
            assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()

    def test_a_supervised_run(self, path, tmp_path):
        run = fit_table(path, "churned", method="supervised", **FAST)
        run.save(tmp_path / "out")
        again = load_run(tmp_path / "out")
        assert again.verdict is None
        pd.testing.assert_frame_equal(again.predictions, run.predictions)
        assert again.pseudo_labels.columns.tolist() == run.pseudo_labels.columns.tolist()

    @pytest.mark.parametrize("name", ["", "Unnamed: 1", "two\nlines", 'quo"te', " padded "])
    def test_identifiers_with_odd_names(self, name, tmp_path):
        table = pd.DataFrame({name: [f"r{row}" for row in range(40)], "a": np.arange(40) % 7, "y": ["u", "v"] * 20})
        table.loc[20:, "y"] = None
        run = fit_table(table, "y", method="supervised", model="logistic_regression", id_columns=[name])
        run.save(tmp_path / "out")
        again = load_run(tmp_path / "out")
        pd.testing.assert_frame_equal(again.predictions, run.predictions, check_dtype=False)
        assert again.predictions[name].tolist() == [f"r{row}" for row in range(20, 40)]

    def test_what_is_no_run(self, folder, tmp_path):
        with pytest.raises(RunFolderError, match=r"is not the folder of a run: it has no summary.json"):
            load_run(tmp_path)
        load_run(folder).save(tmp_path / "out")
        (tmp_path / "out" / "predictions.csv").unlink()
        with pytest.raises(RunFolderError, match=r"it has no predictions.csv"):
            load_run(tmp_path / "out")
        (tmp_path / "out" / "predictions.csv").write_text("a,b\n1,2\n")
        with pytest.raises(RunFolderError, match=r"predictions.csv cannot be read: it has no column 'row'"):
            load_run(tmp_path / "out")


@pytest.mark.usefixtures("small_committee")
def test_the_command_line_gives_the_same(tmp_path):
    path = tmp_path / "customers.csv"
    make_table(120, 40).to_csv(path, index=False)
    options = ["--model", "logistic_regression", "--seed", "4", "--jobs", "1"]
    result = CliRunner().invoke(
        app, ["fit", str(path), "--target", "churned", "--out", str(tmp_path / "cli"), *options]
    )
    assert result.exit_code == 0, result.output
    run = fit_table(path, "churned", model="logistic_regression", random_state=4)
    run.save(tmp_path / "python")
    for name in ("predictions.csv", "pseudo_labels.csv"):
        assert (tmp_path / "cli" / name).read_bytes() == (tmp_path / "python" / name).read_bytes()
    one, other = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("cli", "python"))
    changing = {"created", "training"}
    assert {key: one[key] for key in one if key not in changing} == {
        key: other[key] for key in other if key not in changing
    }
    predict_file(load_model(tmp_path / "cli"), path, tmp_path / "all.csv")
    by_command = pd.read_csv(tmp_path / "all.csv", dtype={"probability_yes": str})
    np.testing.assert_array_equal(by_command["probability_yes"].map(float), run.predict(path)["probability_yes"])


def test_the_names_are_loaded_when_used():
    code = "import sys, tabcast; assert 'pandas' not in sys.modules; assert callable(tabcast.fit_table)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"fit_table", "load_run"} <= set(tabcast.__all__)
    assert issubclass(ArgumentError, ValueError)
