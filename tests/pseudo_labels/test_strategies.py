"""Each strategy against its published rule, at its borders, and in a classifier."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.pseudo_labels import (
    Curriculum,
    FixedThreshold,
    PerClassCurriculum,
    TakeAll,
    TopK,
)


def spread(n_rows, seed=0):
    """Confidences that all differ."""
    best = np.random.default_rng(seed).permutation(np.linspace(0.5, 1, n_rows))
    return np.column_stack([best, 1 - best])


def imbalanced(n_rows=300, seed=0):
    """Confidence of a classifier that is sure of class 0, of which most rows are, and unsure of the others."""
    random = np.random.default_rng(seed)
    labels = np.where(np.arange(n_rows) % 10 > 0, 0, 1 + np.arange(n_rows) // 10 % 2)
    best = np.where(labels == 0, random.uniform(0.8, 1, n_rows), random.uniform(0.4, 0.6, n_rows))
    confidence = np.tile((1 - best)[:, None] / 2, 3)
    confidence[np.arange(n_rows), labels] = best
    return confidence


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(400, n_features=6, weights=[0.85], class_sep=0.8, random_state=1)
    return X, np.where(np.arange(400) % 5 == 0, truth, -1)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (FixedThreshold(1.1), r"`threshold` of FixedThreshold must be a number in \[0, 1\]; got 1\.1\."),
        (Curriculum(0), r"`step` of Curriculum must be a number in \(0, 1\]; got 0\."),
        (PerClassCurriculum(True), r"`step` of PerClassCurriculum must be a number in \(0, 1\]; got True\."),
        (TopK(2.0), r"`k` of TopK must be an integer of at least 1; got 2\.0\."),
        (FixedThreshold([0.5, 1.5]), r"`threshold` of FixedThreshold must be a number in \[0, 1\]; got 1\.5\."),
        (FixedThreshold("0.5"), r"`threshold` of FixedThreshold must be a number in \[0, 1\]; got '0'\."),
    ],
)
def test_bad_parameters_are_refused(strategy, message):
    with pytest.raises(ValueError, match=message):
        strategy.check()


def test_take_all():
    assert TakeAll().select(np.array([[0.5, 0.5], [0.0, 0.0], [np.inf, 0.0]]), 3).tolist() == [True] * 3


class TestFixedThreshold:
    def test_the_threshold_itself_is_enough_unless_strict(self):
        confidence = np.array([[0.6, 0.4], [0.59, 0.41], [0.1, 0.9], [0.0, np.inf]])
        assert FixedThreshold(0.6).select(confidence, 1).tolist() == [True, False, True, True]
        assert FixedThreshold(0.6, strict=True).select(confidence, 9).tolist() == [False, False, True, True]
        assert FixedThreshold(0.7).required_confidence(3).tolist() == [0.7, 0.7, 0.7]


class TestCurriculum:
    @pytest.mark.parametrize(
        ("step", "shares"),
        [
            (0.2, [0.2, 0.4, 0.6, 0.8, 1.0]),
            (0.3, [0.3, 0.6, 0.9, 1.0]),
            (1 / 3, [1 / 3, 2 / 3, 1.0]),
            (0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ],
    )
    def test_schedule(self, step, shares):
        confidence, strategy = spread(90), Curriculum(step)
        assert strategy.n_rounds == len(shares)
        order = np.argsort(-confidence.max(axis=1))
        for round_number, share in enumerate([*shares, 1.0], start=1):
            chosen = strategy.select(confidence, round_number)
            assert chosen.sum() == round(share * 90)  # no row more because 0.1 + 0.2 is not 0.3
            assert chosen[order[: chosen.sum()]].all()  # the most confident ones

    @pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 11])
    def test_a_share_of_a_row_is_a_row(self, n_rows):
        counts = [Curriculum(0.2).select(spread(n_rows), k).sum() for k in range(1, 6)]
        assert counts == [ceil(n_rows * k / 5) for k in range(1, 6)]

    def test_equal_confidence_is_taken_together(self):
        """A quantile, which interpolates, would leave out the group of equal rows."""
        best = np.array([0.99, 0.98, 0.97, 0.96, 0.95, *[0.7] * 3, *[0.6] * 5])
        counted = Curriculum(0.2).select(np.column_stack([best, 1 - best]), 2)
        assert counted.sum() == 8  # ceil(0.4 * 13) = 6 rows, and those that equal the sixth
        assert (best >= np.quantile(best, 0.6)).sum() == 5

    def test_rows_that_keep_their_label_count(self):
        confidence = spread(10)
        worst = confidence.max(axis=1).argsort()[:3]
        confidence[worst] = [0.0, np.inf]
        assert np.flatnonzero(Curriculum(0.2).select(confidence, 1)).tolist() == sorted(worst)
        chosen = Curriculum(0.2).select(confidence, 2)
        assert chosen.sum() == 4
        assert chosen[worst].all()


class TestTopK:
    confidence = np.array([[0.7, 0.3], [0.1, 0.9], [0.4, 0.6], [0.95, 0.05], [0.2, 0.8]])

    def test_k_more_each_round_until_all_are_taken(self):
        taken = [np.flatnonzero(TopK(2).select(self.confidence, k)).tolist() for k in (1, 2, 3, 4)]
        assert taken == [[1, 3], [0, 1, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]

    def test_of_equally_confident_rows_the_first(self):
        assert np.flatnonzero(TopK(2).select(np.full((5, 2), 0.5), 1)).tolist() == [0, 1]

    def test_rows_that_keep_their_label_stay_and_k_new_ones_come(self):
        pinned = self.confidence.copy()
        pinned[[2, 0]] = [[0.0, np.inf], [np.inf, 0.0]]
        assert np.flatnonzero(TopK(2).select(pinned, 2)).tolist() == [0, 1, 2, 3]


class TestPerClassCurriculum:
    @pytest.mark.parametrize("step", [0.2, 0.3, 1.0])
    def test_every_class_gets_its_share_in_every_round(self, step):
        confidence, strategy = imbalanced(), PerClassCurriculum(step)
        labels, best = confidence.argmax(axis=1), confidence.max(axis=1)
        for round_number in range(1, strategy.n_rounds + 1):
            chosen = strategy.select(confidence, round_number)
            for one in range(3):
                of_class = labels == one
                count = ceil(round(min(1.0, step * round_number) * of_class.sum(), 9))
                assert chosen[of_class].sum() == count
                assert set(best[chosen & of_class]) == set(np.sort(best[of_class])[::-1][:count])

    def test_the_common_curriculum_starts_with_one_class(self):
        confidence = imbalanced()
        labels = confidence.argmax(axis=1)
        assert (labels[Curriculum().select(confidence, 3)] == 0).all()
        ours = PerClassCurriculum().select(confidence, 3)
        assert (labels[ours] != 0).mean() == pytest.approx((labels != 0).mean(), rel=0.1)

    def test_equal_confidence_is_taken_together(self):
        confidence = np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7], [0.2, 0.8]])
        assert PerClassCurriculum(0.3).select(confidence, 1).tolist() == [True, True, True, False, False]

    def test_in_a_classifier_the_schedule_runs_through(self, table):
        model = SelfTrainingClassifier(LogisticRegression(), strategy=PerClassCurriculum(0.25), validation=None)
        assert model.fit(*table).termination_reason_ == "schedule_finished"
        assert model.n_rounds_ == 4


class TestThresholdOfEachClass:
    confidence = np.array([[0.9, 0.05, 0.05], [0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7], [0.0, np.inf, 0.0]])

    def test_each_class_has_its_threshold(self):
        chosen = FixedThreshold([0.8, 0.6, 0.9]).select(self.confidence, 1)
        assert chosen.tolist() == [True, False, True, False, True]
        assert FixedThreshold([0.8, 0.5]).required_confidence(2).tolist() == [0.8, 0.5]

    def test_the_number_of_classes_has_to_fit(self):
        with pytest.raises(ValueError, match=r"must be a number, or one for each of 3 classes; got 2 numbers\."):
            FixedThreshold([0.5, 0.5]).select(self.confidence, 1)

    def test_in_a_classifier_classes_count_in_sorted_order(self, table):
        X, y = table
        names = np.array([None, "often", "rare"], dtype=object)[y + 1]
        strategy = FixedThreshold([0.95, 0.5])
        model = CASTClassifier(LogisticRegression(), alpha=0.0, strategy=strategy, validation=None, max_rounds=1)
        pseudo = model.fit(X, names).pseudo_labels_
        rare = pseudo["label"] == "rare"
        assert rare.any()
        assert pseudo["selected"][rare].all()
        np.testing.assert_array_equal(pseudo["selected"][~rare], pseudo["confidence"][~rare] >= 0.95)
