"""When the loop stops, and which round is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.pseudo_labels import Curriculum, FixedThreshold, TakeAll, TopK
from tabcast.validation import CrossValidation
from tests.self_training.sample import NearestMean, draw

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")


def fit_for_reason(**settings: Any) -> Any:
    X, y, _ = draw()
    return SelfTrainingClassifier(NearestMean(), random_state=0, **settings).fit(X, y, validation_data=None)


def test_schedule_finished():
    model = fit_for_reason(strategy=Curriculum(0.25), patience=1)
    assert (model.termination_reason_, model.n_rounds_) == ("schedule_finished", 4)


def test_max_rounds():
    model = fit_for_reason(strategy=Curriculum(0.25), max_rounds=2)
    assert (model.termination_reason_, model.n_rounds_) == ("max_rounds", 2)
    model = fit_for_reason(strategy=TopK(5), max_rounds=3, validation=None)
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("max_rounds", 3, 3)
    assert model.history_["n_selected"].tolist() == [0, 5, 10, 15]


def test_all_labeled():
    model = fit_for_reason(strategy=TakeAll(), validation=None, max_rounds=50)
    assert model.termination_reason_ == "all_labeled"
    assert model.n_rounds_ < 50
    assert (model.labeled_iter_ >= 0).all()
    assert (model.transduction_ != -1).all()


def test_no_change():
    model = fit_for_reason(strategy=FixedThreshold(0.9), validation=None, max_rounds=50)
    assert model.termination_reason_ == "no_change"
    assert 0 < model.pseudo_labels_["selected"].sum() < 60
    assert model.history_["n_changed"].iloc[1:].gt(0).all()  # a round without a change is not run


def test_nothing_selected():
    model = fit_for_reason(strategy=FixedThreshold(1.0, strict=True))
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("nothing_selected", 0, 0)
    assert not model.pseudo_labels_["selected"].any()


def test_no_unlabeled_rows():
    X, _, truth = draw()
    with pytest.warns(NoUnlabeledRowsWarning, match="X_unlabeled"):
        model = CASTClassifier(NearestMean(), random_state=0).fit(X, truth)
    assert (model.termination_reason_, model.n_rounds_, model.best_round_) == ("no_unlabeled_rows", 0, 0)
    assert model.n_fits_ == len(NearestMean.fits) == 1
    assert len(NearestMean.fits[0].ids) == len(truth)
    assert len(model.pseudo_labels_) == 0
    np.testing.assert_array_equal(model.transduction_, truth)


def misleading_rows() -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """A pool in the gap, on one side of it: pseudo-labels pull a class mean over rows of the other class."""
    values = [*np.linspace(-1.2, -0.8, 6), *np.linspace(0.8, 1.2, 6)]
    y = [0] * 6 + [1] * 6
    pool = np.linspace(0.2, 0.6, 60)
    X = np.column_stack([np.arange(72), [*values, *pool]])
    held_out = np.column_stack([1000 + np.arange(20), [*np.linspace(-0.3, -0.05, 10), *np.linspace(0.9, 1.1, 10)]])
    return X[:12], np.array(y), X[12:], (held_out, np.array([0] * 10 + [1] * 10))


@pytest.mark.parametrize("strategy", [Curriculum(), TakeAll(), FixedThreshold(0.6), TopK(10)])
def test_supervised_model_wins_when_pseudo_labels_hurt(strategy):
    X, y, pool, held_out = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=strategy)
    model.fit(X, y, X_unlabeled=pool, validation_data=held_out)
    supervised = NearestMean().fit(X, y)
    assert model.best_round_ == 0
    assert model.n_rounds_ >= 1
    assert (model.history_["score"].iloc[1:] <= model.history_["score"].iloc[0]).all()
    assert model.history_["score"].min() < model.history_["score"].iloc[0]
    np.testing.assert_array_equal(model.predict_proba(held_out[0]), supervised.predict_proba(held_out[0]))
    assert (model.transduction_[12:] == -1).all()
    assert (model.labeled_iter_[12:] == -1).all()
    table = model.pseudo_labels_
    assert not table["selected"].any()
    assert (table["round"] == -1).all()
    assert (table["label"] == 1).all()  # the proposal for the next round
    np.testing.assert_array_equal(table["raw_confidence"], supervised.predict_proba(pool)[:, 1])


@pytest.mark.parametrize("validation", ["cv", 0.3, None])
def test_the_supervised_model_is_kept(validation):
    X, truth = make_moons(160, noise=0.2, random_state=0)
    y = np.where(np.arange(160) % 4 == 0, truth, -1)
    model = SelfTrainingClassifier(DecisionTreeClassifier(), validation=validation, random_state=3).fit(X, y)
    rows = np.flatnonzero(y >= 0)
    if validation != 0.3:  # every labeled row trains
        alone = clone(model.supervised_).fit(X[rows], y[rows])
        np.testing.assert_array_equal(model.supervised_.predict_proba(X), alone.predict_proba(X))
    table = model.pseudo_labels_
    if validation is None:  # without a density, the label is the one that the classifier predicts
        np.testing.assert_array_equal(table["raw_label"], table["label"])


def test_tables_of_a_fit_are_those_of_the_last_fit():
    X, truth = make_moons(80, noise=0.2, random_state=0)
    model = SelfTrainingClassifier(DecisionTreeClassifier(), validation=None, random_state=0)
    assert not hasattr(model, "history_")
    assert not hasattr(model, "pseudo_labels_")
    first = model.fit(X, np.where(np.arange(80) % 4 == 0, truth, -1)).pseudo_labels_
    assert model.pseudo_labels_ is first
    second = model.fit(X, np.where(np.arange(80) % 2 == 0, truth, -1)).pseudo_labels_
    assert (len(first), len(second)) == (60, 40)


def test_supervised_model_wins_ties():
    X, y, pool, _ = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=TakeAll())
    model.fit(X, y, X_unlabeled=pool, validation_data=(X, y))
    assert model.history_["score"].tolist()[:2] == [1.0, 1.0]
    assert model.best_round_ == 0


def test_pseudo_labels_win_when_they_help():
    """The labeled rows of a class lie at its far end; the pool shows where its center is."""
    values = [
        *np.linspace(-1.2, -0.8, 6),
        *np.linspace(2.8, 3.2, 6),
        *np.linspace(-1.5, -0.5, 40),
        *np.linspace(0.5, 3, 80),
    ]
    X = np.column_stack([np.arange(132), values])
    y = np.array([0] * 6 + [1] * 6 + [-1] * 120)
    truth = (X[:, 1] > 0).astype(int)
    held_out = (X[12::2], truth[12::2])
    model = SelfTrainingClassifier(NearestMean(), strategy=TakeAll()).fit(X, y, validation_data=held_out)
    supervised = NearestMean().fit(X[:12], y[:12])
    assert model.best_round_ >= 1
    assert model.history_["score"].max() > model.history_["score"].iloc[0]
    assert model.score(X, truth) > supervised.score(X, truth)


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_patience(patience):
    X, y, pool, held_out = misleading_rows()
    model = SelfTrainingClassifier(NearestMean(), strategy=TopK(4), patience=patience, max_rounds=10)
    model.fit(X, y, X_unlabeled=pool, validation_data=held_out)
    assert model.termination_reason_ == "no_improvement"
    assert model.n_rounds_ == model.best_round_ + patience


def test_patience_waits_for_a_round_that_improves():
    """A score that first falls, then rises above the start: only enough patience finds it."""
    X, y, pool, _ = misleading_rows()

    def score(model, X, y):
        return {12: 0.5, 16: 0.4, 20: 0.3, 24: 0.9}.get(n_seen(model), 0.1)

    def n_seen(model):
        return next(len(one.ids) for one in reversed(NearestMean.fits) if one.ids)

    settings = {"strategy": TopK(4), "scoring": score, "max_rounds": 10}
    hasty = SelfTrainingClassifier(NearestMean(), patience=2, **settings)
    patient = SelfTrainingClassifier(NearestMean(), patience=3, **settings)
    assert hasty.fit(X, y, X_unlabeled=pool, validation_data=(X, y)).best_round_ == 0
    assert patient.fit(X, y, X_unlabeled=pool, validation_data=(X, y)).best_round_ == 3
    assert patient.history_["score"].tolist()[:5] == [0.5, 0.4, 0.3, 0.9, 0.1]
    assert patient.pseudo_labels_["selected"].sum() == 12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("scoring", "n_classes"), [("roc_auc", 2), ("neg_log_loss", 3), ("roc_auc_ovr", 3)])
def test_a_fold_without_a_class_does_not_spoil_the_scores(scoring, n_classes):
    """Two labeled rows of a class, three folds: one fold cannot be scored by ranking."""
    X, _, truth = draw(1, 120, n_classes)
    y = np.full(len(truth), -1)
    for one in range(n_classes):
        y[np.flatnonzero(truth == one)[: 2 if one else 9]] = one
    model = SelfTrainingClassifier(NearestMean(), scoring=scoring, validation=CrossValidation(3), random_state=0)
    try:
        model.fit(X, y)
    except ValueError as error:
        assert "`scoring`" in str(error)  # noqa: PT017
    else:
        scores = model.history_["score"]
        assert scores.notna().all()
        assert model.best_round_ == scores.argmax()
