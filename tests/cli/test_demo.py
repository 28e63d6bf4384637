"""`tabcast demo`: the comparison is honest, and nothing is written unless wanted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from typer.testing import CliRunner

from tabcast.cli import demo
from tabcast.cli.demo import compare, make_table, word_scores
from tabcast.cli.main import app
from tabcast.progress import Progress


def run(*options):
    return CliRunner().invoke(app, ["demo", *options])


class TestCommand:
    def test_compares_three_models_and_names_the_next_command(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = run("--labels", "20", "--repeats", "1", "--seed", "3")
        assert result.exit_code == 0, result.output
        words = [line.split() for line in result.stdout.splitlines()]
        supervised = float(next(line for line in words if line[:1] == ["supervised"] and len(line) == 2)[1])
        assert 50 < supervised <= 100
        for name in ("CAST", "soft"):
            score, change = next(map(float, line[1:]) for line in words if line[:1] == [name] and len(line) == 3)
            assert score - supervised == pytest.approx(change, abs=0.11)
        assert "One repetition tells nothing about chance" in result.stdout
        assert result.stdout.endswith("    tabcast fit tumors.csv --target diagnosis\n")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("option", "value", "sentence"),
        [
            ("--labels", "3", "--labels of the demo must be from 10 to 300; got 3."),
            ("--labels", "5000", "--labels of the demo must be from 10 to 300; got 5000."),
            ("--repeats", "0", "--repeats of the demo must be from 1 to 1,000; got 0."),
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
        result = run("--write", "tumors.csv", "--labels", "25")
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines() == [
            "tumors.csv: 569 tumors, 25 with a diagnosis. Next:",
            "    tabcast fit tumors.csv --target diagnosis",
        ]
        table = pd.read_csv("tumors.csv")
        assert table.shape == (569, 32)
        assert table["patient"].is_unique
        assert table["diagnosis"].value_counts().to_dict() == {"benign": 16, "malignant": 9}

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
        labels = [make_table(20, seed)["diagnosis"].notna().to_numpy() for seed in (0, 0, 1)]
        assert (labels[0] == labels[1]).all()
        assert (labels[0] != labels[2]).any()


def test_models_see_the_labels_that_are_left_and_nothing_else(monkeypatch):
    seen = []

    class Watching(DummyClassifier):
        def fit(self, X, y):
            seen.append((len(X), int((np.asarray(y) != -1).sum())))
            return super().fit(X, y)

    monkeypatch.setattr(demo, "make_models", lambda seed: {"supervised": Watching(), "CAST": Watching()})
    scores = compare(30, 2, 0, Progress())
    assert seen == [(30, 30), (341, 30)] * 2
    assert [len(values) for values in scores.values()] == [2, 2]


@pytest.mark.parametrize(
    ("gains", "word"), [([2, 3, 2.5], "better"), ([-2, -3, -2.5], "worse"), ([2, -3, 1], "could be chance")]
)
def test_what_an_interval_means(gains, word):
    base = np.full(3, 0.9)
    assert word_scores({"supervised": base, "soft": base + np.array(gains) / 100})[-1].endswith(word)
