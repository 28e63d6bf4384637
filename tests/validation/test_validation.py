"""Judging on labeled rows that were not trained on: inside `fit`, and from outside with scikit-learn's tools."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.exceptions import SmallClassWarning
from tabcast.validation import CrossValidation, FromSplitter, Holdout, LabeledScorer, NoValidation, SemiSupervisedSplit
from tabcast.validation._splits import resolve_validation


def random_labels(seed: int, n_rows: int = 40, shares: tuple[float, ...] = (0.6, 0.3, 0.1)) -> np.ndarray:
    """Class indices with at least two rows a class."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), n_rows, p=shares)
    y[: 2 * len(shares)] = np.repeat(np.arange(len(shares)), 2)
    return rng.permutation(y)


def state(seed: int = 0) -> np.random.RandomState:
    return np.random.RandomState(seed)


# --- Splits inside fit ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_splits", [2, 3, 10])
@pytest.mark.parametrize(("n_repeats", "seed"), [(1, 0), (3, 1)])
def test_cross_validation_parts(n_splits, n_repeats, seed):
    y = random_labels(seed)
    splits = CrossValidation(n_splits, n_repeats=n_repeats).split(y, state(seed))
    assert len(splits) == n_splits * n_repeats
    held_out_counts = Counter()
    for train, held_out in splits:
        assert set(train) | set(held_out) == set(range(len(y)))
        assert not set(train) & set(held_out)
        assert set(y[train]) == {0, 1, 2}  # every class trains
        held_out_counts.update(held_out.tolist())
        assert all(abs((y[held_out] == one).sum() - (y == one).sum() / n_splits) < 1 for one in range(3))
    assert held_out_counts == dict.fromkeys(range(len(y)), n_repeats)  # every row is held out equally often
    sizes = [len(held_out) for _, held_out in splits]
    assert max(sizes) - min(sizes) <= 1


def test_cross_validation_deals_anew_each_repeat():
    splits = CrossValidation(2, n_repeats=2).split(random_labels(0), state())
    assert set(splits[0][1]) not in (set(splits[2][1]), set(splits[3][1]))
    again = CrossValidation(2, n_repeats=2).split(random_labels(0), state())
    assert all((one[1] == other[1]).all() for one, other in zip(splits, again, strict=True))


@pytest.mark.parametrize("validation", [CrossValidation(3), Holdout(0.4)])
def test_only_row_of_a_class_always_trains(validation):
    y = np.array([0, 0, 0, 0, 1, 2, 2, 2])
    with pytest.warns(SmallClassWarning, match="1 class has only one labeled row, which is always trained on"):
        splits = validation.split(y, state())
    assert all(4 in train and 4 not in held_out for train, held_out in splits)
    with pytest.warns(SmallClassWarning, match="2 classes have only one labeled row"):
        validation.split(np.array([0, 0, 1, 2]), state())


def test_fewer_rows_than_parts():
    splits = CrossValidation(5, n_repeats=1).split(np.array([0, 0, 1, 1]), state())
    assert [len(held_out) for _, held_out in splits] == [1, 1, 1, 1]
    assert all(set(np.array([0, 0, 1, 1])[train]) == {0, 1} for train, _ in splits)


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
@pytest.mark.parametrize("validation", [CrossValidation(), Holdout()])
def test_nothing_to_hold_out_is_refused(validation):
    """One labeled row of every class: nothing can be held out."""
    with pytest.raises(ValueError, match="at least two labeled rows"):
        validation.split(np.array([0, 1, 2]), state())


@pytest.mark.parametrize("fraction", [0.05, 0.5, 0.9])
def test_holdout(fraction):
    y = random_labels(0, 60)
    [(train, held_out)] = Holdout(fraction).split(y, state())
    assert sorted([*train, *held_out]) == list(range(60))
    for one, count in Counter(y.tolist()).items():
        n_held_out = (y[held_out] == one).sum()
        assert 1 <= n_held_out <= count - 1
        assert abs(n_held_out - fraction * count) <= 1
    assert len({tuple(Holdout(fraction).split(y, state(other))[0][1]) for other in range(4)}) > 1


def test_from_splitter_is_used_as_it_is():
    y = random_labels(0)
    given = list(StratifiedKFold(4).split(np.zeros((40, 1)), y))
    splits = FromSplitter(StratifiedKFold(4)).split(y, state())
    assert len(splits) == 4
    for (train, held_out), (their_train, their_held_out) in zip(splits, given, strict=True):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(held_out, their_held_out)


def test_from_splitter_draws_from_the_given_state():
    y = random_labels(0)
    splitter = StratifiedKFold(4, shuffle=True)
    first, second = (FromSplitter(splitter).split(y, state(5)) for _ in range(2))
    assert all((one[1] == other[1]).all() for one, other in zip(first, second, strict=True))
    assert splitter.random_state is None


def test_resolve_validation():
    assert isinstance(resolve_validation(None), NoValidation)
    default = resolve_validation("cv")
    assert (type(default), default.n_splits, default.n_repeats) == (CrossValidation, 3, 2)
    folds = resolve_validation(4)
    assert (type(folds), folds.n_splits, folds.n_repeats) == (CrossValidation, 4, 1)
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2)
    assert resolve_validation(splitter).splitter is splitter
    assert resolve_validation(np.float32(0.25)).fraction == 0.25
    member = Holdout(0.1)
    assert resolve_validation(member) is member


@pytest.mark.parametrize("given", ["cross", 1, -3, True, [0.2]])
def test_resolve_validation_refuses(given):
    with pytest.raises(ValueError, match="`validation` must be 'cv', None, a fraction in"):
        resolve_validation(given)


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        (Holdout(1.5), r"`fraction` of Holdout must be a number in \(0, 1\); got 1.5."),
        (CrossValidation(1), "`n_splits` of CrossValidation must be an integer of at least 2; got 1."),
        (CrossValidation(2, n_repeats=0), "`n_repeats` of CrossValidation must be an integer of at least 1; got 0."),
    ],
)
def test_parameters_are_refused(member, sentence):
    with pytest.raises(ValueError, match=sentence):
        member.check()
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.array([0, 1, -1, -1] * 5)
    with pytest.raises(ValueError, match=sentence):
        SelfTrainingClassifier(LogisticRegression(), validation=member).fit(X, y)


def test_split_that_trains_on_one_class():
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.array([0] * 5 + [1] * 5 + [-1] * 10)
    with pytest.raises(ValueError, match="A split of `validation` trains on one class only; use stratified"):
        SelfTrainingClassifier(LogisticRegression(), validation=KFold(2)).fit(X, y)


def test_split_that_trains_without_a_class():
    """Three classes in order, an ordinary splitter: the class that is not trained on gets probability 0."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [3], [6]], 20, axis=0)
    y = np.repeat([0, 1, 2], 20)
    y[10:20] = y[30:40] = y[50:60] = -1
    model = CASTClassifier(LogisticRegression(), alpha=0.5, validation=KFold(3)).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.pseudo_labels_["label"]) == {0, 1, 2}
    assert model.history_["score"].iloc[0] == 0.0  # every fold holds the class that its model does not know


# --- From outside: cross-validation and scoring of a half-labeled table --------------------------------------------


def half_labeled(seed: int = 0, n_rows: int = 120) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table, y with None where nobody knows, and the truth."""
    X, codes = make_classification(n_rows, 4, n_informative=3, n_redundant=0, random_state=seed)
    truth = np.array(["healthy", "sick"])[codes]
    hidden = np.random.default_rng(seed).random(n_rows) < 0.6
    return pd.DataFrame(X, columns=list("abcd")), np.where(hidden, None, truth), truth


MARKED = {
    "None among strings": lambda y: y,
    "pandas": lambda y: pd.Series(y, dtype="string"),
    "-1 among integers": lambda y: np.array([-1 if one is None else int(one == "sick") for one in y]),
    "NaN among floats": lambda y: np.array([np.nan if one is None else float(one == "sick") for one in y]),
}


@pytest.mark.parametrize("kind", MARKED)
@pytest.mark.parametrize("cv", [4, LeaveOneOut()])
def test_unlabeled_rows_train_and_never_test(kind, cv):
    X, y, _ = half_labeled()
    unlabeled = np.flatnonzero([one is None for one in y])
    splitter = SemiSupervisedSplit(cv)
    splits = list(splitter.split(X, MARKED[kind](y)))
    assert len(splits) == splitter.get_n_splits(X, MARKED[kind](y))
    tested = []
    for train, test in splits:
        assert set(unlabeled) <= set(train)
        assert not set(unlabeled) & set(test)
        assert sorted([*train, *test]) == list(range(len(y)))
        assert (np.diff(train) > 0).all()  # rows keep their order
        tested += test.tolist()
    assert sorted(tested) == np.setdiff1d(np.arange(len(y)), unlabeled).tolist()


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut()])
def test_split_by_groups(cv):
    X, y, _ = half_labeled()
    groups = np.arange(len(y)) % 6
    splitter = SemiSupervisedSplit(cv)
    splits = list(splitter.split(X, y, groups))
    assert len(splits) == splitter.get_n_splits(X, y, groups) == (3 if isinstance(cv, GroupKFold) else 6)
    labeled = np.array([one is not None for one in y])
    for train, test in splits:
        assert labeled[test].all()
        assert not set(groups[test]) & set(groups[train][labeled[train]])  # no group on both sides, labeled
        assert set(np.flatnonzero(~labeled)) <= set(train)


def test_cross_val_score_means_something():
    """Each score is the accuracy on labeled rows of a model trained on the other rows, markers and all."""
    X, y, _ = half_labeled()
    model = SelfTrainingClassifier(LogisticRegression(), max_rounds=2, random_state=0)
    cv = SemiSupervisedSplit(3)
    scores = cross_val_score(model, X, y, cv=cv, error_score="raise")
    expected = []
    for train, test in cv.split(X, y):
        fitted = clone(model).fit(X.iloc[train], y[train])
        expected.append(np.mean(fitted.predict(X.iloc[test]) == y[test]))
    np.testing.assert_allclose(scores, expected)
    with_name = cross_val_score(model, X, y, cv=cv, scoring=LabeledScorer("accuracy"), error_score="raise")
    np.testing.assert_allclose(with_name, scores)


def test_grid_search_on_a_half_labeled_table():
    X, y, truth = half_labeled()
    model = CASTClassifier(LogisticRegression(), alpha=0.5, validation=0.3, random_state=0)
    search = GridSearchCV(
        model,
        {"alpha": [0.0, 0.6]},
        cv=SemiSupervisedSplit(3),
        scoring={"balanced": LabeledScorer("balanced_accuracy"), "auc": LabeledScorer("roc_auc")},
        refit="balanced",
        error_score="raise",
    ).fit(X, y)
    results = pd.DataFrame(search.cv_results_)
    assert results["mean_test_balanced"].between(0, 1).all()
    assert results["mean_test_auc"].between(0, 1).all()
    assert search.best_estimator_.classes_.tolist() == ["healthy", "sick"]
    assert search.score(X, truth) > 0.5
    assert set(search.predict(X)) <= {"healthy", "sick"}


@pytest.mark.parametrize("marker", [None, np.nan, -1])
@pytest.mark.parametrize("scoring", [None, "accuracy", LabeledScorer("accuracy")])
def test_any_scorer_with_the_splitter(marker, scoring):
    X, _, truth = half_labeled()
    y = np.where(np.arange(len(truth)) % 2, (truth == "sick").astype(int), marker)
    model = SelfTrainingClassifier(LogisticRegression(), validation=None, strategy=None, random_state=0)
    if scoring == "accuracy" and marker is None:
        y = np.array(y.tolist(), dtype=float)  # scikit-learn's scorers do not take numbers as objects
    search = GridSearchCV(
        model, {"estimator__C": [1.0]}, cv=SemiSupervisedSplit(3), scoring=scoring, error_score="raise"
    )
    assert 0.5 < search.fit(X, y).best_score_ <= 1


def test_ordinary_splitter_with_labeled_scorer():
    """An ordinary splitter tests on unlabeled rows, too; the scorer leaves them out."""
    X, y, _ = half_labeled()
    model = SelfTrainingClassifier(LogisticRegression(), validation=None, strategy=None, random_state=0)
    cv = KFold(3)
    result = cross_validate(
        model, X, y, cv=cv, scoring=LabeledScorer("accuracy"), return_estimator=True, error_score="raise"
    )
    for (_, test), fitted, score in zip(cv.split(X), result["estimator"], result["test_score"], strict=True):
        known = test[[y[i] is not None for i in test]]
        assert score == accuracy_score(y[known].astype(str), fitted.predict(X.iloc[known]))


@pytest.mark.parametrize("kind", MARKED)
def test_labeled_scorer_leaves_out_unlabeled_rows(kind):
    X, y, truth = half_labeled()
    marked = MARKED[kind](y)
    known = np.array([one is not None for one in y])
    classes = truth if kind in ("None among strings", "pandas") else (truth == "sick").astype(int)
    model = LogisticRegression().fit(X, classes)
    expected = balanced_accuracy_score(classes[known], model.predict(X[known]))
    assert LabeledScorer("balanced_accuracy")(model, X, marked) == expected
    assert LabeledScorer()(model, X, marked) == accuracy_score(classes[known], model.predict(X[known]))
    assert LabeledScorer("accuracy")(model, X, classes) == accuracy_score(classes, model.predict(X))


def test_labeled_scorer_weights_follow_their_rows():
    y = np.array(["a", "b", None, "b", None, "a"], dtype=object)
    model = DummyClassifier(strategy="constant", constant="a").fit(np.zeros((2, 1)), ["a", "b"])
    weights = np.array([1.0, 2.0, 100.0, 3.0, 100.0, 4.0])
    assert LabeledScorer("accuracy")(model, np.zeros((6, 1)), y, sample_weight=weights) == pytest.approx(0.5)


@pytest.mark.parametrize("scorer", [LabeledScorer("accuracy"), LabeledScorer(), SelfTrainingClassifier.score])
def test_unknown_class_is_not_cut_to_a_known_one(scorer):
    """'ab' is not 'a', although arrays of one-letter strings have no room for it."""
    X = np.zeros((6, 1))
    constant = DummyClassifier(strategy="constant", constant="a")
    model = SelfTrainingClassifier(constant, validation=None).fit(X, np.array(["a", "b", None] * 2, dtype=object))
    y = np.array(["a", "ab", None, "b", None, "a"], dtype=object)
    assert scorer(model, X, y) == 0.5


def test_nothing_to_score():
    model = DummyClassifier().fit(np.zeros((2, 1)), [0, 1])
    with pytest.raises(ValueError, match="LabeledScorer got no labeled row to score; use SemiSupervisedSplit as cv"):
        LabeledScorer("accuracy")(model, np.zeros((3, 1)), np.array([-1, -1, -1]))
    assert repr(LabeledScorer("accuracy")) == "LabeledScorer('accuracy')"
