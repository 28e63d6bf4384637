"""`tabcast label` without its page: what it refuses, and the tasks for Label Studio; tests/labeling has the page."""

import json
import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast.cli.main import app
from tests.cli.test_fit import QUICK, make_table


@pytest.fixture
def place(tmp_path, monkeypatch):
    make_table(100, 40).to_csv(tmp_path / "customers.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["label", "customers.csv", *arguments])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "The table has no column ''; name the column of labels, an existing or a new one."),
        (["--target", "churn"], "The table has no column 'churn'; did you mean 'churned'?"),
        (["--target", "customer"], "Column 'customer' has 100 different values: more than 50 are no classes."),
        (["--target", "country"], "Every row has a label in 'country'; there is nothing to label."),
        (["--target", "churned", "--labels", "customers.csv"], "customers.csv is not a label file"),
        (["--target", "churned", "--precision", "2"], "--precision must be between 0 and 1"),
        (["--target", "churned", "--export", "csv"], "--export must be label-studio; got 'csv'."),
        (["--target", "churned", "--estimator", "xgbost"], "xgboost"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(place, arguments, sentence):
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert [one.name for one in place.iterdir()] == ["customers.csv"]


def test_tasks_of_label_studio_come_back_as_labels(place):
    result = run("--target", "churned", "--export", "label-studio", *QUICK)
    assert result.exit_code == 0, result.output
    assert '<Choice value="no"/><Choice value="yes"/>' in result.output
    tasks = json.loads((place / "customers-tasks.json").read_text())
    assert len(tasks) == 60  # all that have no label
    assert [one["data"]["how"] for one in tasks].count("random") == 30  # three of ten of the hundred to write
    truth = pd.read_csv(place / "customers.csv")
    assert tasks[0]["data"]["cells"]["customer"] == truth["customer"][tasks[0]["data"]["row"]]
    assert run("--target", "churned", "--export", "label-studio", *QUICK).exit_code == 2  # nothing is overwritten
    for number, one in enumerate(tasks[:20]):
        choice = {"type": "choices", "value": {"choices": ["yes" if number % 2 else "no"]}}
        one["annotations"] = [{"result": [choice]}]
    (place / "export.json").write_text(json.dumps(tasks))
    fit = ["fit", "customers.csv", "--target", "churned", "--labels", "export.json", *QUICK]
    said = CliRunner().invoke(app, fit).output
    assert "100 rows: 60 labeled, 40 unlabeled." in said
    assert re.search(r"\d+ of 60 labels are of rows that were chosen", said)
