"""`tabcast demo`: the comparison is honest, and nothing is written unless wanted."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tabcast.cli import demo
from tabcast.cli.main import app


def run(*options):
    return CliRunner().invoke(app, ["demo", *options])


class TestCommand:
    @pytest.fixture
    def one_draw(self, monkeypatch):
        """A single draw and a quick model; `seen` has the table that tabcast was given."""
        seen = []

        def fit(table, target, **options):
            seen.append(table)
            return fit_table(table, target, estimator="logistic_regression", **options)

        fit_table = demo.fit_table
        monkeypatch.setattr(demo, "fit_table", fit)
        monkeypatch.setattr(demo, "N_DRAWS", 2)
        return seen

    def test_scores_are_those_of_hidden_rows(self, one_draw, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = run("--labels", "30", "--seed", "3")
        assert result.exit_code == 0, result.output
        assert [table["risk"].notna().sum() for table in one_draw] == [30, 30]
        hidden = [demo.read_loans().loc[table["risk"].isna(), "risk"] for table in one_draw]
        constant = 100 * np.mean([(truth == "good").mean() for truth in hidden])
        assert re.search(rf"always 'good' +{constant:.1f}% +50\.0\n", result.stdout)
        assert re.search(r"gradient boosting +\d\d\.\d% +\d\d\.\d\n", result.stdout)
        assert re.search(r"tabcast - gradient boosting: [+-]\d+\.\d ± \d+\.\d points of accuracy", result.stdout)
        assert "tabcast fit loans.csv --target risk\n" in result.stdout
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("option", "value", "sentence"),
        [
            ("--labels", "3", "--labels of the demo must be from 20 to 500; got 3."),
            ("--labels", "5000", "--labels of the demo must be from 20 to 500; got 5000."),
            ("--seed", "-1", "--seed of the demo must be from 0 to 2,147,483,648; got -1."),
        ],
    )
    def test_refuses_values_that_make_no_sense(self, option, value, sentence):
        result = run(option, value)
        assert result.exit_code == 2
        assert result.output == sentence + "\n"


class TestWrite:
    def test_the_file_is_what_the_next_command_fits(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = run("--write", "loans.csv", "--labels", "25")
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines() == [
            "loans.csv: 1,000 loans, 25 with a known risk. Next:",
            "    tabcast fit loans.csv --target risk",
        ]
        table, whole = pd.read_csv("loans.csv", keep_default_na=False), demo.read_loans()
        pd.testing.assert_frame_equal(table.drop(columns="risk"), whole.drop(columns="risk"))
        known = table["risk"] != ""
        assert known.sum() == 25
        assert (table["risk"] == whole["risk"])[known].all()

    def test_a_file_of_that_name_stays_as_it_is(self, tmp_path):
        path = tmp_path / "mine.csv"
        path.write_text("mine")
        result = run("--write", str(path))
        assert result.exit_code == 2
        assert "exists already and was left as it is" in result.output
        assert path.read_text() == "mine"

    @pytest.mark.parametrize(("name", "words"), [("t.doc", "must end in .csv"), ("no/t.csv", "could not be written")])
    def test_a_place_that_cannot_be_written_is_one_sentence(self, tmp_path, name, words):
        result = run("--write", str(tmp_path / name))
        assert result.exit_code == 2
        assert words in result.output
        assert len(result.output.splitlines()) == 1

    def test_the_seed_chooses_the_rows(self):
        labels = [demo.hide_labels(demo.read_loans(), 20, seed)["risk"].notna().to_numpy() for seed in (0, 0, 1)]
        assert (labels[0] == labels[1]).all()
        assert (labels[0] != labels[2]).any()
