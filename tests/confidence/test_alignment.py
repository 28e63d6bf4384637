"""Confidence whose mean agrees with the class proportions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from tabcast import SelfTrainingClassifier
from tabcast.confidence import Chain, ClusterAware, DistributionAlignment, TemperatureScaling
from tabcast.density import EmpiricalLikelihood
from tabcast.pseudo_labels import PerClassCurriculum

SHARES = np.array([0.4, 0.3, 0.2, 0.1])
PROBA = np.random.default_rng(0).dirichlet([5, 1, 0.5, 0.3], 500)


def prepare(part, y=(0, 0, 0, 1), n_classes=2):
    rows = np.zeros((len(y), 1))
    return part.prepare(rows, np.asarray(y), rows, n_classes=n_classes)


def align_slowly(proba, shares, temperature):
    """Proportional fitting: ReMixMatch's step over and over, which converges to the shares."""
    factors = np.ones(len(shares))
    for _ in range(300):
        powers = (proba * factors) ** (1 / temperature)
        factors *= (shares / (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)) ** temperature
    return proba * factors / (proba * factors).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.1])
def test_equals_proportional_fitting(temperature):
    part = prepare(DistributionAlignment(SHARES, temperature=temperature), n_classes=4)
    np.testing.assert_allclose(part.adjust(PROBA[:50]), align_slowly(PROBA[:50], SHARES, temperature), rtol=1e-6)


def test_the_mean_confidence_becomes_the_shares():
    aligned = prepare(DistributionAlignment(SHARES), n_classes=4).adjust(PROBA)
    np.testing.assert_allclose(aligned.mean(axis=0), SHARES, atol=1e-8)
    np.testing.assert_allclose(aligned.sum(axis=1), 1, atol=1e-12)


def test_a_modest_classifier_gives_a_rare_class_only_at_a_low_temperature():
    """About 5% in every row: the mean is right and no row is predicted as class 1."""
    second = np.random.default_rng(0).beta(5, 95, 1000)
    proba, shares = np.column_stack([1 - second, second]), [0.95, 0.05]
    assert not (prepare(DistributionAlignment(shares)).adjust(proba).argmax(axis=1) == 1).any()
    given = prepare(DistributionAlignment(shares, temperature=0.05)).adjust(proba).argmax(axis=1) == 1
    assert given.sum() == pytest.approx(50, abs=5)
    assert second[given].min() >= second[~given].max()  # those with the most of it


def test_labeled_shares_have_a_row_added_to_each_class_and_given_ones_are_divided_by_their_sum():
    part = prepare(DistributionAlignment(), [0, 0, 0, 0, 0, 2, 2], n_classes=3)
    np.testing.assert_allclose(part.shares_, [6 / 10, 1 / 10, 3 / 10])
    np.testing.assert_allclose(prepare(DistributionAlignment([3, 1])).shares_, [0.75, 0.25])


def test_a_probability_of_0_stays_0_and_a_class_without_any_leaves_its_share_to_the_others():
    proba = np.column_stack([np.random.default_rng(0).dirichlet([5, 1], 200), np.zeros(200)])
    proba[::10] = [1.0, 0.0, 0.0]
    aligned = prepare(DistributionAlignment([0.3, 0.2, 0.5]), n_classes=3).adjust(proba)
    assert (aligned[proba == 0] == 0).all()
    np.testing.assert_allclose(aligned.mean(axis=0), [0.6, 0.4, 0], atol=1e-8)
    one_class = np.tile([0.0, 1.0], (5, 1))
    np.testing.assert_array_equal(prepare(DistributionAlignment()).adjust(one_class), one_class)


def test_a_share_that_too_few_rows_can_have_is_met_as_nearly_as_possible():
    proba = np.array([[1.0, 0.0], [0.7, 0.3], [1.0, 0.0], [0.9, 0.1]])
    aligned = prepare(DistributionAlignment([0.2, 0.8])).adjust(proba)
    np.testing.assert_allclose(aligned, [[1, 0], [0, 1], [1, 0], [0, 1]], atol=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 0.05])
def test_huge_factors_stay_finite(temperature):
    proba = np.column_stack([np.full(50, 1 - 1e-300), np.full(50, 1e-300)])
    aligned = prepare(DistributionAlignment([0.5, 0.5], temperature=temperature)).adjust(proba)
    np.testing.assert_allclose(aligned, 0.5, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_shares": "equal"}, r"`class_shares` .* must be 'labeled' or a positive number .* 2 classes; got 'equ"),
        ({"class_shares": [0.5, 0.3, 0.2]}, r"a positive number for each of 2 classes; got \[0\.5, 0\.3, 0\.2\]\."),
        ({"class_shares": [1.0, 0.0]}, r"a positive number for each of 2 classes; got \[1\.0, 0\.0\]\."),
        ({"temperature": 0}, r"`temperature` of DistributionAlignment must be a number in \(0, 1\]; got 0\."),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        prepare(DistributionAlignment(**settings))


def test_adjusting_before_preparing():
    with pytest.raises(NotFittedError, match="DistributionAlignment is not prepared yet: call `prepare` first"):
        DistributionAlignment().adjust(PROBA)


@pytest.fixture(scope="module")
def table():
    X, truth = make_classification(
        600, n_features=6, n_informative=3, n_redundant=0, weights=[0.9], class_sep=0.5, flip_y=0, random_state=0
    )
    return X, truth, np.where(np.arange(600) % 5 == 0, truth, -1)


def test_in_a_chain_it_sees_calibrated_probabilities_and_the_cast_step_aligned_ones(table):
    X, _, y = table
    labeled = y != -1
    proba, held_out = np.random.default_rng(1).dirichlet([4, 1], (2, int((~labeled).sum())))
    chain = Chain([TemperatureScaling(), DistributionAlignment(), ClusterAware(EmpiricalLikelihood(), alpha=0.5)])
    chain.prepare(X[labeled], y[labeled], X[~labeled], n_classes=2)
    chain.calibrate(held_out, (held_out[:, 1] > 0.3).astype(int))
    calibrator, alignment, cluster_aware = chain.parts_
    aligned = alignment.adjust(calibrator.adjust(proba))
    np.testing.assert_allclose(chain.adjust(proba), cluster_aware.adjust(aligned))


def test_a_rare_class_is_labeled_as_often_as_it_is(table):
    """The class of 10% of the rows, which the classifier alone rarely predicts."""
    X, truth, y = table

    def share(confidence):
        model = SelfTrainingClassifier(
            LogisticRegression(), confidence=confidence, strategy=PerClassCurriculum(), validation=None
        )
        pseudo = model.fit(X, y).pseudo_labels_
        return (pseudo["label"][pseudo["selected"]] == 1).mean()

    true_share = truth[y == -1].mean()
    assert share(None) < true_share / 2
    assert true_share / 1.5 < share(DistributionAlignment(temperature=0.1)) < true_share * 1.5
