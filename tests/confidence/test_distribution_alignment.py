"""Confidence moved to the class shares."""

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


def align_slowly(proba, shares, temperature, n_steps):
    """Proportional fitting, a number at a time: the published step over and over, which converges to the shares."""
    n_rows, n_classes = proba.shape
    factors = [1.0] * n_classes
    for _ in range(n_steps):
        means = [0.0] * n_classes
        for row in proba:
            powers = [(p * w) ** (1 / temperature) for p, w in zip(row, factors, strict=True)]
            for j in range(n_classes):
                means[j] += powers[j] / sum(powers) / n_rows
        factors = [w * (s / m) ** temperature for w, s, m in zip(factors, shares, means, strict=True)]
    scaled = [[p * w for p, w in zip(row, factors, strict=True)] for row in proba]
    return np.array([[one / sum(row) for one in row] for row in scaled])


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.1])
@pytest.mark.parametrize(("exact", "n_steps"), [(False, 1), (True, 300)])
def test_equals_slow_code(temperature, exact, n_steps):
    part = prepare(DistributionAlignment(SHARES, temperature=temperature, exact=exact), n_classes=4)
    slow = align_slowly(PROBA[:50], SHARES, temperature, n_steps)
    np.testing.assert_allclose(part.adjust(PROBA[:50]), slow, rtol=1e-6)


def test_one_step_is_the_published_rule():
    part = prepare(DistributionAlignment(SHARES, exact=False), n_classes=4)
    scaled = PROBA * SHARES / PROBA.mean(axis=0)
    np.testing.assert_allclose(part.adjust(PROBA), scaled / scaled.sum(axis=1, keepdims=True), rtol=1e-12)


def test_the_mean_confidence_becomes_the_shares():
    aligned = prepare(DistributionAlignment(SHARES), n_classes=4).adjust(PROBA)
    np.testing.assert_allclose(aligned.mean(axis=0), SHARES, atol=1e-8)
    np.testing.assert_allclose(aligned.sum(axis=1), 1, atol=1e-12)
    once = prepare(DistributionAlignment(SHARES, exact=False), n_classes=4).adjust(PROBA)
    before, after = (np.abs(proba.mean(axis=0) - SHARES).max() for proba in (PROBA, once))
    assert 1e-3 < after < before  # one step comes nearer


def test_at_a_low_temperature_the_labels_come_in_the_shares():
    def shares_of_labels(temperature):
        part = prepare(DistributionAlignment(SHARES, temperature=temperature), n_classes=4)
        return np.bincount(part.adjust(PROBA).argmax(axis=1), minlength=4) / len(PROBA)

    assert np.abs(shares_of_labels(1.0) - SHARES).max() > 0.02
    np.testing.assert_allclose(shares_of_labels(0.05), SHARES, atol=0.01)


def test_a_modest_classifier_gives_a_rare_class_only_at_a_low_temperature():
    """About 5% in every row: the mean is right and no row is predicted as class 1."""
    second = np.random.default_rng(0).beta(5, 95, 1000)
    proba = np.column_stack([1 - second, second])
    shares = [0.95, 0.05]
    by_mean = prepare(DistributionAlignment(shares)).adjust(proba)
    assert not (by_mean.argmax(axis=1) == 1).any()
    by_label = prepare(DistributionAlignment(shares, temperature=0.05)).adjust(proba)
    given = by_label.argmax(axis=1) == 1
    assert given.sum() == pytest.approx(50, abs=5)
    assert second[given].min() >= second[~given].max()  # those with the most of it


def test_nothing_moves_where_the_shares_are_right():
    part = prepare(DistributionAlignment(PROBA.mean(axis=0)), n_classes=4)
    np.testing.assert_allclose(part.adjust(PROBA), PROBA, rtol=1e-7)


def test_two_classes_keep_their_order():
    proba = np.random.default_rng(0).dirichlet([5, 1], 100)
    for temperature in (1.0, 0.1):
        aligned = prepare(DistributionAlignment([0.3, 0.7], temperature=temperature)).adjust(proba)
        np.testing.assert_array_equal(np.argsort(aligned[:, 1]), np.argsort(proba[:, 1]))


def test_labeled_shares_have_a_row_added_to_each_class():
    part = prepare(DistributionAlignment(), [0, 0, 0, 0, 0, 2, 2], n_classes=3)
    np.testing.assert_allclose(part.shares_, [6 / 10, 1 / 10, 3 / 10])


def test_given_shares_are_divided_by_their_sum():
    np.testing.assert_allclose(prepare(DistributionAlignment([3, 1])).shares_, [0.75, 0.25])
    np.testing.assert_allclose(prepare(DistributionAlignment(np.array([30, 10]))).shares_, [0.75, 0.25])


@pytest.mark.parametrize("exact", [True, False])
def test_a_probability_of_0_stays_0_and_a_class_without_any_leaves_its_share_to_the_others(exact):
    proba = np.column_stack([np.random.default_rng(0).dirichlet([5, 1], 200), np.zeros(200)])
    proba[::10] = [1.0, 0.0, 0.0]
    aligned = prepare(DistributionAlignment([0.3, 0.2, 0.5], exact=exact), n_classes=3).adjust(proba)
    assert (aligned[proba == 0] == 0).all()
    np.testing.assert_allclose(aligned.sum(axis=1), 1)
    if exact:
        np.testing.assert_allclose(aligned.mean(axis=0), [0.6, 0.4, 0], atol=1e-8)


def test_a_share_that_too_few_rows_can_have_is_met_as_nearly_as_possible():
    proba = np.array([[1.0, 0.0], [0.7, 0.3], [1.0, 0.0], [0.9, 0.1]])
    aligned = prepare(DistributionAlignment([0.2, 0.8])).adjust(proba)
    np.testing.assert_allclose(aligned, [[1, 0], [0, 1], [1, 0], [0, 1]], atol=1e-6)


def test_nothing_to_align_where_all_rows_have_the_same_class():
    proba = np.tile([0.0, 1.0], (5, 1))
    np.testing.assert_array_equal(prepare(DistributionAlignment()).adjust(proba), proba)


@pytest.mark.parametrize("temperature", [1.0, 0.05])
@pytest.mark.parametrize("exact", [True, False])
def test_huge_factors_stay_finite(temperature, exact):
    proba = np.column_stack([np.full(50, 1 - 1e-300), np.full(50, 1e-300)])
    aligned = prepare(DistributionAlignment([0.5, 0.5], temperature=temperature, exact=exact)).adjust(proba)
    assert np.isfinite(aligned).all()
    if exact or temperature == 1:
        np.testing.assert_allclose(aligned, 0.5, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"class_shares": "equal"},
            r"`class_shares` .* must be 'labeled' or a positive number .* 2 classes; got 'equal'",
        ),
        ({"class_shares": [0.5, 0.3, 0.2]}, r"a positive number for each of 2 classes; got \[0\.5, 0\.3, 0\.2\]\."),
        ({"class_shares": [1.0, 0.0]}, r"a positive number for each of 2 classes; got \[1\.0, 0\.0\]\."),
        ({"class_shares": [1.0, np.nan]}, r"a positive number for each of 2 classes; got \[1\.0, nan\]\."),
        ({"class_shares": None}, r"a positive number for each of 2 classes; got None\."),
        ({"temperature": 0}, r"`temperature` of DistributionAlignment must be a number in \(0, 1\]; got 0\."),
        ({"temperature": 2.0}, r"`temperature` of DistributionAlignment must be a number in \(0, 1\]; got 2\.0\."),
        ({"temperature": "low"}, r"`temperature` of DistributionAlignment must be a number in \(0, 1\]; got 'low'\."),
    ],
)
def test_parameters_that_make_no_sense(settings, message):
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


def test_before_the_cast_step_and_after_a_calibrator(table):
    """In a Chain the alignment sees what the calibrator says, and the CAST step what the alignment says."""
    X, _, y = table
    labeled = y != -1
    proba, held_out = np.random.default_rng(1).dirichlet([4, 1], (2, int((~labeled).sum())))
    chain = Chain([TemperatureScaling(), DistributionAlignment(), ClusterAware(EmpiricalLikelihood(), alpha=0.5)])
    chain.prepare(X[labeled], y[labeled], X[~labeled], n_classes=2)
    classes = (held_out[:, 1] > 0.3).astype(int)
    chain.calibrate(held_out, classes)
    calibrator, alignment, cluster_aware = chain.parts_
    aligned = alignment.adjust(calibrator.adjust(proba))
    np.testing.assert_allclose(aligned.mean(axis=0), alignment.shares_, atol=1e-7)
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
