"""Naive self-training takes every row."""

from __future__ import annotations

import numpy as np

from tabcast.pseudo_labels import TakeAll


def test_every_row_every_round():
    confidence = np.array([[0.5, 0.5], [0.0, 0.0], [np.inf, 0.0]])
    for round_number in (1, 2, 100):
        chosen = TakeAll().select(confidence, round_number)
        assert chosen.dtype == bool
        assert chosen.tolist() == [True, True, True]
    assert TakeAll().n_rounds is None
    assert TakeAll().select(np.empty((0, 2)), 1).shape == (0,)
    TakeAll().check()
