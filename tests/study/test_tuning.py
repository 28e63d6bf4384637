"""The search finds what is best, the same for the same seed, and survives parameters that do not work."""

import logging
import math
import subprocess
import sys

import pytest

from tabcast.study.models import Space, get_model
from tabcast.study.tuning import tune

optuna = pytest.importorskip("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402

MODEL = get_model("logistic_regression")
DISTRIBUTIONS = {
    "x": FloatDistribution(-4, 4),
    "n": IntDistribution(1, 50),
    "kind": CategoricalDistribution(("good", "bad", None)),
}
SPACE = Space(DISTRIBUTIONS)


def distance(params):
    """Largest, 0, at x = 1, n = 20 and kind "good"."""
    return -abs(params["x"] - 1) - abs(params["n"] - 20) / 10 - (params["kind"] != "good")


def test_finds_the_best_it_tried():
    result = tune(MODEL, SPACE, distance, 60, seed=0)
    assert result.n_trials == len(result.values) == 60
    assert result.value == max(result.values) == distance(result.params)
    assert result.value > -0.6  # a random point is at -4 on average
    assert type(result.params["n"]) is int


def test_the_seed_decides():
    first, again, other = (tune(MODEL, SPACE, distance, 25, seed) for seed in (3, 3, 4))
    assert first == again
    assert first.values != other.values


def test_the_first_of_equals_wins():
    tried = []
    result = tune(MODEL, SPACE, lambda params: tried.append(params) or 0.5, 5, seed=0)
    assert result.params == tried[0]


def test_starts_where_the_space_says():
    start = {"x": -3.5, "n": 7, "kind": None}
    tried = []
    tune(MODEL, Space(DISTRIBUTIONS, start=start), lambda params: tried.append(params) or 0.0, 3, seed=0)
    assert tried[0] == start
    assert start not in tried[1:]


def test_a_start_makes_tuning_no_worse_than_none():
    """One trial gives the library's defaults, in every space that has a start."""
    space = get_model("xgboost").space("sane")
    result = tune(get_model("xgboost"), space, lambda params: 0.0, 1, seed=0)
    assert result.params == space.start


@pytest.mark.parametrize(("space", "n_trials"), [(None, 9), (Space({}), 9), (SPACE, 0)])
def test_nothing_to_search(space, n_trials):
    def refuse(params):
        raise AssertionError("nobody should ask")

    result = tune(MODEL, space, refuse, n_trials, seed=0)
    assert (result.params, result.value, result.n_trials, result.values) == ({}, None, 0, ())


def test_some_trials_may_fail():
    def objective(params):
        if params["x"] < 0:
            raise ValueError("x is negative")
        return math.nan if params["kind"] is None else distance(params)

    result = tune(MODEL, SPACE, objective, 30, seed=0)
    assert result.n_trials == len(result.values) == 30
    assert 0 < result.values.count(None) < 30
    assert result.value == max(value for value in result.values if value is not None)
    assert result.params["x"] >= 0


def test_all_trials_failed():
    def objective(params):
        raise ValueError("one class only")

    with pytest.raises(ValueError, match=r"All 4 tuning trials of model 'logistic_regression' failed; .*one class"):
        tune(MODEL, SPACE, objective, 4, seed=0)
    with pytest.raises(ValueError, match="failed; the objective was not a number"):
        tune(MODEL, SPACE, lambda params: math.nan, 4, seed=0)


def test_other_errors_are_bugs():
    def objective(params):
        raise KeyError("a typo")

    with pytest.raises(KeyError, match="a typo"):
        tune(MODEL, SPACE, objective, 4, seed=0)


def test_negative_number_of_trials():
    with pytest.raises(ValueError, match="`n_trials` of tune must not be negative; got -1"):
        tune(MODEL, SPACE, distance, -1, seed=0)


def test_silent(capfd):
    def objective(params):
        if params["x"] < 0:
            raise ValueError("x is negative")
        return 0.0

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.INFO)
    try:
        tune(MODEL, SPACE, objective, 10, seed=0)
        assert optuna.logging.get_verbosity() == logging.INFO
    finally:
        optuna.logging.set_verbosity(before)
    assert capfd.readouterr() == ("", "")


def test_optuna_is_imported_only_where_used():
    code = "import sys, tabcast.study.tuning; assert 'optuna' not in sys.modules; assert 'xgboost' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_optuna(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"pip install 'tabcast\[study\]'"):
        tune(MODEL, SPACE, distance, 1, seed=0)
