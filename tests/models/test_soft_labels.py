"""XGBoost on proportions of the classes: the model that weighted copies of rows give, at less cost."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tabcast.models import AdaptedClassifier
from tabcast.models._cut_columns import cut_column
from tabcast.models._native_columns import NativeColumns
from tabcast.models._soft_labels import fit_soft, takes_soft_labels
from tests.conftest import read_dataset

xgboost = pytest.importorskip("xgboost")
XGBClassifier = xgboost.XGBClassifier

TABLES = {"diabetes": 2, "credit-g": 2, "cmc": 3, "car": 4}
PARAMETERS = {
    "default": {},
    "columns are drawn": {"colsample_bytree": 0.6, "colsample_bynode": 0.8, "random_state": 3},
    "leaves": {"max_leaves": 8, "grow_policy": "lossguide", "max_bin": 64},
    "several trees": {"num_parallel_tree": 2, "min_child_weight": 3, "reg_alpha": 0.1},
}


def make(name, n_rows=500):
    """A real table as XGBoost takes it, columns cut, and proportions of its classes that depend on the columns."""
    X, y = read_dataset(name)
    X, codes = NativeColumns().fit_transform(X.iloc[:n_rows]), pd.factorize(y.iloc[:n_rows], sort=True)[0]
    for column in X.select_dtypes("number"):
        cut = cut_column(X[column].to_numpy(), np.ones(len(X)), 100)
        X[column] = X[column] if cut is None else cut
    random, n_classes = np.random.default_rng(0), len(np.unique(codes))
    soft = random.dirichlet(np.full(n_classes, 0.3), size=len(X)) + 2 * np.eye(n_classes)[codes]
    soft[soft < 0.05] = 0
    return X, soft / soft.sum(axis=1, keepdims=True), random.uniform(0.5, 2, len(X))


def fit_copies(model, X, soft, weight=None):
    """The obvious way: a row comes once per class, weighted by its proportion."""
    rows, codes = np.nonzero(soft)
    weights = soft[rows, codes] if weight is None else soft[rows, codes] * weight[rows]
    return model.fit(X.iloc[rows], codes, sample_weight=weights)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
def test_trees_are_those_of_weighted_copies(name, parameters):
    X, soft, weight = make(name)
    model = XGBClassifier(n_estimators=8, enable_categorical=True, n_jobs=1, **parameters)
    assert takes_soft_labels(model)
    for given in (None, weight):
        expected = fit_copies(clone(model), X, soft, given)
        found = fit_soft(clone(model), X, soft.astype(np.float32), given)
        np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(found.apply(X), expected.apply(X))
        np.testing.assert_allclose(found.feature_importances_, expected.feature_importances_, rtol=1e-3)


def test_where_two_splits_are_as_good_rounding_may_choose():
    """Columns of this table are so alike that they divide a few rows in the same way; trees differ there alone."""
    X, soft, _ = make("vehicle")
    model = XGBClassifier(n_estimators=8, n_jobs=1)
    fitted = fit_copies(clone(model), X, soft), fit_soft(clone(model), X, soft.astype(np.float32))
    trees = [one.get_booster().trees_to_dataframe() for one in fitted]
    both = trees[0].merge(trees[1], on=["Tree", "Node"])
    both = both[(both["Feature_x"] != "Leaf") & (both["Feature_y"] != "Leaf")]
    first = both[both["Feature_x"] != both["Feature_y"]].iloc[0]
    assert first["Gain_x"] == pytest.approx(first["Gain_y"], rel=1e-4)
    losses = [-(soft * np.log(one.predict_proba(X))).sum(axis=1).mean() for one in fitted]
    assert losses[0] == pytest.approx(losses[1], rel=0.01)


@pytest.mark.parametrize("name", ["diabetes", "cmc"])
class TestModel:
    """What is fitted is an ordinary XGBClassifier."""

    @pytest.fixture
    def pair(self, name):
        X, soft, _ = make(name)
        model = XGBClassifier(n_estimators=5, enable_categorical=True, n_jobs=1, max_depth=3)
        return X, fit_copies(clone(model), X, soft), fit_soft(clone(model), X, soft.astype(np.float32))

    def test_attributes(self, pair):
        X, expected, found = pair
        assert vars(found).keys() == vars(expected).keys()
        assert found.get_params() == expected.get_params()
        assert found.classes_.tolist() == expected.classes_.tolist()
        assert found.n_features_in_ == X.shape[1]
        assert found.feature_names_in_.tolist() == list(X.columns)
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))

    def test_booster(self, pair):
        contents = [json.loads(bytes(one.get_booster().save_raw("json")))["learner"] for one in pair[1:]]
        assert contents[0]["objective"] == contents[1]["objective"]
        for part in ("num_class", "num_target", "num_feature"):
            assert contents[0]["learner_model_param"][part] == contents[1]["learner_model_param"][part]
        configs = [json.loads(one.get_booster().save_config())["learner"] for one in pair[1:]]
        assert configs[0]["generic_param"] == configs[1]["generic_param"]  # n_jobs among them
        assert configs[0]["gradient_booster"] == configs[1]["gradient_booster"]

    def test_stored_and_loaded(self, pair, tmp_path):
        X, _, found = pair
        proba = found.predict_proba(X)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).predict_proba(X), proba)
        found.save_model(tmp_path / "model.json")
        loaded = XGBClassifier()
        loaded.load_model(tmp_path / "model.json")
        np.testing.assert_array_equal(loaded.predict_proba(X), proba)

    def test_training_goes_on(self, pair):
        X, expected, found = pair
        y = expected.predict(X)
        more = [clone(one).fit(X, y, xgb_model=one) for one in (expected, found)]
        np.testing.assert_allclose(*(one.predict_proba(X) for one in more), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "parameters",
    [
        {"subsample": 0.5},
        {"scale_pos_weight": 2},
        {"objective": "multi:softmax"},
        {"objective": lambda y, p: (p - y, p)},
        {"booster": "dart"},
        {"booster": "gblinear"},
        {"tree_method": "exact"},
        {"tree_method": "approx"},
        {"multi_strategy": "multi_output_tree"},
        {"early_stopping_rounds": 3},
        {"eval_metric": "auc"},
        {"base_score": 0.3},
        {"feature_weights": [1, 2]},
        {"callbacks": []},
        {"some_new_parameter": 1},
        {"device": "cuda"},
    ],
    ids=lambda given: " ".join(f"{name}={getattr(value, '__name__', value)}" for name, value in given.items()),
)
def test_parameters_that_copies_would_mean_something_else_for(parameters):
    assert not takes_soft_labels(XGBClassifier(**parameters))


def test_other_classifiers():
    class Own(XGBClassifier):
        pass

    for other in (Own(), xgboost.XGBRFClassifier(), AdaptedClassifier(XGBClassifier())):
        assert not takes_soft_labels(other)
