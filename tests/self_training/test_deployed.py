"""What predicts after soft self-training: the student with softened probabilities, or a committee."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast import SoftSelfTrainingClassifier
from tabcast.self_training._deployed import AveragedClassifier, SoftenedClassifier
from tabcast.self_training._soft import calibrate_power
from tabcast.teachers import Committee, FoundationModel

LIGHT = Committee(["own", "linear"], n_folds=2)


@pytest.fixture(scope="module")
def table():
    X, truth = make_blobs(160, 3, centers=[[0, 0, 0], [1.6, 1, 0]], random_state=3)
    return X, np.where(np.arange(160) % 4 == 0, truth, -1), truth


def fit(table, estimator=None, **parameters):
    X, y, _ = table
    estimator = GaussianNB() if estimator is None else estimator
    return SoftSelfTrainingClassifier(estimator, **{"teacher": LIGHT, "random_state": 0, **parameters}).fit(X, y)


def soften(proba, power):
    return proba**power / (proba**power).sum(axis=1, keepdims=True)


class TestSoftened:
    @pytest.mark.parametrize(
        ("parameters", "power", "calibrated"),
        [
            ({}, 0.5, True),  # the committee's labels are sharpened with T = 0.5
            ({"temperature": 0.25}, 0.25, True),
            ({"output_temperature": 0.8}, 0.8, False),
            ({"output_temperature": 1}, 1.0, False),
            ({"teacher": "self"}, 1.0, False),  # nothing was sharpened, and no row was held out
        ],
    )
    def test_probabilities_are_those_of_the_student_to_a_power(self, table, parameters, power, calibrated):
        X, y, _ = table
        model = fit(table, **parameters)
        if calibrated:
            power *= calibrate_power(model.teacher_.out_of_fold_, y[y >= 0][model.teacher_.held_out_])
        assert model.output_temperature_ == power
        assert isinstance(model.estimator_, GaussianNB)  # a model of the user's own kind
        expected = soften(model.estimator_.predict_proba(X), power)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
        np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))

    def test_log_loss_is_better(self):
        """Means of four tables with wrong labels in them: the student's own probabilities are too extreme."""
        raw, softened, alone = [], [], []
        for seed in range(4):
            X, truth = make_classification(300, 6, n_informative=4, flip_y=0.2, class_sep=0.8, random_state=seed)
            y = np.where(np.arange(300) % 5 == 0, truth, -1)
            model = fit((X, y, truth))
            for losses, one in ((raw, model.estimator_), (softened, model), (alone, model.supervised_)):
                losses.append(log_loss(truth[y < 0], one.predict_proba(X[y < 0])))
        assert np.mean(softened) < np.mean(raw) - 0.1
        assert np.mean(softened) < np.mean(alone)

    def test_a_supervised_model_that_won_is_left_as_it_is(self, table):
        def fewer_rows_are_better(model, X, y):
            return -float(getattr(model, "estimator", model).class_count_.sum())

        model = fit(table, validation=0.3, scoring=fewer_rows_are_better)
        assert model.best_round_ == 0
        assert model.deployed_ is model.estimator_

    def test_rounds_are_evaluated_with_softened_probabilities(self, table):
        seen = []

        def score(model, X, y):
            seen.append(model.predict_proba(X))
            return 0.0 if len(seen) == 1 else 1.0

        model = fit(table, validation=0.3, scoring=score)
        X, y, _ = table
        assert model.best_round_ == 1
        rows = np.flatnonzero(y >= 0)
        predicted = {row.tobytes() for row in model.predict_proba(X[rows])}
        assert all(row.tobytes() in predicted for row in seen[1])

    def test_a_class_without_probability_stays_without(self):
        class Model:
            classes_ = np.array(["a", "b", "c"])

            def predict_proba(self, X):
                return np.array([[0.8, 0.2, 0.0], [1.0, 0.0, 0.0]])

        proba = SoftenedClassifier(Model(), 0.5).predict_proba(None)
        np.testing.assert_allclose(proba, [[2 / 3, 1 / 3, 0], [1, 0, 0]])
        assert not hasattr(SoftenedClassifier(Model(), 0.5), "decision_function")

    def test_decision_function_and_pickle(self, table):
        X, _, _ = table
        model = fit(table, LogisticRegression())
        np.testing.assert_array_equal(model.decision_function(X), model.estimator_.decision_function(X))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


class TestCommittee:
    def test_the_teacher_predicts(self, table):
        X, _, _ = table
        model = fit(table, deploy="committee")
        np.testing.assert_allclose(model.predict_proba(X), model.teacher_.predict_proba(X), atol=1e-12)
        assert isinstance(model.estimator_, GaussianNB)
        assert not hasattr(model, "decision_function")
        assert not np.allclose(model.predict_proba(X), model.student_.predict_proba(X))

    def test_members_of_every_kind(self, table):
        X, _, _ = table
        teacher = Committee(["own", "trees", "neighbors", "network", "boosting", GaussianNB()], n_folds=2)
        model = fit(table, DecisionTreeClassifier(max_depth=2), teacher=teacher, deploy="committee")
        np.testing.assert_allclose(model.predict_proba(X), model.teacher_.predict_proba(X), atol=1e-12)
        retrained = fit(table, DecisionTreeClassifier(max_depth=2), teacher=teacher, deploy="retrained")
        np.testing.assert_allclose(retrained.predict_proba(X).sum(axis=1), 1)
        assert len(retrained.deployed_.members) == 6

    def test_retrained_by_hand(self, table):
        """The student and a linear model that learned from the same soft labels, each softened, averaged."""
        X, y, _ = table
        teacher = Committee(["own", LogisticRegression(tol=1e-9, max_iter=1000)], n_folds=2)
        model = fit(table, teacher=teacher, deploy="retrained")
        soft = np.zeros((len(y), 2))
        soft[y >= 0] = np.eye(2)[y[y >= 0]]
        soft[y < 0] = model.soft_labels_
        rows, codes = np.nonzero(soft)
        line = LogisticRegression(tol=1e-9, max_iter=1000).fit(X[rows], codes, sample_weight=soft[rows, codes])
        own, other = model.teacher_.weights_
        power = model.output_temperature_
        assert 0.25 < power < 1
        expected = own * soften(model.estimator_.predict_proba(X), power) + other * soften(line.predict_proba(X), power)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-6)

    def test_sample_weights_reach_the_retrained_members(self, table):
        X, y, _ = table
        teacher = Committee(["own", LogisticRegression()], n_folds=2)
        classifier = SoftSelfTrainingClassifier(GaussianNB(), teacher=teacher, deploy="retrained", random_state=0)
        weighted = classifier.fit(X, y, sample_weight=np.where(X[:, 0] > 1, 5.0, 1.0)).deployed_.members[1]
        plain = classifier.fit(X, y).deployed_.members[1]
        assert not np.allclose(weighted.predict_proba(X), plain.predict_proba(X))

    def test_text_classes(self, table):
        X, y, truth = table
        names = np.array(["no", "yes"])
        y = np.where(y < 0, None, names[truth])
        for deploy in ("committee", "retrained"):
            model = SoftSelfTrainingClassifier(GaussianNB(), teacher=LIGHT, deploy=deploy, random_state=0).fit(X, y)
            assert model.deployed_.classes_.tolist() == model.classes_.tolist() == ["no", "yes"]
            assert model.score(X, names[truth]) > 0.7

    def test_auto_is_retrained_with_few_labels(self, table):
        X, _, truth = table
        model = fit(table, deploy="auto")
        assert isinstance(model.deployed_, AveragedClassifier)
        np.testing.assert_array_equal(model.predict_proba(X), fit(table, deploy="retrained").predict_proba(X))
        many = fit((X, np.where(np.arange(160) < 120, truth, -1), truth), deploy="auto")
        assert isinstance(many.deployed_, SoftenedClassifier)
        assert isinstance(fit(table, deploy="auto", teacher="self").deployed_, GaussianNB)

    def test_without_unlabeled_rows(self, table):
        X, _, truth = table
        with pytest.warns(UserWarning, match="no unlabeled rows"):
            model = fit((X, truth, truth), deploy="committee")
        assert model.committee_ is None
        assert isinstance(model.deployed_, GaussianNB)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"deploy": "teacher"}, r"Unknown `deploy` of SoftSelfTrainingClassifier: 'teacher'\. Choices: student, retr"),
        (
            {"deploy": "committee", "teacher": "self"},
            r"needs a teacher with models besides your own; SelfTeacher\(\) is",
        ),
        ({"deploy": "retrained", "teacher": "self"}, r"Use deploy='student', or teacher='committee'"),
        ({"output_temperature": 0}, r"`output_temperature` of SoftSelfTrainingClassifier must be a positive number or"),
    ],
)
def test_bad_parameters(table, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(table, **parameters)


def test_a_foundation_model_is_not_trained(table, monkeypatch):
    monkeypatch.setattr(FoundationModel, "check", lambda self: None)  # its library need not be installed
    with pytest.raises(ValueError, match=r"`deploy`='retrained' of .* needs a teacher with members to train"):
        fit(table, teacher=FoundationModel("tabpfn"), deploy="retrained")
