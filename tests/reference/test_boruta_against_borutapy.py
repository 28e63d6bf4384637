"""BorutaShap against BorutaPy on real tables, and its importances against the shap package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from tabcast.feature_selection import BorutaShap
from tabcast.feature_selection._shap_importance import default_forest, shap_importance
from tabcast.table._columns import learn_columns
from tests.conftest import read_dataset


def numbers(name):
    """A real table as BorutaPy takes it: levels as codes, no names."""
    X, y = read_dataset(name)
    columns = learn_columns(X)
    table = columns.encode(X)
    values = np.empty(X.shape)
    values[:, columns.continuous_index], values[:, columns.categorical_index] = table.continuous, table.codes
    return values, pd.factorize(y, sort=True)[0], np.isin(np.arange(X.shape[1]), columns.categorical_index)


def borutapy(X, y, max_iter=50):
    """Columns that BorutaPy confirms, and those it rejects."""
    BorutaPy = pytest.importorskip("boruta").BorutaPy
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=1)
    oracle = BorutaPy(forest, n_estimators="auto", max_iter=max_iter, random_state=0).fit(X, y)
    return oracle.support_, ~(oracle.support_ | oracle.support_weak_)


@pytest.mark.slow
def test_agrees_up_to_tentative_columns():
    X, y, categorical = numbers("cmc")
    confirmed, rejected = borutapy(X, y, 20)
    ours = BorutaShap(max_iter=20, random_state=0).fit(X, y, categorical).decision_
    assert not (confirmed & (ours == "rejected")).any()
    assert not (rejected & (ours == "confirmed")).any()
    assert (ours != "tentative").sum() >= 7
    assert 0 < confirmed.sum() < len(confirmed)


@pytest.mark.slow
def test_agrees_on_columns_that_were_shuffled():
    X, y, _ = numbers("vehicle")
    X = np.hstack([X, np.random.default_rng(0).permuted(X, axis=0)])
    confirmed, rejected = borutapy(X, y, 12)
    ours = BorutaShap(max_iter=10, random_state=0).fit(X, y).decision_
    assert not (confirmed & (ours == "rejected")).any()
    assert not (rejected & (ours == "confirmed")).any()
    assert confirmed[:18].all()
    assert rejected[18:].sum() >= 15
    assert (ours == "tentative").sum() <= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["diabetes", "credit-g", "kc2", "qsar-biodeg", "steel-plates-fault"])
def test_rejects_nothing_that_borutapy_confirms(name):
    # Not the other way round: BorutaShap also confirms some columns that BorutaPy rejects, most of them on credit-g.
    X, y, categorical = numbers(name)
    confirmed, rejected = borutapy(X, y)
    ours = BorutaShap(random_state=0).fit(X, y, categorical)
    assert not (confirmed & (ours.decision_ == "rejected")).any()
    agreed = (ours.support_ & ~rejected) | (~ours.support_ & ~confirmed)
    print(f"{name}: {agreed.sum()} of {len(agreed)} columns agree, tentative ones aside")
    assert agreed.mean() >= 0.7


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_importances_are_those_of_shap(library, n_classes):
    shap = pytest.importorskip("shap")
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 5))
    X[random.random(X.shape) < 0.1] = np.nan
    y = np.digitize(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]), [0.0, 1.0][: n_classes - 1])
    if library == "xgboost":
        model = default_forest(5, random_state=0, n_jobs=1)
    else:
        model = pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=10, verbosity=-1, n_jobs=1)
    ours = shap_importance(model, X, y, categorical=np.zeros(5, dtype=bool), explained=np.arange(150))
    values = np.asarray(shap.TreeExplainer(model).shap_values(X))
    expected = np.abs(values.reshape(150, 5, -1)).mean(axis=(0, 2))
    np.testing.assert_allclose(ours, expected, rtol=1e-4)
    assert expected.argmax() in (0, 1)
