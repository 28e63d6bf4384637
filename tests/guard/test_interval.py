"""The interval of a gain: against a literal reference implementation, printed tables and scikit-learn's own example."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from tabcast.guard._verdict import find_word, labels_to_settle
from tabcast.statistics import corrected_interval
from tabcast.statistics._intervals import Interval
from tests.guard.reference_comparison import reference_interval, reference_student_quantile

# Printed tables of Student's distribution, one-sided 0.95.
PRINTED = {1: 6.314, 4: 2.132, 9: 1.833, 14: 1.761}


class TestInterval:
    @pytest.mark.parametrize("df", PRINTED)
    def test_the_reference_has_the_printed_quantiles(self, df):
        assert reference_student_quantile(0.95, df) == pytest.approx(PRINTED[df], abs=5e-4)

    @pytest.mark.parametrize("n_splits", [2, 5, 10])
    @pytest.mark.parametrize("level", [0.5, 0.9])
    @pytest.mark.parametrize("resolution", [0.0, 0.5])
    def test_equals_the_reference(self, n_splits, level, resolution):
        differences = np.random.default_rng(n_splits).normal(0.02, 0.1, n_splits)
        ours = corrected_interval(differences, 0.25, level, resolution=resolution)
        theirs = reference_interval(differences.tolist(), [10] * n_splits, [40] * n_splits, level, resolution)
        assert ours[:3] == pytest.approx(theirs, rel=1e-8)

    def test_by_hand(self):
        """Differences 0, 0.2: mean 0.1, variance 0.02; (1/2 + 1) * 0.02 = 0.03; half width 6.314 * 0.1732."""
        ours = corrected_interval([0.0, 0.2], 1.0)
        assert ours.high - ours.gain == pytest.approx(6.314 * 0.173205, rel=1e-4)

    def test_scikit_learns_example(self):
        """Its page on comparing models prints a corrected t of 0.750 and a p-value of 0.227 for two of them."""
        X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
        cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
        scores = {
            kernel: cross_val_score(SVC(kernel=kernel, random_state=0), X, y, scoring="roc_auc", cv=cv)
            for kernel in ("rbf", "linear")
        }
        ours = corrected_interval(scores["rbf"] - scores["linear"], 10 / 90)
        assert 1 - ours.confidence == pytest.approx(0.227, abs=5e-4)
        assert ours.gain / ((ours.high - ours.gain) / 1.6604) == pytest.approx(0.750, abs=5e-4)  # t of 99 degrees

    def test_equal_splits_are_not_certainty(self):
        """Splits of ten rows that agree: the variance is still that of one row in one of them."""
        sure = corrected_interval([0.1] * 4, 0.25)
        ours = corrected_interval([0.1] * 4, 0.25, resolution=0.1)
        assert sure.low == sure.high == 0.1
        assert ours.high - ours.gain == pytest.approx(2.3534 * np.sqrt(0.5) * 0.05, rel=1e-4)

    def test_nothing_differs_anywhere(self):
        assert corrected_interval([0.0, 0.0], 0.5) == Interval(0.0, 0.0, 0.0, 0.5)


class TestWord:
    @pytest.mark.parametrize(
        ("interval", "word"),
        [
            (Interval(0.05, 0.01, 0.09, 0.97), "helped"),
            (Interval(0.05, -0.01, 0.11, 0.90), "probably helped"),
            (Interval(0.05, -0.01, 0.11, 0.80), "probably helped"),
            (Interval(0.01, -0.05, 0.07, 0.79), "no difference seen"),
            (Interval(0.0, 0.0, 0.0, 0.5), "no difference seen"),
            (Interval(-0.05, -0.11, 0.01, 0.10), "no difference seen"),
            (Interval(-0.05, -0.09, -0.01, 0.03), "hurt"),
        ],
    )
    def test_of_an_interval(self, interval, word):
        assert find_word(interval) == word

    def test_nothing_above_chance_when_nothing_is_there(self):
        """Independent differences around 0: each of the strong words in about one of twenty."""
        random = np.random.default_rng(0)
        words = [find_word(corrected_interval(random.normal(0, 0.1, 10), 0.0)) for _ in range(4000)]
        assert words.count("helped") / 4000 == pytest.approx(0.05, abs=0.012)
        assert words.count("hurt") / 4000 == pytest.approx(0.05, abs=0.012)
        assert words.count("probably helped") / 4000 == pytest.approx(0.15, abs=0.02)


class TestMoreLabels:
    def test_half_the_width_needs_four_times_the_labels(self):
        """Half width 0.1, gain 0.05: 160 labels instead of 40."""
        assert labels_to_settle(Interval(0.05, -0.05, 0.15, 0.8), 40) == 120
        assert labels_to_settle(Interval(-0.05, -0.15, 0.05, 0.2), 40) == 120

    def test_two_digits_are_enough(self):
        assert labels_to_settle(Interval(0.05, -0.05, 0.15, 0.8), 411) == 1300  # 1233

    def test_settled(self):
        assert labels_to_settle(Interval(0.05, 0.01, 0.09, 0.97), 40) == 0
        assert labels_to_settle(Interval(-0.05, -0.09, -0.01, 0.03), 40) == 0

    @pytest.mark.parametrize("gain", [0.0, 0.03])
    def test_no_realistic_number(self, gain):
        """Half width 0.1: with a gain of 0.03 more than ten times the labels; without a gain no number."""
        assert labels_to_settle(Interval(gain, gain - 0.1, gain + 0.1, 0.6), 40) is None
