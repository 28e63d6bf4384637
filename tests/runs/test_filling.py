"""The filled table of a run: what it holds, and that all files agree."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from tabcast import SelfTrainingClassifier, fit_table, load_run
from tabcast.exceptions import TabcastWarning
from tabcast.models import make_model
from tabcast.runs import load_model, predict_file
from tabcast.runs._filling import Guesses, choose_by_precision

N_ROWS = 500
LINEAR = make_model("logistic_regression")
QUICK = {"estimator": SelfTrainingClassifier(LINEAR, strategy="all", validation=None, max_rounds=1)}


def make_table(n_labeled=120):
    """A table and the true labels."""
    X, y = make_classification(N_ROWS, 4, n_informative=3, n_redundant=0, class_sep=1.2, flip_y=0.02, random_state=3)
    table = pd.DataFrame(X.round(3), columns=["spend", "visits", "age", "score"])
    table.insert(0, "customer", [f"C-{i:04d}" for i in range(N_ROWS)])
    truth = pd.Series(np.where(y == 1, "yes", "no"))
    table["churned"] = truth.where(np.random.default_rng(0).permutation(N_ROWS) < n_labeled, None)
    return table, truth


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    make_table()[0].to_csv(folder / "customers.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def run(place):
    return fit_table(place / "customers.csv", "churned", precision=0.85, **QUICK)


@pytest.fixture(scope="module")
def folder(run, place):
    run.save(place / "out")
    return place / "out"


class TestFilled:
    def test_the_whole_table_with_two_more_columns(self, run, folder, place):
        before = pd.read_csv(place / "customers.csv", dtype=str)
        after = pd.read_csv(folder / "filled.csv", dtype=str)
        assert after.columns.tolist() == [*before.columns, "status", "probability"]
        pd.testing.assert_frame_equal(after[before.columns].drop(columns="churned"), before.drop(columns="churned"))
        given = before["churned"].notna()
        assert after.loc[given, "churned"].equals(before.loc[given, "churned"])
        assert (after["status"] == "given").equals(given)
        assert after.loc[given, "probability"].isna().all()
        assert after["churned"].notna().equals(after["status"] != "review")
        assert set(after["churned"].dropna()) == {"no", "yes"}

    def test_filled_rows_are_right_as_often_as_required(self, run):
        filled = run.filled["status"] == "filled"
        assert 0.3 < filled.sum() / (N_ROWS - 120) < 1
        assert (run.filled["churned"] == make_table()[1])[filled].mean() >= 0.85

    def test_one_probability_per_row_everywhere(self, run, folder, place, tmp_path):
        """filled.csv, predictions.csv, Run.predict, `tabcast predict` and the page's data agree."""
        predictions = pd.read_csv(folder / "predictions.csv")
        filled = pd.read_csv(folder / "filled.csv").iloc[predictions["row"]].reset_index(drop=True)
        of_label = np.where(
            predictions["prediction"] == "yes", predictions["probability_yes"], predictions["probability_no"]
        )
        np.testing.assert_array_equal(filled["probability"], of_label)
        is_filled = filled["status"] == "filled"
        assert filled.loc[is_filled, "churned"].equals(predictions.loc[is_filled, "prediction"])
        predict_file(load_model(folder), place / "customers.csv", tmp_path / "again.csv")
        again = pd.read_csv(tmp_path / "again.csv").iloc[predictions["row"]].reset_index(drop=True)
        in_memory = run.predict(place / "customers.csv").iloc[predictions["row"]].reset_index(drop=True)
        assert predictions["prediction"].equals(again["prediction"])
        assert predictions["prediction"].equals(in_memory["prediction"])
        assert predictions["probability_yes"].equals(again["probability_yes"])
        # Some versions of pandas read the last digit of a number otherwise.
        np.testing.assert_allclose(predictions["probability_yes"], in_memory["probability_yes"], atol=1e-15, rtol=0)

    def test_the_summary_and_the_page_say_why(self, run, folder):
        facts = json.loads((folder / "summary.json").read_text())["filled"]
        assert facts["n_given"] + facts["n_filled"] + facts["n_review"] == N_ROWS
        assert facts["bound"] >= facts["precision"] == 0.85
        page = (folder / "report.html").read_text()
        assert "The filled table" in page
        assert f"{facts['n_filled']} of 380 unlabeled rows are filled" in page
        assert re.search(r"At least 85% of the filled labels are right, with 90% confidence: of \d+ held-out", page)

    def test_it_survives_saving(self, run, folder, tmp_path):
        loaded = load_run(folder)
        assert loaded.filled["status"].tolist() == run.filled["status"].tolist()
        loaded.save(tmp_path / "copy")
        assert (tmp_path / "copy" / "filled.csv").read_bytes() == (folder / "filled.csv").read_bytes()

    def test_runs_without_it_have_none(self, place, tmp_path):
        run = fit_table(place / "customers.csv", "churned", **QUICK)
        assert run.filled is None
        run.save(tmp_path / "out")
        assert not (tmp_path / "out" / "filled.csv").exists()
        assert load_run(tmp_path / "out").filled is None


def test_labels_and_names_as_the_table_has_them():
    """Labels keep their type; names that are taken are not taken twice; a marker of unlabeled rows stays."""
    table, truth = make_table()
    table["status"] = "member"
    table["churned"] = np.where(table["churned"].isna(), -1.0, (truth == "yes") * 1.0)
    run = fit_table(table, "churned", precision=0.85, missing_label=-1, use=["status"], **QUICK)
    assert run.filled.columns[-3:].tolist() == ["status", "status_2", "probability"]
    assert set(run.filled.loc[run.filled["status_2"] == "filled", "churned"]) == {0.0, 1.0}
    assert set(run.filled.loc[run.filled["status_2"] == "review", "churned"]) == {-1.0}


def test_a_filled_table_is_no_table_to_fit(run):
    n_filled = run.summary["filled"]["n_filled"]
    with pytest.warns(TabcastWarning, match=f"looks like a filled table: {n_filled} of its labels are predictions"):
        fit_table(run.filled, "churned", **QUICK)


def draw(n, seed, certain=3.0):
    """Probabilities of rows of two classes, and the truth drawn from them; `certain` spreads them."""
    random = np.random.default_rng(seed)
    yes = 1 / (1 + np.exp(-random.normal(0, certain, n)))
    proba = np.column_stack([1 - yes, yes])
    return proba, Guesses.of(proba, proba.argmax(axis=1)), (random.random(n) < yes).astype(int)


class TestRule:
    def test_the_most_confident_rows_are_filled_and_right(self):
        (_, known, truth), (_, pool, hidden) = draw(400, 0), draw(2000, 1)
        filled, bound = choose_by_precision(known, truth, pool, 0.9)
        assert bound["bound"] >= 0.9
        assert filled.sum() > 500
        assert pool.confidence[filled].min() >= bound["threshold"] > pool.confidence[~filled].max()
        assert (pool.codes == hidden)[filled].mean() >= 0.9

    def test_a_class_that_was_never_held_out_is_not_filled(self):
        (_, known, truth), (_, pool, _) = draw(400, 0), draw(2000, 1)
        only = truth == 0
        filled, _ = choose_by_precision(Guesses(known.confidence[only], known.codes[only]), truth[only], pool, 0.5)
        assert not filled[pool.codes == 1].any()

    @pytest.mark.parametrize("n", [0, 8])
    def test_too_few_labels(self, n):
        (_, known, truth), (_, pool, _) = draw(400, 0), draw(2000, 1)
        filled, bound = choose_by_precision(Guesses(known.confidence[:n], known.codes[:n]), truth[:n], pool, 0.95)
        assert not filled.any()
        assert bound["fewest"] > 8
        assert "threshold" not in bound
