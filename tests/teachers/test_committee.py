"""Who is on the committee, what each member is worth, and what they say together."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tabcast.table._encoders import NormalScores
from tabcast.teachers import Committee
from tabcast.teachers._committee import make_folds, mixture_weights

from .lessons import draw, make_lesson

LIGHT = ["own", GaussianNB(), "linear"]


def test_it_says_the_weighted_mean_of_its_members():
    X, y, pool, _ = draw(n_classes=3)
    lesson, _ = make_lesson(DecisionTreeClassifier(max_depth=3, random_state=0), X, y, pool)
    teacher = Committee(LIGHT)
    assert teacher.fit(lesson) is teacher
    encoding = NormalScores().fit(np.concatenate([X, pool]))  # both: no label is looked at
    linear = LogisticRegression(C=0.3, max_iter=1000).fit(encoding.transform(X), y)
    spoken = [
        lesson.own.predict_proba(pool),
        GaussianNB().fit(X, y).predict_proba(pool),
        linear.predict_proba(encoding.transform(pool)),
    ]
    expected = sum(weight * proba for weight, proba in zip(teacher.weights_, spoken, strict=True))
    np.testing.assert_allclose(teacher.teach(spoken[0]), expected, atol=1e-12)
    np.testing.assert_allclose(teacher.predict_proba(pool), expected, atol=1e-12)
    np.testing.assert_allclose(expected.sum(axis=1), 1)
    assert len(teacher.members_) == 3


def test_weights_come_from_rows_no_member_has_seen():
    X, y, pool, _ = draw(n_classes=3)
    own = DecisionTreeClassifier(random_state=0)  # in its training rows it is always right
    lesson, fits = make_lesson(own, X, y, pool, seed=4)
    teacher = Committee(["own", GaussianNB()]).fit(lesson)
    folds = make_folds(y, 5, 4)
    likelihood = np.zeros((len(y), 2))
    shares = (np.bincount(y) + 1) / (len(y) + 3)
    for train, held_out in folds:
        for m, model in enumerate((own, GaussianNB())):
            proba = clone(model).fit(X[train], y[train]).predict_proba(X[held_out])
            mixed = 0.95 * proba + 0.05 * shares
            likelihood[held_out, m] = mixed[np.arange(len(held_out)), y[held_out]]
    np.testing.assert_allclose(teacher.weights_, mixture_weights(likelihood, strength=2.0), atol=1e-9)
    assert fits == [32] * 5
    assert teacher.weights_[0] < 0.5  # the tree that knows its rows by heart is not believed for it


def test_the_estimator_speaks_for_itself_while_teaching():
    X, y, pool, _ = draw()
    lesson, _ = make_lesson(LogisticRegression(), X, y, pool)
    teacher = Committee(LIGHT).fit(lesson)
    before, sure = lesson.own.predict_proba(pool), np.eye(2)[np.zeros(len(pool), dtype=int)]
    moved = teacher.teach(sure) - teacher.teach(before)
    np.testing.assert_allclose(moved, teacher.weights_[0] * (sure - before), atol=1e-12)


def test_who_knows_nothing_counts_little():
    X, y, pool, _ = draw(n_labeled=200)
    lesson, _ = make_lesson(KNeighborsClassifier(), X, y, pool)
    teacher = Committee(["own", DummyClassifier(strategy="uniform")]).fit(lesson)
    assert teacher.weights_[0] > 0.8


@pytest.mark.parametrize("name", ["own", "trees", "linear", "boosting"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_name_makes_a_member(name):
    X, y, pool, truth = draw(n_labeled=120, class_sep=3.0)
    lesson, _ = make_lesson(LogisticRegression(), X, y, pool)
    teacher = Committee([name], n_folds=2).fit(lesson)
    np.testing.assert_array_equal(teacher.weights_, [1.0])
    proba = teacher.predict_proba(pool)
    np.testing.assert_allclose(proba, teacher.teach(lesson.own.predict_proba(pool)), atol=1e-12)
    assert (proba.argmax(axis=1) == truth).mean() > 0.75


def test_members_see_real_tables(mixed_table):
    frame, truth = mixed_table
    y = (truth == "stays").astype(int)
    X, pool = frame.iloc[:60], frame.iloc[60:].copy()
    pool["city"] = np.where(np.arange(100) == 0, "Rom", pool["city"])  # a level without a label
    forest = ExtraTreesClassifier(20, random_state=0)

    class OnAge(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X[["age"]], y)

        def predict_proba(self, X):
            return super().predict_proba(X[["age"]])

    own = OnAge().fit(X, y[:60])
    lesson, _ = make_lesson(forest, np.zeros((60, 8)), y[:60], np.zeros((100, 8)))
    fields = {**vars(lesson), "X": X, "X_pool": pool, "own": own}
    fields["categorical_features"] = np.array([False, False, True, True, True, False, True, True])
    lesson = type(lesson)(**fields)
    teacher = Committee(["linear", "boosting", OnAge()], n_folds=2).fit(lesson)
    assert ((teacher.predict_proba(pool)[:, 1] > 0.5) == y[60:]).mean() > 0.75


def test_row_weights_count():
    X, y, pool, _ = draw(n_labeled=60)
    counts = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    light, _ = make_lesson(GaussianNB(), X, y, pool)
    heavy, _ = make_lesson(GaussianNB(), X, y, pool, sample_weight=counts)
    ones, _ = make_lesson(GaussianNB(), X, y, pool, sample_weight=np.ones(60))
    said = light.own.predict_proba(pool)
    plain = Committee(LIGHT).fit(light).teach(said)
    np.testing.assert_allclose(Committee(LIGHT).fit(ones).teach(said), plain, atol=1e-6)
    assert np.abs(Committee(LIGHT).fit(heavy).teach(said) - plain).max() > 1e-3


def test_members_without_weights_do_without():
    X, y, pool, _ = draw()
    lesson, _ = make_lesson(GaussianNB(), X, y, pool, sample_weight=np.ones(40))
    assert len(Committee(["own", KNeighborsClassifier(3)]).fit(lesson).members_) == 2


def test_folds_hold_out_every_row_once_and_keep_every_class_in_training():
    y = np.array([0] * 9 + [1] * 4 + [2] * 2 + [3])
    folds = make_folds(y, 5, 0)
    assert len(folds) == 5
    np.testing.assert_array_equal(np.sort(np.concatenate([out for _, out in folds])), np.arange(15))  # not row 15
    for train, held_out in folds:
        np.testing.assert_array_equal(np.sort(np.append(train, held_out)), np.arange(16))
        assert set(y[train]) == {0, 1, 2, 3}
    assert len(make_folds(np.array([0, 0, 1, 1, 1]), 5, 0)) == 3  # no more folds than rows of the largest class
    assert make_folds(np.array([0, 1, 2]), 5, 0) == []
    chosen = np.array([1, 1, 0, 0, 0, 1, 0], dtype=bool)  # one row of class 1 is random; a chosen one trains
    folds = make_folds(np.array([0, 0, 0, 0, 1, 1, 0]), 5, 0, chosen)
    assert sorted(np.concatenate([rows for _, rows in folds])) == [2, 3, 4, 6]
    assert all(set(train) >= {0, 1, 5} for train, _ in folds)


def test_one_row_in_every_class_tells_nothing_about_members():
    X, y, pool, _ = draw()
    rows = np.array([np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]])
    lesson, fits = make_lesson(LogisticRegression(), X[rows], y[rows], pool)
    np.testing.assert_array_equal(Committee(LIGHT).fit(lesson).weights_, np.full(3, 1 / 3))
    assert fits == []


def test_a_class_with_one_row_is_taught():
    X, y, pool, _ = draw(n_classes=3)
    rows = np.append(np.flatnonzero(y < 2), np.flatnonzero(y == 2)[0])
    lesson, _ = make_lesson(LogisticRegression(), X[rows], y[rows], pool)
    proba = Committee(["own", "linear"]).fit(lesson).predict_proba(pool)
    assert proba.shape == (len(pool), 3)
    assert (proba[:, 2] > 0).all()


def test_random_members_have_the_seed():
    X, y, pool, _ = draw()
    forest = ExtraTreesClassifier(3)
    said = [
        Committee([forest]).fit(make_lesson(GaussianNB(), X, y, pool, seed=seed)[0]).predict_proba(pool)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(said[0], said[1])
    assert not np.array_equal(said[0], said[2])
    assert forest.random_state is None  # the user's own stays as it is
    assert not hasattr(forest, "classes_")


def test_number_of_fits_it_asks_for():
    assert Committee().n_own_fits == 5
    assert Committee(n_folds=3).n_own_fits == 3
    assert Committee(["trees"]).n_own_fits == 0
    X, y, pool, _ = draw()
    lesson, fits = make_lesson(GaussianNB(), X, y, pool)
    Committee(["own", "linear", "own"], n_folds=3).fit(lesson)
    assert len(fits) == Committee(["own", "linear", "own"], n_folds=3).n_own_fits == 6


@pytest.mark.parametrize("members", [(), [], "own", None, 5, pd.Series(["own"])])
def test_no_list_of_members(members):
    with pytest.raises(ValueError, match=r"`members` of Committee must be a list of at least one member; got"):
        Committee(members).check()


def test_unknown_members():
    with pytest.raises(ValueError, match=r"Unknown member of Committee: 'tree'\..* Did you mean 'trees'\?"):
        Committee(["own", "tree"]).check()
    for strange in (3, LogisticRegression, object()):
        with pytest.raises(ValueError, match=r"`members` of Committee must be names or classifiers with predict_proba"):
            Committee(["own", strange]).check()


@pytest.mark.parametrize("n_folds", [1, 0, 2.0, "5", True, None])
def test_strange_number_of_folds(n_folds):
    with pytest.raises(ValueError, match=r"`n_folds` of Committee must be an integer of at least 2; got"):
        Committee(n_folds=n_folds).check()


def test_whole_numbers_of_numpy_are_whole_numbers():
    Committee(n_folds=np.int64(3)).check()


def test_it_can_be_copied_and_stored():
    X, y, pool, _ = draw()
    lesson, _ = make_lesson(GaussianNB(), X, y, pool)
    fields = {**vars(lesson), "own_out_of_fold": lesson.own_out_of_fold}
    teacher = Committee(["own", "linear", KNeighborsClassifier(3)]).fit(type(lesson)(**fields))
    again = pickle.loads(pickle.dumps(teacher))
    np.testing.assert_array_equal(again.predict_proba(pool), teacher.predict_proba(pool))
    assert not hasattr(clone(teacher), "weights_")
    assert clone(teacher).members[:2] == teacher.members[:2]
