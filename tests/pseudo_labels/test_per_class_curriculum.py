"""A growing share of each class."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from tabcast import SelfTrainingClassifier
from tabcast.pseudo_labels import Curriculum, PerClassCurriculum


def imbalanced(n_rows: int = 300, seed: int = 0) -> np.ndarray:
    """Confidence of a classifier that is sure of class 0, of which most rows are, and unsure of the others."""
    random = np.random.default_rng(seed)
    labels = np.where(np.arange(n_rows) % 10 > 0, 0, 1 + np.arange(n_rows) // 10 % 2)
    best = np.where(labels == 0, random.uniform(0.8, 1, n_rows), random.uniform(0.4, 0.6, n_rows))
    confidence = np.tile((1 - best)[:, None] / 2, 3)
    confidence[np.arange(n_rows), labels] = best
    return confidence


@pytest.mark.parametrize("step", [0.2, 0.3, 1.0])
def test_every_class_gets_its_share_in_every_round(step):
    confidence, strategy = imbalanced(), PerClassCurriculum(step)
    labels, best = confidence.argmax(axis=1), confidence.max(axis=1)
    for round_number in range(1, strategy.n_rounds + 1):
        chosen = strategy.select(confidence, round_number)
        for one in range(3):
            of_class = labels == one
            count = ceil(round(min(1.0, step * round_number) * of_class.sum(), 9))
            assert chosen[of_class].sum() == count
            assert set(best[chosen & of_class]) == set(np.sort(best[of_class])[::-1][:count])


def test_the_common_curriculum_starts_with_one_class():
    """What this strategy is there for."""
    confidence = imbalanced()
    labels = confidence.argmax(axis=1)
    for round_number in range(1, 5):
        ours = PerClassCurriculum().select(confidence, round_number)
        theirs = Curriculum().select(confidence, round_number)
        assert (labels[theirs] == 0).all()
        assert (labels[ours] != 0).mean() == pytest.approx((labels != 0).mean(), rel=0.1)


def test_the_last_round_takes_all_and_so_do_rounds_after_it():
    confidence = imbalanced()
    assert PerClassCurriculum(0.5).n_rounds == Curriculum(0.5).n_rounds == 2
    assert PerClassCurriculum(0.5).select(confidence, 2).all()
    assert PerClassCurriculum(0.5).select(confidence, 9).all()


def test_one_class_is_the_common_curriculum():
    confidence = imbalanced()
    confidence = confidence[confidence.argmax(axis=1) == 0]
    for round_number in range(1, 6):
        np.testing.assert_array_equal(
            PerClassCurriculum().select(confidence, round_number), Curriculum().select(confidence, round_number)
        )


def test_a_class_with_one_row_is_there_from_the_first_round():
    confidence = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.49, 0.51]])
    assert PerClassCurriculum(0.2).select(confidence, 1).tolist() == [True, False, False, True]


def test_equal_confidence_is_taken_together():
    confidence = np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7], [0.2, 0.8]])
    assert PerClassCurriculum(0.3).select(confidence, 1).tolist() == [True, True, True, False, False]


def test_order_of_rows_does_not_matter():
    confidence = np.round(imbalanced(), 2)
    order = np.random.default_rng(1).permutation(len(confidence))
    for round_number in range(1, 6):
        np.testing.assert_array_equal(
            PerClassCurriculum().select(confidence[order], round_number),
            PerClassCurriculum().select(confidence, round_number)[order],
        )


@pytest.mark.parametrize("step", [0, -0.2, 1.2, np.nan, "0.2", None, True])
def test_step_that_is_none(step):
    with pytest.raises(ValueError, match=rf"`step` of PerClassCurriculum must be a number in \(0, 1\]; got {step!r}\."):
        PerClassCurriculum(step).check()


def test_in_a_classifier_the_schedule_runs_through():
    X, truth = make_classification(300, weights=[0.9], class_sep=1.5, random_state=0)
    y = np.where(np.arange(300) % 4 == 0, truth, -1)
    for relabel in (True, False):
        model = SelfTrainingClassifier(
            LogisticRegression(), strategy=PerClassCurriculum(0.25), validation=None, relabel=relabel
        ).fit(X, y)
        assert model.termination_reason_ == "schedule_finished"
        assert model.n_rounds_ == 4
        assert model.pseudo_labels_["selected"].all()
        counts = model.history_["n_selected"].to_numpy()
        np.testing.assert_allclose(counts, np.array([0, 0.25, 0.5, 0.75, 1]) * (y == -1).sum(), atol=2)
