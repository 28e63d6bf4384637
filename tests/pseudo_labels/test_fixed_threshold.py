"""FPL takes the rows that reach a threshold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tabcast.pseudo_labels import FixedThreshold

CONFIDENCE = np.array([[0.6, 0.4], [0.59, 0.41], [0.1, 0.9], [0.5, 0.5], [0.0, 1.0]])


def test_threshold_itself_is_enough_unless_strict():
    assert FixedThreshold(0.6).select(CONFIDENCE, 1).tolist() == [True, False, True, False, True]
    assert FixedThreshold(0.6, strict=True).select(CONFIDENCE, 1).tolist() == [False, False, True, False, True]


def test_ends_of_the_scale():
    assert FixedThreshold(0).select(CONFIDENCE, 1).all()
    assert FixedThreshold(1).select(CONFIDENCE, 1).tolist() == [False, False, False, False, True]
    assert not FixedThreshold(1, strict=True).select(CONFIDENCE, 1).any()


@pytest.mark.parametrize("strict", [True, False])
def test_round_does_not_matter_and_labeled_rows_stay(strict):
    pinned = np.vstack([CONFIDENCE, [0.0, np.inf]])
    strategy = FixedThreshold(1.0, strict=strict)
    for round_number in (1, 2, 50):
        assert strategy.select(pinned, round_number)[-1]
    np.testing.assert_array_equal(strategy.select(pinned, 1), strategy.select(pinned, 9))
    assert strategy.n_rounds is None


def test_lower_threshold_takes_more():
    confidence = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    taken = [FixedThreshold(tau).select(confidence, 1) for tau in (0.9, 0.7, 0.5, 0.34)]
    for fewer, more in pairwise(taken):
        assert (fewer <= more).all()
        assert fewer.sum() < more.sum()


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "0.6", None])
def test_threshold_that_is_none(threshold):
    with pytest.raises(
        ValueError, match=rf"`threshold` of FixedThreshold must be a number in \[0, 1\]; got {threshold!r}\."
    ):
        FixedThreshold(threshold).check()


def test_no_rows():
    assert FixedThreshold().select(np.empty((0, 2)), 1).shape == (0,)


def test_every_class_requires_the_threshold():
    assert FixedThreshold(0.7).required_confidence(3).tolist() == [0.7, 0.7, 0.7]
