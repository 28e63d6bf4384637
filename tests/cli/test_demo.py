"""`tabcast demo`: the comparison is honest, the picture fits any terminal, and nothing is written unless wanted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from typer.testing import CliRunner

from tabcast.cli import demo, demo_words
from tabcast.cli.demo import Comparison, compare, make_table
from tabcast.cli.demo_words import ASCII, UNICODE, find_interval, judge, word_comparison
from tabcast.cli.main import app
from tabcast.progress import Progress


def run(*options):
    return CliRunner().invoke(app, ["demo", *options])


def comparison(cast, soft, supervised=0.9):
    scores = {"supervised": np.full(len(cast), supervised), "CAST": supervised + np.array(cast) / 100}
    return Comparison({**scores, "soft": supervised + np.array(soft) / 100}, 1, 30, 311, 228)


class TestCommand:
    def test_compares_three_models_and_names_the_next_command(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = run("--labels", "20", "--repeats", "1", "--seed", "3")
        assert result.exit_code == 0, result.output
        words = [line.split() for line in result.stdout.splitlines()]
        shown = {line[0]: line[1:] for line in words if line and line[0] in demo.MAKERS and len(line) < 9}
        supervised = float(next(line for line in words if line[:1] == ["supervised"] and len(line) == 2)[1])
        assert 50 < supervised <= 100
        assert set(shown) == set(demo.MAKERS)
        for name in ("CAST", "soft"):
            score, change = next(map(float, line[1:3]) for line in words if line[:1] == [name] and "tell" in line)
            assert score - supervised == pytest.approx(change, abs=0.11)
        assert "One repetition tells nothing about chance" in result.stdout
        assert result.stdout.endswith(
            "    tabcast demo --write tumors.csv --labels 20 --seed 3\n    tabcast fit tumors.csv --target diagnosis\n"
        )
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


def test_models_see_the_labels_that_are_left_and_nothing_else():
    seen = []

    class Watching(DummyClassifier):
        best_round_ = 0

        def fit(self, X, y):
            seen.append((len(X), int((np.asarray(y) != -1).sum())))
            return super().fit(X, y)

    found = compare(30, 2, 0, Progress(), dict.fromkeys(("supervised", "CAST"), lambda seed: Watching()))
    assert seen == [(30, 30), (341, 30)] * 2
    assert (found.n_labeled, found.n_unlabeled, found.n_held_out) == (30, 311, 228)
    assert "30 rows keep their diagnosis, 311 lose it, and 228 are held" in " ".join(
        demo_words.describe_table(30, 2, 50)
    )
    assert found.kept_supervised == found.n_repeats == 2


class TestWords:
    @pytest.mark.parametrize(
        ("gains", "meaning"),
        [
            ([2.0, 3.0, 2.5], "better"),
            ([2.0, -3.0, 0.0], "could be chance"),
            ([-2.0, -3.0, -2.5], "worse"),
            ([0.0, 0.0, 0.0], "could be chance"),
            ([0.4, 0.4], "could be chance"),  # one row of 228: repetitions that agree prove little
            ([2.0], "cannot tell"),
        ],
    )
    def test_meaning(self, gains, meaning):
        assert judge(find_interval(np.array(gains) / 100, 228)) == meaning

    def test_interval_is_that_of_students_t(self):
        gains = np.array([0.02, 0.03, 0.01, 0.05])
        interval = find_interval(gains, 228)
        half = 3.182446 * gains.std(ddof=1) / 2  # the 97.5% quantile with three degrees of freedom
        assert (interval.low, interval.high) == pytest.approx((gains.mean() - half, gains.mean() + half), abs=1e-7)

    def test_what_helped_is_said_and_what_did_not(self):
        text = " ".join(word_comparison(comparison([-2, -3, -2.5], [2, 3, 2.5]), UNICODE, 40))
        text = " ".join(text.split())
        assert "The unlabeled rows improved soft self-training here, by more than chance explains." in text
        assert "The unlabeled rows harmed CAST here, by more than chance explains." in text
        assert "CAST kept the supervised model in 1 of 3 repetitions" in text

    def test_noise_is_called_noise(self):
        text = " ".join(word_comparison(comparison([1, -1, 0], [2, -2, 1]), UNICODE, 40))
        assert "No change is larger than what chance explains" in text
        assert "improved" not in text

    @pytest.mark.parametrize("gains", [[0], [0, 0, 0], [-30, 40, 2], [5, 6, 7], [-5, -6, -7]])
    @pytest.mark.parametrize("marks", [UNICODE, ASCII])
    def test_every_line_fits_80_columns_and_the_encoding(self, gains, marks):
        lines = word_comparison(comparison(gains, gains[::-1]), marks, 40)
        assert max(map(len, lines)) <= 80
        assert marks == UNICODE or "\n".join(lines).isascii()

    def test_the_picture_has_a_dot_where_the_gain_is(self):
        found = comparison([-2, 0, 2], [0, 0, 4])
        lines = demo_words.picture_lines(found, dict.fromkeys(found.scores), ASCII)
        scale, dots, mean = (line[12:].ljust(demo_words.WIDTH) for line in lines[:3])
        zero = scale.index("0", 4)
        assert (scale[:4], scale.rstrip()[-4:]) == ("-2.0", "+4.0")
        assert [at for at, mark in enumerate(dots) if mark == "."] == [0, zero, round(4 / 6 * 59)]
        assert mean.index("o") == zero
        assert lines[3][12:] == "2".rjust(zero + 1) + ".".rjust(59 - zero)  # two repetitions without a change


def test_marks_are_those_that_the_terminal_has(monkeypatch):
    class Terminal:
        encoding = "utf-8"

    monkeypatch.setattr("sys.stdout", Terminal)
    assert demo.choose_marks() == UNICODE
    for encoding in ("ascii", "latin-1", "none such"):
        monkeypatch.setattr(Terminal, "encoding", encoding)
        assert demo.choose_marks() == ASCII
