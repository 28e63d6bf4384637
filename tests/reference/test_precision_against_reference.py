"""The threshold of a filled table against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from tabcast.statistics import supported_threshold
from tests.reference.reference_precision import choose_threshold


@pytest.mark.parametrize("precision", ["4/5", "9/10", "19/20"])
@pytest.mark.parametrize("seed", range(8))
def test_the_same_threshold(precision, seed):
    random = np.random.default_rng(seed)
    n_rows, ties = int(random.integers(5, 160)), seed % 2
    confidence = random.beta(5, 1, n_rows)
    confidence = confidence.round(1) if ties else confidence
    right = random.random(n_rows) < 0.5 + confidence / 2
    thresholds = random.beta(5, 1, 20).round(2 if ties else 17)
    ours = supported_threshold(confidence, right, thresholds, float(Fraction(precision)), 0.9)
    slow = choose_threshold(confidence, right.tolist(), thresholds.tolist(), precision, "1/10")
    assert (None if ours is None else ours.threshold) == slow
