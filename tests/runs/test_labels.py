"""Labels from a file: all of them train, and nothing is measured on rows that were chosen to be labeled."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier, fit_table
from tabcast.cli.main import app
from tabcast.diagnostics import diagnose
from tabcast.exceptions import SamplingWarning, SmallClassWarning, TabcastWarning
from tabcast.labeling._file import Entry, Event, append_entry, digest_rows
from tabcast.models import make_model
from tabcast.runs._table import prepare_table
from tabcast.statistics._intervals import smoothed_shares

N = 400
LINEAR = make_model("logistic_regression")
QUICK = {"estimator": SelfTrainingClassifier(LINEAR, strategy="all", validation=None, max_rounds=1)}
QUIET = pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")


def make_table(n=N, seed=0):
    """A table without a target, and the truth: undecidable where `side` is small, clear elsewhere."""
    random = np.random.default_rng(seed)
    side = random.normal(size=n)
    is_hard = np.abs(side) < 0.5
    truth = np.where(is_hard, random.random(n) < 0.5, side > 0)
    frame = pd.DataFrame({"side": side.round(4), "noise": random.normal(size=n).round(4)})
    return frame, np.where(truth, "yes", "no").astype(object), is_hard


def write_labels(path, frame, rows, labels, how, target="y"):
    for row, label, one, digest in zip(rows, labels, how, digest_rows(frame, rows, target), strict=True):
        append_entry(path, Entry(int(row), digest, Event.LABEL, str(label), one))
    return path


@pytest.fixture(scope="module")
def labeled(tmp_path_factory):
    """The table, the truth, a file with 60 random and 60 chosen (hard) rows, and which these are."""
    frame, truth, is_hard = make_table()
    order = np.random.default_rng(1).permutation(N)
    random, rest = order[:60], order[60:]
    chosen = rest[is_hard[rest]][:60]
    rows = np.concatenate([random, chosen])
    how = ["random"] * len(random) + ["chosen"] * len(chosen)
    path = write_labels(tmp_path_factory.mktemp("labels") / "labels.csv", frame, rows, truth[rows], how)
    return frame, truth, path, np.sort(random), np.sort(chosen)


@pytest.fixture(scope="module")
def run(labeled):
    frame, _, path, _, _ = labeled
    with pytest.warns(TabcastWarning, match=r"60 of 120 labels are of rows that were chosen to be labeled") as caught:
        found = fit_table(frame, "y", labels=path, precision=0.8, **QUICK)
    assert not any("fewer than 30" in str(one.message) for one in caught)
    return found


class TestQuality:
    def test_only_random_rows_are_held_out_and_all_labels_train(self, labeled):
        frame, truth, _, random, chosen = labeled
        y = np.full(N, None, dtype=object)
        y[random], y[chosen] = truth[random], truth[chosen]
        guarded = GuardedClassifier(QUICK["estimator"], random_state=0)
        guarded._chosen = chosen
        guarded.fit(frame, y)
        known = guarded.out_of_fold_
        np.testing.assert_array_equal(known.rows, random)
        for fold, train in known.trained.items():
            assert set(chosen) <= set(train)
            assert not set(train) & set(known.rows[known.folds == fold])
        assert guarded.verdict_.n_labeled == 60
        assert (guarded.self_trained_.labeled_iter_ == 0).sum() == 120
        shift = diagnose(guarded, frame, y).covariate_shift
        assert (shift.n_labeled, shift.n_unlabeled, shift.strength) == (60, N - 60, "none")

    def test_what_is_said_holds_for_other_rows(self, run, labeled):
        """Measured on all labels, accuracy would be far too low: more than half of them are coin tosses."""
        frame, truth, _, random, chosen = labeled
        everything = pd.Series(truth).where(np.isin(np.arange(N), np.concatenate([random, chosen])), None)
        naive = fit_table(frame.assign(y=everything), "y", **QUICK)
        others, expected, _ = make_table(4_000, seed=1)
        true = (run.predict(others)["prediction"].to_numpy() == expected).mean()
        said, said_naively = (one.diagnostics.quality.accuracy for one in (run, naive))
        assert abs(said - true) < 0.05
        assert said_naively < true - 0.15

    def test_numbers_say_what_they_are_of(self, run):
        table = run.summary["table"]
        assert (table["n_labeled"], table["n_chosen"], run.diagnostics.n_chosen) == (120, 60, 60)
        assert run.diagnostics.quality.n_rows == run.verdict.n_labeled == 60
        assert run.summary["filled"]["n_held_out"] == 60
        assert run.summary["filled"]["n_given"] == 120
        page = str(run.report)
        assert "60 of them chosen" in page
        assert "60 rows with a label that were drawn at random" in page
        assert any("those of the other 60, drawn at random" in one for one in run.summary["warnings"])

    def test_class_proportions_are_those_of_random_rows(self, labeled, tmp_path):
        """The chosen rows are all of one class; the decision and the constant answer must not know."""
        frame, truth, _, random, _ = labeled
        others = np.setdiff1d(np.flatnonzero(truth == "no"), random)[:80]
        rows, how = np.concatenate([random, others]), ["random"] * 60 + ["chosen"] * 80
        path = write_labels(tmp_path / "l.csv", frame, rows, truth[rows], how)
        with pytest.warns(TabcastWarning, match="chosen to be labeled"):
            run = fit_table(frame, "y", labels=path, decision="balanced", **QUICK)
        shares = smoothed_shares((truth[random] == "yes").astype(int), 2)
        payoff = np.array(run.summary["decision"]["payoffs"])
        np.testing.assert_allclose(payoff[1, 1] / payoff[0, 0], shares[0] / shares[1])
        most = pd.Series(truth[random]).mode()[0]
        assert run.diagnostics.quality.constant == most
        assert run.diagnostics.quality.constant_accuracy == (truth[random] == most).mean()

    @QUIET
    def test_positions_hold_when_only_some_unlabeled_rows_train(self, labeled):
        frame, _, path, random, _ = labeled
        shuffled = pd.concat([frame, frame.iloc[:50]], ignore_index=True)
        run = fit_table(shuffled, "y", labels=path, max_pool=70, **QUICK)
        assert run.diagnostics.quality.n_rows == len(random)
        assert run.summary["training"]["pool"]["n_trained"] == 70

    @pytest.mark.parametrize(
        "classifier",
        [
            CASTClassifier(DecisionTreeClassifier(), alpha=0.5, validation=3, max_rounds=1),
            SelfTrainingClassifier(DecisionTreeClassifier(), validation=0.3, max_rounds=1, decision="f1"),
        ],
        ids=["folds", "fraction"],
    )
    def test_rounds_are_judged_on_random_rows_as_well(self, classifier, labeled):
        """Chosen rows with absurd labels in a far corner train: no score of a round may see them."""
        frame, _, _, random, chosen = labeled
        X, y = frame.to_numpy(copy=True), np.full(N, None, dtype=object)
        y[random] = np.where(X[random, 0] > 0, "yes", "no")  # without noise: the model is always right
        y[chosen], X[chosen] = np.where(np.arange(len(chosen)) % 2, "yes", "no"), 0.0
        classifier._chosen = chosen
        classifier.fit(X, y)
        assert classifier.history_["score"].max() > 0.85


def split(codes, chosen, n_splits=3):
    """The splits of a guard of labeled rows, the chosen ones by position."""
    X = np.random.default_rng(0).normal(size=(len(codes), 2))
    guarded = GuardedClassifier(SelfTrainingClassifier(GaussianNB(), validation=None), n_splits=n_splits)
    guarded._chosen = np.array(chosen)
    return guarded.fit(X, np.array(codes)).out_of_fold_.rows.tolist()


@QUIET
def test_the_only_random_row_of_a_class_is_held_out_where_chosen_ones_train():
    codes = [0, 0, 0, 1, 1, 1, 2, 2, -1, -1]
    assert split(codes, chosen=[4, 5]) == [0, 1, 2, 3, 6, 7]  # row 3 is the only random one of class 1
    with pytest.warns(SmallClassWarning, match="1 class has only one labeled row"):
        assert split([0, 0, 0, 1, 2, 2, -1], chosen=[2]) == [0, 1, 4, 5]


class TestNotes:
    def test_few_random_rows(self, labeled, tmp_path):
        frame, truth, _, random, chosen = labeled
        rows = np.concatenate([random[:20], chosen])
        path = write_labels(tmp_path / "l.csv", frame, rows, truth[rows], ["random"] * 20 + ["chosen"] * len(chosen))
        with pytest.warns(TabcastWarning, match=r"those of the other 20, drawn at random. These are fewer than 30"):
            fit_table(frame, "y", labels=path, **QUICK)

    @QUIET
    def test_no_random_row(self, labeled, tmp_path):
        frame, truth, _, _, chosen = labeled
        path = write_labels(tmp_path / "l.csv", frame, chosen, truth[chosen], ["chosen"] * len(chosen))
        with pytest.raises(ValueError, match=r"drawn at random are labeled .* only 0 of 60 labels, and rows that were"):
            fit_table(frame, "y", labels=path, **QUICK)

    def test_random_labels_alone_need_no_note(self, labeled, tmp_path, recwarn):
        frame, truth, _, random, _ = labeled
        path = write_labels(tmp_path / "l.csv", frame, random, truth[random], ["random"] * len(random))
        run = fit_table(frame, "y", labels=path, **QUICK)
        assert run.summary["table"]["n_chosen"] == 0
        assert not run.summary["warnings"]
        known = pd.Series(truth).where(np.isin(np.arange(N), random), None)
        same = fit_table(frame.assign(y=known), "y", **QUICK)
        pd.testing.assert_frame_equal(run.predictions, same.predictions)

    def test_a_folder_has_no_numbered_rows(self, tmp_path):
        with pytest.raises(ValueError, match="`labels` are of the rows of one file"):
            prepare_table(tmp_path, "y", labels=tmp_path / "l.csv")


class TestMerging:
    """What is in the target column already, in whatever type."""

    @pytest.mark.parametrize(
        ("given", "classes"),
        [
            ([0.0, 1.0, None], [0, 1]),
            (pd.array([0, 1, None], dtype="Int64"), [0, 1]),
            ([False, True, None], [False, True]),
            (pd.Categorical(["0", "1", None]), [0, 1]),
        ],
        ids=["float", "Int64", "boolean", "category"],
    )
    def test_types(self, given, classes, tmp_path):
        target = pd.concat([pd.Series(given)] * 20, ignore_index=True)
        frame = pd.DataFrame({"a": np.arange(60) % 7}).assign(y=target)
        path = write_labels(tmp_path / "l.csv", frame, [2, 5], [classes[1], classes[0]], ["random", "chosen"])
        table = prepare_table(frame, "y", labels=path)
        assert table.understanding.classes == classes
        assert table.y[:6].tolist() == [classes[0], classes[1], classes[1], classes[0], classes[1], classes[0]]
        assert table.chosen.tolist() == [5]
        assert table.understanding.n_labeled == 42
        assert frame["y"].isna()[2]  # the user's table stays as it was

    def test_another_label_than_in_the_table_is_named_and_used(self, tmp_path):
        frame = pd.DataFrame({"a": np.arange(30) % 7, "y": ["u", "v", None] * 10})
        path = write_labels(tmp_path / "l.csv", frame, [0, 1, 2], ["v", "v", "u"], ["chosen", "random", "random"])
        table = prepare_table(frame, "y", labels=path)
        assert table.y[:3].tolist() == ["v", "v", "u"]
        assert table.notes[0] == "Labels of l.csv that differ from the table's replace them: 1."

    def test_a_label_that_means_unlabeled(self, tmp_path):
        frame = pd.DataFrame({"a": np.arange(30) % 7, "y": ["u", "v", "?"] * 10})
        path = write_labels(tmp_path / "l.csv", frame, [0, 2], ["?", "u"], ["chosen", "random"])
        table = prepare_table(frame, "y", labels=path, missing_label="?")
        assert table.y[0] is None
        assert len(table.chosen) == 0

    def test_beside_a_table_of_unlabeled_rows(self, tmp_path):
        frame, truth, _ = make_table()
        path = write_labels(tmp_path / "l.csv", frame[:50], range(40), truth[:40], ["random"] * 30 + ["chosen"] * 10)
        table = prepare_table(frame[:50], "y", unlabeled=frame[50:], labels=path)
        assert table.understanding.n_labeled == 40
        assert table.chosen.tolist() == list(range(30, 40))


class TestSuggestions:
    def test_rows_with_their_values(self, labeled, tmp_path):
        frame, truth, _, random, _ = labeled
        known = pd.Series(truth).where(np.isin(np.arange(N), random), None)
        table = frame.assign(y=known, customer=[f"C{n}" for n in range(N)])
        table["comment"] = np.array([None, 500 * "x"], dtype=object)[np.arange(N) % 2]
        run = fit_table(table, "y", id_columns=["customer"], **QUICK)
        suggested = run.summary["suggested_rows"]
        assert sorted(one["how"] for one in suggested) == ["chosen"] * 7 + ["random"] * 3
        for one in suggested:
            assert pd.isna(known[one["row"]])
            assert one["values"]["customer"] == f"C{one['row']}"
            assert one["values"]["side"] == str(frame["side"][one["row"]])
            assert len(one["values"]["comment"]) in (0, 200)
        page = str(run.report)
        assert "Rows to label next" in page
        assert f"<bdi>C{suggested[0]['row']}</bdi>" in page

    def test_where_a_precision_is_the_goal_all_are_random(self, run):
        assert {one["how"] for one in run.summary["suggested_rows"]} == {"random"}

    def test_nothing_unlabeled_nothing_suggested(self, labeled):
        frame, truth, _, _, _ = labeled
        run = fit_table(frame[:60].assign(y=truth[:60]), "y", unlabeled=frame[60:61], **QUICK)
        assert [one["row"] for one in run.summary["suggested_rows"]] == [60]


@QUIET
def test_the_command(labeled, tmp_path):
    frame, _, path, _, _ = labeled
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--labels", str(path), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*arguments, "--estimator", "logistic_regression"])
    assert result.exit_code == 0, result.output
    assert "60 of 120 labels are of rows that were chosen to be labeled." in result.output
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["table"]["n_chosen"] == 60


def test_chosen_rows_that_are_missing_from_the_pool_raise_no_alarm(recwarn):
    """Most rows of one class were chosen: the pool is another sample than the random rows, the table is not."""
    frame, truth, _ = make_table()
    order = np.random.default_rng(0).permutation(N)
    random, rest = order[:80], order[80:]
    chosen = rest[frame["side"].to_numpy()[rest] > 0][:130]
    y = np.full(N, None, dtype=object)
    y[random], y[chosen] = truth[random], truth[chosen]
    guarded = GuardedClassifier(SoftSelfTrainingClassifier(LINEAR, random_state=0), random_state=0)
    guarded._chosen = chosen
    guarded.fit(frame, y)
    pool = guarded.predict_proba(frame[pd.isna(y)])
    assert abs(pool[:, 1].mean() - (truth[random] == "yes").mean()) > 0.2
    assert not any(issubclass(one.category, SamplingWarning) for one in recwarn)
