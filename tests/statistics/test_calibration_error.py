"""Calibration errors and the reliability curve: by hand, at the edges of bins, and as scikit-learn's scorers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tabcast.statistics import expected_calibration_error, reliability_curve

FUNCTIONS = [reliability_curve, expected_calibration_error]


def draw_rows(n_rows, n_classes, seed=0):
    """Perfectly calibrated probabilities and classes drawn from them."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), size=n_rows)
    return (proba.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1), proba


class TestReliabilityCurve:
    def test_by_hand(self):
        proba = [[0.72, 0.28], [0.34, 0.66], [0.9, 0.1], [0.02, 0.98], [0.6, 0.4]]
        curve = reliability_curve([0, 0, 0, 1, 1], proba, n_bins=5)
        assert curve["count"].tolist() == [0, 0, 1, 2, 2]
        np.testing.assert_allclose(curve["confidence"], [np.nan, np.nan, 0.6, 0.69, 0.94])
        np.testing.assert_allclose(curve["accuracy"], [np.nan, np.nan, 0.0, 0.5, 1.0])
        np.testing.assert_allclose(curve["lower"], [0, 0.2, 0.4, 0.6, 0.8])
        np.testing.assert_allclose(curve["upper"], [0.2, 0.4, 0.6, 0.8, 1])

    @pytest.mark.parametrize("n_bins", [5, 10, 20])
    def test_a_bin_holds_its_upper_edge_and_not_its_lower(self, n_bins):
        edges = np.array([round(m / n_bins, 12) for m in range(n_bins // 2 + 1, n_bins + 1)])
        curve = reliability_curve(np.zeros(len(edges), dtype=int), np.column_stack([edges, 1 - edges]), n_bins=n_bins)
        assert curve["count"].tolist() == [0] * (n_bins - len(edges)) + [1] * len(edges)

    def test_equal_mass(self):
        y, proba = draw_rows(1000, 3)
        curve = reliability_curve(y, proba, binning="equal_mass", n_bins=8)
        assert curve["count"].tolist() == [125] * 8
        assert curve["lower"].iloc[0] == 0
        assert curve["upper"].iloc[-1] == 1
        assert curve["lower"].tolist()[1:] == curve["upper"].tolist()[:-1]

    def test_equal_mass_keeps_equal_confidences_together(self):
        second = np.array([0.9] * 8 + [0.6, 0.7])
        curve = reliability_curve([1] * 10, np.column_stack([1 - second, second]), binning="equal_mass", n_bins=5)
        assert curve["count"].sum() == 10
        assert curve["count"].max() == 8
        assert (curve["upper"] > curve["lower"]).all()
        everywhere = reliability_curve([1] * 4, [[0.0, 1.0]] * 4, binning="equal_mass")
        assert everywhere["count"].tolist() == [4]

    def test_interval_of_the_accuracy_equals_that_of_statsmodels(self):
        proportion = pytest.importorskip("statsmodels.stats.proportion", exc_type=ImportError)
        y, proba = draw_rows(60, 3)
        curve = reliability_curve(y, proba, n_bins=12).dropna()
        hits = (curve["accuracy"] * curve["count"]).round().to_numpy()
        low, high = proportion.proportion_confint(hits, curve["count"].to_numpy(), method="wilson")
        np.testing.assert_allclose(curve["accuracy_low"], low, atol=1e-12)
        np.testing.assert_allclose(curve["accuracy_high"], high, atol=1e-12)
        assert {0.0, 1.0} & set(curve["accuracy"])  # where other intervals shrink to nothing


class TestExpectedCalibrationError:
    def test_by_hand(self):
        proba = [[0.72, 0.28], [0.34, 0.66], [0.9, 0.1], [0.02, 0.98], [0.6, 0.4]]
        expected = (1 * 0.6 + 2 * (0.69 - 0.5) + 2 * (1 - 0.94)) / 5
        assert expected_calibration_error([0, 0, 0, 1, 1], proba, n_bins=5) == pytest.approx(expected)

    def test_certain_and_right_or_wrong(self):
        y = np.array([0, 1, 2, 1])
        assert expected_calibration_error(y, np.eye(3)[y]) == 0
        assert expected_calibration_error(y, np.eye(3)[(y + 1) % 3]) == 1

    @pytest.mark.parametrize("binning", ["equal_width", "equal_mass"])
    def test_is_small_for_true_probabilities_and_large_for_exaggerated_ones(self, binning):
        y, proba = draw_rows(20_000, 4)
        assert expected_calibration_error(y, proba, binning=binning) < 0.015
        exaggerated = proba**4 / (proba**4).sum(axis=1, keepdims=True)
        assert expected_calibration_error(y, exaggerated, binning=binning) > 0.06


class TestInput:
    def test_names_of_classes_in_any_order_and_container(self):
        y, proba = draw_rows(100, 3)
        names = np.array(["low", "middle", "high"])
        expected = expected_calibration_error(y, proba)
        for labels in (names[y], names[y].tolist(), pd.Series(names[y]), pd.Series(names[y]).astype("category")):
            assert expected_calibration_error(labels, proba, classes=names) == pytest.approx(expected)
        turned = expected_calibration_error(names[y], proba[:, ::-1], classes=names[::-1])
        assert turned == pytest.approx(expected)

    def test_one_column_is_the_second_class(self):
        y, proba = draw_rows(100, 2)
        assert expected_calibration_error(y, proba[:, 1]) == pytest.approx(expected_calibration_error(y, proba))

    def test_single_precision_may_exceed_one_by_its_rounding(self):
        assert expected_calibration_error([0], np.array([[1 + 1e-7, 0]])) == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("function", FUNCTIONS)
    @pytest.mark.parametrize(
        ("y", "proba", "options", "message"),
        [
            (
                [0],
                [[0.5, 0.5]],
                {"n_bins": 0},
                "`n_bins` of the reliability curve must be an integer of at least 1; got 0.",
            ),
            (
                [0],
                [[0.5, 0.5]],
                {"binning": "width"},
                "Unknown binning: 'width'. Choices: equal_width, equal_mass",
            ),
            ([], np.empty((0, 2)), {}, r"`proba` must have shape .* with at least one row; got \(0, 2\)."),
            ([0], [[[0.5, 0.5]]], {}, r"`proba` must have shape .*; got \(1, 1, 2\)."),
            ([0], [[0.5, 1.5]], {}, r"`proba` must hold numbers in \[0, 1\]; got 1.5."),
            ([0], [[0.5, np.nan]], {}, r"`proba` must hold numbers in \[0, 1\]; got nan."),
            ([0, 1], [[0.5, 0.5]], {}, r"`y` must hold one class for each of the 1 rows; got \(2,\)."),
            ([2], [[0.5, 0.5]], {}, r"`y` must hold only the classes \[0, 1\]; got 2. Pass `classes`"),
            (["no"], [[0.5, 0.5]], {}, r"`y` must hold only the classes \[0, 1\]; got 'no'. Pass `classes`"),
            (
                ["c"],
                [[0.5, 0.5]],
                {"classes": ["a", "b"]},
                r"`y` must hold only the classes \['a', 'b'\]; got 'c'.$",
            ),
            (
                ["a"],
                [[0.5, 0.5]],
                {"classes": ["a"]},
                "`classes` must name the 2 columns of `proba`; got 1 names.",
            ),
        ],
    )
    def test_errors(self, function, y, proba, options, message):
        with pytest.raises(ValueError, match=message):
            function(y, proba, **options)
