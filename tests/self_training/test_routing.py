"""Sample weights and scikit-learn's metadata routing."""

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRouter

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.validation import LabeledScorer, SemiSupervisedSplit

random = np.random.default_rng(0)
X = random.normal(size=(90, 3))
Y = np.where(np.arange(90) % 2 == 0, (X[:, 0] > 0).astype(int), -1)
WEIGHT = np.where(X[:, 1] > 0, 10.0, 0.1)


def inner():
    return LogisticRegression().set_fit_request(sample_weight=True)


def hard(estimator):
    return SelfTrainingClassifier(estimator, validation=None, max_rounds=1, random_state=0)


KINDS = {
    "self-training": hard,
    "CAST": lambda one: CASTClassifier(one, alpha=0.5, validation=None, max_rounds=1, random_state=0),
    "soft": lambda one: SoftSelfTrainingClassifier(one, teacher="self", random_state=0),
    "guard": lambda one: GuardedClassifier(hard(one), n_splits=2, n_repeats=1, random_state=0),
}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("enabled", [False, True])
def test_every_classifier_is_a_router(kind, enabled):
    for estimator in (LogisticRegression(), None):
        with sklearn.config_context(enable_metadata_routing=enabled):
            assert isinstance(KINDS[kind](estimator).get_metadata_routing(), MetadataRouter)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_arrive_where_they_are_requested(kind, routing):
    make = KINDS[kind]
    with sklearn.config_context(enable_metadata_routing=False):
        weighted = make(LogisticRegression()).fit(X, Y, sample_weight=WEIGHT).predict_proba(X)
        plain = make(LogisticRegression()).fit(X, Y).predict_proba(X)
    assert np.abs(weighted - plain).max() > 0.01
    np.testing.assert_array_equal(make(inner()).fit(X, Y, sample_weight=WEIGHT).predict_proba(X), weighted)
    refused = LogisticRegression().set_fit_request(sample_weight=False)
    np.testing.assert_array_equal(make(refused).fit(X, Y, sample_weight=WEIGHT).predict_proba(X), plain)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        make(LogisticRegression()).fit(X, Y, sample_weight=WEIGHT)
    make(LogisticRegression()).fit(X, Y)


@pytest.mark.parametrize("kind", ["self-training", "soft"])
def test_weights_arrive_in_a_pipeline(kind, routing):
    make = KINDS[kind]
    with sklearn.config_context(enable_metadata_routing=False):
        expected = make(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, Y, sample_weight=WEIGHT)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    model = make(make_pipeline(scaler, inner())).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_the_default_estimator_always_gets_weights(routing):
    hard(None).fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(TypeError, match="unexpected"):
        hard(inner()).fit(X, Y, strange=1)


def test_a_search_passes_weights_on(routing):
    model = hard(inner()).set_fit_request(sample_weight=True)
    split, scorer = SemiSupervisedSplit(2), LabeledScorer("accuracy")
    search = GridSearchCV(model, {"estimator__C": [0.1, 1.0]}, cv=split)
    with pytest.raises(UnsetMetadataPassedError, match="score"):
        search.fit(X, Y, sample_weight=WEIGHT)
    search = GridSearchCV(model.set_score_request(sample_weight=False), {"estimator__C": [1.0]}, cv=split)
    best = search.fit(X, Y, sample_weight=WEIGHT).best_estimator_
    with sklearn.config_context(enable_metadata_routing=False):
        expected = hard(LogisticRegression()).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(best.predict_proba(X), expected.predict_proba(X))
    assert cross_val_score(model, X, Y, cv=split, scoring=scorer, params={"sample_weight": WEIGHT}).shape == (2,)
