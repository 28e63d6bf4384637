"""HistogramBinning: its bins, its edges, and rows that no bin knows. Its numbers are proven in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest

from tabcast.confidence import HistogramBinning


def test_a_bin_gives_the_share_of_its_held_out_rows():
    second = np.array([0.12, 0.15, 0.18, 0.95, 0.99])
    part = HistogramBinning().calibrate(np.column_stack([1 - second, second]), np.array([0, 0, 1, 1, 1]))
    adjusted = part.adjust(np.array([[0.81, 0.19], [0.05, 0.95]]))
    np.testing.assert_allclose(adjusted, [[2 / 3, 1 / 3], [0, 1]], rtol=1e-12)


def test_a_bin_without_held_out_rows_gives_its_middle():
    part = HistogramBinning(n_bins=5).calibrate(np.array([[0.9, 0.1]]), np.array([0]))
    np.testing.assert_allclose(part.adjust(np.array([[0.45, 0.55]])), [[0.5, 0.5]], rtol=1e-12)
    np.testing.assert_allclose(part.adjust(np.array([[0.3, 0.7]])), [[0.3, 0.7]], rtol=1e-12)


def test_the_upper_edge_belongs_to_a_bin_and_the_lower_does_not():
    quarters = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    proba = np.column_stack([1 - quarters, quarters])
    part = HistogramBinning(n_bins=4).calibrate(proba, np.array([1, 1, 0, 1, 0]))
    np.testing.assert_allclose(part.adjust(proba)[:, 1], [1, 1, 0, 1, 0], rtol=1e-12)
    just_above = np.nextafter(quarters[:4], 1)
    np.testing.assert_allclose(part.adjust(np.column_stack([1 - just_above, just_above]))[:, 1], [1, 0, 1, 0])


def test_three_classes_are_divided_by_their_sum():
    proba = np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.3, 0.1, 0.6], [0.1, 0.6, 0.3]])
    part = HistogramBinning(n_bins=2).calibrate(proba, np.array([0, 1, 2, 1]))
    # Above one half: class 0 in one of two, class 1 in one of one, class 2 in one of one. Below: 0, 1 of 3, 0.
    np.testing.assert_allclose(part.shares_, [[0, 1 / 2], [1 / 3, 1], [0, 1]], rtol=1e-12)
    adjusted = part.adjust(np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]]))
    np.testing.assert_allclose(adjusted, [[0.6, 0.4, 0], [0, 1, 0]], rtol=1e-12)


def test_a_row_that_no_class_claims_keeps_its_probabilities():
    # Probabilities in (0.25, 0.5] were wrong for every class: a row with three of them has no class left.
    proba = np.array([[0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [0.2, 0.4, 0.4]])
    part = HistogramBinning(n_bins=4).calibrate(proba, np.array([2, 1, 0]))
    row = np.array([[0.34, 0.35, 0.31]])
    np.testing.assert_allclose(part.adjust(row), row, rtol=1e-12)
    np.testing.assert_allclose(part.adjust(proba[:1]), [[0, 0, 1]], rtol=1e-12)


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, "10"])
def test_number_of_bins(n_bins):
    with pytest.raises(ValueError, match=r"`n_bins` of HistogramBinning must be an integer of at least 1; got"):
        HistogramBinning(n_bins).calibrate(np.array([[0.5, 0.5]]), np.array([0]))


def test_the_number_of_bins_changes_the_result():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), size=200)
    y = rng.integers(3, size=200)
    few, many = (HistogramBinning(n).calibrate(proba, y).adjust(proba) for n in (2, 20))
    assert len(np.unique(few[:, 0])) < len(np.unique(many[:, 0]))
