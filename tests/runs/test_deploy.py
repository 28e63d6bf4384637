"""The model that a run deploys: the same probabilities in memory, in predictions and from the model file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.neighbors import KNeighborsClassifier
from typer.testing import CliRunner

from tabcast import SoftSelfTrainingClassifier, fit_table, load_run
from tabcast.cli.main import app
from tabcast.files import ArgumentError
from tabcast.models import AdaptedClassifier, make_model
from tabcast.runs import ModelFileError, load_model, predict_file, save_model
from tabcast.runs._loaded_model import check_estimators
from tabcast.self_training import AveragedClassifier, SoftenedClassifier
from tabcast.teachers import Committee
from tests.runs.mutations import read_entries, write_entries


@pytest.fixture(scope="module")
def table():
    X, truth = make_blobs(120, 3, centers=[[0, 0, 0], [1.5, 1, 0]], random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(city=np.where(X[:, 0] > 0.5, "Ulm", "Bonn"))
    return frame.assign(kind=np.where(np.arange(120) % 3 == 0, np.array(["no", "yes"])[truth], None))


@pytest.fixture(scope="module", params=["student", pytest.param("retrained", marks=pytest.mark.slow), "committee"])
def run(request, table):
    chosen = {"model": "logistic_regression", "deploy": request.param, "guard": False, "time_limit": 0.1}
    return request.param, fit_table(table, "kind", **chosen)


def test_one_probability_per_row_everywhere(run, table, tmp_path):
    deploy, run = run
    assert isinstance(run.model, SoftenedClassifier if deploy == "student" else AveragedClassifier)
    assert run.summary["method"]["settings"]["deploy"] == deploy
    assert run.summary["verdict"]["chosen"] == ("committee" if deploy == "committee" else "self-trained")
    hidden = table["kind"].isna()
    expected = run.model.predict_proba(run.understanding.features(table[hidden]))
    columns = ["probability_no", "probability_yes"]
    np.testing.assert_array_equal(run.predictions[columns], expected)
    run.save(tmp_path / "run")
    written = pd.read_csv(tmp_path / "run" / "predictions.csv")
    np.testing.assert_allclose(written[columns], expected, atol=1e-6)
    loaded = load_run(tmp_path / "run")
    again = loaded.predict(table[hidden])
    np.testing.assert_array_equal(again[columns], expected)
    assert again["prediction"].tolist() == run.predictions["prediction"].tolist()
    table[hidden].to_csv(tmp_path / "new.csv", index=False)
    predict_file(load_model(tmp_path / "run"), tmp_path / "new.csv", tmp_path / "out.csv")
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")[columns], expected, atol=1e-12)


def test_a_changed_file_is_refused(run, tmp_path):
    """A weight too many, an unknown power: whoever writes such a file gets a sentence, not an error later."""
    deploy, run = run
    path = tmp_path / "model.skops"
    save_model(path, run.model, run.understanding.to_dict())
    entries = read_entries(path.read_bytes())
    schema = entries["schema.json"]
    name = b'"power"' if deploy == "student" else b'"weights"'
    assert name in schema
    entries["schema.json"] = schema.replace(name, b'"other"')
    path.write_bytes(write_entries(entries))
    with pytest.raises(ModelFileError, match="is damaged or was changed by hand"):
        load_model(path)


def test_older_files_are_refused(run, tmp_path):
    _, run = run
    path = tmp_path / "model.skops"
    save_model(path, run.model, run.understanding.to_dict())
    entries = read_entries(path.read_bytes())
    entries["tabcast.json"] = entries["tabcast.json"].replace(b'"format": 3', b'"format": 2')
    path.write_bytes(write_entries(entries))
    with pytest.raises(
        ModelFileError, match=r"earlier version .*soft self-training that are too extreme\. Fit the table"
    ):
        load_model(path)


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"deploy": "teacher"}, r"Unknown deploy: 'teacher'\. Choices: student, retrained, committee, auto"),
        ({"deploy": "committee", "method": "naive"}, r"`deploy` is for soft; it has no effect with `method='naive'`\."),
        ({"deploy": "committee", "teacher": "self"}, r"needs a committee that a model file can hold; it has no effect"),
    ],
)
def test_refused_before_training(table, chosen, sentence):
    with pytest.raises((ArgumentError, ValueError), match=sentence):
        fit_table(table, "kind", **chosen)


def test_on_the_command_line(table, tmp_path):
    table.to_csv(tmp_path / "table.csv", index=False)
    words = ["fit", str(tmp_path / "table.csv"), "--target", "kind", "--deploy", "committee", "--method", "naive"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "--deploy is for soft" in result.output


@pytest.mark.parametrize("member", ["trees", "linear", "neighbors", "network", "boosting"])
def test_a_committee_of_any_members_is_saved(member, table, tmp_path):
    """A search tree of nearest neighbors was refused after training."""
    X, y = table.drop(columns="kind"), table["kind"].to_numpy(dtype=object)
    model = SoftSelfTrainingClassifier(
        make_model("logistic_regression", seed=0, n_jobs=1),
        teacher=Committee(["own", member], n_folds=2),
        deploy="committee",
        random_state=0,
    ).fit(X, y)
    save_model(tmp_path / "model.skops", model.deployed_, {})
    again = load_model(tmp_path / "model.skops").classifier.predict_proba(X)
    np.testing.assert_array_equal(again, model.predict_proba(X))
    np.testing.assert_allclose(again, model.teacher_.predict_proba(X), atol=0.2)


@pytest.mark.parametrize(("name", "values"), [("_fit_X", "empty"), ("_y", "empty"), ("_y", "too large")])
def test_nearest_neighbors_without_rows_are_refused(name, values, table):
    """scikit-learn divided by the number of rows, which ended the process."""
    X = table[["a", "b", "c"]].to_numpy()
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, np.arange(120) % 2)
    array = getattr(model, name)
    setattr(model, name, array[:0] if values == "empty" else array + 9)
    with pytest.raises(ValueError, match="nearest neighbors"):
        check_estimators(model)  # as a file is loaded, before anything is predicted


def test_nearest_neighbors_of_the_user_are_loaded(table, tmp_path):
    """Fitted on whole numbers, within a classifier that also keeps an unfitted copy."""
    X = (table[["a", "b", "c"]] * 10).round().astype(int)
    model = AdaptedClassifier(KNeighborsClassifier(3, algorithm="brute")).fit(X, np.arange(120) % 2)
    save_model(tmp_path / "model.skops", model, {})
    loaded = load_model(tmp_path / "model.skops").classifier
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
