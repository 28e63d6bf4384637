"""How many unlabeled rows: those that models are compared with, and those that train the final one."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.exceptions import SamplingWarning
from tabcast.guard import GuardedClassifier, PoolCurve, PoolPoint
from tabcast.guard import _guarded_classifier as guarded_classifier
from tabcast.guard._pool_curve import plan_sizes
from tabcast.statistics import corrected_error, corrected_interval
from tabcast.teachers import Committee
from tests.conftest import hide_labels


class Counting(DecisionTreeClassifier):
    """A tree that remembers how many rows it was fitted on, and predicts better from more than `enough` rows."""

    sizes = []

    def __init__(self, enough=10**9):
        super().__init__(max_depth=2, random_state=0)
        self.enough = enough

    def fit(self, X, y, sample_weight=None, check_input=True):
        Counting.sizes.append(len(X))
        return super().fit(X, y, sample_weight, check_input)

    def predict_proba(self, X, check_input=True):
        truth = np.asarray(X)[:, -1].astype(int)  # the last column is the class, but for every third row
        right = (self.tree_.n_node_samples[0] > self.enough) | (np.arange(len(truth)) % 3 > 0)
        told = np.where(right, truth, 1 - truth)
        return np.eye(2)[told] * 0.98 + 0.01

    def predict(self, X, check_input=True):
        return self.predict_proba(X).argmax(axis=1)


@pytest.fixture
def sizes():
    Counting.sizes = []
    return Counting.sizes


@pytest.fixture(scope="module")
def table():
    X, truth = make_moons(1_000, noise=0.2, random_state=0)
    return np.column_stack([X, truth]), truth, hide_labels(truth, 60, seed=0)


def take_all(estimator, **more):
    return SelfTrainingClassifier(estimator, strategy="all", validation=None, max_rounds=1, **more)


def fit(table, classifier, **parameters):
    X, _, y = table
    return GuardedClassifier(classifier, n_repeats=1, random_state=0, **parameters).fit(X, y)


def test_splits_train_on_the_sample_and_the_final_model_on_all_rows(table, sizes):
    model = fit(table, take_all(Counting()), judge_rows=100)
    assert sizes == [60, 1_000, *([48, 148] * 5)]
    assert (model.verdict_.n_judged, model.verdict_.n_unlabeled) == (100, 940)
    assert "with 100 of the 940 unlabeled rows" in str(model.verdict_)
    assert len(model.self_trained_.pseudo_labels_) == 940


@pytest.mark.parametrize("judge_rows", [940, 20_000, None])
def test_a_sample_that_is_the_whole_pool_changes_nothing(table, judge_rows):
    X, _, _ = table
    plain = fit(table, take_all(GaussianNB()), judge_rows=None)
    model = fit(table, take_all(GaussianNB()), judge_rows=judge_rows, max_pool="auto")
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    pd.testing.assert_frame_equal(model.self_trained_.pseudo_labels_, plain.self_trained_.pseudo_labels_)
    assert str(model.verdict_) == str(plain.verdict_)
    assert (model.n_fits_, model.pool_curve_) == (plain.n_fits_, None)


def test_results_of_a_sample_have_the_numbers_of_all_rows(table):
    X, _, y = table
    model = fit(table, take_all(GaussianNB()), judge_rows=100, max_pool=150).self_trained_
    rows = model.pseudo_labels_["row"].to_numpy()
    assert len(np.unique(rows)) == 150
    assert (y[rows] == -1).all()
    assert len(model.labeled_iter_) == len(model.transduction_) == 1_000
    np.testing.assert_array_equal(np.flatnonzero(model.labeled_iter_ > 0), rows)
    np.testing.assert_array_equal(model.transduction_[rows], model.pseudo_labels_["label"])
    np.testing.assert_array_equal(model.labeled_iter_ == 0, y != -1)
    left = np.setdiff1d(np.flatnonzero(y == -1), rows)
    assert (model.labeled_iter_[left] == -1).all()
    assert (model.transduction_[left] == -1).all()
    # The table has what the first classifier predicts for the rows that it names.
    np.testing.assert_array_equal(model.pseudo_labels_["label"], model.supervised_.predict(X[rows]))


def test_a_larger_sample_has_the_rows_of_a_smaller_one(table):
    few, many = (fit(table, take_all(GaussianNB()), judge_rows=50, max_pool=n).self_trained_ for n in (120, 300))
    assert set(few.pseudo_labels_["row"]) < set(many.pseudo_labels_["row"])


def test_weights_and_fit_parameters_follow_their_rows(table):
    X, _, y = table

    class Checked(GaussianNB):
        def fit(self, X, y, sample_weight=None, twice=None):
            np.testing.assert_allclose(twice, 2 * X[:, 0])
            np.testing.assert_allclose(sample_weight, 1 + X[:, 1] ** 2)
            return super().fit(X, y, sample_weight)

    model = GuardedClassifier(take_all(Checked()), n_repeats=1, judge_rows=80, max_pool=120, random_state=0)
    model.fit(X, y, sample_weight=1 + X[:, 1] ** 2, twice=2 * X[:, 0])
    assert len(model.self_trained_.pseudo_labels_) == 120


# How many rows train the final model


def test_sizes_double_and_cost_no_more_than_one_model_of_all_rows():
    for n_pool in (200_000, 700_000, 1_000_000, 10_000_000):
        sizes = plan_sizes(20_000, n_pool, 5)
        assert sizes == [20_000 * 2**k for k in range(1, len(sizes) + 1)]
        assert 5 * sum(sizes) <= n_pool < 5 * (sum(sizes) + 2 * sizes[-1])
    assert plan_sizes(20_000, 40_000, 5) == [40_000]  # one doubling in any case
    assert plan_sizes(20_000, 39_999, 5) == []


def test_auto_stops_where_nothing_is_gained(table, sizes):
    model = fit(table, take_all(Counting()), judge_rows=50, max_pool="auto")
    curve = model.pool_curve_
    assert [point.n_rows for point in curve.points] == [50, 100]
    assert curve.points[1].gain == 0 < curve.points[1].std_error
    assert (curve.reason, curve.n_rows, curve.n_unlabeled) == ("no gain", 100, 940)
    assert len(model.self_trained_.pseudo_labels_) == 100
    first, splits, doubled, last = sizes[:2], sizes[2:12], sizes[12:22], sizes[22:]
    assert (first, splits, doubled, last) == ([60, 110], [48, 98] * 5, [48, 148] * 5, [60, 160])
    assert model.n_fits_ == len(sizes)
    assert set(model.seconds_) == {"model", "comparison", "pool_curve"}


def test_auto_uses_all_rows_while_it_gains(table, sizes):
    """With 50 rows every third row is wrong, with 100 none: a gain, and the last that is to be tried."""
    model = fit(table, take_all(Counting(enough=140)), judge_rows=50, max_pool="auto", n_splits=8)
    curve = model.pool_curve_
    assert (curve.reason, curve.n_rows) == ("still gaining", 940)
    assert curve.points[1].gain > curve.points[1].std_error > 0
    assert curve.points[1].score == 1
    assert len(model.self_trained_.pseudo_labels_) == 940


def test_auto_goes_back_where_more_rows_hurt(table):
    class Worse(Counting):
        def predict_proba(self, X, check_input=True):
            proba = super().predict_proba(X, check_input)
            return proba if self.tree_.n_node_samples[0] < 140 else proba[:, ::-1]

    model = fit(table, take_all(Worse(enough=40)), judge_rows=50, max_pool="auto")
    curve = model.pool_curve_
    assert (curve.reason, curve.n_rows) == ("worse", 50)
    assert curve.points[1].gain == -1
    assert len(model.self_trained_.pseudo_labels_) == 50


def test_the_verdict_does_not_know_the_curve(table):
    """The comparison is made with one number of rows, whatever the curve finds: nothing is chosen for its score."""
    judged = fit(table, take_all(Counting(enough=140)), judge_rows=50, n_splits=8)
    grown = fit(table, take_all(Counting(enough=140)), judge_rows=50, n_splits=8, max_pool="auto")
    assert grown.pool_curve_.n_rows == 940
    assert str(grown.verdict_) == str(judged.verdict_)
    np.testing.assert_array_equal(grown.out_of_fold_.self_trained, judged.out_of_fold_.self_trained)


def test_points_are_scores_of_held_out_rows_by_a_reference(table):
    """Each point again, literally: the classifier on the training rows and the sample, its score on the fold."""
    X, truth, y = table
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = fit(table, take_all(tree), judge_rows=50, max_pool="auto", scoring="accuracy")
    held_out, pool = model.out_of_fold_, np.flatnonzero(y == -1)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    order = np.random.default_rng(seed).permutation(pool)
    scores = {}
    for n in (50, 100):
        right = np.empty(len(held_out.rows))
        for fold in np.unique(held_out.folds):
            rows = np.sort(np.concatenate([held_out.train(fold), order[:n]]))
            known = np.where(np.isin(rows, held_out.train(fold)), y[rows], -1)
            inside = held_out.folds == fold
            student = take_all(tree).fit(X[rows], known)
            right[inside] = student.predict(X[held_out.rows[inside]]) == truth[held_out.rows[inside]]
        scores[n] = right
    for point in model.pool_curve_.points:
        assert point.score == pytest.approx(scores[point.n_rows].mean())
    folds = [
        scores[100][held_out.folds == fold].mean() - scores[50][held_out.folds == fold].mean() for fold in range(5)
    ]
    assert model.pool_curve_.points[1].gain == pytest.approx(np.mean(folds))
    assert model.pool_curve_.points[1].std_error == pytest.approx(corrected_error(folds, 0.25, resolution=1 / 12))


def test_corrected_error_is_that_of_the_interval():
    differences = [0.1, 0.0, 0.2, 0.1]
    interval = corrected_interval(differences, 0.25, 0.9)
    assert interval.high - interval.gain == pytest.approx(2.353363 * corrected_error(differences, 0.25), rel=1e-6)


def test_a_curve_is_plain_json():
    curve = PoolCurve((PoolPoint(50, float("nan")), PoolPoint(100, 0.5, 0.1, 0.2)), 100, 940, "no gain", 0.4, "f1")
    plain = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert plain["points"] == [
        {"n_rows": 50, "score": None, "gain": None, "std_error": None},
        {"n_rows": 100, "score": 0.5, "gain": 0.1, "std_error": 0.2},
    ]


def test_a_time_limit_ends_the_curve(table, monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 1.0))
    monkeypatch.setattr(guarded_classifier, "perf_counter", lambda: next(clock))
    model = fit(table, take_all(GaussianNB()), judge_rows=50, max_pool="auto", time_limit=12)
    assert (model.pool_curve_.reason, model.pool_curve_.n_rows) == ("stopped", 50)
    assert len(model.self_trained_.pseudo_labels_) == 50


def test_an_interrupt_of_the_curve_keeps_the_verdict(table, monkeypatch):
    whole = guarded_classifier.compare_on_sample

    def interrupted(classifier, sample, split):
        if len(sample.data.pool) > 50:
            raise KeyboardInterrupt
        return whole(classifier, sample, split)

    monkeypatch.setattr(guarded_classifier, "compare_on_sample", interrupted)
    model = fit(table, take_all(GaussianNB()), judge_rows=50, max_pool="auto")
    assert model.interrupted_
    assert not model.verdict_.stopped
    assert (model.pool_curve_.reason, model.pool_curve_.n_rows) == ("stopped", 50)


def test_warnings_are_those_of_the_final_model(table):
    """The first model is given up where more rows train the last one; its warnings are not given besides."""
    X, truth, _ = table
    y = np.full(1_000, -1)
    for label, n in ((0, 40), (1, 8)):  # labeled by class, not at random
        y[np.flatnonzero(truth == label)[:n]] = label
    soft = SoftSelfTrainingClassifier(GaussianNB(), teacher=Committee(["own", "neighbors"]))
    model = GuardedClassifier(soft, n_repeats=1, n_splits=2, judge_rows=200, max_pool="auto", random_state=0)
    with pytest.warns(SamplingWarning) as caught:
        model.fit(X[:, :2], y)
    assert len([one for one in caught if one.category is SamplingWarning]) == 1
    assert len(model.self_trained_.soft_labels_) == len(model.self_trained_.pseudo_labels_) == model.pool_curve_.n_rows


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"judge_rows": 0}, r"`judge_rows` of GuardedClassifier must be an integer of at least 1.*got 0"),
        ({"judge_rows": 0.5}, "`judge_rows` of GuardedClassifier"),
        ({"max_pool": "all"}, r"`max_pool` of GuardedClassifier must be .*'auto'.*got 'all'"),
        ({"max_pool": -3}, "`max_pool` of GuardedClassifier"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(table, parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(table, take_all(GaussianNB()), **parameters)


# The choice of alpha and of a round


def test_alpha_is_chosen_on_a_sample_and_trained_on_all_rows(table, sizes):
    X, _, y = table
    cast = CASTClassifier(Counting(100), alpha=[0.2, 0.6], strategy="all", validation=3, max_rounds=1, random_state=0)
    cast.set_params(judge_rows=100).fit(X, y)
    assert (cast.best_round_, max(sizes[:-2]), sizes[-2:]) == (1, 160, [60, 1_000])
    assert len(cast.pseudo_labels_) == 940
    assert cast.n_fits_ == len(sizes)
    assert cast.alpha_scores_["chosen"].sum() == 1
    assert len(cast.parts_.confidence.gamma) == 940


@pytest.mark.parametrize("validation", ["cv", 0.3, None])
def test_a_sample_of_all_rows_is_the_plain_classifier(table, validation):
    X, _, y = table
    plain, judged = (
        CASTClassifier(GaussianNB(), alpha=0.5, validation=validation, judge_rows=n, random_state=0).fit(X, y)
        for n in (None, 940)
    )
    np.testing.assert_array_equal(judged.predict_proba(X), plain.predict_proba(X))
    pd.testing.assert_frame_equal(judged.pseudo_labels_, plain.pseudo_labels_)


@pytest.mark.parametrize("validation", ["cv", 0.3])
@pytest.mark.parametrize("decision", ["accuracy", "f1"])
def test_the_final_model_is_that_of_the_chosen_round(table, validation, decision):
    """Chosen on 200 rows, trained on 940: the same as running the chosen round on all rows without a choice."""
    X, _, y = table
    model = SelfTrainingClassifier(
        KNeighborsClassifier(3), validation=validation, judge_rows=200, decision=decision, random_state=0
    ).fit(X, y)
    assert len(model.pseudo_labels_) == 940
    assert model.decision_.decide(model.predict_proba(X)).shape == (1_000,)
    if validation == "cv" and model.best_round_:
        again = SelfTrainingClassifier(
            KNeighborsClassifier(3), validation=None, max_rounds=model.best_round_, random_state=0
        ).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
        np.testing.assert_array_equal(model.pseudo_labels_["label"], again.pseudo_labels_["label"])


def test_validation_data_choose_on_a_sample(table):
    X, truth, y = table
    y = np.where(np.arange(1_000) < 300, y, -1)
    model = SelfTrainingClassifier(KNeighborsClassifier(3), judge_rows=150, random_state=0)
    model.fit(X[:800], y[:800], validation_data=(X[800:], truth[800:]))
    assert len(model.pseudo_labels_) == (y[:800] == -1).sum()
    assert model.score(X[800:], truth[800:]) > 0.8


def test_a_choice_is_refused_without_a_number_of_rows(table):
    X, _, y = table
    with pytest.raises(ValueError, match="`judge_rows` of CASTClassifier must be an integer of at least 1"):
        CASTClassifier(GaussianNB(), judge_rows=0).fit(X, y)
