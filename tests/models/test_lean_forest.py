"""The lean forest is scikit-learn's, tree by tree."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from tabcast.models._lean_forest import LeanExtraTrees, make_lean


@pytest.mark.parametrize("parameters", [{}, {"bootstrap": True, "max_depth": 3, "class_weight": "balanced"}])
def test_the_same_trees(parameters):
    random = np.random.default_rng(0)
    X, y, weight = random.normal(size=(40, 5)), random.integers(0, 3, 40), random.random(40)
    forest = ExtraTreesClassifier(15, random_state=4, **parameters)
    lean = make_lean(forest)
    assert type(lean) is LeanExtraTrees
    theirs, ours = (one.fit(X, y, sample_weight=weight).predict_proba(X) for one in (forest, lean))
    assert np.array_equal(ours, theirs)
    assert [tree.get_params() for tree in lean.estimators_] == [tree.get_params() for tree in forest.estimators_]
    again = clone(lean).set_params(max_depth=2).fit(X, y)
    assert max(tree.get_depth() for tree in again.estimators_) <= 2


def test_other_models_stay():
    forest = RandomForestClassifier()
    assert make_lean(forest) is forest
