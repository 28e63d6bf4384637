"""Columns cut around gradient boosting: few values, the same predictions before and after, nothing else touched."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from tabcast import SoftSelfTrainingClassifier
from tabcast.models import AdaptedClassifier, _adapted
from tabcast.models._cut_columns import cut_column, cut_table, find_ends, nearest_code
from tests.reference.reference_cut_columns import reference_cut, reference_ends

COLUMNS = {
    "normal": lambda random: random.normal(size=600),
    "skewed": lambda random: np.exp(3 * random.normal(size=600)),
    "one heavy value": lambda random: np.where(random.random(600) < 0.4, 0.0, random.normal(size=600)),
    "whole numbers": lambda random: random.integers(0, 5000, 600).astype(float),
    "missing": lambda random: np.where(random.random(600) < 0.2, np.nan, random.normal(size=600)),
}


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
class TestColumn:
    def test_as_the_reference(self, make, random):
        values, weight = make(random), random.integers(0, 4, 600) / 4  # sums of these are exact
        assert cut_column(values, weight, 64) == pytest.approx(reference_cut(values, weight, 32), nan_ok=True)

    def test_few_values_and_quantiles_are_kept(self, make, random):
        values, weight = make(random), random.random(600)
        result = cut_column(values, weight, 64)
        known = ~np.isnan(values)
        assert len(np.unique(result[known])) <= 64
        assert set(result[known]) <= set(values[known])
        assert (np.isnan(result) == ~known).all()
        order = np.argsort(values[known])
        assert (np.diff(result[known][order]) >= 0).all()
        middle = np.median(result[known]), np.median(values[known])
        assert abs(np.subtract(*middle)) <= np.ptp(np.quantile(values[known], [0.45, 0.55]))

    def test_trees_predict_the_same_before_and_after(self, make, random):
        X = np.column_stack([make(random), make(random)])
        y = (np.nan_to_num(X).sum(axis=1) + random.normal(size=600) > 0).astype(int)
        weight = random.random(600) * (random.random(600) < 0.9)
        model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5)
        cut = cut_table(X, weight, model)
        assert not np.array_equal(cut, X, equal_nan=True)
        model.fit(cut, y, sample_weight=weight)
        assert np.array_equal(model.predict_proba(X), model.predict_proba(cut))


def test_ends_against_the_reference(random):
    values = random.integers(0, 40, 100).astype(float)
    weight = random.integers(1, 5, 100) / 4
    for n_bins in (1, 2, 7, 30, 100):
        assert find_ends(values, weight, n_bins).tolist() == reference_ends(values, weight, n_bins)


def test_codes_fit_in_a_byte(random):
    values = random.normal(size=5000)
    ends = find_ends(values, np.ones(5000), 127)
    codes = nearest_code(values, ends)
    assert codes.dtype == np.uint8
    assert len(ends) == 254
    assert np.bincount(codes).min() >= 1
    assert np.bincount(codes // 2).max() <= 5000 / 127 + 1  # bins of equal weight


@pytest.mark.parametrize(
    "values",
    [
        np.arange(600.0) % 255,
        np.append(np.arange(599.0), np.inf),
        np.append(np.arange(599.0), 1e305),
        1 + np.arange(600.0) * np.finfo(float).eps,
        np.full(600, np.nan),
    ],
    ids=["few values", "infinite", "huge", "neighboring floats", "empty"],
)
def test_a_column_that_stays(values):
    assert cut_column(values, np.ones(600), 255) is None


class TestTable:
    @pytest.fixture
    def frame(self, random):
        frame = pd.DataFrame(random.normal(size=(600, 2)), columns=["a", "b"], index=np.arange(600) + 7)
        return frame.assign(
            whole=random.integers(0, 9000, 600),
            nullable=pd.array(np.where(random.random(600) < 0.1, None, random.integers(0, 9000, 600)), "Int64"),
            level=pd.Categorical(random.choice(["x", "y"], 600)),
            single=random.normal(size=600).astype(np.float32),
        )

    def test_pandas(self, frame):
        before = frame.copy()
        cut = cut_table(frame, np.ones(600), HistGradientBoostingClassifier())
        assert (cut.nunique() == [254, 254, 254, 254, 2, 254]).all()
        pd.testing.assert_frame_equal(frame, before)
        assert cut.columns.equals(frame.columns)
        assert cut.index.equals(frame.index)
        assert (cut["nullable"].isna() == frame["nullable"].isna()).all()
        pd.testing.assert_series_equal(cut["level"], frame["level"])

    def test_arrays(self, frame):
        numbers = frame.drop(columns="level").astype(float)
        model = HistGradientBoostingClassifier()
        of_array = cut_table(numbers.to_numpy(), np.ones(600), model)
        assert np.array_equal(of_array, cut_table(numbers, np.ones(600), model), equal_nan=True)

    @pytest.mark.parametrize("given", [["a"], [0], [True] + [False] * 5])
    def test_what_the_user_calls_categorical_stays(self, frame, given):
        cut = cut_table(frame, np.ones(600), HistGradientBoostingClassifier(categorical_features=given))
        assert cut["a"].equals(frame["a"])
        assert cut["b"].nunique() == 254

    def test_few_bins_few_values(self, frame):
        cut = cut_table(frame[["a"]], np.ones(600), HistGradientBoostingClassifier(max_bins=31))
        assert cut["a"].nunique() == 30


class TestFit:
    X = np.random.default_rng(1).normal(size=(400, 3))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    weight = np.random.default_rng(2).random(400)

    @pytest.fixture
    def seen(self, monkeypatch):
        seen = []
        monkeypatch.setattr(_adapted, "IS_SLOW", True)
        monkeypatch.setattr(_adapted, "cut_table", lambda X, weight, model: seen.append(type(model)) or X)
        return seen

    def test_only_gradient_boosting_with_weights(self, seen):
        _adapted._fit(HistGradientBoostingClassifier(max_iter=1), self.X, self.y, {})
        _adapted._fit(LogisticRegression(), self.X, self.y, {"sample_weight": self.weight})
        assert not seen
        _adapted._fit(HistGradientBoostingClassifier(max_iter=1), self.X, self.y, {"sample_weight": self.weight})
        assert seen == [HistGradientBoostingClassifier]

    def test_not_in_other_releases(self, seen, monkeypatch):
        monkeypatch.setattr(_adapted, "IS_SLOW", False)
        _adapted._fit(HistGradientBoostingClassifier(max_iter=1), self.X, self.y, {"sample_weight": self.weight})
        assert not seen

    def test_adapted_and_soft_use_it(self, seen):
        boosting = HistGradientBoostingClassifier(max_iter=2)
        AdaptedClassifier(boosting).fit(self.X, self.y, sample_weight=self.weight)
        assert len(seen) == 1
        y = np.where(np.arange(400) % 5 == 0, self.y, -1)
        SoftSelfTrainingClassifier(boosting, teacher="self", random_state=0).fit(self.X, y)
        assert len(seen) == 2  # the student; the supervised model has no weights
