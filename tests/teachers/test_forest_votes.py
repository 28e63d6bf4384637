"""A forest that counts votes by bits predicts what scikit-learn's predicts, bit for bit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from tabcast.table import TableCodes
from tabcast.teachers import _forest_votes
from tabcast.teachers._forest_votes import ForestVotes


def draw(n_rows, n_classes, seed):
    """Numbers, numbers with ties, and codes; classes that overlap."""
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [random.normal(size=n_rows), random.normal(size=n_rows).round(1), random.integers(5, size=n_rows)]
    )
    return X, np.argmax(X @ random.normal(size=(3, n_classes)) + random.normal(size=(n_rows, n_classes)), axis=1)


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """Blocks as small as the tables of tests."""
    monkeypatch.setattr(_forest_votes, "WORTHWHILE", 100)
    monkeypatch.setattr(_forest_votes, "BLOCK", 1_000)


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_those_of_scikit_learn(kind, n_classes):
    X, y = draw(150, n_classes, 0)
    pool, _ = draw(2_345, n_classes, 1)
    pool[:150] = X  # values on thresholds of trees
    forest = kind(30, random_state=0).fit(X, y)
    votes = ForestVotes(forest)
    assert votes.trees is not None
    np.testing.assert_array_equal(votes.predict_proba(pool), forest.predict_proba(pool))


def test_thresholds_are_compared_at_the_precision_of_the_values():
    X = np.float32([[1.0], [np.nextafter(np.float32(1), np.float32(2))]])
    forest = ExtraTreesClassifier(20, random_state=0).fit(X, [0, 1])
    pool = np.tile(X, (100, 1))
    np.testing.assert_array_equal(ForestVotes(forest).predict_proba(pool), forest.predict_proba(pool))


def test_behind_an_encoding():
    X, y = draw(150, 3, 0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"c": str})
    pool = pd.DataFrame(draw(500, 3, 1)[0], columns=["a", "b", "c"]).astype({"c": str})
    model = Pipeline([("columns", TableCodes()), ("model", ExtraTreesClassifier(20, random_state=0))]).fit(frame, y)
    np.testing.assert_array_equal(ForestVotes(model).predict_proba(pool), model.predict_proba(pool))


def test_other_models_predict_as_ever():
    X, y = draw(150, 2, 0)
    twice, both = np.concatenate([X, X]), np.concatenate([y, 1 - y])  # the same rows with both labels
    mixed = ExtraTreesClassifier(10, random_state=0).fit(twice, both)
    for model in (LogisticRegression().fit(X, y), mixed):
        assert ForestVotes(model).trees is None
        np.testing.assert_array_equal(ForestVotes(model).predict_proba(X), model.predict_proba(X))


def test_missing_values_are_left_to_scikit_learn():
    X, y = draw(150, 2, 0)
    X[::7, 0] = np.nan
    forest = ExtraTreesClassifier(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ForestVotes(forest).predict_proba(X), forest.predict_proba(X))
    forest = ExtraTreesClassifier(10, random_state=0).fit(draw(150, 2, 0)[0], y)
    np.testing.assert_array_equal(ForestVotes(forest).predict_proba(X), forest.predict_proba(X))
