"""The choice among students and committee: made without the fold that is scored, and kept where `deploy` allows it."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast import SoftSelfTrainingClassifier
from tabcast.guard import GuardedClassifier, Verdict
from tabcast.guard._choice import choose_in_folds, find_best
from tabcast.guard._comparison import Compared, GuardSplit
from tabcast.guard._contenders import Predicted
from tabcast.guard._scoring import HeldOutScore
from tabcast.self_training import AveragedClassifier, SoftenedClassifier, TrainingData
from tabcast.table import read_labels
from tabcast.teachers import Committee

LIGHT = Committee(["own", "linear"], n_folds=2)


def test_find_best():
    assert find_best({"a": 0.5, "b": 0.5, "c": 0.4}, ["a", "b", "c"]) == "a"
    assert find_best({"a": 0.5, "b": 0.6, "c": 0.6}, ["a", "b", "c"]) == "b"
    assert find_best({"a": np.nan, "b": 0.1}, ["a", "b"]) == "b"
    assert find_best({"a": 0.1, "b": np.nan}, ["a", "b"]) == "a"


def test_noise_gains_nothing_by_being_chosen():
    """Twelve contenders that guess: the best of them looks good, the cross-fitted choice does not."""
    random = np.random.default_rng(0)
    names, best, honest = [str(number) for number in range(12)], [], []
    for _ in range(30):
        y = random.integers(0, 2, 40)
        labels = read_labels(y, missing_label=None)
        data = TrainingData(np.zeros((40, 1)), labels, np.arange(40), np.empty(0, dtype=np.intp))
        score = HeldOutScore("accuracy", GaussianNB(), labels.classes)
        guesses = {name: random.integers(0, 2, 40) for name in names}
        compared = []
        for fold in range(5):
            rows = np.arange(8 * fold, 8 * fold + 8)
            predicted = {name: Predicted(np.eye(2)[guess[rows]], guess[rows]) for name, guess in guesses.items()}
            compared.append(
                Compared(GuardSplit(0, fold, np.setdiff1d(np.arange(40), rows), rows, 0), predicted, 1, 0.0)
            )
        best.append(max((guess == y).mean() for guess in guesses.values()))
        chosen = choose_in_folds(compared, "chosen", names, data, score)
        honest.append(np.mean([(one.predicted["chosen"].labels == y[one.split.held_out]).mean() for one in chosen]))
    assert np.mean(best) > 0.58
    assert np.mean(honest) < 0.53


@pytest.fixture(scope="module")
def table():
    """A linear problem: a tree gains much from a committee with a linear model in it."""
    X, truth = make_blobs(260, 8, centers=[[0.0] * 8, [0.9] * 8], random_state=1)
    return X, np.where(np.arange(260) % 5 == 0, truth, -1), truth


def fit(table, deploy="student", guard=True, **parameters):
    X, y, _ = table
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    classifier = SoftSelfTrainingClassifier(tree, **{"teacher": LIGHT, "deploy": deploy, **parameters})
    return GuardedClassifier(classifier, n_splits=3, guard=guard, random_state=0).fit(X, y)


def test_a_student_by_default(table):
    X, _, _ = table
    model = fit(table)
    verdict = model.verdict_
    assert (model.chosen_, verdict.offered) == ("self-trained", "self-trained")
    assert isinstance(model.deployed_, SoftenedClassifier)
    assert isinstance(model.estimator_, DecisionTreeClassifier)
    assert verdict.variant == max(verdict.variants, key=lambda name: verdict.variants[name])
    assert (model.self_trained_.class_prior_ is not None) == (verdict.variant == "aligned")
    np.testing.assert_array_equal(model.predict_proba(X), model.self_trained_.predict_proba(X))
    assert min(verdict.variants.values()) <= verdict.self_trained + 0.05
    assert "It is the student whose labels are" in str(verdict)
    assert model.n_fits_ == 7 * (1 + 2 + 2)  # on all rows and in six splits: supervised, two folds, two students


def test_the_committee_is_kept_where_it_may_be(table):
    X, _, _ = table
    model = fit(table, "committee")
    assert (model.chosen_, model.verdict_.offered) == ("committee", "committee")
    assert isinstance(model.deployed_, AveragedClassifier)
    np.testing.assert_allclose(model.predict_proba(X), model.self_trained_.teacher_.predict_proba(X), atol=1e-12)
    verdict = model.verdict_
    assert verdict.total.gain == pytest.approx(verdict.committee - verdict.supervised)
    assert str(verdict).startswith(("Better than your", "Probably better than your"))
    assert "without credit to the unlabeled rows" in str(verdict)
    assert "The committee was kept" in str(verdict)
    out = model.out_of_fold_
    np.testing.assert_array_equal(out.kept, out.committee)
    assert Verdict.from_dict(verdict.to_dict()).to_dict() == verdict.to_dict()


def test_auto_keeps_the_better_one(table):
    model = fit(table, "auto")
    verdict = model.verdict_
    better = "committee" if verdict.committee > max(verdict.variants.values()) else "self-trained"
    assert (model.chosen_, verdict.offered) == (better, better)
    assert isinstance(model.deployed_, AveragedClassifier)  # the committee, or one retrained: 52 labels are few
    assert isinstance(model.self_trained_.student_, AveragedClassifier)


def test_one_student_where_the_prior_is_settled(table):
    for prior in ("labeled", None, [1, 1]):
        verdict = fit(table, class_prior=prior).verdict_
        assert (verdict.variant, dict(verdict.variants)) == (None, {})
        assert "student" not in str(verdict)


def test_a_committee_that_is_no_better_is_not_kept(table):
    """The user's model is the linear one itself; the others only add noise."""
    X, y, _ = table
    noisy = Committee([DecisionTreeClassifier(max_depth=1, random_state=0), "own"], n_folds=2)
    classifier = SoftSelfTrainingClassifier(LogisticRegression(C=0.1), teacher=noisy, deploy="committee")
    model = GuardedClassifier(classifier, n_splits=3, random_state=0).fit(X, y)
    kept = model.verdict_.committee > model.verdict_.supervised
    assert model.chosen_ == ("committee" if kept else "supervised")
    forced = GuardedClassifier(classifier, n_splits=3, guard=False, random_state=0).fit(X, y)
    assert forced.chosen_ == "committee"


def test_text_classes_and_f1(table):
    X, y, _ = table
    named = np.where(y < 0, None, np.array(["ill", "well"], dtype=object)[y])
    classifier = SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, validation=0.3, scoring="f1")
    by_name, by_number = (
        GuardedClassifier(classifier, scoring="f1", n_splits=2, n_repeats=1, random_state=0).fit(X, labels)
        for labels in (named, y)
    )
    assert by_name.verdict_.supervised == by_number.verdict_.supervised
    assert by_name.verdict_.gain == by_number.verdict_.gain
