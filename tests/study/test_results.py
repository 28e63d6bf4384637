"""Every trial is a row of the results table, whatever became of it; and a table gives back its records."""

import gzip
import json
import shutil

import pandas as pd
import pytest

from tabcast.study import run as run_module
from tabcast.study.config import read_study
from tabcast.study.records import Store
from tabcast.study.results import (
    METRICS,
    SECONDS,
    collect_details,
    collect_results,
    count_states,
    estimate_seconds,
    list_searches,
    restore_records,
    write_folder,
)
from tabcast.study.run import plan_jobs, run_jobs, versions
from tests.conftest import needs
from tests.study.small_study import GRID, N_TRIALS, write_config

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
    run_jobs(plan_jobs([study], "quick"))
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


@needs("xgboost")
class TestDetails:
    def test_of_done_trials_that_have_some(self, tmp_path):
        grid = GRID.replace('"cast-l-no-selection"', '"density-quality"').replace("seeds = 2", "seeds = 1")
        study = read_study(write_config(tmp_path, grid))
        assert collect_details(study, "quick") == []
        run_jobs(plan_jobs([study], "quick"))
        details = collect_details(study, "quick")
        assert [(one["method"], one["fold"]) for one in details] == [("density-quality", 0), ("density-quality", 1)]
        for one in details:
            assert one["dataset"] == "clouds"
            assert len(one["bins"]) == 10


def table(*rows):
    columns = ["dataset", "model", "method", "strategy", "status", "seconds"]
    return pd.DataFrame(rows, columns=columns)


class TestEstimate:
    def test_from_the_trials_that_are_most_alike(self):
        results = table(
            ("a", "tree", "baseline", "threshold", "done", 1.0),
            ("a", "tree", "baseline", "threshold", "done", 3.0),
            ("a", "tree", "cast-l", "threshold", "done", 20.0),
            ("b", "tree", "baseline", "threshold", "done", 100.0),
            ("a", "net", "baseline", "threshold", "done", 500.0),
            ("a", "tree", "baseline", "threshold", "missing", None),  # (1 + 3) / 2
            ("a", "tree", "cast-l", "threshold", "failed", None),  # 20: a failed one is run again
            ("a", "tree", "cast-l", "curriculum", "missing", None),  # (1 + 3 + 20) / 3
            ("b", "tree", "cast-l", "threshold", "missing", None),  # 100
            ("b", "net", "baseline", "threshold", "missing", None),  # 500: the model, rather than the dataset
            ("a", "line", "cast-l", "threshold", "missing", None),  # (1 + 3 + 20 + 500) / 4: the dataset
            ("c", "line", "baseline", "threshold", "missing", None),  # (1 + 3 + 20 + 100 + 500) / 5
            ("a", "tree", "cast-l", "threshold", "skipped", None),  # nothing
        )
        assert estimate_seconds(results) == pytest.approx(2 + 20 + 8 + 100 + 500 + 131 + 124.8)


def test_counts_and_time_left(tmp_path):
    grid = GRID.replace('["bayes"]', '["bayes", "oracle"]').replace('["clouds"]', '["clouds", "blob"]')
    study = read_study(write_config(tmp_path, grid))
    store, trials = Store(study.records), study.trials("quick")
    clouds = [one for one in trials if one.setting.dataset == "clouds" and one.learner.model == "bayes"]
    metrics = dict.fromkeys(METRICS, 0.5)
    for seconds, trial in enumerate(clouds[:6], start=1):
        record = {"status": "done", "metrics": metrics, "facts": {}, "seconds": {"trial": float(seconds)}}
        store.write(trial, study.catalog.configuration(trial), record)
    for trial in clouds[6:8]:
        store.write(trial, study.catalog.configuration(trial), {"status": "failed", "reason": "OSError: disk full"})
    results = collect_results(study, "quick")
    counts = count_states(results)
    assert counts.index.tolist() == ["clouds", "blob"]
    assert counts.loc["clouds"].to_dict() == {"done": 6, "failed": 2, "skipped": 12, "missing": 4}
    assert counts.loc["blob"].to_dict() == {"done": 0, "failed": 0, "skipped": 12, "missing": 12}
    # Two done of each method, (1 + 4) / 2, (2 + 5) / 2, (3 + 6) / 2, and two left; the other table: all six.
    assert estimate_seconds(results) == pytest.approx(2 * (2.5 + 3.5 + 4.5) + 12 * 3.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study that has run with two seeds, and its results as a file."""
    folder = tmp_path_factory.mktemp("restored")
    study = read_study(write_config(folder))
    run_jobs(plan_jobs([study], "quick"))
    collect_results(study, "quick").to_csv(folder / "results.csv.gz", index=False)
    return folder


class TestRestore:
    def test_results_are_the_same(self, folder, tmp_path):
        study = read_study(folder / "small.toml", records=tmp_path)
        assert restore_records(study, "quick", folder / "results.csv.gz") == N_TRIALS
        both = [collect_results(one, "quick") for one in (study, read_study(folder / "small.toml"))]
        after, before = (one.to_csv(index=False, float_format="%.10g") for one in both)  # pandas 2 loses a digit
        assert after == before

    def test_only_new_seeds_are_left(self, folder, tmp_path):
        more = folder / "more.toml"
        more.write_text((folder / "small.toml").read_text().replace("seeds = 2", "seeds = 3"))
        study = read_study(more, records=tmp_path)
        restore_records(study, "quick", folder / "results.csv.gz")
        left = [trial for job in plan_jobs([study], "quick") for trial in job.tasks]
        assert len(left) == N_TRIALS // 2
        assert {trial.setting.seed for trial in left} == {2}

    def test_records_that_are_there_stay(self, folder):
        study = read_study(folder / "small.toml")
        assert restore_records(study, "quick", folder / "results.csv.gz") == 0

    def test_other_trials_are_not_taken(self, folder, tmp_path):
        capped = write_config(folder, GRID, profile="[profiles.quick.caps.bayes]\nrounds = 5", name="capped.toml")
        study = read_study(capped, records=tmp_path)
        assert restore_records(study, "quick", folder / "results.csv.gz") == 0

    def test_failed_trials_are_not_taken(self, folder, tmp_path):
        table = pd.read_csv(folder / "results.csv.gz", keep_default_na=False)
        table.loc[:2, "status"] = "failed"
        table.to_csv(tmp_path / "results.csv.gz", index=False)
        study = read_study(folder / "small.toml", records=tmp_path / "records")
        assert restore_records(study, "quick", tmp_path / "results.csv.gz") == N_TRIALS - 3

    def test_what_figures_need(self, folder, tmp_path):
        study = read_study(folder / "small.toml", records=tmp_path / "records")
        first = study.trials("quick")[0]
        details = [{**first.columns(), "points": [1.5, 2.0]}]
        (tmp_path / "details.json.gz").write_bytes(gzip.compress(json.dumps(details).encode()))
        (tmp_path / "results.csv.gz").write_bytes((folder / "results.csv.gz").read_bytes())
        restore_records(study, "quick", tmp_path / "results.csv.gz")
        assert collect_details(study, "quick") == details

    def test_no_table(self, folder, tmp_path):
        study = read_study(folder / "small.toml", records=tmp_path)
        with pytest.raises(FileNotFoundError, match=r"no results table .*gone\.csv"):
            restore_records(study, "quick", folder / "gone.csv")

    def test_no_results_table(self, folder, tmp_path):
        (tmp_path / "customers.csv").write_text("age,city\n31,Ulm\n")
        study = read_study(folder / "small.toml", records=tmp_path)
        with pytest.raises(ValueError, match=r"customers\.csv is not a results table of a study: it lacks"):
            restore_records(study, "quick", tmp_path / "customers.csv")


TUNED = GRID.replace('"none"', '"sane"').replace('"cast-l-no-selection"', '"cast-l"') + "n_tuning_trials = 3\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A study with searched parameters and chosen columns, and its page."""
    study = read_study(write_config(tmp_path_factory.mktemp("tuned"), TUNED))
    run_jobs(plan_jobs([study], "quick"))
    write_folder(study, "quick", study.path.parent / "page")
    return study


@needs("xgboost", "optuna")
class TestTuned:
    def test_new_trials_start_with_them(self, written, tmp_path, monkeypatch):
        more = written.path.with_name("more.toml")
        more.write_text(written.path.read_text().replace('"cast-l"', '"cast-l", "cast-l-permuted"'))
        full, study = read_study(more), read_study(more, records=tmp_path)
        run_jobs(plan_jobs([full], "quick"))
        restore_records(study, "quick", written.path.parent / "page" / "results.csv.gz")
        monkeypatch.setattr(run_module, "tune", lambda *_: pytest.fail("parameters were searched"))
        monkeypatch.setattr(run_module, "choose_columns", lambda *_: pytest.fail("columns were chosen"))
        run_jobs(plan_jobs([study], "quick"))
        found = [collect_results(one, "quick").drop(columns=list(SECONDS)) for one in (full, study)]
        pd.testing.assert_frame_equal(*found, check_exact=True)

    def test_tuning_only_repeats_no_trial(self, written, tmp_path):
        bare = tmp_path / "results.csv.gz"  # a page from before they were kept
        bare.write_bytes((written.path.parent / "page" / bare.name).read_bytes())
        study = read_study(written.path, records=tmp_path / "records")
        restore_records(study, "quick", bare)
        trials = {path: path.read_bytes() for path in study.records.rglob("*.json")}
        run_jobs(plan_jobs([study], "quick", tuning_only=True))
        assert {path: path.read_bytes() for path in trials} == trials
        write_folder(study, "quick", tmp_path / "page")
        pages = [folder / "page" / "tuned.json.gz" for folder in (tmp_path, written.path.parent)]
        kept = ("task", "params", "columns")
        both = [
            [{name: one.get(name) for name in kept} for one in json.loads(gzip.decompress(path.read_bytes()))]
            for path in pages
        ]
        assert len(both[0]) == 2 + 4  # searches per seed, choices per fold
        assert both[0] == both[1]

    def test_versions_are_those_of_the_trials(self, written, tmp_path):
        page = tmp_path / "page"
        shutil.copytree(written.path.parent / "page", page)
        run = json.loads((page / "run.json").read_text())
        run["versions"] = {"xgboost-cpu": "1.0.0"}
        (page / "run.json").write_text(json.dumps(run))
        more = written.path.with_name("seeds.toml")
        more.write_text(written.path.read_text().replace("seeds = 2", "seeds = 3"))
        study = read_study(more, records=tmp_path / "records")
        restore_records(study, "quick", page / "results.csv.gz")
        run_jobs(plan_jobs([study], "quick"))
        write_folder(study, "quick", page)
        found = json.loads((page / "run.json").read_text())["versions"]
        own = versions()
        assert found["numpy"] == own["numpy"]
        assert "1.0.0" in found["xgboost-cpu"].split(", ")

    def test_time_left_includes_searches(self, written, tmp_path):
        study = read_study(written.path, records=tmp_path)
        restore_records(study, "quick", written.path.parent / "page" / "results.csv.gz")
        assert list_searches(study, "quick").empty
        for path in [*tmp_path.rglob("tuning/*seed1*"), *tmp_path.rglob("baseline*/*seed1*")]:
            path.unlink()
        results, searches = collect_results(study, "quick"), list_searches(study, "quick")
        done = results[results["status"] == "done"].groupby("method")[["seconds", "fit_seconds"]].mean()
        expected = 2 * done.loc["baseline", "seconds"] + 3 * 3 * done.loc["supervised", "fit_seconds"]  # trials, folds
        assert estimate_seconds(results, searches) == pytest.approx(expected)
