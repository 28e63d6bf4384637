"""CPL takes a growing share of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.pseudo_labels import Curriculum


def spread(n_rows: int, seed: int = 0) -> np.ndarray:
    """Confidences that all differ."""
    best = np.random.default_rng(seed).permutation(np.linspace(0.5, 1, n_rows))
    return np.column_stack([best, 1 - best])


@pytest.mark.parametrize(
    ("step", "shares"),
    [
        (0.2, [0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.3, [0.3, 0.6, 0.9, 1.0]),
        (1.0, [1.0]),
        (1 / 3, [1 / 3, 2 / 3, 1.0]),
        (0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
    ],
)
def test_schedule(step, shares):
    confidence = spread(90)
    strategy = Curriculum(step)
    assert strategy.n_rounds == len(shares)
    order = np.argsort(-confidence.max(axis=1))
    for round_number, share in enumerate(shares, start=1):
        chosen = strategy.select(confidence, round_number)
        assert chosen.sum() == round(share * 90)  # no row more because 0.1 + 0.2 is not 0.3
        assert chosen[order[: chosen.sum()]].all()  # the most confident ones


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 11])
def test_a_share_of_a_row_is_a_row(n_rows):
    counts = [Curriculum(0.2).select(spread(n_rows), k).sum() for k in range(1, 6)]
    assert counts == [int(np.ceil(n_rows * k / 5)) for k in range(1, 6)]


def test_counting_and_quantile_differ_by_at_most_one_row():
    """The rule of the docstring: ceil(share * n) rows; a quantile interpolates and may leave out the last of them."""
    fewer = set()
    for n_rows in range(5, 60):
        confidence = spread(n_rows)
        best = confidence.max(axis=1)
        for k, share in enumerate((0.2, 0.4, 0.6, 0.8, 1.0), start=1):
            counted = Curriculum(0.2).select(confidence, k).sum()
            assert counted == -(-round(10 * share) * n_rows // 10)
            fewer.add(int(counted - (best >= np.quantile(best, 1 - share)).sum()))
    assert fewer == {0, 1}


def test_a_quantile_may_leave_out_a_whole_group_of_equal_rows():
    best = np.array([0.99, 0.98, 0.97, 0.96, 0.95, *[0.7] * 3, *[0.6] * 5])
    counted = Curriculum(0.2).select(np.column_stack([best, 1 - best]), 2)
    assert counted.sum() == 8  # ceil(0.4 * 13) = 6 rows, and those that equal the sixth
    assert (best >= np.quantile(best, 0.6)).sum() == 5  # the quantile lies between 0.7 and 0.95


def test_rounds_beyond_the_schedule_take_all():
    assert Curriculum(0.5).select(spread(10), 7).all()


def test_equal_confidence_is_taken_together():
    confidence = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.8, 0.2], [0.6, 0.4]])
    assert Curriculum(0.2).select(confidence, 1).tolist() == [True, False, False, False, False]
    assert Curriculum(0.2).select(confidence, 2).tolist() == [True, True, True, True, False]
    assert Curriculum(0.2).select(np.full((10, 2), 0.5), 1).all()


def test_labeled_rows_stay_and_count():
    confidence = spread(10)
    worst = confidence.max(axis=1).argsort()[:3]
    confidence[worst] = [0.0, np.inf]
    assert np.flatnonzero(Curriculum(0.2).select(confidence, 1)).tolist() == sorted(worst)  # three of two: all three
    chosen = Curriculum(0.2).select(confidence, 2)
    assert chosen.sum() == 4
    assert chosen[worst].all()


def test_order_of_rows_does_not_matter():
    confidence = np.round(spread(50), 1)
    order = np.random.default_rng(1).permutation(50)
    for k in range(1, 6):
        np.testing.assert_array_equal(
            Curriculum().select(confidence[order], k), Curriculum().select(confidence, k)[order]
        )


@pytest.mark.parametrize("step", [0, -0.2, 1.2, np.nan, "0.2", None])
def test_step_that_is_none(step):
    with pytest.raises(ValueError, match=rf"`step` of Curriculum must be a number in \(0, 1\]; got {step!r}\."):
        Curriculum(step).check()


def test_no_rows():
    assert Curriculum().select(np.empty((0, 2)), 1).shape == (0,)


def test_no_confidence_is_too_low_for_the_last_round():
    assert Curriculum().required_confidence(2) is None
