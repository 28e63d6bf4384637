"""KernelDensity: bandwidths, missing values, and what must not change it. Its numbers are proven in tests/reference."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from tabcast.density import KernelDensity
from tabcast.table._columns import learn_columns

SAME = {"rtol": 1e-10, "atol": 1e-10}
RULES = ["reference", "normal_reference"]


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 80
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 90, size=n)),
            "city": rng.choice(np.array(["Rome", "Oslo", "Lima", None], dtype=object), size=n),
            "income": np.exp(rng.normal(8, 1, size=n)),
            "plan": rng.choice([0, 100, 7], size=n).astype(object),
        }
    )


class TestBandwidth:
    def test_reference(self):
        X = pd.DataFrame({"c": list("aabc") * 5, "x": np.arange(20.0), "y": np.arange(20.0) ** 2})
        density = KernelDensity().fit(X)
        expected = [2 / 3 * 20 ** (-2 / 6), 1.06 * X["x"].std(ddof=0) * 20 ** (-1 / 6)]
        expected.append(1.06 * X["y"].std(ddof=0) * 20 ** (-1 / 6))
        np.testing.assert_allclose(density.bandwidth_, expected, rtol=1e-12)

    def test_normal_reference(self):
        X = pd.DataFrame({"c": np.array([0] * 19 + [1], dtype=object), "x": np.arange(20.0), "y": np.arange(20.0) ** 2})
        density = KernelDensity("normal_reference").fit(X)
        expected = 1.06 * np.std(X.to_numpy(dtype=float), axis=0) * 20 ** (-1 / 7)
        np.testing.assert_allclose(density.bandwidth_, expected, rtol=1e-12)

    def test_normal_reference_is_cut_at_the_largest_valid_value(self):
        X = np.array([0, 100, 7] * 10, dtype=float)[:, None]
        assert KernelDensity("normal_reference").fit(X, [0]).bandwidth_ == pytest.approx([2 / 3])

    def test_given(self):
        X = pd.DataFrame({"c": ["a", "b"], "x": [0.0, 1.0]})
        density = KernelDensity([0.25, 2.0]).fit(X)
        assert density.bandwidth_.tolist() == [0.25, 2.0]
        gauss = np.exp([0.0, -1 / 8]) / (2 * np.sqrt(2 * np.pi))
        expected = np.log((0.75 * gauss[0] + 0.25 * gauss[1]) / 2)
        np.testing.assert_allclose(density.score_samples(X.iloc[:1]), [expected], rtol=1e-12)

    @pytest.mark.parametrize("rule", RULES)
    def test_no_spread_in_the_class_takes_the_spread_of_the_table_by_the_same_rule(self, rule):
        whole = pd.DataFrame({"x": [5.0] * 10 + [0.0] * 10, "y": np.arange(20.0), "c": ["a", "b"] * 10})
        encoded = learn_columns(whole).encode(whole)
        one_class = encoded.take(np.arange(10))
        n_dimensions = 2 if rule == "reference" else 3
        expected = 1.06 * 2.5 * 10 ** (-1 / (4 + n_dimensions))
        assert KernelDensity(rule).fit(one_class).bandwidth_[0] == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize(("constant", "bandwidth"), [(0.0, 1.0), (0.5, 1.0), (-3.0, 3.0), (1e6, 1e6)])
    def test_a_constant_is_as_wide_as_it_is_large(self, constant, bandwidth, rule):
        assert KernelDensity(rule).fit([[constant]] * 7).bandwidth_ == pytest.approx([bandwidth])

    def test_normal_reference_counts_missing_aside(self):
        X = pd.DataFrame({"c": pd.Series([0, 1, 1, 1, None] * 4, dtype=object)})
        expected = 1.06 * np.std([0, 1, 1, 1]) * 20 ** (-1 / 5)
        assert KernelDensity("normal_reference").fit(X).bandwidth_ == pytest.approx([min(expected, 2 / 3)])


class TestIsADensity:
    @pytest.mark.parametrize("rule", RULES)
    def test_one_number_integrates_to_one(self, rule):
        rng = np.random.default_rng(0)
        X = np.concatenate([rng.normal(size=60), rng.normal(8, 0.5, size=30)])
        grid = np.linspace(-15, 20, 20_001)
        density = KernelDensity(rule).fit(X[:, None]).score_samples(grid[:, None])
        assert trapezoid(np.exp(density), grid) == pytest.approx(1, abs=1e-3)

    @pytest.mark.parametrize("bandwidth", ["reference", "normal_reference", [0.4]])
    @pytest.mark.parametrize("levels", [["a", "b"], [0, 100, 7, None], [*range(100)]], ids=["2", "3 + missing", "100"])
    def test_levels_sum_to_one(self, levels, bandwidth):
        X = pd.DataFrame({"c": pd.Series(levels + levels[:2] * 3, dtype=object)})
        scores = KernelDensity(bandwidth).fit(X).score_samples(X.iloc[: len(levels)])
        assert np.exp(scores).sum() == pytest.approx(1, abs=1e-12)


class TestMissing:
    def test_missing_number_prefers_missing_rows(self):
        X = np.column_stack([[0.0, 1.0, 2.0, np.nan, np.nan, np.nan], [0, 0, 0, 9, 9, 9]])
        density = KernelDensity().fit(X)
        at_zero, at_nine = density.score_samples([[np.nan, 0.0], [np.nan, 9.0]])
        assert at_nine > at_zero
        at_zero, at_nine = density.score_samples([[1.0, 0.0], [1.0, 9.0]])
        assert at_zero > at_nine

    def test_missing_is_a_level(self):
        X = pd.DataFrame({"c": pd.Series(["a", None, None, None], dtype=object)})
        density = KernelDensity([0.3]).fit(X)
        asked = pd.DataFrame({"c": pd.Series([None, "a", "unseen"], dtype=object)})
        expected = [(3 * 0.7 + 0.3) / 4, (0.7 + 3 * 0.3) / 4, 0.3]
        np.testing.assert_allclose(np.exp(density.score_samples(asked)), expected, rtol=1e-12)

    def test_an_unseen_level_equals_none_even_when_fitted(self):
        # A table encoded with the columns of another one, as `fit` allows.
        columns = learn_columns(pd.DataFrame({"c": ["a", "b"]}))
        density = KernelDensity([0.2]).fit(columns.encode(pd.DataFrame({"c": ["a", "new", "new"]})))
        scores = density.score_samples(pd.DataFrame({"c": ["newer", "b", "a"]}))
        np.testing.assert_allclose(np.exp(scores), [0.2, 0.2, (0.8 + 2 * 0.2) / 3], rtol=1e-12)


class TestWhatMustNotMatter:
    def test_names_of_levels(self, table):
        renamed = table.assign(
            city=table["city"].map({"Rome": "1", "Oslo": "zz", "Lima": ""}),
            plan=table["plan"].map({0: "basic", 100: "a", 7: "plus"}).astype(object),
        )
        expected = KernelDensity().fit(table).score_samples(table)
        np.testing.assert_allclose(KernelDensity().fit(renamed).score_samples(renamed), expected, **SAME)

    @pytest.mark.parametrize("rule", RULES)
    def test_unit_of_a_number_only_shifts_the_log(self, table, rule):
        other = table.assign(income=table["income"] * 1024 + 1e6)
        expected = KernelDensity(rule).fit(table).score_samples(table) - np.log(1024)
        np.testing.assert_allclose(KernelDensity(rule).fit(other).score_samples(other), expected, rtol=0, atol=1e-7)

    def test_other_rows_of_the_same_call(self, table):
        density = KernelDensity().fit(table)
        strange = table.assign(city="Atlantis", age=np.nan, income=1e12)
        assert_same_alone(density, pd.concat([table, strange, table.assign(income=np.nan)]))

    @pytest.mark.parametrize("bandwidth", [1e-3, 1e-6])
    def test_other_rows_of_the_same_call_for_a_tight_cluster(self, bandwidth):
        # The cluster lies a million bandwidths from the mean; a missing value in another row must not change how.
        rng = np.random.default_rng(0)
        cluster = 1000 + bandwidth * rng.normal(size=(50, 1))
        density = KernelDensity([bandwidth]).fit(np.vstack([cluster, np.zeros((50, 1))]))
        alone = density.score_samples(cluster)
        with_missing = density.score_samples(np.vstack([cluster, [[np.nan]]]))[:-1]
        np.testing.assert_allclose(with_missing, alone, rtol=0, atol=1e-6)


def assert_same_alone(density: KernelDensity, queries: pd.DataFrame) -> None:
    one_by_one = [density.score_samples(queries.iloc[[i]])[0] for i in range(len(queries))]
    np.testing.assert_allclose(density.score_samples(queries), one_by_one, **SAME)


seeded = settings(derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
bandwidths = st.sampled_from([*RULES, [0.5, 1e-3, 2.0, 1.0, 0.3, 0.1]])
MODERATE = [0.0, 1.0, -1.0, 1e-300, -1e-300, 1e-8, 1e50, -1e50]
HUGE = [1e300, -1e300]
LARGEST = [np.finfo(float).max, np.finfo(float).min]


def any_table(draw: Any, numbers: list[float]) -> pd.DataFrame:
    """Numbers and levels with anything missing, a column without values, a constant, levels without any."""
    n_rows = draw(st.integers(1, 10))
    values = st.lists(st.sampled_from([*numbers, np.nan]), min_size=n_rows, max_size=n_rows)
    levels = st.lists(st.sampled_from(["a", "b", None]), min_size=n_rows, max_size=n_rows)
    return pd.DataFrame(
        {
            "x": draw(values),
            "y": draw(values),
            "empty": np.full(n_rows, np.nan),
            "constant": 3.0,
            "c": pd.Series(draw(levels), dtype=object),
            "no level": pd.Series([None] * n_rows, dtype=object),
        }
    )


def asked(X: pd.DataFrame) -> pd.DataFrame:
    """The rows, and rows with everything missing, unseen or far away."""
    extremes = [np.nan, np.inf, -np.inf, *MODERATE, *HUGE, *LARGEST]
    levels = [[None, "a", "never seen"][i % 3] for i in range(len(extremes))]
    extra = pd.DataFrame({name: extremes if X[name].dtype == float else levels for name in X})
    return pd.concat([X, extra.astype(X.dtypes.to_dict())], ignore_index=True)


class TestAlwaysFinite:
    @seeded
    @given(st.data(), bandwidths)
    def test_any_table(self, data, bandwidth):
        X = any_table(data.draw, MODERATE)
        assert np.isfinite(KernelDensity(bandwidth).fit(X).score_samples(asked(X))).all()

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("numbers", [HUGE, LARGEST], ids=["1e300", "the largest floats"])
    def test_huge_numbers_among_the_fitted_rows(self, numbers, rule):
        for values in ([*numbers, 0.0], [numbers[0], 1.0, 2.0, 3.0], [numbers[0]] * 3, [*numbers, np.nan, np.nan]):
            X = np.array(values)[:, None]
            scores = KernelDensity(rule).fit(X).score_samples(np.vstack([X, [[0.0], [np.nan], [5.0], [np.inf]]]))
            assert np.isfinite(scores).all(), values

    @pytest.mark.filterwarnings("error::RuntimeWarning")
    @pytest.mark.parametrize("rule", RULES)
    def test_no_warning_from_numpy(self, rule):
        X = pd.DataFrame(
            {
                "x": [0.0, 1e-160, 2e-160],
                "huge": [1e300, -1e300, 0.0],
                "empty": np.nan,
                "c": ["a", "b", None],
                "no level": pd.Series([None] * 3, dtype=object),
            }
        )
        for columns in (["x"], ["huge"], ["empty", "c"], ["no level"], list(X)):
            density = KernelDensity(rule).fit(X[columns])
            density.score_samples(X[columns])
            density.score_samples(X[columns].assign(**{columns[0]: [1e300, -1e300, np.nan]}))

    @pytest.mark.filterwarnings("error::RuntimeWarning")
    def test_no_warning_far_out(self):
        # Squares of 1e11 bandwidths, expanded, would miss by millions.
        X = np.random.default_rng(0).normal(size=(30, 1))
        scores = KernelDensity([1e-11]).fit(X).score_samples(np.vstack([X, X + 1e-11, [[1e300], [-np.inf]]]))
        peak = -np.log(30) - np.log(1e-11 * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(scores[:30], peak, rtol=0, atol=1e-3)
        np.testing.assert_allclose(scores[30:60], peak - 0.5, rtol=0, atol=1e-3)
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("unit", [1e-100, 1e290])
    def test_the_same_shape_in_any_unit(self, unit, rule):
        X = np.array([[1.0], [-1.0], [0.25], [0.0], [np.nan]])
        expected = KernelDensity(rule).fit(X).score_samples(X) - np.log(unit)
        np.testing.assert_allclose(KernelDensity(rule).fit(X * unit).score_samples(X * unit), expected, rtol=1e-10)

    @pytest.mark.parametrize("bandwidth", [1e-6, 1e-12])
    def test_missing_beside_narrow_bandwidths(self, bandwidth):
        rng = np.random.default_rng(0)
        X = np.append(rng.normal(size=30), np.nan)[:, None]
        scores = KernelDensity([bandwidth]).fit(X).score_samples(X)
        # Each value is alone within its bandwidth: one of 31 rows, at the peak of its kernel, and not missing.
        peak = np.log((1 - 0.5 * 31 ** (-2 / 5)) / 31) - np.log(bandwidth * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(scores[:-1], peak, rtol=0, atol=1e-3)

    def test_a_huge_number_does_not_hide_the_others(self):
        # With given bandwidths nothing about the near rows depends on the far one.
        near = np.linspace(0, 1, 20)[:, None]
        expected = KernelDensity([0.1]).fit(near).score_samples(near)
        scores = KernelDensity([0.1]).fit(np.vstack([near, [[1e9]]])).score_samples(near)
        np.testing.assert_allclose(scores, expected + np.log(20 / 21), rtol=0, atol=1e-6)


class TestErrors:
    @pytest.mark.parametrize("bandwidth", ["scott"])
    def test_unknown_rule(self, bandwidth):
        message = (
            "`bandwidth` of KernelDensity must be 'reference', 'normal_reference' or one positive number per column; "
            f"got {bandwidth!r}."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            KernelDensity(bandwidth).fit(np.eye(2))

    @pytest.mark.parametrize("bandwidth", [[1.0], [1.0, 0.0], [1.0, np.nan], 1.0, None, ["a", "b"]], ids=str)
    def test_numbers(self, bandwidth):
        message = (
            f"`bandwidth` of KernelDensity must hold one positive number for each of the 2 columns; got {bandwidth!r}."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            KernelDensity(bandwidth).fit(np.eye(2))

    def test_too_wide_for_the_levels(self):
        X = pd.DataFrame({"x": [0.0, 1.0, 2.0], "c": ["a", "b", "a"], "d": ["a", "b", "c"]})
        message = (
            "`bandwidth` of KernelDensity is at most (c - 1) / c for a categorical column with c levels: "
            f"{[1 / 2, 2 / 3]}; got [0.6, 0.6]."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            KernelDensity([5.0, 0.6, 0.6]).fit(X)
        assert KernelDensity([5.0, 0.5, 0.6]).fit(X).bandwidth_.tolist() == [5.0, 0.5, 0.6]
