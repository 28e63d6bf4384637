"""The filled table of a run: what it holds, and that all files agree."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from typer.testing import CliRunner

from tabcast import fit_table, load_run
from tabcast.cli.main import app
from tabcast.exceptions import TabcastWarning
from tabcast.files import ArgumentError
from tabcast.report import render_report
from tabcast.report._filled import say_filled
from tabcast.runs import load_model, predict_file

N_ROWS = 500
QUICK = {"method": "supervised", "model": "logistic_regression"}


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
        next_rows = pd.read_csv(folder / "next_rows.csv").set_index("row")
        pd.testing.assert_series_equal(
            next_rows["probability"], pd.Series(of_label, index=predictions["row"])[next_rows.index], check_names=False
        )

    def test_next_rows_name_rows_left_for_review(self, run):
        assert run.next_rows.columns.tolist() == ["row", "customer", "prediction", "probability"]
        assert len(run.next_rows) == 20
        assert set(run.filled["status"].iloc[run.next_rows["row"]]) == {"review"}
        assert run.next_rows["customer"].tolist() == [f"C-{row:04d}" for row in run.next_rows["row"]]

    def test_the_summary_and_the_page_say_why(self, run, folder):
        facts = json.loads((folder / "summary.json").read_text())["filled"]
        assert facts["n_given"] + facts["n_filled"] + facts["n_review"] == N_ROWS
        assert facts["bounds"][0]["bound"] >= facts["precision"] == 0.85
        page = (folder / "report.html").read_text()
        assert "The filled table" in page
        assert f"{facts['n_filled']} of 380 unlabeled rows are filled" in page
        assert re.search(r"At least 85% of the filled labels are right, with 90% confidence: of \d+ held-out", page)

    def test_it_survives_saving(self, run, folder, tmp_path):
        loaded = load_run(folder)
        assert loaded.filled["status"].tolist() == run.filled["status"].tolist()
        assert loaded.next_rows["row"].astype(int).tolist() == run.next_rows["row"].tolist()
        loaded.save(tmp_path / "copy")
        for name in ("filled.csv", "next_rows.csv", "history.json"):
            assert (tmp_path / "copy" / name).read_bytes() == (folder / name).read_bytes()

    def test_runs_without_it_have_none(self, place, tmp_path):
        run = fit_table(place / "customers.csv", "churned", **QUICK)
        assert run.filled is None
        assert run.next_rows is None
        run.save(tmp_path / "out")
        assert not (tmp_path / "out" / "filled.csv").exists()
        assert load_run(tmp_path / "out").filled is None


@pytest.mark.parametrize(("stopped", "n_held_out", "said"), [(True, 40, True), (True, 120, False), (False, 40, False)])
def test_a_comparison_that_ended_early_is_said(run, stopped, n_held_out, said):
    facts = {**run.summary["filled"], "stopped": stopped, "n_held_out": n_held_out}
    words = " ".join(say_filled(facts))
    assert ("The comparison ended early, so only 40 of 120 labeled rows were held out" in words) is said


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


def test_costs_decide_and_fill(place):
    run = fit_table(place / "customers.csv", "churned", cost={"review": 1, "error": 4, ("yes", "no"): 40}, **QUICK)
    assert run.decision.name == "costs"
    assert run.summary["method"]["settings"]["cost"] == "review 1, error 4, yes as no 40"
    filled = run.filled["status"] == "filled"
    assert run.filled.loc[filled & (run.filled["churned"] == "no"), "probability"].min() > 0.95
    assert 0 < run.summary["filled"]["cost"]["paid"] < 1
    assert "costs less than a review (1)" in str(run.report)


class TestResume:
    def fit(self, place, *options):
        arguments = ["fit", place / "t.csv", "--target", "churned", "--out", place / "out", "--method", "supervised"]
        arguments += ["--model", "logistic_regression", "--jobs", "1", *options]
        return CliRunner().invoke(app, [str(one) for one in arguments])

    def test_labels_are_added_and_coverage_grows(self, tmp_path):
        for n_labeled in (12, 200):
            make_table(n_labeled)[0].to_csv(tmp_path / "t.csv", index=False)
            result = self.fit(tmp_path, "--precision", "0.85", "--resume")
            assert result.exit_code == 0, result.output
            if n_labeled == 12:
                assert "No row was filled: all 488 unlabeled rows are left for review." in result.output
                assert re.search(
                    r"12 held-out labeled rows are too few, .* (about|at least) \d+ more labels", result.output
                )
        assert "In 2 runs, from 12 to 200 labels, the share of unlabeled rows" in result.output
        history = json.loads((tmp_path / "out" / "history.json").read_text())
        assert [one["n_labeled"] for one in history] == [12, 200]
        assert history[0]["share"] == 0 < history[1]["share"]
        assert history[1]["bound"] >= 0.85
        assert "Growth with labels" in (tmp_path / "out" / "report.html").read_text()
        refused = self.fit(tmp_path, "--precision", "0.85")
        assert refused.exit_code == 2
        other = self.fit(tmp_path, "--precision", "0.85", "--resume", "--target", "age")
        assert "whose target is 'churned', not 'age'" in other.output

    def test_it_is_for_filled_tables(self, place):
        with pytest.raises(ArgumentError, match="`resume` is for filled tables; it has no effect without `precision`"):
            fit_table(place / "customers.csv", "churned", resume="folder", **QUICK)


def test_the_page_of_many_runs(run):
    """Also of runs whose labels did not grow."""
    entry = run.summary["filled"]["history"][0]
    for history in ([entry, entry], [{**entry, "n_labeled": n, "share": n / 900} for n in (20, 80, 800)]):
        summary = {**run.summary, "filled": {**run.summary["filled"], "history": history}}
        assert "Growth with labels" in render_report(summary, run.pseudo_labels.drop(columns="customer"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"precision": 95}, "`precision` must be between 0 and 1, such as 0.95; got 95."),
        (
            {"precision": 0.9, "cost": {"review": 1, "error": 2}},
            "by `precision` or by `cost`, not by both",
        ),
        ({"per_class": True}, "`per_class` has no effect without `precision`."),
        ({"precision": 0.9, "precision_confidence": 90}, "`precision_confidence` must be between 0 and 1"),
        ({"cost": {"review": 1, "error": 2}, "decision": "f1"}, "`decision` has no effect with `cost`"),
        ({"cost": {"review": 1, "error": 2, ("no", "maybe"): 9}}, "`cost` names the class 'maybe'"),
    ],
)
def test_bad_arguments(options, sentence, place):
    with pytest.raises(ArgumentError) as error:
        fit_table(place / "customers.csv", "churned", **QUICK, **options)
    assert sentence in str(error.value)
