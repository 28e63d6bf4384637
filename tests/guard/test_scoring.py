"""Scores on few held-out rows: no warnings about missing classes, NaN where a class is needed."""

import math
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, get_scorer, log_loss, make_scorer
from sklearn.naive_bayes import GaussianNB

from tabcast import SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.guard import GuardedClassifier
from tabcast.guard._comparison import HeldOutScore, is_share, name_score

CLASSES = np.array(["a", "b", "c"])


@pytest.fixture
def model():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
    return GaussianNB().fit(X, CLASSES[[0, 0, 1, 1, 2, 2]])


X_HELD_OUT, CODES = np.array([[0.05], [0.9], [1.2], [2.05]]), np.array([0, 0, 1, 1])  # nobody of class c; two are wrong


class TestMissingClasses:
    @pytest.mark.parametrize(
        ("scoring", "reference"),
        [
            ("balanced_accuracy", balanced_accuracy_score),
            ("accuracy", lambda truth, said: (truth == said).mean()),
            ("f1_macro", lambda truth, said: f1_score(truth, said, average="macro", zero_division=0)),
        ],
    )
    def test_no_warning_and_the_score_of_those_there(self, model, scoring, reference):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours = HeldOutScore(scoring, GaussianNB(), CLASSES)(model, X_HELD_OUT, CODES)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ours == reference(CLASSES[CODES], model.predict(X_HELD_OUT))

    def test_log_loss_is_told_the_classes(self, model):
        ours = HeldOutScore("neg_log_loss", GaussianNB(), CLASSES)(model, X_HELD_OUT, CODES)
        assert ours == -log_loss(CLASSES[CODES], model.predict_proba(X_HELD_OUT), labels=CLASSES)

    def test_one_class_alone(self, model):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert HeldOutScore("balanced_accuracy", GaussianNB(), CLASSES)(model, X_HELD_OUT[:1], CODES[:1]) == 1.0

    def test_a_score_that_needs_them_has_no_number(self, model):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert math.isnan(HeldOutScore("roc_auc_ovr", GaussianNB(), CLASSES)(model, X_HELD_OUT, CODES))

    def test_and_a_number_with_them(self, model):
        assert HeldOutScore("roc_auc_ovr", GaussianNB(), CLASSES)(model, X_HELD_OUT, np.array([0, 1, 1, 2])) == 1.0


def test_a_score_that_fails_with_every_class_there_is_an_error():
    model = DummyClassifier().fit(np.zeros((4, 1)), ["no", "yes", "no", "yes"])
    score = HeldOutScore(
        make_scorer(f1_score), model, np.array(["no", "yes"])
    )  # a scorer of one's own is used as it is
    with pytest.raises(ValueError, match=r"`scoring` failed on 2 held-out rows \(pos_label=1 is not a valid label"):
        score(model, np.zeros((2, 1)), np.array([0, 1]))


@pytest.mark.parametrize("classes", [["no", "yes"], [1, 2], [0, 1]])
@pytest.mark.parametrize("scoring", ["f1", "precision", "recall", "jaccard", "average_precision", "neg_brier_score"])
def test_the_second_of_two_classes_is_the_positive_one(scoring, classes):
    classes = np.array(classes)
    X, codes = np.array([[0.0], [0.6], [0.4], [1.0], [1.2]]), np.array([0, 0, 1, 1, 1])
    model, twin = GaussianNB().fit(X, classes[codes]), GaussianNB().fit(X, codes)
    ours = HeldOutScore(scoring, GaussianNB(), classes)(model, X, codes)
    assert ours == pytest.approx(get_scorer(scoring)(twin, X, codes))


@pytest.mark.parametrize(
    ("scoring", "name"),
    [
        ("f1_macro", "f1_macro"),
        (make_scorer(balanced_accuracy_score), "balanced_accuracy_score"),
        (
            test_a_score_that_fails_with_every_class_there_is_an_error,
            "test_a_score_that_fails_with_every_class_there_is_an_error",
        ),
    ],
)
def test_names(scoring, name):
    assert name_score(scoring) == name


@pytest.mark.parametrize(
    ("classifier", "name"),
    [
        (None, "neg_log_loss"),
        (SoftSelfTrainingClassifier(LogisticRegression()), "accuracy"),
        (SelfTrainingClassifier(LogisticRegression()), "accuracy"),
    ],
)
def test_the_ensemble_is_compared_by_log_loss_and_one_model_by_accuracy(classifier, name):
    X, y = make_blobs(90, random_state=0, centers=2, cluster_std=4.0)
    guarded = GuardedClassifier(classifier, n_splits=3, random_state=0).fit(X, np.where(np.arange(90) < 30, y, -1))
    assert guarded.verdict_.metric == name


def test_shares():
    assert is_share("accuracy", 0.0, 1.0)
    assert not is_share("neg_brier_score", 0.0, 0.0)
    assert not is_share("profit", 0.5, 12.0)
