"""The decision of a run: set by the metric or the user, saved, and applied to every prediction."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from typer.testing import CliRunner

from tabcast import SelfTrainingClassifier, fit_table, load_run
from tabcast.cli.main import app
from tabcast.decisions import Costs, Threshold
from tabcast.models import make_model
from tabcast.runs import load_model, predict_file


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(300, 5, n_informative=4, n_redundant=0, weights=[0.8], class_sep=0.8, random_state=1)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["churned"] = np.where(truth == 1, "yes", "no")
    frame.loc[np.arange(300) % 4 != 0, "churned"] = None
    return frame


def fit(table, **options):
    return fit_table(table, "churned", estimator="logistic_regression", **options)


def probabilities(frame):
    return frame[["probability_no", "probability_yes"]].to_numpy()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "accuracy"),
        ({"scoring": "balanced_accuracy"}, "accuracy"),  # the score chooses the model, not the class
        ({"decision": "balanced"}, "balanced"),
        ({"decision": "f1"}, "f1"),
        ({"decision": Costs({("yes", "no"): 9})}, "costs"),
    ],
)
def test_what_the_user_sets_is_saved_and_applied_everywhere(options, name, table, tmp_path):
    run = fit(table, **options)
    assert run.decision.name == run.summary["decision"]["name"] == name
    expected = np.array(["no", "yes"])[run.decision.decide(probabilities(run.predictions))]
    assert run.predictions["prediction"].tolist() == expected.tolist()
    run.save(tmp_path / "run")
    stored = json.loads((tmp_path / "run" / "summary.json").read_text())["decision"]
    assert stored == load_model(tmp_path / "run").decision.to_dict() == run.decision.to_dict()
    again = load_run(tmp_path / "run").predict(table)["prediction"]
    assert again.tolist() == run.predict(table)["prediction"].tolist()
    table.to_csv(tmp_path / "table.csv", index=False)
    predicted = predict_file(load_model(tmp_path / "run"), tmp_path / "table.csv", tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["prediction"].tolist() == again.tolist()
    assert predicted.meaning == run.decision.meaning


def test_a_ready_classifier_has_its_own(table):
    linear = make_model("logistic_regression")
    ready = SelfTrainingClassifier(linear, strategy="all", validation=None, max_rounds=1, decision=Threshold(0.3))
    assert fit_table(table, "churned", estimator=ready).decision.name == "threshold"
    assert fit_table(table, "churned", estimator=ready, decision="accuracy").decision.name == "accuracy"


@pytest.mark.parametrize(
    ("decision", "sentence"),
    [
        ("balance", r"Unknown decision: 'balance'\. Choices: accuracy, balanced, f1\. Did you mean 'balanced'\?"),
        (Threshold(1.5), r"`value` of Threshold must be a number in \(0, 1\)"),
        (
            0.3,
            r"`decision` of fit_table must be 'accuracy', 'balanced', 'f1' or a member of tabcast\.decisions; got 0\.3",
        ),
        (Costs({("yes", "maybe"): 2}), "names 'maybe', which is not among the classes"),
    ],
)
def test_refused(decision, sentence, table):
    with pytest.raises(ValueError, match=sentence):
        fit(table, decision=decision)


class TestCommandLine:
    def run(self, *arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    def test_a_number_is_a_threshold(self, table, tmp_path):
        table.to_csv(tmp_path / "t.csv", index=False)
        options = ["--estimator", "logistic_regression", "--out", tmp_path / "run"]
        result = self.run("fit", tmp_path / "t.csv", "--target", "churned", "--decision", "0.3", *options)
        assert result.exit_code == 0, result.output
        assert "The prediction is yes if its probability is at least 0.3, otherwise no" in result.output
        predictions = pd.read_csv(tmp_path / "run" / "predictions.csv")
        assert ((predictions["prediction"] == "yes") == (predictions["probability_yes"] >= 0.3)).all()
        said = self.run("predict", tmp_path / "run", tmp_path / "t.csv", "-o", tmp_path / "out.csv").output
        assert "The prediction is yes if its probability is at least 0.3, otherwise no." in said

    @pytest.mark.parametrize("decision", ["balance", "1.5", "0", "nan", ""])
    def test_anything_else_is_refused(self, decision, table, tmp_path):
        table.to_csv(tmp_path / "t.csv", index=False)
        result = self.run(
            "fit", tmp_path / "t.csv", "--target", "churned", "--decision", decision, "--out", tmp_path / "r"
        )
        assert result.exit_code == 2
        assert "--decision must be accuracy, balanced, f1 or" in result.output
        assert not (tmp_path / "r").exists()
