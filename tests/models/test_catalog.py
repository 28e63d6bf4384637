"""Models by name: each takes a real-looking table with gaps, levels, text labels and weights."""

import sys

import numpy as np
import pandas as pd
import pytest

from tabcast import SoftSelfTrainingClassifier
from tabcast.models import AdaptedClassifier
from tabcast.models._adapted import weight_parameter
from tabcast.models._catalog import MODEL_NAMES, default_classifier, make_model
from tabcast.teachers import SelfTeacher

NETS = ("mlp", "ft_transformer", "vime", "subtab", "scarf", "switchtab")
PACKAGES = {"xgboost": "xgboost", "lightgbm": "lightgbm", "catboost": "catboost", "mlp": "torch"}
CHEAP = [name for name in MODEL_NAMES[1:] if name not in NETS[1:]]  # tests/models/neural has the other networks


def make(name, **kwargs):
    """The model, or a skip where its package is not installed."""
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    return make_model(name, **kwargs)


def test_boosting_is_the_default_classifier():
    boosting = make_model("hist_gradient_boosting", seed=3)
    assert boosting.get_params() == default_classifier().set_params(random_state=3).get_params()


@pytest.mark.parametrize("name", CHEAP)
class TestEveryModel:
    def test_takes_mixed_tables_and_weights(self, name, mixed_table):
        X, y = mixed_table
        model = make(name, seed=0, n_jobs=1)
        fitted = AdaptedClassifier(model)
        weight = weight_parameter(model)
        assert weight is not None
        fitted.fit(X, y, **{weight: np.ones(len(y))})
        proba = fitted.predict_proba(X)
        assert fitted.classes_.tolist() == ["leaves", "stays"]
        np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-6)
        assert (fitted.predict(X) == y).mean() > 0.8

    def test_weights_count(self, name, mixed_table):
        """Rows of no weight might as well not be there: the labels of the other half are all wrong."""
        X, y = mixed_table
        model = make(name, seed=0, n_jobs=1)
        half = np.arange(len(y)) % 2 == 0
        wrong = np.where(half, y, np.where(y == "stays", "leaves", "stays"))
        weight = {weight_parameter(model): np.where(half, 1.0, 1e-6)}
        fitted = AdaptedClassifier(model).fit(X, wrong, **weight)
        assert (fitted.predict(X[half]) == y[half]).mean() > 0.75

    def test_two_fits_are_the_same(self, name, mixed_table):
        X, y = mixed_table
        one, other = (AdaptedClassifier(make(name, seed=5, n_jobs=1)).fit(X, y).predict_proba(X) for _ in range(2))
        np.testing.assert_array_equal(one, other)

    def test_learns_from_unlabeled_rows(self, name, mixed_table):
        X, y = mixed_table
        half_labeled = np.where(np.arange(len(y)) < 60, y, None)
        model = SoftSelfTrainingClassifier(make(name, seed=0, n_jobs=1), teacher=SelfTeacher(), random_state=0)
        model.fit(X, half_labeled)
        assert model.predict_proba(X[60:]).shape == (100, 2)

    def test_few_labeled_rows_are_enough_to_learn(self, name):
        random = np.random.default_rng(0)
        X = pd.DataFrame({"size": random.normal(size=440), "noise": random.normal(size=440)})
        y = np.where(X["size"] > 0, "big", "small")
        fitted = AdaptedClassifier(make(name, seed=0, n_jobs=1)).fit(X[:40], y[:40])
        assert (fitted.predict(X[40:]) == y[40:]).mean() > 0.85


@pytest.mark.parametrize("name", ["random_forest", "extra_trees", "xgboost", "lightgbm"])
def test_jobs_are_passed_on(name):
    parameters = make(name, n_jobs=2).get_params()
    assert parameters.get("forest__n_jobs", parameters.get("n_jobs")) == 2


def test_boosting_libraries_take_one_thread_unless_told():
    assert make("xgboost").n_jobs == 1
    assert make("lightgbm").n_jobs == 1


def test_unknown_name():
    with pytest.raises(ValueError, match=r"^Unknown model: 'xgbost'\. Choices: hist_.*\. Did you mean 'xgboost'\?$"):
        make_model("xgbost")


@pytest.mark.parametrize(
    ("name", "title"), [("xgboost", "XGBoost"), ("lightgbm", "LightGBM"), ("catboost", "CatBoost")]
)
def test_missing_package(name, title, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError) as caught:
        make_model(name)
    assert str(caught.value) == (
        f"{title} is needed for model '{name}'. Install it with: pip install 'tabcast[{name}]'."
    )


@pytest.mark.parametrize("name", NETS)
def test_networks(name):
    pytest.importorskip("torch")
    model = make_model(name, seed=3)
    assert type(model).__name__.lower() == f"{name.replace('_', '')}classifier"
    assert model.random_state == 3
