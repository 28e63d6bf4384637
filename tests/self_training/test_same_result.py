"""The same seed gives the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.confidence import Chain, Confidence
from tabcast.pseudo_labels import FixedThreshold
from tabcast.validation import Holdout
from tests.self_training.sample import NearestMean, draw

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")

RANDOM = {
    "random tree": DecisionTreeClassifier(splitter="random"),
    "forest": RandomForestClassifier(5, max_depth=4),
    "pipeline": make_pipeline(FunctionTransformer(), DecisionTreeClassifier(splitter="random")),
}


def assert_same_result(first: Any, second: Any, X: Any) -> None:
    pd.testing.assert_frame_equal(first.history_, second.history_)
    pd.testing.assert_frame_equal(first.pseudo_labels_, second.pseudo_labels_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    assert first.n_fits_ == second.n_fits_
    assert first.termination_reason_ == second.termination_reason_
    if isinstance(first, CASTClassifier):
        pd.testing.assert_frame_equal(first.alpha_scores_, second.alpha_scores_)


@pytest.mark.parametrize("name", RANDOM)
@pytest.mark.parametrize(
    "validation", ["cv", 0.3, None, StratifiedKFold(3, shuffle=True)], ids=["cv", "hold-out", "none", "splitter"]
)
def test_same_random_state_same_result(name, validation):
    X, y, _ = draw()
    model = CASTClassifier(RANDOM[name], alpha=0.4, validation=validation, random_state=3)
    first = model.fit(X, y)
    second = CASTClassifier(RANDOM[name], alpha=0.4, validation=validation, random_state=3).fit(X, y)
    assert_same_result(first, second, X)


class Jitter(Confidence):
    """Confidence with noise."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def adjust(self, proba):
        return proba * check_random_state(self.random_state).uniform(0.5, 1, proba.shape)


@pytest.mark.parametrize("confidence", [Jitter(), Chain([Jitter()])], ids=["part", "part of a chain"])
def test_random_parts_are_seeded(confidence):
    X, y, _ = draw()
    first, second = (SelfTrainingClassifier(NearestMean(), confidence=confidence, random_state=3) for _ in range(2))
    assert_same_result(first.fit(X, y), second.fit(X, y), X)


def test_another_random_state_another_result():
    X, y, _ = draw()
    scores = {
        tuple(SelfTrainingClassifier(RANDOM["random tree"], random_state=seed).fit(X, y).history_["score"])
        for seed in range(3)
    }
    assert len(scores) == 3


def test_result_does_not_depend_on_n_jobs():
    X, y, _ = draw(n_rows=60)
    search = {"alpha": [0.0, 0.5], "max_rounds": 2, "random_state": 0}
    one = CASTClassifier(RANDOM["random tree"], n_jobs=1, **search).fit(X, y)
    two = CASTClassifier(RANDOM["random tree"], n_jobs=2, **search).fit(X, y)
    assert_same_result(one, two, X)
    noisy = {"strategy": FixedThreshold(0.8), "validation": Holdout(0.3), "random_state": 1}
    one = SelfTrainingClassifier(RANDOM["forest"], n_jobs=1, **noisy).fit(X, y)
    two = SelfTrainingClassifier(RANDOM["forest"], n_jobs=2, **noisy).fit(X, y)
    assert_same_result(one, two, X)


def test_random_state_of_the_estimator_is_left_alone():
    X, y, _ = draw()
    tree = DecisionTreeClassifier(splitter="random", random_state=11)
    model = SelfTrainingClassifier(tree, validation=None, random_state=0).fit(X, y)
    assert model.estimator_.random_state == 11
    assert tree.random_state == 11
    unset = SelfTrainingClassifier(DecisionTreeClassifier(), validation=None, random_state=0).fit(X, y)
    assert unset.estimator_.random_state is not None
    assert unset.estimator.random_state is None
