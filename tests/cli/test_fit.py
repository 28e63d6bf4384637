"""`tabcast fit`: a table file in, a folder of results out, through the real command."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from typer.testing import CliRunner

from tabcast import SoftSelfTrainingClassifier
from tabcast.cli.fit import default_folder
from tabcast.cli.fit_values import read_seconds
from tabcast.cli.main import app
from tabcast.files import Understanding
from tabcast.models import make_model
from tabcast.runs import load_model

FILES = {"model.skops", "predictions.csv", "pseudo_labels.csv", "report.html", "summary.json"}
QUICK = ["--model", "logistic_regression", "--jobs", "1"]


def make_table(n=300, n_labeled=60, seed=0):
    """Customers: numbers, a category with missing values, a constant, an identifier, few labels."""
    X, y = make_classification(n, 4, n_informative=3, n_redundant=0, class_sep=1.2, random_state=seed)
    random = np.random.default_rng(seed)
    table = pd.DataFrame(X.round(3), columns=["spend", "visits", "age", "score"])
    table.insert(0, "customer", [f"C-{i:04d}" for i in range(n)])
    table["plan"] = np.where(y + random.normal(0, 1, n) > 0.5, "gold", "basic")
    table.loc[random.random(n) < 0.1, "plan"] = None
    table["country"] = "DE"
    table["churned"] = np.where(random.permutation(n) < n_labeled, np.where(y == 1, "yes", "no"), None)
    return table


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def place(tmp_path_factory, small_committee):
    folder = tmp_path_factory.mktemp("fit")
    make_table().to_csv(folder / "customers.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def fitted(place):
    """One run with the default method, and what it said."""
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", place / "out", *QUICK)
    assert result.exit_code == 0, result.output
    return place / "out", result.output


@pytest.fixture(scope="module")
def summary(fitted):
    return json.loads((fitted[0] / "summary.json").read_text())


def test_it_says_what_it_understood_and_what_it_found(fitted, summary):
    _, said = fitted
    assert "300 rows: 60 labeled, 240 unlabeled." in said
    assert re.search(r"'customer' \(identifier\)", said)
    assert re.search(r"'country' \(constant\)", said)
    assert "--use NAME" in said
    assert re.search(r"balanced accuracy went from 0\.\d+ \(supervised\) to 0\.\d+ \(self-trained\)", said)
    assert "90% interval" in said
    aligned = summary["training"]["class_prior"] is not None and summary["verdict"]["chosen"] == "self-trained"
    assert ("--class-prior none" in said) == aligned  # what alignment assumes


def test_all_files_are_there_and_nothing_else(fitted):
    assert {path.name for path in fitted[0].iterdir()} == FILES
    assert {path.name for path in fitted[0].parent.iterdir()} == {"customers.csv", "out"}


def test_predictions_are_those_of_the_saved_model(fitted, place):
    table = pd.read_csv(place / "customers.csv")
    predictions = pd.read_csv(fitted[0] / "predictions.csv")
    hidden = table["churned"].isna()
    assert predictions["row"].tolist() == np.flatnonzero(hidden).tolist()
    assert predictions["customer"].tolist() == table.loc[hidden, "customer"].tolist()
    saved = load_model(fitted[0])
    features = Understanding.from_dict(saved.understanding).features(table)
    proba = saved.classifier.predict_proba(features[hidden])
    np.testing.assert_allclose(predictions[["probability_no", "probability_yes"]], proba, rtol=1e-12)
    assert saved.decision.name == "balanced"  # as balanced accuracy, the metric, needs it
    assert predictions["prediction"].tolist() == saved.classes[saved.decision.decide(proba)].tolist()


def test_the_same_as_in_python(fitted, summary, place):
    table = pd.read_csv(place / "customers.csv")
    understanding = Understanding.from_dict(load_model(fitted[0]).understanding)
    prior = "labeled" if summary["verdict"]["variant"] == "aligned" else None
    model = SoftSelfTrainingClassifier(make_model("logistic_regression", seed=0), class_prior=prior, random_state=0)
    model.fit(understanding.features(table), understanding.labels(table))
    told = pd.read_csv(fitted[0] / "pseudo_labels.csv")
    np.testing.assert_allclose(told["confidence"], model.pseudo_labels_["confidence"], rtol=1e-12)
    assert told["label"].tolist() == model.pseudo_labels_["label"].tolist()
    chosen = model if summary["verdict"]["chosen"] == "self-trained" else model.supervised_
    predictions = pd.read_csv(fitted[0] / "predictions.csv")
    hidden = understanding.features(table)[table["churned"].isna()]
    np.testing.assert_allclose(predictions["probability_yes"], chosen.predict_proba(hidden)[:, 1], rtol=1e-12)


def test_pseudo_labels_say_why(fitted):
    told = pd.read_csv(fitted[0] / "pseudo_labels.csv")
    expected = ["label", "raw_label", "confidence", "raw_confidence", "density", "selected", "round"]
    assert told.columns.tolist() == ["row", "customer", *expected]
    assert len(told) == 240


def test_summary_is_plain_and_complete(summary):
    assert summary["table"]["n_labeled"] == 60
    assert summary["verdict"]["word"] in ("helped", "probably helped", "no difference seen", "hurt")
    assert set(summary["diagnostics"]) == {
        "quality",
        "curves",
        "thresholds",
        "importance",
        "class_prior",
        "cluster_assumption",
        "class_overlap",
        "fisher_information",
        "covariate_shift",
        "selection_curve",
        "class_mix",
        "flipped_labels",
        "reliability",
        "rows_to_label",
    }
    assert set(summary["training"]["seconds"]) == {"supervised", "teacher", "students", "comparison"}
    aligned = summary["verdict"]["variant"] == "aligned"
    assert summary["training"]["class_prior"] is None if not aligned else sum(summary["training"]["class_prior"]) > 0.99


def test_the_page_has_the_verdict_and_the_rows(fitted, summary):
    page = (fitted[0] / "report.html").read_text()
    assert "customers.csv" in page
    assert "Content-Security-Policy" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_report_draws_the_page_again(fitted, place):
    before = (fitted[0] / "report.html").read_text()
    result = run("report", fitted[0], "--table", place / "customers.csv")
    assert result.exit_code == 0, result.output
    assert (fitted[0] / "report.html").read_text() == before
    assert run("report", fitted[0]).exit_code == 0  # without the values of the rows


def test_report_of_something_else(tmp_path):
    result = run("report", tmp_path)
    assert result.exit_code == 2
    assert "is not the folder of a run" in result.output


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "cast-l", "--alpha", "0.5"],
        ["--method", "cast-d", "--alpha", "0.3", "--strategy", "threshold"],
        pytest.param(["--method", "cast-l", "--density", "uniform", "--alpha", "0"], marks=pytest.mark.slow),
        pytest.param(["--method", "naive", "--strategy", "all", "--metric", "accuracy"], marks=pytest.mark.slow),
        ["--method", "soft", "--class-prior", "none", "--no-guard"],
    ],
    ids=lambda options: options[1],
)
def test_methods(options, place, tmp_path):
    arguments = ["--out", tmp_path / "out", "--time-limit", "1s", *QUICK, *options]
    result = run("fit", place / "customers.csv", "--target", "churned", *arguments)
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["method"]["name"] == options[1]
    if "--no-guard" in options:
        assert summary["verdict"]["chosen"] == "self-trained"
        assert summary["training"]["class_prior"] is None
    if "cast" in options[1]:
        assert summary["training"]["alpha"] == float(options[options.index("--alpha") + 1])
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_supervised_has_a_score_and_no_verdict(place, tmp_path):
    arguments = ["--method", "supervised", "--out", tmp_path / "out", *QUICK]
    result = run("fit", place / "customers.csv", "--target", "churned", *arguments)
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["verdict"] is None
    score = summary["score"]
    assert 0.5 < score["low"] < score["score"] < score["high"] <= 1
    said = f"Its cross-validated balanced accuracy is {score['score']:.3f} (90% interval: {score['low']:.3f} to"
    assert said in result.output
    assert said in (tmp_path / "out" / "report.html").read_text()
    assert len(pd.read_csv(tmp_path / "out" / "predictions.csv")) == 240
    assert len(pd.read_csv(tmp_path / "out" / "pseudo_labels.csv")) == 0


def test_unlabeled_rows_in_a_table_of_their_own(place, tmp_path):
    table = make_table()
    labeled = table["churned"].notna()
    table[labeled].to_csv(tmp_path / "labeled.csv", index=False)
    table[~labeled].drop(columns="churned").to_csv(tmp_path / "more.csv", index=False)
    arguments = ["--unlabeled", tmp_path / "more.csv", "--out", tmp_path / "out", "--method", "naive"]
    arguments += ["--time-limit", "1s", *QUICK]
    result = run("fit", tmp_path / "labeled.csv", "--target", "churned", *arguments)
    assert result.exit_code == 0, result.output
    predictions = pd.read_csv(tmp_path / "out" / "predictions.csv")
    assert predictions["row"].tolist() == list(range(60, 300))
    assert predictions["customer"].tolist() == table.loc[~labeled, "customer"].tolist()


def test_balanced_labels_are_said(tmp_path):
    X, y = make_classification(900, 5, n_informative=4, n_redundant=0, weights=[0.93], class_sep=2, random_state=0)
    labeled = np.concatenate([np.flatnonzero(y == label)[:25] for label in (0, 1)])
    table = pd.DataFrame(X, columns=list("abcde"))
    table["y"] = np.where(np.isin(np.arange(900), labeled), np.where(y == 1, "rare", "common"), None)
    table.to_csv(tmp_path / "table.csv", index=False)
    arguments = ["--out", tmp_path / "out", "--time-limit", "1s", *QUICK]
    result = run("fit", tmp_path / "table.csv", "--target", "y", *arguments)
    assert result.exit_code == 0, result.output
    assert "do not look like a random sample" in result.output
    assert "neither sharpened nor aligned" in " ".join(result.output.split())


@pytest.mark.parametrize("pool", ["auto", *(pytest.param(one, marks=pytest.mark.slow) for one in ("all", "70"))])
def test_some_unlabeled_rows_train_and_all_are_predicted(pool, place, tmp_path):
    options = ["--method", "naive", "--strategy", "all", "--judge-rows", 50, "--max-pool", pool, *QUICK]
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    said, summary = " ".join(result.output.split()), json.loads((tmp_path / "out" / "summary.json").read_text())
    found = summary["training"]["pool"]
    assert (found["n_unlabeled"], found["n_judged"], found["n_diagnosed"]) == (240, 50, 50)
    assert "with 50 of the 240 unlabeled rows" in said
    assert len(pd.read_csv(tmp_path / "out" / "predictions.csv")) == 240
    trained = pd.read_csv(tmp_path / "out" / "pseudo_labels.csv")
    assert len(trained) == found["n_trained"] == {"all": 240, "70": 70}.get(pool, found["n_trained"])
    table = pd.read_csv(place / "customers.csv")
    assert trained["customer"].tolist() == table["customer"][trained["row"]].tolist()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert ("How many unlabeled rows are enough?" in page) == (pool == "auto")
    if pool == "auto":
        assert [point["n_rows"] for point in found["curve"]["points"]][:2] == [50, 100]
        assert "From 50 to 100 unlabeled rows the score changed by" in said
        assert set(summary["training"]["seconds"]) == {"model", "comparison", "pool_curve"}
    if pool == "70":
        assert "70 of the 240 unlabeled rows train the self-trained model; all are predicted." in said
        assert summary["method"]["settings"]["max_pool"] == 70
        assert "These 70 were drawn at random from 240 unlabeled ones" in page
    report = run("report", tmp_path / "out", "--table", place / "customers.csv")
    assert report.exit_code == 0, report.output


BAD = {
    "density with soft": (["--density", "kernel"], "--density is for cast-l and cast-d"),
    "alpha with naive": (["--method", "naive", "--alpha", "0.5"], "--alpha is for cast-l and cast-d"),
    "strategy with soft": (["--strategy", "all"], "--strategy is for cast-l, cast-d and naive"),
    "prior with cast": (["--method", "cast-l", "--class-prior", "none"], "--class-prior is for soft"),
    "no guard supervised": (["--method", "supervised", "--no-guard"], "--no-guard has no effect"),
    "alpha too large": (["--method", "cast-l", "--alpha", "1.5"], "--alpha must be in [0, 1]; got 1.5"),
    "metric": (["--metric", "acuracy"], "Did you mean 'accuracy'?"),
    "model": (["--model", "xgbost"], "Did you mean 'xgboost'?"),
    "time": (["--time-limit", "soon"], "--time-limit must be a positive time"),
    "pool": (["--max-pool", "some"], "--max-pool must be a number of rows such as 100000, auto or all; got 'some'."),
    "pool of nobody": (["--method", "supervised", "--max-pool", "9"], "--max-pool is for all methods but supervised."),
    "precision in percent": (["--precision", "95"], "--precision must be between 0 and 1, such as 0.95; got 95.0."),
    "per class alone": (["--per-class"], "--per-class has no effect without --precision."),
    "precision and cost": (["--precision", "0.9", "--cost", "review=1,error=2"], "by --precision or by --cost"),
    "cost": (["--cost", "cheap"], "--cost must be costs such as \"review=1, error=20, ill as well=90\"; got 'cheap'."),
    "class of a cost": (["--cost", "review=1, error=2, yes as maybe=9"], "--cost names the class 'maybe'"),
    "resume": (["--resume"], "--resume is for filled tables; it has no effect without --precision or --cost."),
    "no column left": (
        [x for name in ("spend", "visits", "age", "score", "plan") for x in ("--ignore", name)],
        "No column is left",
    ),
}


@pytest.mark.parametrize(("options", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_options(options, sentence, place, tmp_path):
    result = run(
        "fit", place / "customers.csv", "--target", "churned", "--out", tmp_path / "out", "--jobs", 1, *options
    )
    assert result.exit_code == 2
    assert sentence in result.output
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_run_is_not_replaced_without_asking(fitted, place):
    arguments = ["--target", "churned", "--out", fitted[0], "--method", "supervised", *QUICK]
    before = (fitted[0] / "summary.json").read_bytes()
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "--overwrite" in result.output
    assert (fitted[0] / "summary.json").read_bytes() == before


def test_overwrite_replaces_a_run(place, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "summary.json").write_text("old")
    (folder / ".DS_Store").write_text("the system's")
    arguments = ["--target", "churned", "--out", folder, "--method", "supervised", "--overwrite", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == FILES
    assert json.loads((folder / "summary.json").read_text())["table"]["n_rows"] == 300
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_of_the_user_are_never_replaced(place, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    arguments = ["--target", "churned", "--out", folder, "--method", "supervised", "--overwrite", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)  # beside them there is room
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == {*FILES, "mine.txt"}
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "cannot be replaced, because it holds 'mine.txt' besides an earlier run" in result.output
    assert "rows:" not in result.output  # said before the table was read
    assert (folder / "mine.txt").read_text() == "mine"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An empty current folder, and one for temporary files."""
    for name in ("here", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("tabcast.runs._folder.gettempdir", lambda: str(tmp_path / "temporary"))
    return tmp_path


def test_a_folder_that_appears_during_training_is_not_replaced(place, elsewhere, monkeypatch):
    from tabcast.runs import _fit_table

    folder = elsewhere / "out"

    def appear(*arguments):
        folder.mkdir()
        (folder / "summary.json").write_text("of somebody else")
        return train(*arguments)

    train = _fit_table.train
    monkeypatch.setattr(_fit_table, "train", appear)
    arguments = ["--target", "churned", "--out", folder, "--method", "supervised", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "has summary.json of an earlier run" in result.output
    (kept,) = (elsewhere / "here").iterdir()
    assert f"The results are in {kept} instead." in result.output
    assert {path.name for path in kept.iterdir()} == FILES
    assert (folder / "summary.json").read_text() == "of somebody else"
    assert [path.name for path in folder.iterdir()] == ["summary.json"]


def test_results_that_have_lost_their_place_are_kept(place, elsewhere, monkeypatch):
    from tabcast.runs import _fit_table

    folder = elsewhere / "disk" / "out"
    folder.parent.mkdir()

    def vanish(*arguments):
        folder.parent.rmdir()
        folder.parent.write_text("a file where the folder was")
        (elsewhere / "here").rmdir()
        return train(*arguments)

    train = _fit_table.train
    monkeypatch.setattr(_fit_table, "train", vanish)
    monkeypatch.setattr("tabcast.runs._folder.Path.cwd", lambda: elsewhere / "disk" / "nowhere")
    arguments = ["--target", "churned", "--out", folder, "--method", "supervised", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    (kept,) = (elsewhere / "temporary").iterdir()
    assert f"The results are in {kept} instead." in result.output
    assert {path.name for path in kept.iterdir()} == FILES


def test_a_full_disk_leaves_nothing(place, elsewhere, monkeypatch):
    def full(path, *arguments, **settings):
        Path(path).write_bytes(b"half of it")
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("tabcast.runs._run.save_model", full)
    arguments = ["--target", "churned", "--out", elsewhere / "out", "--method", "supervised", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "No space left on device; nothing was written." in result.output
    assert sorted(path.name for path in elsewhere.rglob("*")) == ["here", "temporary"]


def hear_interrupts():
    """What runs in the background ignores interrupts, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_leaves_nothing(place, tmp_path):
    command = [sys.executable, "-c", "from tabcast.cli.main import app; app()", "fit", str(place / "customers.csv")]
    command += ["--target", "churned", "--out", str(tmp_path / "out"), "--method", "cast-l", "--jobs", "1"]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "preexec_fn": hear_interrupts}
    with subprocess.Popen(command, **settings) as process:
        for line in process.stdout:
            if "compared with the supervised model" in line:  # training begins
                process.send_signal(signal.SIGINT)
                break
        _, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "nothing was written" in error
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys
import tabcast.guard._guarded_classifier as guard

done, compare = [], guard.compare_on_sample

def interrupt_then_compare(*arguments):
    done.append(0)
    if len(done) in {when}:
        os.kill(os.getpid(), signal.SIGINT)
    return compare(*arguments)

guard.compare_on_sample = interrupt_then_compare
if {again}:
    import tabcast.runs._training as training
    training.diagnose = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
from tabcast.cli.main import app
app()
"""
CHEAP = ["--method", "naive", "--strategy", "all", *QUICK]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
class TestCtrlCDuringTheComparison:
    """The model of all rows is there already: it is written, with what the comparison has shown until then."""

    def interrupt(self, place, folder, when, *, again=False, options=CHEAP):
        script = INTERRUPTED.format(when=[when], again=again)
        command = [sys.executable, "-c", script, "fit", place / "customers.csv", "--target", "churned"]
        command = [*command, "--out", folder, *options]
        settings = {"capture_output": True, "text": True, "preexec_fn": hear_interrupts, "timeout": 300}
        return subprocess.run([str(one) for one in command], **settings)

    def test_after_some_splits_there_is_a_verdict(self, place, tmp_path):
        done = self.interrupt(place, tmp_path / "out", 4)
        assert done.returncode == 0, done.stderr
        assert "An interrupt ended the comparison early: 3 of 5 x 2 splits were evaluated." in done.stdout
        assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
        verdict = json.loads((tmp_path / "out" / "summary.json").read_text())["verdict"]
        assert verdict["stopped"]
        assert len(verdict["scores"]) == 3

    @pytest.mark.slow
    def test_before_there_is_no_verdict_and_the_supervised_model(self, place, tmp_path):
        done = self.interrupt(place, tmp_path / "out", 2, options=[*CHEAP, "--precision", "0.9"])
        assert done.returncode == 0, done.stderr
        assert "there is no verdict: the supervised model was kept" in done.stdout
        assert json.loads((tmp_path / "out" / "summary.json").read_text())["verdict"] is None
        assert "the supervised model was kept" in (tmp_path / "out" / "report.html").read_text()
        assert len(pd.read_csv(tmp_path / "out" / "predictions.csv")) == 240
        assert set(pd.read_csv(tmp_path / "out" / "filled.csv")["status"]) == {"given", "review"}  # nothing is known

    @pytest.mark.slow
    def test_a_second_one_ends_everything(self, place, tmp_path):
        done = self.interrupt(place, tmp_path / "out", 4, again=True)
        assert done.returncode == 130
        assert "nothing was written" in done.stderr
        assert "Traceback" not in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_default_folder_and_times():
    assert default_folder(Path("/data/customers.csv.gz")) == Path("customers-tabcast")
    assert default_folder(Path("a.b.parquet")) == Path("a.b-tabcast")
    assert [read_seconds(text) for text in ("90", "90s", "1.5m", "2h")] == [90, 90, 90, 7200]


def test_a_line_break_in_a_column_name(tmp_path):
    pytest.importorskip("lightgbm")
    make_table(120, 40).rename(columns={"spend": "spend\nper year"}).to_csv(tmp_path / "table.csv", index=False)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--method", "supervised", "--model", "lightgbm"]
    result = run("fit", tmp_path / "table.csv", *arguments, "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert "Line breaks in column names became spaces: 'spend per year'." in result.output


def test_words_of_a_learner_are_one_sentence(place, tmp_path, monkeypatch):
    lightgbm = pytest.importorskip("lightgbm")

    def fail(*arguments):
        raise lightgbm.basic.LightGBMError("Wrong size of feature_names")

    monkeypatch.setattr("tabcast.runs._fit_table.train", fail)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--model", "lightgbm", "--jobs", "1"]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "lightgbm could not be trained on this table (Wrong size of feature_names); try another --model." in (
        result.output
    )


def test_an_empty_folder_is_refused(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", "", "--method", "supervised")
    assert result.exit_code == 2
    assert result.stderr == "--out is empty; give a folder, or . for the current one.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_metric_that_fails_is_named_as_the_option(place, tmp_path):
    """Three classes have no positive one; of two with names it is the second, and the metric works."""
    table = pd.read_csv(place / "customers.csv").astype({"churned": object})
    table.loc[table["churned"].notna() & (np.arange(len(table)) % 3 == 0), "churned"] = "perhaps"
    table.to_csv(tmp_path / "three.csv", index=False)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--method", "naive", "--metric", "precision", *QUICK]
    result = run("fit", tmp_path / "three.csv", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("--metric precision failed on ")
    assert re.search(r"held-out rows \((Target is multiclass|pos_label=1 is not a valid label)", result.stderr)
    assert result.stderr.endswith("Label more rows of rare classes, or choose another score.\n")
    assert not (tmp_path / "out").exists()


def test_too_few_labels_to_hold_some_out(tmp_path):
    table = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 3, "y": ["no", "yes"] * 20})
    table.loc[3:, "y"] = None  # a split trains on one row per class
    table.to_csv(tmp_path / "table.csv", index=False)
    result = run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "out", "--method", "naive", *QUICK)
    assert result.exit_code == 2
    assert "every class has a single labeled row" in result.stderr
    assert result.stderr.endswith("Label more rows, or use --method supervised.\n")
