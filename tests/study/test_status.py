"""How far a study is, and how long the rest takes: counted and computed by hand."""

import os

import pandas as pd
import pytest

from tabcast.study.config import read_study
from tabcast.study.results import METRICS
from tabcast.study.run import run_studies
from tabcast.study.status import count_written, estimate_seconds, find_status, missing_records
from tabcast.study.store import Store
from tests.study.small_study import GRID, N_TRIALS, write_config


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

    def test_nothing_left(self):
        done, skipped = ("a", "tree", "x", "threshold", "done", 1.0), ("a", "tree", "y", "threshold", "skipped", None)
        assert estimate_seconds(table(done, skipped)) == 0.0

    def test_nothing_done_that_it_could_be_told_from(self):
        assert estimate_seconds(table(("a", "tree", "x", "threshold", "missing", None))) is None


class TestStatus:
    @pytest.fixture
    def study(self, tmp_path):
        grid = GRID.replace('["bayes"]', '["bayes", "oracle"]').replace('["clouds"]', '["clouds", "blob"]')
        return read_study(write_config(tmp_path, grid))

    def test_before(self, study):
        status = find_status(study, "quick")
        assert status.counts == {"done": 0, "failed": 0, "skipped": 24, "missing": 24}
        assert status.seconds_left is None
        assert status.reasons == {"delphi is not installed": 24}

    def test_on_the_way(self, study):
        store, trials = Store(study.records), study.trials("quick")
        clouds = [one for one in trials if one.setting.dataset == "clouds" and one.learner.model == "bayes"]
        metrics = dict.fromkeys(METRICS, 0.5)
        for seconds, trial in enumerate(clouds[:6], start=1):
            record = {"status": "done", "metrics": metrics, "facts": {}, "seconds": {"trial": float(seconds)}}
            store.write(trial, study.catalog.configuration(trial), record)
        for trial in clouds[6:8]:
            failure = {"status": "failed", "reason": "OSError: disk full"}
            store.write(trial, study.catalog.configuration(trial), failure)
        status = find_status(study, "quick")
        assert status.counts == {"done": 6, "failed": 2, "skipped": 24, "missing": 16}
        assert status.by_dataset.index.tolist() == ["clouds", "blob"]
        assert status.by_dataset.loc["clouds"].to_dict() == {"done": 6, "failed": 2, "skipped": 12, "missing": 4}
        assert status.by_dataset.loc["blob"].to_dict() == {"done": 0, "failed": 0, "skipped": 12, "missing": 12}
        assert status.reasons == {"delphi is not installed": 24, "OSError: disk full": 2}
        # Two done of each method, (1 + 4) / 2, (2 + 5) / 2, (3 + 6) / 2, and two left; the other table: all six.
        assert status.seconds_left == pytest.approx(2 * (2.5 + 3.5 + 4.5) + 12 * 3.5)

    def test_after(self, tmp_path):
        study = read_study(write_config(tmp_path))
        run_studies([study], "quick")
        status = find_status(study, "quick")
        assert status.counts == {"done": N_TRIALS, "failed": 0, "skipped": 0, "missing": 0}
        assert status.seconds_left == 0.0
        assert status.reasons == {}


class TestProgress:
    def test_records_that_a_run_will_write(self, tmp_path):
        study = read_study(write_config(tmp_path))
        paths = missing_records([study, study], "quick")
        assert len(paths) == len(set(paths)) == N_TRIALS
        run_studies([study], "quick")
        assert all(path.is_file() for path in paths)
        assert missing_records([study], "quick") == []

    def test_only_what_is_new_counts(self, tmp_path):
        old, new, absent = (tmp_path / name for name in ("old", "new", "absent"))
        old.touch()
        new.touch()
        os.utime(old, (50, 50))
        os.utime(new, (150, 150))
        assert count_written([old, new, absent], since=100) == 1
