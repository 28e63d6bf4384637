"""Plan minus done is what runs; each trial leaves its own record, whatever happens to others."""

import json
import math
import sys
from dataclasses import replace

import pytest

from tabcast.study import run as run_module
from tabcast.study.config import read_study
from tabcast.study.models import MODELS, Space
from tabcast.study.records import Store
from tabcast.study.results import collect_results
from tabcast.study.run import plan_jobs, run_jobs, tune
from tests.conftest import needs
from tests.study.small_study import GRID, N_TRIALS, write_config

TUNED = """
datasets = ["clouds"]
models = ["bayes"]
tunings = ["sane"]
strategies = ["threshold"]
methods = ["supervised", "baseline", "cast-l-no-selection"]
seeds = 2
folds = [0, 2]
n_tuning_trials = 3
"""

FRAGILE = '''
from dataclasses import dataclass
from pathlib import Path

from tabcast.confidence import Raw
from tabcast.study.methods import Method


@dataclass(frozen=True)
class Fragile(Method):
    """Fails with seed 1, as long as a file lies beside it."""

    def run(self, work, request):
        if Path(__file__).with_name("trouble").exists() and work.seed == 1:
            raise ValueError("no luck")
        return work.self_train(request.estimator(), Raw(), request.strategy, request.noise_filter)


fragile = Fragile("fragile", "Fragile")
'''


@pytest.fixture
def study(tmp_path):
    return read_study(write_config(tmp_path))


def read_records(study):
    """All files of the store, by path."""
    paths = [path for path in study.records.rglob("*") if path.is_file()]
    return {str(path.relative_to(study.records)): json.loads(path.read_text()) for path in paths}


def trial_records(study):
    return {path: record for path, record in read_records(study).items() if "/tuning/" not in path}


def numbers(study):
    """What trials found, without times and versions, as text."""
    kept = ("status", "configuration", "metrics", "metric", "params", "facts", "history", "details", "warnings")
    return {
        path: json.dumps({name: record[name] for name in kept if name in record}, sort_keys=True)
        for path, record in trial_records(study).items()
    }


def stamps(study):
    """When each file was written, to the nanosecond."""
    return {path: path.stat().st_mtime_ns for path in study.records.rglob("*.json")}


def missing(study):
    return [trial for job in plan_jobs([study], "quick") for trial in job.tasks]


class TestRecords:
    def test_one_for_each_trial(self, study):
        run_jobs(plan_jobs([study], "quick"))
        store = Store(study.records)
        assert len(study.trials("quick")) == N_TRIALS
        for trial in study.trials("quick"):
            config = study.catalog.configuration(trial)
            record = store.read(trial, config)
            assert record["status"] == "done"
            assert record["configuration"] == config
            assert record["metric"] == "accuracy"
            assert 0 <= record["metrics"]["score"] == record["metrics"]["accuracy"] <= 1
            assert record["params"] == {}
            assert record["seconds"]["trial"] > 0
            assert {"python", "platform", "tabcast", "numpy", "scikit-learn"} <= set(record["versions"])
        assert len(read_records(study)) == N_TRIALS  # and no other file

    def test_rounds_are_in_it(self, study):
        run_jobs(plan_jobs([study], "quick"))
        for path, record in read_records(study).items():
            if "supervised" in path:
                continue
            assert [one["round"] for one in record["history"]] == list(range(record["facts"]["n_rounds"] + 1))
            assert record["history"][record["facts"]["best_round"]]["score"] == record["facts"]["validation_score"]

    def test_a_second_run_runs_nothing(self, study, monkeypatch):
        run_jobs(plan_jobs([study], "quick"))
        before = stamps(study)
        assert missing(study) == []
        monkeypatch.setattr(run_module, "run_job", lambda job: pytest.fail("a job was run"))
        run_jobs(plan_jobs([study], "quick"))
        assert stamps(study) == before

    def test_only_what_is_missing_runs(self, study):
        run_jobs(plan_jobs([study], "quick"))
        [gone, broken, *kept] = sorted(stamps(study))
        before, content = stamps(study), {path: path.read_text() for path in (gone, broken)}
        gone.unlink()
        broken.write_text(content[broken][:100])
        assert len(missing(study)) == 2
        run_jobs(plan_jobs([study], "quick"))
        assert {path: stamp for path, stamp in stamps(study).items() if path in kept} == {
            path: stamp for path, stamp in before.items() if path in kept
        }
        for path in (gone, broken):
            assert json.loads(path.read_text())["metrics"] == json.loads(content[path])["metrics"]

    def test_what_two_studies_share_runs_once(self, tmp_path, monkeypatch):
        one = read_study(write_config(tmp_path))
        two = read_study(
            write_config(tmp_path, GRID.replace('"baseline"', '"baseline", "operating-point"'), name="b.toml")
        )
        done, run_trial = [], run_module.run_trial
        monkeypatch.setattr(run_module, "run_trial", lambda trial, *rest: done.append(trial) or run_trial(trial, *rest))
        run_jobs(plan_jobs([one, two], "quick"))
        assert len(done) == len(set(done)) == N_TRIALS + 4
        assert missing(one) == missing(two) == []


class TestReproducible:
    @needs("optuna")
    def test_two_folders_the_same_bytes(self, tmp_path):
        found = []
        for name in ("first", "second"):
            study = read_study(write_config(tmp_path, TUNED), records=tmp_path / name)
            run_jobs(plan_jobs([study], "quick"))
            found.append(numbers(study))
        assert len(found[0]) == 12
        assert found[0] == found[1]

    @pytest.mark.parametrize(
        "way", [{"n_jobs": 2}, pytest.param({"dask": True}, marks=[needs("distributed"), pytest.mark.slow])]
    )
    def test_in_workers_as_in_this_process(self, study, tmp_path, way):
        if "dask" in way:
            from distributed import LocalCluster

            cluster = LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
            way = {"dask": cluster.scheduler_address}
        run_jobs(plan_jobs([study], "quick"))
        other = read_study(study.path, records=tmp_path / "others")
        run_jobs(plan_jobs([other], "quick"), **way)
        assert len(numbers(study)) == N_TRIALS
        assert numbers(other) == numbers(study)
        if "dask" in way:
            cluster.close()


DEADLY = """
import os
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from tabcast.study.methods import Method


@dataclass(frozen=True)
class Deadly(Method):
    uses_strategy = False

    def run(self, work, request):
        healed = Path(__file__).with_name("healed")
        if work.seed == 1 and not healed.exists():
            sleep(1)
            if {once}:
                healed.touch()
            os.kill(os.getpid(), 9)
        raise ValueError("survived")


deadly = Deadly("deadly", "Deadly")
"""


class TestDeath:
    def make(self, tmp_path, once):
        path = write_config(tmp_path, GRID.replace('"baseline"', '"baseline", "deadly"'))
        (tmp_path / "plugins" / "deadly.py").write_text(DEADLY.format(once=once))
        return read_study(path)

    @pytest.mark.slow
    def test_of_a_worker_costs_the_running_trials_only(self, tmp_path):
        study = self.make(tmp_path, once=True)
        run_jobs(plan_jobs([study], "quick"), n_jobs=2)
        assert collect_results(study, "quick")["status"].value_counts().to_dict() == {"done": N_TRIALS, "failed": 4}

    @pytest.mark.slow
    def test_that_comes_again_is_told(self, tmp_path):
        study = self.make(tmp_path, once=False)
        with pytest.raises(
            ChildProcessError, match=r"was killed \(out of memory\?\), twice .* left, of clouds, seed 1"
        ):
            run_jobs(plan_jobs([study], "quick"), n_jobs=2)
        results = collect_results(study, "quick")
        assert set(results.loc[results["seed"] == 0, "status"]) == {"done", "failed"}


class TestFailure:
    @pytest.fixture
    def study(self, tmp_path):
        path = write_config(tmp_path, GRID.replace('"baseline"', '"baseline", "fragile"'))
        (tmp_path / "plugins" / "fragile.py").write_text(FRAGILE)
        (tmp_path / "plugins" / "trouble").touch()
        return read_study(path)

    def test_keeps_its_traceback_and_stops_nobody(self, study):
        run_jobs(plan_jobs([study], "quick"))
        results = collect_results(study, "quick")
        failed = results[results["status"] == "failed"]
        assert len(failed) == 2
        assert set(failed["method"]) == {"fragile"}
        assert set(failed["seed"]) == {1}
        assert (results.drop(index=failed.index)["status"] == "done").all()
        assert set(failed["reason"]) == {"ValueError: no luck"}
        for record in read_records(study).values():
            if record["status"] == "failed":
                assert record["traceback"].startswith("Traceback (most recent call last)")
                assert "fragile.py" in record["traceback"]
                assert 'raise ValueError("no luck' in record["traceback"]
                assert "metrics" not in record

    def test_is_not_done_and_runs_again(self, study, tmp_path):
        run_jobs(plan_jobs([study], "quick"))
        before = stamps(study)
        assert {(trial.method, trial.setting.seed) for trial in missing(study)} == {("fragile", 1)}
        (tmp_path / "plugins" / "trouble").unlink()
        run_jobs(plan_jobs([study], "quick"))
        assert missing(study) == []
        after = stamps(study)
        assert sum(after[path] != stamp for path, stamp in before.items()) == 2
        assert {record["status"] for record in read_records(study).values()} == {"done"}

    def test_of_a_dataset_is_that_of_its_trials(self, tmp_path):
        path = write_config(tmp_path, GRID.replace('["clouds"]', '["clouds", "gone"]'))
        (tmp_path / "plugins" / "gone.py").write_text(
            "from tabcast.study.datasets import DatasetInfo\n\n"
            "def load():\n    raise OSError('the disk is gone')\n\n"
            "gone = DatasetInfo(name='gone', metric='f1', n_rows=9, n_columns=1, n_classes=2, target='t', load=load)\n"
        )
        study = read_study(path)
        run_jobs(plan_jobs([study], "quick"))
        results = collect_results(study, "quick").set_index("dataset")
        assert set(results.loc["clouds", "status"]) == {"done"}
        assert set(results.loc["gone", "status"]) == {"failed"}
        assert set(results.loc["gone", "reason"]) == {"OSError: the disk is gone"}

    @needs("optuna")
    def test_of_tuning_is_that_of_the_models_trials(self, tmp_path, monkeypatch):
        grid = TUNED.replace('tunings = ["sane"]', 'tunings = ["sane", "none"]')
        study = read_study(write_config(tmp_path, grid))

        def fail(*arguments):
            raise ValueError("All 3 tuning trials failed")

        monkeypatch.setattr(run_module, "tune", fail)
        run_jobs(plan_jobs([study], "quick"))
        results = collect_results(study, "quick").set_index("tuning")
        assert set(results.loc["none", "status"]) == {"done"}
        assert set(results.loc["sane", "reason"]) == {"ValueError: All 3 tuning trials failed"}


class TestSkipped:
    def test_models_that_are_not_available_with_the_reason(self, tmp_path):
        grid = GRID.replace('["bayes"]', '["bayes", "oracle"]')
        study = read_study(write_config(tmp_path, grid))
        assert {trial.learner.model for trial in missing(study)} == {"bayes"}
        run_jobs(plan_jobs([study], "quick"))
        results = collect_results(study, "quick").set_index("model")
        assert set(results.loc["bayes", "status"]) == {"done"}
        assert set(results.loc["oracle", "status"]) == {"skipped"}
        assert set(results.loc["oracle", "reason"]) == {"delphi is not installed"}
        assert len(read_records(study)) == N_TRIALS


class TestAnotherConfiguration:
    """A changed value never meets an old record; the old one stays."""

    @needs("optuna")
    def test_of_the_grid(self, tmp_path):
        grid = TUNED.replace("folds = [0, 2]", "folds = [0]")
        study = read_study(write_config(tmp_path, grid))
        run_jobs(plan_jobs([study], "quick"))
        before = stamps(study)
        for old, new in (
            ("n_tuning_trials = 3", "n_tuning_trials = 2"),
            ("seeds = 2", "seeds = 2\nlabel_fractions = [0.2]"),
            ("seeds = 2", "seeds = 2\ncorruptions = [0.4]"),
            ("seeds = 2", "seeds = 2\npreprocessing = 'native'"),
            ("seeds = 2", "seeds = 2\nmax_rows = 80"),
            ("seeds = 2", "seeds = 2\nmax_trees = 10"),
            ("seeds = 2", "seeds = 2\ncaps.bayes.var_smoothing = 0.1"),
            ('tunings = ["sane"]', 'tunings = ["none"]'),
            ("seeds = 2", "seeds = [2, 3]"),
        ):
            changed = read_study(write_config(tmp_path, grid.replace(old, new)))
            assert len(missing(changed)) == len(changed.trials("quick")) == 6, new
        run_jobs(plan_jobs([changed], "quick"))
        assert {path: stamps(study)[path] for path in before} == before
        assert missing(study) == missing(changed) == []

    def test_of_a_dataset_or_a_model(self, tmp_path):
        """With another metric, other rounds are the best and another number is the score."""
        path = write_config(tmp_path)
        run_jobs(plan_jobs([read_study(path)], "quick"))
        file = tmp_path / "plugins" / "clouds.py"
        text = file.read_text()
        for old, new in (
            ('metric="accuracy"', 'metric="f1"'),
            ("GaussianNB(**params)", "GaussianNB(priors=[0.5, 0.5], **params)"),
        ):
            file.write_text(text.replace(old, new))  # as in another process
            assert len(missing(read_study(path))) == N_TRIALS

    def test_of_a_method(self, tmp_path, monkeypatch):
        plugin = "from tabcast.study.methods.paper import Cast\n"
        plugin += "mine = Cast('mine', 'Mine', alphas=(0.5,), selection='all')\n"
        path = write_config(tmp_path, GRID.replace('"baseline"', '"baseline", "mine"'))
        file = tmp_path / "plugins" / "mine.py"
        file.write_text(plugin)
        study = read_study(path)
        run_jobs(plan_jobs([study], "quick"))
        before = stamps(study)
        file.write_text(plugin.replace("0.5", "0.25"))  # as in another process
        changed = read_study(path)
        assert {trial.method for trial in missing(changed)} == {"mine"}
        run_jobs(plan_jobs([changed], "quick"))
        assert {path: stamps(study)[path] for path in before} == before
        alphas = {
            record["facts"]["alpha"]
            for path, record in read_records(study).items()
            if path.split("/")[2] == "mine-threshold"
        }
        assert alphas == {0.25, 0.5}


@needs("optuna")
class TestTuning:
    @pytest.fixture
    def tunings(self, monkeypatch):
        """The seeds that `tune` is called with."""
        seeds, tune = [], run_module.tune

        def count(model, space, objective, n_trials, seed):
            seeds.append(seed)
            return tune(model, space, objective, n_trials, seed)

        monkeypatch.setattr(run_module, "tune", count)
        return seeds

    def test_once_for_all_methods_and_folds(self, tmp_path, tunings):
        study = read_study(write_config(tmp_path, TUNED))
        run_jobs(plan_jobs([study], "quick"))
        assert sorted(tunings) == [0, 1]
        stored = {path: record for path, record in read_records(study).items() if "/tuning/" in path}
        assert len(stored) == 2
        params = {record["configuration"]["setting"]["seed"]: record["params"] for record in stored.values()}
        for record in trial_records(study).values():
            assert record["params"] == params[record["configuration"]["setting"]["seed"]]
            assert set(record["params"]) == {"var_smoothing"}

    def test_is_kept_for_the_next_run(self, tmp_path, tunings):
        study = read_study(write_config(tmp_path, TUNED))
        run_jobs(plan_jobs([study], "quick"))
        before = numbers(study)
        for path in trial_records(study):
            (study.records / path).unlink()
        tunings.clear()
        run_jobs(plan_jobs([study], "quick"))
        assert tunings == []
        assert numbers(study) == before  # parameters survive the way through JSON exactly

    def test_value_is_the_mean_validation_score_of_the_supervised_model(self, tmp_path):
        study = read_study(write_config(tmp_path, TUNED.replace("[0, 2]", "[0, 1, 2]")))
        run_jobs(plan_jobs([study], "quick"))
        records = read_records(study)
        for seed in (0, 1):
            own = {
                path: record for path, record in records.items() if record["configuration"]["setting"]["seed"] == seed
            }
            [tuning] = [record for path, record in own.items() if "/tuning/" in path]
            scores = [record["facts"]["validation_score"] for path, record in own.items() if "/supervised/" in path]
            assert len(scores) == 3
            assert tuning["value"] == pytest.approx(sum(scores) / 3)

    def test_test_rows_do_not_matter(self, tmp_path, monkeypatch):
        """With other labels of the test rows the same parameters are found, and the same rounds chosen."""
        found = []
        make_folds = run_module.make_folds

        def make_blind(dataset, setting):
            for fold in make_folds(dataset, setting):
                yield replace(fold, y_test=1 - fold.y_test)

        for name, folds in (("seeing", make_folds), ("blind", make_blind)):
            monkeypatch.setattr(run_module, "make_folds", folds)
            study = read_study(write_config(tmp_path, TUNED), records=tmp_path / name)
            run_jobs(plan_jobs([study], "quick"))
            found.append(trial_records(study))
        for path, record in found[0].items():
            other = found[1][path]
            assert [record["params"], record["facts"], record["history"]] == [
                other["params"],
                other["facts"],
                other["history"],
            ]
            assert record["metrics"] != other["metrics"]


class TestJobs:
    def test_one_for_each_setting_largest_first(self, tmp_path):
        grid = GRID.replace('["clouds"]', '["clouds", "bank-marketing"]') + "label_fractions = [0.1, 0.2]\n"
        study = read_study(write_config(tmp_path, grid))
        jobs = plan_jobs([study], "quick")
        assert len(jobs) == 2 * 2 * 2  # datasets, seeds, fractions
        for job in jobs:
            assert len({trial.setting for trial in job.tasks}) == 1
        datasets = [job.tasks[0].setting.dataset for job in jobs]
        assert datasets == ["bank-marketing"] * 4 + ["clouds"] * 4

    @needs("optuna")
    def test_with_and_without_a_limit_of_trees(self, tmp_path):
        grids = TUNED, TUNED + "max_trees = 10\n"
        studies = [read_study(write_config(tmp_path, grid, name=f"{n}.toml")) for n, grid in enumerate(grids)]
        assert sum(len(job.tasks) for job in plan_jobs(studies, "quick")) == 2 * 12


def distance(params):
    """Largest, 0, at x = 1, n = 20 and kind "good"."""
    return -abs(params["x"] - 1) - abs(params["n"] - 20) / 10 - (params["kind"] != "good")


@needs("optuna")
class TestTune:
    """The search finds what is best, the same for the same seed, and survives parameters that do not work."""

    model = MODELS["logistic_regression"]

    @pytest.fixture
    def space(self):
        from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

        kinds = CategoricalDistribution(("good", "bad", None))
        return Space({"x": FloatDistribution(-4, 4), "n": IntDistribution(1, 50), "kind": kinds})

    def test_finds_the_best_it_tried_and_the_seed_decides(self, space):
        params, values = tune(self.model, space, distance, 60, 0)
        assert len(values) == 60
        assert distance(params) == max(values) > -0.6  # a random point is at -4 on average
        assert tune(self.model, space, distance, 25, 3) == tune(self.model, space, distance, 25, 3)
        assert tune(self.model, space, distance, 25, 4)[1] != tune(self.model, space, distance, 25, 3)[1]

    def test_starts_where_the_space_says_and_the_first_of_equals_wins(self, space):
        start = {"x": -3.5, "n": 7, "kind": None}
        tried = []
        params, _ = tune(self.model, replace(space, start=start), lambda one: tried.append(one) or 0.0, 3, 0)
        assert params == tried[0] == start
        assert start not in tried[1:]

    def test_some_trials_may_fail_silently(self, space, capfd):
        def objective(params):
            if params["x"] < 0:
                raise ValueError("x is negative")
            return math.nan if params["kind"] is None else distance(params)

        params, values = tune(self.model, space, objective, 30, 0)
        assert 0 < values.count(None) < len(values) == 30
        assert params["x"] >= 0
        assert capfd.readouterr() == ("", "")

    def test_all_trials_failed(self, space):
        def objective(params):
            raise ValueError("one class only")

        with pytest.raises(ValueError, match=r"All 4 tuning trials of model 'logistic_regression' failed; .*one class"):
            tune(self.model, space, objective, 4, 0)
        with pytest.raises(ValueError, match="failed; the objective was not a number"):
            tune(self.model, space, lambda params: math.nan, 4, 0)

    def test_without_optuna(self, space, monkeypatch):
        monkeypatch.setitem(sys.modules, "optuna", None)
        with pytest.raises(ImportError, match=r"pip install 'tabcast\[study\]'"):
            tune(self.model, space, distance, 1, 0)
