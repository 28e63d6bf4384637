"""TopK takes k rows more each round."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.pseudo_labels import TopK

CONFIDENCE = np.array([[0.7, 0.3], [0.1, 0.9], [0.4, 0.6], [0.95, 0.05], [0.2, 0.8]])


def test_k_more_each_round_until_all_are_taken():
    taken = [np.flatnonzero(TopK(2).select(CONFIDENCE, k)).tolist() for k in (1, 2, 3, 4)]
    assert taken == [[1, 3], [0, 1, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]
    assert TopK(2).n_rounds is None


def test_of_equally_confident_rows_the_first():
    assert np.flatnonzero(TopK(2).select(np.full((5, 2), 0.5), 1)).tolist() == [0, 1]
    tied = np.array([[0.5, 0.5], [0.9, 0.1], [0.1, 0.9], [0.9, 0.1]])
    assert np.flatnonzero(TopK(2).select(tied, 1)).tolist() == [1, 2]


def test_labeled_rows_stay_and_k_new_ones_come():
    pinned = CONFIDENCE.copy()
    pinned[[2, 0]] = [[0.0, np.inf], [np.inf, 0.0]]  # the two least confident ones were labeled in round 1
    assert np.flatnonzero(TopK(2).select(pinned, 2)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("k", [0, -1, 2.0, "3", None])
def test_k_that_counts_nothing(k):
    with pytest.raises(ValueError, match=rf"`k` of TopK must be an integer of at least 1; got {k!r}\."):
        TopK(k).check()


def test_no_rows():
    assert TopK().select(np.empty((0, 2)), 1).shape == (0,)
