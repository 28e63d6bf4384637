"""`categorical_features` of a self-training classifier reach a base estimator that asks for them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from tabcast import SelfTrainingClassifier
from tabcast.models import make_model
from tabcast.models._adapted import adapt


@pytest.fixture(scope="module")
def rows():
    """Codes whose order means nothing, a number, and a column with more codes than gradient boosting takes."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 6, 300)
    X = np.column_stack([codes, random.normal(size=300), np.arange(300.0)])
    y = np.where(np.isin(codes, [1, 4]), 1, 0)
    y[100:] = -1
    return X, y


def boosting(**parameters):
    return HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, **parameters)


def self_train(estimator, X, y, **parameters):
    model = SelfTrainingClassifier(estimator, validation=None, max_rounds=1, random_state=0, **parameters)
    return model.fit(X, y)


def test_as_if_the_estimator_had_been_told(rows):
    X, y = rows
    told = self_train(boosting(categorical_features=[0]), X, y)
    for given in ([0], [True, False, False], [0, 2]):  # the last column has too many levels for it
        reached = self_train(boosting(), X, y, categorical_features=given)
        assert_array_equal(reached.predict_proba(X), told.predict_proba(X))
    assert not np.array_equal(self_train(boosting(), X, y).predict_proba(X), told.predict_proba(X))


def test_what_the_user_set_stays(rows):
    X, y = rows
    model = self_train(boosting(categorical_features=[]), X, y, categorical_features=[0])
    assert model.estimator_.categorical_features == []


def test_named_columns_beside_text(rows):
    """Columns of text are categorical anyway; numbers become so by name."""
    X, y = rows
    table = pd.DataFrame(X, columns=["code", "size", "row"]).assign(city=np.where(X[:, 1] > 0, "Ulm", "Bonn"))
    adaptation = adapt(boosting(), table, np.array([0, 1]), ["code"])
    assert adaptation.parameters == {"categorical_features": [0, 3]}
    model = self_train(boosting(), table, y, categorical_features=["code"])
    assert model.predict_proba(table).shape == (300, 2)
    shuffled = table.assign(code=table["code"].map({0: 5, 1: 3, 2: 0, 3: 1, 4: 2, 5: 4}))
    again = self_train(boosting(), shuffled, y, categorical_features=["code"])
    np.testing.assert_allclose(again.predict_proba(shuffled), model.predict_proba(table))


@pytest.mark.parametrize(
    ("estimator", "given"),
    [(LogisticRegression(), ["code"]), (boosting(), ["city"]), (boosting(), None)],
    ids=["no such parameter", "types tell already", "nothing given"],
)
def test_only_where_it_is_needed(estimator, given, rows):
    X, _ = rows
    table = pd.DataFrame({"code": X[:, 0], "city": pd.Categorical(X[:, 0].astype(int).astype(str))})
    assert adapt(estimator, table, np.array([0, 1]), given).parameters == {}


@pytest.mark.parametrize("name", ["mlp", "scarf"])
def test_nets(name, rows):
    """Also in pretraining, whose encoder the fits share."""
    pytest.importorskip("torch")
    X, y = rows
    net = make_model(name).set_params(epochs=1)
    if name == "scarf":
        net.set_params(pretrain_epochs=1, emb_dim=8)
    model = self_train(net, X, y, categorical_features=[0, 2])
    assert len(model.estimator_.encoder_.columns_.categorical) == 2
    assert net.categorical_features is None
