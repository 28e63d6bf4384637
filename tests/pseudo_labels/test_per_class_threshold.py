"""A threshold for each class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tabcast import CASTClassifier
from tabcast.pseudo_labels import FixedThreshold, PerClassThreshold

CONFIDENCE = np.random.default_rng(0).dirichlet([2, 1, 1], 200)


@pytest.mark.parametrize(
    "thresholds", [[0.8, 0.5, 0.6], (0.8, 0.5, 0.6), np.array([0.8, 0.5, 0.6]), {0: 0.8, 1: 0.5, 2: 0.6}]
)
def test_each_row_is_held_to_the_threshold_of_its_class(thresholds):
    chosen = PerClassThreshold(thresholds).select(CONFIDENCE, 1)
    for row, taken in zip(CONFIDENCE, chosen, strict=True):
        label = int(row.argmax())
        assert taken == (row[label] >= [0.8, 0.5, 0.6][label])
    assert 0 < chosen.sum() < len(chosen)


def test_a_mapping_may_leave_classes_out():
    some, all_of_them = PerClassThreshold({1: 0.5}, otherwise=0.9), PerClassThreshold([0.9, 0.5, 0.9])
    np.testing.assert_array_equal(some.select(CONFIDENCE, 1), all_of_them.select(CONFIDENCE, 1))


@pytest.mark.parametrize("threshold", [0.0, 0.45, 0.6, 1.0])
def test_equal_thresholds_are_one_threshold(threshold):
    ours, theirs = PerClassThreshold([threshold] * 3), FixedThreshold(threshold)
    np.testing.assert_array_equal(ours.select(CONFIDENCE, 1), theirs.select(CONFIDENCE, 1))


def test_a_threshold_that_is_reached_is_enough():
    assert PerClassThreshold([0.5, 0.75]).select(np.array([[0.5, 0.2], [0.25, 0.75], [0.3, 0.7]]), 1).tolist() == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        (0.5, r"`thresholds` of PerClassThreshold must be a number for each class or a mapping .*; got 0\.5\."),
        ("0.5", r"`thresholds` of PerClassThreshold must be a number for each class or a mapping .*; got '0\.5'\."),
        ([0.5, 1.5], r"`thresholds` of PerClassThreshold must be a number in \[0, 1\]; got 1\.5\."),
        ([0.5, np.nan], r"`thresholds` of PerClassThreshold must be a number in \[0, 1\]; got nan\."),
        ([0.5, True], r"`thresholds` of PerClassThreshold must be a number in \[0, 1\]; got True\."),
        ({0: "high"}, r"`thresholds` of PerClassThreshold must be a number in \[0, 1\]; got 'high'\."),
        ({"yes": 0.5}, r"Keys of `thresholds` of PerClassThreshold must be class indices, .* from 0 up; got 'yes'\."),
        ({-1: 0.5}, r"Keys of `thresholds` of PerClassThreshold must be class indices, .* from 0 up; got -1\."),
    ],
)
def test_thresholds_that_are_none(thresholds, message):
    with pytest.raises(ValueError, match=message):
        PerClassThreshold(thresholds).check()


def test_otherwise_is_a_threshold():
    with pytest.raises(ValueError, match=r"`otherwise` of PerClassThreshold must be a number in \[0, 1\]; got 2\."):
        PerClassThreshold({}, otherwise=2).check()


def test_the_number_of_classes_has_to_fit():
    with pytest.raises(ValueError, match=r"must hold one number for each of 3 classes; got 2\."):
        PerClassThreshold([0.5, 0.5]).select(CONFIDENCE, 1)
    with pytest.raises(ValueError, match=r"must be below the number of classes, 3; got 3\."):
        PerClassThreshold({3: 0.5}).select(CONFIDENCE, 1)


def test_in_a_classifier():
    """Classes count in sorted order: here class 1 is 'rare', which is taken from 0.5 up, and 'often' only when sure."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(0, 1, (270, 2)), random.normal(1.5, 1, (30, 2))])
    y = np.array(["often"] * 270 + ["rare"] * 30, dtype=object)
    y[np.arange(300) % 4 != 0] = None
    model = CASTClassifier(
        LogisticRegression(), alpha=0.0, strategy=PerClassThreshold([0.95, 0.5]), validation=None, max_rounds=1
    ).fit(X, y)
    pseudo = model.pseudo_labels_
    rare = pseudo["label"] == "rare"
    assert pseudo["selected"][rare].all()
    assert rare.any()
    np.testing.assert_array_equal(pseudo["selected"][~rare], pseudo["confidence"][~rare] >= 0.95)


def test_classes_require_their_thresholds():
    assert PerClassThreshold([0.8, 0.5]).required_confidence(2).tolist() == [0.8, 0.5]
    assert PerClassThreshold({2: 0.9}, otherwise=0.4).required_confidence(3).tolist() == [0.4, 0.4, 0.9]
