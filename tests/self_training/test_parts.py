"""Noise filter and feature selection in the loop."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.feature_selection import FeatureSelection
from tabcast.noise_filters import NoiseFilter
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll
from tests.self_training.sample import Diary, NearestMean, draw, validation_rows

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


class RefuseClass(NoiseFilter):
    """Refuses pseudo-labels of one class, given by its index."""

    fitted_on: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, refused: int = 0) -> None:
        self.refused = refused

    def fit(self, X, y, categorical_features=None):
        self.fitted_on.append(tuple(np.asarray(X)[:, 0].astype(int).tolist()))
        assert len(y) == len(X)
        assert set(y) <= {0, 1}
        return self

    def keep(self, X, labels):
        assert len(X) == len(labels)
        return labels != self.refused


class FirstColumns(FeatureSelection):
    """Keeps the first columns."""

    fitted_on: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, n_columns: int = 2) -> None:
        self.n_columns = n_columns

    def fit(self, X, y, categorical_features=None):
        self.fitted_on.append(tuple(np.asarray(X)[:, 0].astype(int).tolist()))
        assert len(categorical_features) == X.shape[1]
        self.support_ = np.arange(X.shape[1]) < self.n_columns
        return self


@pytest.fixture(autouse=True)
def _forget_parts():
    RefuseClass.fitted_on.clear()
    FirstColumns.fitted_on.clear()


@pytest.mark.parametrize("refused", [0, 1])
@pytest.mark.parametrize("relabel", [True, False])
@pytest.mark.parametrize("strategy", [Curriculum(), TakeAll(), FixedThreshold(0.6)])
def test_noise_filter_is_respected(refused, relabel, strategy):
    X, y, _ = draw()
    model = SelfTrainingClassifier(
        NearestMean(), strategy=strategy, noise_filter=RefuseClass(refused), relabel=relabel, validation=None
    ).fit(X, y)
    unlabeled = set(np.flatnonzero(y == -1).tolist())
    for one in NearestMean.fits:
        assert all(label != refused for i, label in zip(one.ids, one.y, strict=True) if i in unlabeled)
    table = model.pseudo_labels_
    assert table["selected"].any()
    assert not table.loc[table["label"] == refused, "selected"].any()
    if isinstance(strategy, TakeAll):
        assert table.loc[table["label"] != refused, "selected"].all()


def test_feature_selection_limits_the_columns_of_the_density():
    X, y, _ = draw()
    frame = pd.DataFrame(X, columns=["number", "a", "b", "c", "d"])
    frame["a"] = np.where(frame["a"] > 0, "up", "down")
    frame = frame.assign(number=0.0)
    classifier = make_pipeline(FunctionTransformer(lambda X: X.drop(columns="a")), NearestMean())
    model = CASTClassifier(
        classifier, alpha=0.5, feature_selection=FirstColumns(2), validation=None, random_state=0
    ).fit(frame, y)
    assert model.selected_features_.tolist() == ["number", "a"]
    table = model.pseudo_labels_
    pool, first = frame[y == -1], table.groupby("label")["density"]
    # Two levels in one column and a constant: the scaled density of a row is 0 or 1.
    assert set(table["density"]) == {0.0, 1.0}
    for label, density in first:
        assert density.groupby(pool["a"].to_numpy()[density.index]).nunique().max() == 1, label
    assert all(len(one.ids) for one in NearestMean.fits)
    first = NearestMean.fits[1]  # after a trial on some rows; the classifier uses all columns of its pipeline
    np.testing.assert_array_equal(first.ids, [0] * 30)
    assert model.estimator_[-1].means_.shape == (2, 3)


def test_selected_features_of_an_array_are_positions():
    X, y, _ = draw()
    model = CASTClassifier(NearestMean(), alpha=0.5, feature_selection=FirstColumns(3), validation=None).fit(X, y)
    assert model.selected_features_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("mode", ["cv", "splitter", "hold-out", "validation data", "none"])
def test_parts_are_fitted_on_training_rows_only(mode):
    X, y, _ = draw()
    labeled = set(np.flatnonzero(y != -1).tolist())
    validation = {"cv": "cv", "splitter": StratifiedKFold(4), "hold-out": 0.3, "validation data": "cv", "none": None}
    confidence = Diary() if mode != "none" else None
    model = SelfTrainingClassifier(
        NearestMean(),
        confidence=confidence,
        noise_filter=RefuseClass(),
        feature_selection=FirstColumns(3),
        validation=validation[mode],
        random_state=0,
    ).fit(X, y, validation_data=validation_rows() if mode == "validation data" else None)
    supervised = [one.ids for one in NearestMean.fits if set(one.ids) <= labeled]
    n_stages = {"cv": 6 + 1, "splitter": 4 + 1}.get(mode, 1)
    assert len(supervised) == n_stages
    assert Counter(RefuseClass.fitted_on) == Counter(supervised)
    assert Counter(FirstColumns.fitted_on) == Counter(supervised)
    if confidence is not None:
        assert Counter(Diary.prepared_on) == Counter((ids, 3) for ids in supervised)
    parts, whole = supervised[: n_stages - 1], supervised[-1]
    if parts:
        assert set(whole) == labeled
        held_out = [labeled - set(part) for part in parts]
        assert all(held_out)
        assert set().union(*held_out) == labeled
    assert (len(whole) < len(labeled)) == (mode == "hold-out")
    assert model.selected_features_.tolist() == [0, 1, 2]
