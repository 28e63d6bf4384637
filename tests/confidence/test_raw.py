"""Raw leaves probabilities as they are."""

from __future__ import annotations

import numpy as np

from tabcast.confidence import Raw


def test_does_nothing():
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 20)
    raw = Raw().prepare(np.zeros((3, 1)), np.arange(3), np.zeros((20, 1)), n_classes=3)
    np.testing.assert_array_equal(raw.adjust(proba), proba)
    np.testing.assert_array_equal(raw.calibrate(proba, np.zeros(20, dtype=int)).adjust(proba), proba)
    assert raw.gamma is None
    assert not raw.needs_held_out
    assert not raw.knows_only_pool
