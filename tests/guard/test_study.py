"""The guard as a method of the study, and the study of its calibration."""

from pathlib import Path

import numpy as np
import pytest

from tabcast.study.config import read_study
from tabcast.study.datasets import load_dataset
from tabcast.study.methods import Request
from tabcast.study.protocol import METRICS, make_folds
from tabcast.study.records import Setting
from tabcast.study.work import Work

CONFIG = Path(__file__).parents[2] / "research" / "configs" / "guard.toml"


@pytest.fixture(scope="module")
def study():
    if not CONFIG.exists():
        pytest.skip(f"needs {CONFIG}")
    return read_study(CONFIG)


class TestMethod:
    @pytest.fixture(scope="class")
    @classmethod
    def done(cls, study):
        fold = next(
            make_folds(load_dataset(study.catalog.datasets["helpful-moons"]), Setting("x", preprocessing="native"))
        )
        kind = type(study.catalog.methods["guarded-neighbors"])  # of research/guard
        method = kind("mine", "Mine", members=("own", "linear"), n_splits=3, n_repeats=1)
        request = Request(study.catalog.models["small_tree"], {}, seed=0)
        return fold, method.run(Work(fold, 0), request)

    def test_answers_with_what_the_chosen_model_says(self, done):
        fold, answer = done
        score = METRICS["balanced_accuracy"](fold.y_test, answer.proba.argmax(axis=1), 2)
        assert answer.details["test"]["chosen"] == pytest.approx(score, abs=2e-3)  # ties are split another way
        chosen = answer.details["verdict"]["chosen"].replace("-", "_")
        assert answer.details["test"]["chosen"] == answer.details["test"][chosen]

    def test_knows_what_was_true(self, done):
        _, answer = done
        test = answer.details["test"]
        assert answer.details["true_total"] == test["self_trained"] - test["supervised"]
        assert answer.details["true_gain"] == test["self_trained"] - max(test["supervised"], test["committee"])
        assert answer.details["verdict"]["word"] in ("helped", "probably helped", "no difference seen", "hurt")
        assert len(answer.details["verdict"]["scores"]) == 3
        assert answer.facts["n_fits"] == 5 + 3 * 2  # three folds for weights and comparison alike, none inside

    def test_another_setting_is_another_record(self, study):
        kind = type(study.catalog.methods["guarded-neighbors"])
        assert kind("mine", "Mine").settings() != kind("mine", "Mine", n_repeats=3).settings()


class TestProblems:
    def test_every_profile_is_a_plan(self, study):
        trials = study.trials("full")
        names = {trial.setting.dataset for trial in trials}
        assert len([name for name in names if not name.startswith("helpful")]) >= 4
        assert len([name for name in names if name.startswith("helpful")]) >= 2
        assert len(trials) == 100 * len(names)
        assert min(trial.setting.seed for trial in trials) == 100  # those before served to settle the rules

    def test_labeled_and_test_rows_are_of_one_population(self, study):
        for name in ("noise-in-clouds", "shifted-moons", "shifted-clouds", "far-from-clouds"):
            fold = next(make_folds(load_dataset(study.catalog.datasets[name]), Setting(name, preprocessing="native")))
            spread = fold.X_test.std(axis=0)
            assert (np.abs(fold.X_labeled.mean(axis=0) - fold.X_test.mean(axis=0)) < spread).all()
            away = np.abs(fold.X_pool.mean(axis=0) - fold.X_test.mean(axis=0)) > 5 * spread
            assert away.all() or (fold.X_pool.std(axis=0) > 4 * spread).all()
            assert len(fold.y_pool) == 300
            assert len(fold.y_test) == 4000
