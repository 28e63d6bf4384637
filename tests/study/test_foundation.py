"""The study of foundation models as teachers: ready to run, and skipped with a reason where it cannot."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tabcast.study.catalog import load_catalog
from tabcast.study.config import read_study
from tabcast.study.methods import Request
from tabcast.study.methods.foundation import describe_weights, why_missing
from tabcast.study.models import Model, Space
from tabcast.study.protocol import make_folds
from tabcast.study.trial import Setting
from tabcast.study.work import Work
from tabcast.teachers._foundation_libraries import LIBRARIES
from tests.study.small_study import make_table
from tests.teachers.checkpoints import WRITE, point_cache_to, put_into_cache

CONFIG = Path(__file__).parents[2] / "research" / "configs" / "foundation_teachers.toml"
METHODS = {name: method for name, method in load_catalog().methods.items() if re.search("tabpfn|tabicl", name)}
MODEL = Model("bayes", "Bayes", lambda params, seed: GaussianNB(), {"none": Space({})})


def test_the_configuration_compares_every_method_in_three_profiles():
    study = read_study(CONFIG)
    sizes = {profile: len(study.trials(profile)) for profile in ("smoke", "quick", "full")}
    assert 0 < sizes["smoke"] < sizes["quick"] < sizes["full"]
    assert {trial.method for trial in study.trials("smoke")} == {"supervised", "soft", *METHODS}
    assert study.records.resolve() == CONFIG.parents[1] / "records"


@pytest.mark.parametrize("name", METHODS)
def test_trials_without_the_library_are_skipped_with_a_reason(name):
    method = METHODS[name]
    if find_spec(method.library):
        pytest.skip(f"{method.library} is installed")
    assert f"pip install 'tabcast[{method.library}]'" in method.why_skip(MODEL)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::tabcast.exceptions.TabcastWarning")
def test_a_trial(name, tmp_path, monkeypatch):
    library = METHODS[name].library
    pytest.importorskip(library)
    for cached in (why_missing, describe_weights):
        cached.cache_clear()
    point_cache_to(tmp_path / "cache", monkeypatch)
    expected, _ = LIBRARIES[library].default_weights()
    assert expected.name in METHODS[name].why_skip(MODEL)
    put_into_cache(library, WRITE[library](tmp_path / "weights.ckpt"), expected)
    why_missing.cache_clear()
    assert METHODS[name].why_skip(MODEL) is None
    dataset = make_table(120, 3, "accuracy", noise=1.8, seed=10, mixed=True)
    fold = next(iter(make_folds(dataset, Setting("synthetic", 0.2, preprocessing="native"))))
    answer = METHODS[name].run(Work(fold, 0), Request(encoded(), {}, 0))
    assert answer.proba.shape == (len(fold.y_test), 3)
    np.testing.assert_allclose(answer.proba.sum(axis=1), 1)
    assert answer.details["weights"] == expected.name
    for cached in (why_missing, describe_weights):
        cached.cache_clear()


def encoded():
    """Gradient boosting, which takes levels and missing values."""
    return load_catalog().models["hist_gradient_boosting"]
