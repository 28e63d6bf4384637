"""What predicts after soft self-training: the student with softened probabilities, or a committee."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from tabcast import SoftSelfTrainingClassifier
from tabcast.self_training._deployed import AveragedClassifier, SoftenedClassifier
from tabcast.self_training._soft import calibrate_power
from tabcast.teachers import Committee

LIGHT = Committee(["own", "linear"], n_folds=2)


@pytest.fixture(scope="module")
def table():
    X, truth = make_blobs(160, 3, centers=[[0, 0, 0], [1.6, 1, 0]], random_state=3)
    return X, np.where(np.arange(160) % 4 == 0, truth, -1), truth


def fit(table, estimator=None, **parameters):
    X, y, _ = table
    estimator = GaussianNB() if estimator is None else estimator
    return SoftSelfTrainingClassifier(estimator, **{"teacher": LIGHT, "random_state": 0, **parameters}).fit(X, y)


def soften(proba, power, n_rows=None):
    """The power, and with a number of rows one more row that is divided equally among the classes."""
    proba = proba**power / (proba**power).sum(axis=1, keepdims=True)
    return proba if n_rows is None else (n_rows * proba + 1 / proba.shape[1]) / (n_rows + 1)


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
        expected = soften(model.estimator_.predict_proba(X), power, n_rows=40)
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
        softened = soften(model.estimator_.predict_proba(X[rows]), model.output_temperature_)
        predicted = {row.round(12).tobytes() for row in softened}
        assert all(row.round(12).tobytes() in predicted for row in seen[1])

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


def fit_ensemble(table, teacher=LIGHT, **parameters):
    X, y, _ = table
    return SoftSelfTrainingClassifier(teacher=teacher, random_state=0, **parameters).fit(X, y)


class TestEnsemble:
    """Without an estimator the members of the committee are trained again, on the soft labels."""

    def test_the_supervised_model_is_the_committee_of_labeled_rows(self, table):
        X, _, _ = table
        model = fit_ensemble(table)
        assert isinstance(model.deployed_, AveragedClassifier)
        expected = soften(model.teacher_.predict_proba(X), 1, n_rows=40)
        np.testing.assert_allclose(model.supervised_.predict_proba(X), expected, atol=1e-12)
        assert not np.allclose(model.predict_proba(X), model.supervised_.predict_proba(X))
        assert not hasattr(model, "decision_function")

    def test_members_of_every_kind(self, table):
        X, _, _ = table
        teacher = Committee(["own", "trees", "linear", "boosting", GaussianNB()], n_folds=2)
        model = fit_ensemble(table, teacher)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        assert len(model.deployed_.members) == 5

    def test_retrained_by_hand(self, table):
        """Two linear models that learned from the same soft labels, each softened, averaged."""
        X, y, _ = table
        lines = [LogisticRegression(tol=1e-9, max_iter=1000, C=c) for c in (0.1, 1.0)]
        model = fit_ensemble(table, Committee(lines, n_folds=2))
        soft = np.zeros((len(y), 2))
        soft[y >= 0] = np.eye(2)[y[y >= 0]]
        soft[y < 0] = model.soft_labels_
        rows, codes = np.nonzero(soft)
        power = model.output_temperature_
        assert power == 0.5 * calibrate_power(model.teacher_.out_of_fold_, y[y >= 0][model.teacher_.held_out_])
        expected = 0
        for weight, line in zip(model.teacher_.weights_, lines, strict=True):
            again = clone(line).fit(X[rows], codes, sample_weight=soft[rows, codes])
            expected = expected + weight * soften(again.predict_proba(X), power)
        np.testing.assert_allclose(model.predict_proba(X), soften(expected, 1, n_rows=40), atol=1e-6)

    def test_sample_weights_reach_the_retrained_members(self, table):
        X, y, _ = table
        classifier = SoftSelfTrainingClassifier(teacher=Committee([LogisticRegression()], n_folds=2), random_state=0)
        weighted = classifier.fit(X, y, sample_weight=np.where(X[:, 0] > 1, 5.0, 1.0)).deployed_.members[0]
        plain = classifier.fit(X, y).deployed_.members[0]
        assert not np.allclose(weighted.predict_proba(X), plain.predict_proba(X))

    def test_text_classes(self, table):
        X, y, truth = table
        names = np.array(["no", "yes"])
        model = fit_ensemble((X, np.where(y < 0, None, names[truth]), truth))
        assert model.deployed_.classes_.tolist() == model.classes_.tolist() == ["no", "yes"]
        assert model.score(X, names[truth]) > 0.7

    def test_an_estimator_is_the_model_that_predicts(self, table):
        assert isinstance(fit(table).deployed_, SoftenedClassifier)

    def test_no_probability_is_exactly_0_or_1(self, table):
        X, _, _ = table
        students = (fit(table, ExtraTreesClassifier(20, random_state=0), teacher=one) for one in (LIGHT, "self"))
        for model in (*students, fit_ensemble(table, Committee([ExtraTreesClassifier(20)]))):
            for one in (model, *([model.supervised_] if model.estimator is None else [])):
                proba = one.predict_proba(X)
                assert proba.min() > 0.005
                np.testing.assert_allclose(proba.sum(axis=1), 1)

    def test_without_unlabeled_rows(self, table):
        X, _, truth = table
        with pytest.warns(UserWarning, match="no unlabeled rows"):
            model = fit((X, truth, truth))
        assert model.committee_ is None
        assert isinstance(model.deployed_, GaussianNB)


def test_bad_output_temperature(table):
    with pytest.raises(ValueError, match=r"`output_temperature` of .* must be a positive number or"):
        fit(table, output_temperature=0)
