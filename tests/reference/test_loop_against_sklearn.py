"""With raw confidence, first labels kept and no validation, ours equals scikit-learn's SelfTrainingClassifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier as TheirSelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

from tabcast import SelfTrainingClassifier
from tabcast.confidence import Raw
from tabcast.pseudo_labels import FixedThreshold, TopK

N_SEEDS = 12
ESTIMATORS = {
    "logistic": LogisticRegression(),
    "discriminant": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=4, min_samples_leaf=3, random_state=0),
    "neighbors": KNeighborsClassifier(3),
}
WITHOUT_TIES = ["logistic", "discriminant"]  # among ties scikit-learn selects any row, we select the first


def draw(seed: int, n_classes: int) -> tuple[Any, Any, Any]:
    """A hard problem: about 25 of 120 rows labeled, some of each class, the others marked in y."""
    X, truth = make_classification(
        n_samples=140,
        n_features=5,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        class_sep=0.7,
        flip_y=0.1,
        random_state=seed,
    )
    rng = np.random.default_rng(seed)
    hidden = rng.random(120) < 0.8
    for one in range(n_classes):
        hidden[np.flatnonzero(truth[:120] == one)[:4]] = False
    return X[:120], np.where(hidden, -1, truth[:120]), X[120:]


def check_equal(ours: Any, theirs: Any, X: Any, X_new: Any) -> None:
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for rows in (X, X_new):
        np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
        np.testing.assert_array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))


def fit_both(estimator: Any, strategy: Any, max_rounds: int, X: Any, y: Any, **their_settings: Any) -> tuple[Any, Any]:
    ours = SelfTrainingClassifier(
        estimator, confidence=Raw(), strategy=strategy, relabel=False, validation=None, max_rounds=max_rounds
    )
    theirs = TheirSelfTrainingClassifier(estimator, max_iter=max_rounds, **their_settings)
    return ours.fit(X, y), theirs.fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_threshold(name, n_classes):
    for seed in range(N_SEEDS):
        X, y, X_new = draw(seed, n_classes)
        threshold, max_rounds = (0.65, 0.9)[seed % 2], (1, 3, 10)[seed % 3]
        strategy = FixedThreshold(threshold, strict=True)
        ours, theirs = fit_both(ESTIMATORS[name], strategy, max_rounds, X, y, threshold=threshold)
        check_equal(ours, theirs, X, X_new)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", WITHOUT_TIES)
def test_top_k(name, n_classes):
    for seed in range(N_SEEDS):
        X, y, X_new = draw(100 + seed, n_classes)
        k, max_rounds = (4, 60)[seed % 2], (1, 4, 20)[seed % 3]
        ours, theirs = fit_both(ESTIMATORS[name], TopK(k), max_rounds, X, y, criterion="k_best", k_best=k)
        check_equal(ours, theirs, X, X_new)


def test_termination_means_the_same():
    """All three reasons of scikit-learn occur, each with the one we report."""
    meanings = {
        "all_labeled": {"all_labeled", "max_rounds"},  # ours notices a round later, if there is one
        "no_change": {"no_change", "nothing_selected"},
        "max_iter": {"max_rounds"},
    }
    met = set()
    for seed in range(8):
        X, y, _ = draw(seed, 2)
        for threshold, max_rounds in [(0.5, 10), (0.8, 50), (0.8, 2), (0.9999, 10)]:
            strategy = FixedThreshold(threshold, strict=True)
            ours, theirs = fit_both(LogisticRegression(), strategy, max_rounds, X, y, threshold=threshold)
            assert ours.termination_reason_ in meanings[theirs.termination_condition_]
            met.add(theirs.termination_condition_)
    assert met == set(meanings)


def test_real_table():
    """The breast cancer table of scikit-learn, 41 labels."""
    X, truth = load_breast_cancer(return_X_y=True)
    y = np.where(np.arange(len(truth)) % 14 == 0, truth, -1)
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    for strategy, settings in [
        (FixedThreshold(0.9, strict=True), {"threshold": 0.9}),
        (TopK(40), {"criterion": "k_best", "k_best": 40}),
    ]:
        ours, theirs = fit_both(estimator, strategy, 10, X, y, **settings)
        check_equal(ours, theirs, X, X)
        assert ours.best_round_ >= 3
