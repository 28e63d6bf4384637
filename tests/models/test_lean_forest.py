"""The lean forest is scikit-learn's."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from tabcast.models._lean_forest import LeanExtraTrees, make_lean


def make_rows(n_classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    return X, (X[:, 0] + random.normal(size=60) > np.linspace(-1, 1, n_classes + 1)[1:-1, None]).sum(axis=0)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parameters", [{}, {"bootstrap": True, "max_depth": 3}, {"max_features": 2}])
def test_the_same_trees(n_classes, weighted, parameters):
    X, y = make_rows(n_classes)
    weight = np.random.default_rng(1).random(60) if weighted else np.ones(60)
    forest = ExtraTreesClassifier(200, random_state=4, **parameters)
    lean = make_lean(forest)
    assert type(lean) is LeanExtraTrees
    theirs, ours = (one.fit(X[::2], y[::2], weight[::2]) for one in (forest, lean))
    assert ours.classes_.tolist() == list(range(n_classes))
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).mean() < 0.01
    equal = [
        np.array_equal(our.tree_.threshold, their.tree_.threshold)
        for our, their in zip(ours.estimators_, theirs.estimators_, strict=True)
    ]
    assert weighted or np.mean(equal) > 0.8
    again = clone(lean).set_params(max_depth=2).fit(X, y)
    assert max(tree.get_depth() for tree in again.estimators_) <= 2


def test_a_single_class():
    X, _ = make_rows(2)
    forest = make_lean(ExtraTreesClassifier(5)).fit(X, np.full(60, 3))
    assert np.array_equal(forest.predict_proba(X), np.ones((60, 1)))


@pytest.mark.parametrize("other", [RandomForestClassifier(), ExtraTreesClassifier(class_weight="balanced")])
def test_other_models_stay(other):
    assert make_lean(other) is other
