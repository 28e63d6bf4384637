"""Every trial is a row of the results table, whatever became of it."""

import json

import pandas as pd
import pytest

from tabcast.study.config import read_study
from tabcast.study.results import collect_details, collect_results
from tabcast.study.run import run_studies
from tabcast.study.store import Store
from tests.conftest import needs
from tests.study.small_study import GRID, write_config

WHAT = [
    "dataset",
    "model",
    "tuning",
    "method",
    "strategy",
    "noise_filter",
    "label_fraction",
    "corruption",
    "preprocessing",
    "seed",
    "fold",
]
FOUND = [
    *("score", "accuracy", "balanced_accuracy", "f1", "macro_f1", "auc", "log_loss"),
    *("validation_score", "alpha", "best_round", "n_rounds", "n_selected", "pseudo_accuracy"),
    *("seconds", "fit_seconds", "density_seconds", "selection_seconds"),
]


@pytest.fixture
def study(tmp_path):
    """Two seeds, two folds, three methods; all done but one that failed and one that is missing; one model skipped."""
    study = read_study(write_config(tmp_path, GRID.replace('["bayes"]', '["bayes", "oracle"]')))
    run_studies([study], "quick")
    store = Store(study.records)
    runnable = [trial for trial in study.trials("quick") if trial.learner.model == "bayes"]
    failed, missing = runnable[0], runnable[1]
    record = {"status": "failed", "reason": "ValueError: no luck", "traceback": "Traceback (most recent ..."}
    store.write(failed, study.catalog.configuration(failed), record)
    store.path(missing, study.catalog.configuration(missing)).unlink()
    return study


class TestResults:
    def test_a_row_for_each_trial_in_order(self, study):
        results = collect_results(study, "quick")
        expected = pd.DataFrame([trial.columns() for trial in study.trials("quick")])
        pd.testing.assert_frame_equal(results[expected.columns], expected)

    def test_columns(self, study):
        results = collect_results(study, "quick")
        assert {*WHAT, "status", "reason", "metric", *FOUND} <= set(results.columns)

    def test_columns_before_anything_is_done(self, tmp_path):
        results = collect_results(read_study(write_config(tmp_path)), "quick")
        assert {*WHAT, "status", "reason", "metric", *FOUND} <= set(results.columns)

    def test_states(self, study):
        results = collect_results(study, "quick")
        assert results["status"].value_counts().to_dict() == {"skipped": 12, "done": 10, "failed": 1, "missing": 1}
        reasons = results.drop_duplicates("status").set_index("status")["reason"]
        assert reasons["failed"] == "ValueError: no luck"
        assert reasons["skipped"] == "delphi is not installed"
        assert reasons[["done", "missing"]].isna().all()
        assert results[results["status"] != "done"][FOUND].isna().all(axis=None)

    def test_numbers_are_those_of_the_records(self, study):
        results, store = collect_results(study, "quick"), Store(study.records)
        for trial, (_, row) in zip(study.trials("quick"), results.iterrows(), strict=True):
            if row["status"] != "done":
                continue
            record = json.loads(store.path(trial, study.catalog.configuration(trial)).read_text())
            assert row["metric"] == "accuracy"
            assert row["score"] == record["metrics"]["accuracy"] == row["accuracy"]
            for name in ("f1", "auc", "log_loss", "balanced_accuracy"):
                assert row[name] == record["metrics"][name]
            assert row["validation_score"] == record["facts"]["validation_score"]
            assert row["seconds"] == record["seconds"]["trial"]
            assert row["fit_seconds"] == record["seconds"]["fit"]

    def test_what_a_method_does_not_have_is_missing(self, study):
        done = collect_results(study, "quick").query("status == 'done'").set_index("method")
        assert done.loc["cast-l-no-selection", "alpha"].between(0.2, 0.75).all()
        assert done.loc[["supervised", "baseline"], "alpha"].isna().all()
        assert done.loc["supervised", "density_seconds"].isna().all()
        assert done.loc["cast-l-no-selection", "density_seconds"].gt(0).all()
        assert done.loc["supervised", "best_round"].eq(0).all()

    def test_survives_a_csv(self, study, tmp_path):
        results = collect_results(study, "quick")
        results.to_csv(tmp_path / "results.csv", index=False)
        again = pd.read_csv(tmp_path / "results.csv", keep_default_na=False, na_values=[""])
        assert again["score"].tolist()[-13:] == pytest.approx(results["score"].tolist()[-13:], nan_ok=True)
        assert again["strategy"].tolist() == results["strategy"].tolist()


@needs("xgboost")
class TestDetails:
    def test_of_done_trials_that_have_some(self, tmp_path):
        grid = GRID.replace('"cast-l-no-selection"', '"density-quality"').replace("seeds = 2", "seeds = 1")
        study = read_study(write_config(tmp_path, grid))
        assert collect_details(study, "quick") == []
        run_studies([study], "quick")
        details = collect_details(study, "quick")
        assert [(one["method"], one["fold"]) for one in details] == [("density-quality", 0), ("density-quality", 1)]
        for one in details:
            assert one["dataset"] == "clouds"
            assert len(one["bins"]) == 10
