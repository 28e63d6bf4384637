"""Sample weights and fit parameters stay with their rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import TakeAll, Weighting
from tests.self_training.sample import NearestMean, draw

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


def check_weights(expected: np.ndarray, unlabeled: set[int], pseudo_weight: float) -> None:
    """Each fit got the weight of each row, multiplied by `pseudo_weight` for pseudo-labeled rows."""
    rounds = [one for one in NearestMean.fits if unlabeled & set(one.ids)]
    assert rounds
    for one in NearestMean.fits:
        if one not in rounds and one.weights is None:
            np.testing.assert_array_equal(expected[list(one.ids)], 1.0)  # all weights are 1, so none were passed
            continue
        wanted = [expected[i] * (pseudo_weight if i in unlabeled else 1) for i in one.ids]
        np.testing.assert_allclose(one.weights, wanted)


ESTIMATORS = {
    "classifier": lambda: NearestMean(),
    "pipeline": lambda: make_pipeline(FunctionTransformer(), NearestMean()),
    "pipeline in a pipeline": lambda: make_pipeline(
        FunctionTransformer(), make_pipeline(FunctionTransformer(), NearestMean())
    ),
}
VALIDATIONS = {"cv": "cv", "hold-out": 0.3, "none": None}


@pytest.mark.parametrize("validation", VALIDATIONS)
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_follow_their_rows(name, validation, weighted):
    X, y, _ = draw()
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    model = SelfTrainingClassifier(
        ESTIMATORS[name](), pseudo_weight=0.25, validation=VALIDATIONS[validation], random_state=0
    )
    model.fit(X, y, sample_weight=weights if weighted else None)
    check_weights(weights, set(np.flatnonzero(y == -1).tolist()), 0.25)


def test_no_weights_by_default():
    X, y, _ = draw()
    SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y)
    assert {one.weights for one in NearestMean.fits} == {None}


@pytest.mark.parametrize("whole", [True, False])
def test_weights_of_rows_apart(whole):
    """Rows of X_unlabeled have weight 1 if only the weights of X were given."""
    X, y, _ = draw()
    known = np.flatnonzero(y != -1)
    rest = np.flatnonzero(y == -1)
    weights = np.linspace(0.5, 2, len(y))
    given = weights[np.concatenate([known, rest])] if whole else weights[known]
    model = SelfTrainingClassifier(NearestMean(), pseudo_weight=0.5, random_state=0)
    model.fit(X[known], y[known], X_unlabeled=X[rest], sample_weight=given)
    if not whole:
        weights[rest] = 1.0
    check_weights(weights, set(rest.tolist()), 0.5)


def test_weights_change_the_model():
    X, y, _ = draw()
    light = SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), max_rounds=1, validation=None)
    half = SelfTrainingClassifier(NearestMean(), strategy=TakeAll(), max_rounds=1, validation=None, pseudo_weight=1e-9)
    supervised = NearestMean().fit(X[y != -1], y[y != -1])
    np.testing.assert_allclose(half.fit(X, y).predict_proba(X), supervised.predict_proba(X), atol=1e-6)
    assert np.abs(light.fit(X, y).predict_proba(X) - supervised.predict_proba(X)).max() > 1e-3


class Doubt(Weighting):
    """The weight of a row is its confidence."""

    def weigh(self, confidence, labels):
        return confidence[np.arange(len(labels)), labels]


@pytest.mark.parametrize("relabel", [True, False])
def test_weights_by_confidence(relabel):
    X, y, _ = draw()
    model = SelfTrainingClassifier(NearestMean(), pseudo_weight=Doubt(), relabel=relabel, validation=None).fit(X, y)
    last = NearestMean.fits[-1]
    used = model.pseudo_labels_.set_index("row").query("selected")["confidence"]
    assert len(used) == len(last.ids) - 30
    expected = [used.get(i, 1.0) for i in last.ids]  # labeled rows have weight 1
    np.testing.assert_allclose(last.weights, expected)
    assert len(set(last.weights)) > 10


def test_weights_passed_to_a_step_are_combined_with_pseudo_weight():
    """Weights passed to a pipeline in the way of scikit-learn are not overwritten."""
    X, y, _ = draw()
    weights = np.linspace(0.5, 2, len(y))
    model = SelfTrainingClassifier(ESTIMATORS["pipeline"](), pseudo_weight=0.5, validation=None)
    model.fit(X, y, nearestmean__sample_weight=weights)
    check_weights(weights, set(np.flatnonzero(y == -1).tolist()), 0.5)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series], ids=["list", "tuple", "array", "series"])
@pytest.mark.parametrize("apart", [True, False])
def test_fit_parameters_follow_their_rows(kind, apart):
    X, y, _ = draw()
    tags = np.array([f"row {i}" for i in range(len(y))])
    if apart:
        order = np.argsort(y == -1, kind="stable")
        n_labeled = int((y != -1).sum())
        model = SelfTrainingClassifier(NearestMean(), random_state=0)
        rows = {"X_unlabeled": X[order[n_labeled:]]}
        model.fit(X[order[:n_labeled]], y[order[:n_labeled]], tags=kind(tags[order]), option="kept", **rows)
    else:
        SelfTrainingClassifier(NearestMean(), random_state=0).fit(X, y, tags=kind(tags), option="kept")
    assert len(NearestMean.fits) > 10
    for one in NearestMean.fits:
        assert list(one.tags) == [f"row {i}" for i in one.ids]
        assert one.option == "kept"


def test_fit_parameters_follow_their_rows_into_a_pipeline():
    X, y, _ = draw()
    model = CASTClassifier(ESTIMATORS["pipeline"](), alpha=0.5, random_state=0)
    model.fit(X, y, nearestmean__tags=np.arange(len(y)), nearestmean__option=("not", "rows"))
    for one in NearestMean.fits:
        assert tuple(one.tags) == one.ids
        assert one.option == ("not", "rows")


def test_fit_parameter_for_half_of_the_rows():
    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"'tags' has 90 entries.* none for the 5 rows of X_unlabeled"):
        SelfTrainingClassifier(NearestMean()).fit(X, y, X_unlabeled=X[:5], tags=np.arange(90))


def test_estimator_without_sample_weight():
    from sklearn.neighbors import KNeighborsClassifier

    X, y, _ = draw()
    with pytest.raises(ValueError, match=r"`sample_weight` was given, but fit of KNeighborsClassifier.* does not"):
        SelfTrainingClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"`pseudo_weight` \(Constant\(weight=0.5\)\) needs an estimator"):
        SelfTrainingClassifier(KNeighborsClassifier(), pseudo_weight=0.5).fit(X, y)


@pytest.mark.parametrize("n_weights", [1, 89, 91])
def test_weights_of_another_length_are_refused(n_weights):
    X, y, _ = draw()
    with pytest.raises(
        ValueError, match=rf"`sample_weight` must have one entry per row of X, that is 90; got {n_weights}"
    ):
        SelfTrainingClassifier(NearestMean()).fit(X, y, sample_weight=np.ones(n_weights))
