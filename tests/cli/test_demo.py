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
    def test_scores_are_those_of_hidden_rows(self, small_committee, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(demo, "N_DRAWS", 2)
        result = run("--labels", "30", "--seed", "3")
        assert result.exit_code == 0, result.output
        whole = demo.read_census()
        hidden = [whole.loc[demo.hide_labels(whole, 30, seed)["income"].isna(), "income"] for seed in (3, 4)]
        assert [len(truth) for truth in hidden] == [1770, 1770]
        constant = 100 * np.mean([(truth == "<=50K").mean() for truth in hidden])
        assert re.search(rf"always '<=50K' +{constant:.1f}% +50\.0\n", result.stdout)
        above, boosting = (
            [float(one) for one in re.search(rf"{name} +(\d+\.\d)% +(\d+\.\d)\n", result.stdout).groups()]
            for name in ("tabcast, all rows", "gradient boosting")
        )
        gains = re.findall(r"tabcast above gradient boosting: ([+-]\d+\.\d) ± \d+\.\d points", result.stdout)
        assert [float(gain) for gain in gains] == pytest.approx(np.subtract(above, boosting), abs=0.11)
        assert "tabcast fit census.csv --target income\n" in result.stdout
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(("option", "value"), [("--labels", "3"), ("--labels", "5000"), ("--seed", "-1")])
    def test_refuses_values_that_make_no_sense(self, option, value):
        result = run(option, value)
        assert result.exit_code == 2
        assert f"Invalid value for '{option}'" in result.output


class TestWrite:
    def test_the_file_is_what_the_next_command_fits(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = run("--write", "census.csv", "--labels", "25")
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines() == [
            "census.csv: 1,800 people, 25 with a known income. Next:",
            "    tabcast fit census.csv --target income",
        ]
        table, whole = pd.read_csv("census.csv", keep_default_na=False, na_values=[""]), demo.read_census()
        pd.testing.assert_frame_equal(table.drop(columns="income"), whole.drop(columns="income"))
        known = table["income"].notna()
        assert known.sum() == 25
        assert (table["income"] == whole["income"])[known].all()

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
        labels = [demo.hide_labels(demo.read_census(), 20, seed)["income"].notna().to_numpy() for seed in (0, 0, 1)]
        assert (labels[0] == labels[1]).all()
        assert (labels[0] != labels[2]).any()
