"""`tabcast fit`: a table file in, a folder of results out, through the real command."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from typer.main import get_command
from typer.testing import CliRunner

from tabcast import GuardedClassifier
from tabcast.cli.fit import default_folder
from tabcast.cli.main import app
from tabcast.cli.stop import COMMAND_LINE
from tabcast.runs import load_model
from tabcast.wording import Argument

FILES = {"model.skops", "predictions.csv", "pseudo_labels.csv", "report.html", "summary.json"}
QUICK = ["--estimator", "logistic_regression"]


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
def place(tmp_path_factory):
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
    assert re.search(r" accuracy went from \d+\.\d% without the unlabeled rows to \d+\.\d% with them", said)
    assert "90% interval" in said
    quality = summary["diagnostics"]["quality"]
    assert f"{100 * quality['accuracy']:.1f}% of the predictions are right" in said
    assert f"always {quality['constant']!r} would be right in {100 * quality['constant_accuracy']:.1f}%" in said


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
    features = saved.understanding.features(table)
    proba = saved.classifier.predict_proba(features[hidden])
    np.testing.assert_allclose(predictions[["probability_no", "probability_yes"]], proba, rtol=1e-12)
    assert saved.decision.name == "accuracy"  # the most probable class
    assert predictions["prediction"].tolist() == saved.classes[saved.decision.decide(proba)].tolist()


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
        "decisions",
        "curves",
        "thresholds",
        "importance",
        "covariate_shift",
        "reliability",
        "n_chosen",
    }


def test_the_page_has_the_verdict_and_the_rows(fitted, summary):
    page = (fitted[0] / "report.html").read_text()
    assert "customers.csv" in page
    assert "Content-Security-Policy" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_report_draws_the_page_again(fitted):
    before = (fitted[0] / "report.html").read_text()
    result = run("report", fitted[0])
    assert result.exit_code == 0, result.output
    assert (fitted[0] / "report.html").read_text() == before


def test_report_of_something_else(tmp_path):
    result = run("report", tmp_path)
    assert result.exit_code == 2
    assert "is not the folder of a run" in result.output


def test_unlabeled_rows_in_a_table_of_their_own(place, tmp_path):
    table = make_table()
    labeled = table["churned"].notna()
    table[labeled].to_csv(tmp_path / "labeled.csv", index=False)
    table[~labeled].drop(columns="churned").to_csv(tmp_path / "more.csv", index=False)
    arguments = ["--unlabeled", tmp_path / "more.csv", "--out", tmp_path / "out", *QUICK]
    result = run("fit", tmp_path / "labeled.csv", "--target", "churned", *arguments)
    assert result.exit_code == 0, result.output
    predictions = pd.read_csv(tmp_path / "out" / "predictions.csv")
    assert predictions["row"].tolist() == list(range(60, 300))
    assert predictions["customer"].tolist() == table.loc[~labeled, "customer"].tolist()


def test_some_unlabeled_rows_train_and_all_are_predicted(place, tmp_path):
    options = ["--max-pool", 70, *QUICK]
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "70 of the 240 unlabeled rows train the self-trained model; all are predicted." in said
    assert len(pd.read_csv(tmp_path / "out" / "predictions.csv")) == 240
    trained = pd.read_csv(tmp_path / "out" / "pseudo_labels.csv")
    table = pd.read_csv(place / "customers.csv")
    assert trained["customer"].tolist() == table["customer"][trained["row"]].tolist()
    assert len(trained) == 70


BAD = {
    "scoring": (["--scoring", "acuracy"], "Did you mean 'accuracy'?"),
    "scoring, cut": (["--scoring", "acc"], "Did you mean 'accuracy'?"),
    "scoring of numbers": (["--scoring", "r2"], "Unknown scoring: 'r2'. Choices: accuracy, "),
    "no target": (["--target", ""], "--target must name the column of labels; its columns are 'customer', 'spend'"),
    "estimator": (["--estimator", "xgbost"], "Did you mean 'xgboost'?"),
    "precision in percent": (["--precision", "95"], "--precision must be between 0 and 1, such as 0.95; got 95.0."),
    "no column left": (
        [x for name in ("spend", "visits", "age", "score", "plan") for x in ("--ignore", name)],
        "No column is left",
    ),
}


@pytest.mark.parametrize(("options", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_options(options, sentence, place, tmp_path):
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert sentence in result.output
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_run_is_not_replaced_without_asking(fitted, place):
    arguments = ["--target", "churned", "--out", fitted[0], *QUICK]
    before = (fitted[0] / "summary.json").read_bytes()
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "--overwrite" in result.output
    assert (fitted[0] / "summary.json").read_bytes() == before


def test_another_mistake_is_named_before_the_earlier_run(fitted, place):
    arguments = ["--target", "churn", "--out", fitted[0], *QUICK]
    assert "did you mean 'churned'?" in run("fit", place / "customers.csv", *arguments).output
    arguments = ["--target", "churned", "--ignore", "spent", "--out", fitted[0], *QUICK]
    assert "did you mean 'spend'?" in run("fit", place / "customers.csv", *arguments).output


def test_overwrite_replaces_a_run(place, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "summary.json").write_text("old")
    (folder / ".DS_Store").write_text("the system's")
    arguments = ["--target", "churned", "--out", folder, "--overwrite", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == {*FILES, ".DS_Store"}
    assert json.loads((folder / "summary.json").read_text())["table"]["n_rows"] == 300
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_of_the_user_are_never_replaced(place, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    arguments = ["--target", "churned", "--out", folder, "--overwrite", *QUICK]
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
    from tabcast.runs import _training

    folder = elsewhere / "out"

    def appear(*arguments):
        folder.mkdir()
        (folder / "summary.json").write_text("of somebody else")
        return fit(*arguments)

    fit = _training._fit
    monkeypatch.setattr(_training, "_fit", appear)
    arguments = ["--target", "churned", "--out", folder, *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "has summary.json of an earlier run" in result.output
    (kept,) = (elsewhere / "here").iterdir()
    assert f"The results are in {kept} instead." in result.output
    assert {path.name for path in kept.iterdir()} == FILES
    assert (folder / "summary.json").read_text() == "of somebody else"
    assert [path.name for path in folder.iterdir()] == ["summary.json"]


def test_results_that_have_lost_their_place_are_kept(place, elsewhere, monkeypatch):
    from tabcast.runs import _training

    folder = elsewhere / "disk" / "out"
    folder.parent.mkdir()

    def vanish(*arguments):
        folder.parent.rmdir()
        folder.parent.write_text("a file where the folder was")
        (elsewhere / "here").rmdir()
        return fit(*arguments)

    fit = _training._fit
    monkeypatch.setattr(_training, "_fit", vanish)
    monkeypatch.setattr("tabcast.runs._folder.Path.cwd", lambda: elsewhere / "disk" / "nowhere")
    arguments = ["--target", "churned", "--out", folder, *QUICK]
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
    arguments = ["--target", "churned", "--out", elsewhere / "out", *QUICK]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "No space left on device; nothing was written." in result.output
    assert sorted(path.name for path in elsewhere.rglob("*")) == ["here", "temporary"]


def test_default_folder():
    assert default_folder("/data/customers.csv.gz") == Path("customers-tabcast")
    assert default_folder("a.b.parquet") == Path("a.b-tabcast")
    assert default_folder("data/big/") == default_folder("data/big/*.csv") == Path("big-tabcast")
    assert default_folder(".").name == f"{Path.cwd().name}-tabcast"


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("ignore"), "--ignore"),
        (Argument("categories", ["a"]), "--category a"),
        (Argument("use", ["a", "b"]), "--use a --use b"),
        (Argument("missing_label", -1), "--missing-label -1"),
        (Argument("overwrite", True), "--overwrite"),
        (Argument("folder"), "--out"),
    ],
)
def test_messages_name_options(argument, option):
    assert COMMAND_LINE.name(argument) == option
    assert option.split()[0] in {name for one in get_command(app).commands["fit"].params for name in one.opts}


def test_a_line_break_in_a_column_name(tmp_path):
    pytest.importorskip("lightgbm")
    make_table(120, 40).rename(columns={"spend": "spend\nper year"}).to_csv(tmp_path / "table.csv", index=False)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--estimator", "lightgbm"]
    result = run("fit", tmp_path / "table.csv", *arguments)
    assert result.exit_code == 0, result.output
    assert "'spend per year'" in result.output


def test_words_of_a_learner_are_one_sentence(place, tmp_path, monkeypatch):
    lightgbm = pytest.importorskip("lightgbm")

    def fail(*arguments):
        raise lightgbm.basic.LightGBMError("Wrong size of feature_names")

    monkeypatch.setattr("tabcast.runs._training._fit", fail)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--estimator", "lightgbm"]
    result = run("fit", place / "customers.csv", *arguments)
    assert result.exit_code == 2
    assert "lightgbm could not be trained on this table (Wrong size of feature_names); try another --estimator." in (
        result.output
    )


def test_an_empty_folder_is_refused(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", place / "customers.csv", "--target", "churned", "--out", "")
    assert result.exit_code == 2
    assert result.stderr == "--out is empty; give a folder, or . for the current one.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_metric_that_fails_is_named_as_the_option(place, tmp_path):
    """Three classes have no positive one; of two with names it is the second, and the metric works."""
    table = pd.read_csv(place / "customers.csv").astype({"churned": object})
    table.loc[table["churned"].notna() & (np.arange(len(table)) % 3 == 0), "churned"] = "perhaps"
    table.to_csv(tmp_path / "three.csv", index=False)
    arguments = ["--target", "churned", "--out", tmp_path / "out", "--scoring", "precision", *QUICK]
    result = run("fit", tmp_path / "three.csv", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("--scoring precision failed on ")
    assert re.search(r"held-out rows \((Target is multiclass|pos_label=1 is not a valid label)", result.stderr)
    assert result.stderr.endswith("Label more rows of rare classes, or choose another score.\n")
    assert not (tmp_path / "out").exists()


def test_too_few_labels_to_hold_some_out(tmp_path, monkeypatch):
    monkeypatch.setitem(GuardedClassifier.__init__.__kwdefaults__, "n_splits", 5)
    table = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 3, "y": ["no", "yes"] * 20})
    table.loc[3:, "y"] = None  # a split trains on one row per class
    table.to_csv(tmp_path / "table.csv", index=False)
    result = run("fit", tmp_path / "table.csv", "--target", "y", "--out", tmp_path / "out", "--estimator", "cast")
    assert result.exit_code == 2
    assert "every class has a single labeled row" in result.stderr
    assert result.stderr.endswith("Label more rows.\n")
