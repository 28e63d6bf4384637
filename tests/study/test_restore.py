"""A results table gives back the records it was made from."""

import json

import pandas as pd
import pytest

from tabcast.study.config import read_study
from tabcast.study.restore import restore_records
from tabcast.study.results import collect_details, collect_results
from tabcast.study.run import plan_jobs, run_studies
from tests.study.small_study import GRID, N_TRIALS, write_config


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study that has run with two seeds, and its results as a file."""
    folder = tmp_path_factory.mktemp("restored")
    study = read_study(write_config(folder))
    run_studies([study], "quick")
    collect_results(study, "quick").to_csv(folder / "results.csv", index=False)
    return folder


class TestRestore:
    def test_results_are_the_same(self, folder, tmp_path):
        study = read_study(folder / "small.toml", records=tmp_path)
        assert restore_records(study, "quick", folder / "results.csv") == N_TRIALS
        before = collect_results(read_study(folder / "small.toml"), "quick")
        pd.testing.assert_frame_equal(collect_results(study, "quick"), before, check_exact=True)

    def test_only_new_seeds_are_left(self, folder, tmp_path):
        more = folder / "more.toml"
        more.write_text((folder / "small.toml").read_text().replace("seeds = 2", "seeds = 3"))
        study = read_study(more, records=tmp_path)
        restore_records(study, "quick", folder / "results.csv")
        left = [trial for job in plan_jobs([study], "quick") for trial in job.trials]
        assert len(left) == N_TRIALS // 2
        assert {trial.setting.seed for trial in left} == {2}

    def test_records_that_are_there_stay(self, folder):
        study = read_study(folder / "small.toml")
        assert restore_records(study, "quick", folder / "results.csv") == 0

    def test_other_trials_are_not_taken(self, folder, tmp_path):
        capped = write_config(folder, GRID, profile="[profiles.quick.caps.bayes]\nrounds = 5", name="capped.toml")
        study = read_study(capped, records=tmp_path)
        assert restore_records(study, "quick", folder / "results.csv") == 0

    def test_failed_trials_are_not_taken(self, folder, tmp_path):
        table = pd.read_csv(folder / "results.csv", keep_default_na=False)
        table.loc[:2, "status"] = "failed"
        table.to_csv(tmp_path / "results.csv", index=False)
        study = read_study(folder / "small.toml", records=tmp_path / "records")
        assert restore_records(study, "quick", tmp_path / "results.csv") == N_TRIALS - 3

    def test_what_figures_need(self, folder, tmp_path):
        study = read_study(folder / "small.toml", records=tmp_path / "records")
        first = study.trials("quick")[0]
        details = [{**first.columns(), "points": [1.5, 2.0]}]
        (tmp_path / "details.json").write_text(json.dumps(details))
        (tmp_path / "results.csv").write_bytes((folder / "results.csv").read_bytes())
        restore_records(study, "quick", tmp_path / "results.csv")
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
