"""EmpiricalLikelihood: counts, cells, and what must not change them. Its numbers are proven in tests/reference."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabcast.density import EmpiricalLikelihood

SAME = {"rtol": 1e-12, "atol": 1e-12}
HUGE = [1e300, -1e300, 1e-300, -1e-300]
LARGEST = [np.finfo(float).max, np.finfo(float).min]


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


def log_share(count: float, n_rows: int, n_cells: int, smoothing: float = 1.0) -> float:
    return float(np.log((count + smoothing) / (n_rows + smoothing * n_cells)))


class TestCells:
    def test_paper_log_likelihood_is_the_sum_over_columns(self, table):
        by_column = [EmpiricalLikelihood().fit(table[[name]]).score_samples(table[[name]]) for name in table]
        np.testing.assert_allclose(
            EmpiricalLikelihood().fit(table).score_samples(table), np.sum(by_column, axis=0), **SAME
        )

    def test_a_bin_holds_its_lower_edge_and_the_last_one_both(self):
        density = EmpiricalLikelihood(n_bins=2).fit([[0.0], [1.0], [2.0]])
        expected = [log_share(1, 3, 2), log_share(2, 3, 2), log_share(2, 3, 2)]
        np.testing.assert_allclose(density.score_samples([[0.0], [1.0], [2.0]]), expected, **SAME)

    def test_missing_is_a_cell_where_it_was_seen(self):
        density = EmpiricalLikelihood(n_bins=2).fit([[0.0], [1.0], [np.nan]])
        expected = [log_share(1, 3, 3), log_share(1, 3, 3), log_share(0, 3, 3)]
        np.testing.assert_allclose(density.score_samples([[np.nan], [0.0], [7.0]]), expected, **SAME)

    def test_outside_and_unseen_are_empty_cells(self):
        X = pd.DataFrame({"x": [0.0, 1.0, 1.0], "c": ["a", "b", "b"]})
        density = EmpiricalLikelihood(n_bins=4).fit(X)
        queries = pd.DataFrame({"x": [-0.001, 1.001, np.inf, -np.inf], "c": ["A", "", "c", "b "]})
        expected = log_share(0, 3, 4) + log_share(0, 3, 2)
        np.testing.assert_allclose(density.score_samples(queries), [expected] * 4, **SAME)

    def test_without_smoothing_an_empty_cell_is_half_a_row(self):
        X = pd.DataFrame({"c": ["a", "b", "b", "b"]})
        scores = EmpiricalLikelihood(smoothing=0).fit(X).score_samples(pd.DataFrame({"c": ["a", "b", "zzz", None]}))
        np.testing.assert_allclose(np.exp(scores), [1 / 4, 3 / 4, 1 / 8, 1 / 8], **SAME)

    @pytest.mark.parametrize("smoothing", [0.01, 50.0])
    def test_the_cells_of_a_column_sum_to_one(self, smoothing):
        X = [[0.0], [0.3], [1.0], [np.nan]]
        density = EmpiricalLikelihood(n_bins=5, smoothing=smoothing).fit(X)
        one_per_cell = [[0.1], [0.3], [0.5], [0.7], [0.9], [np.nan]]
        assert np.exp(density.score_samples(one_per_cell)).sum() == pytest.approx(1, abs=1e-12)

    def test_a_constant_column_tells_its_value_from_others(self):
        density = EmpiricalLikelihood(n_bins=4).fit([[3.0]] * 5)
        expected = [log_share(5, 5, 4), log_share(0, 5, 4)]
        np.testing.assert_allclose(density.score_samples([[3.0], [3.1]]), expected, **SAME)


class TestWhatMustNotMatter:
    def test_names_of_levels(self, table):
        renamed = table.assign(
            city=table["city"].map({"Rome": "1", "Oslo": "zz", "Lima": ""}),
            plan=table["plan"].map({0: "basic", 100: "a", 7: "plus"}).astype(object),
        )
        expected = EmpiricalLikelihood().fit(table).score_samples(table)
        np.testing.assert_allclose(EmpiricalLikelihood().fit(renamed).score_samples(renamed), expected, **SAME)

    def test_unit_of_a_number(self, table):
        other = table.assign(age=table["age"] * 12, income=table["income"] / 64 - 3)
        expected = EmpiricalLikelihood().fit(table).score_samples(table)
        np.testing.assert_allclose(EmpiricalLikelihood().fit(other).score_samples(other), expected, **SAME)

    def test_a_constant_column_does_not_move_the_bins_of_others(self):
        # 0.3 is below the fourth edge of linspace(0, 1, 11), 0.30000000000000004, whatever stands beside it.
        X = np.array([[0.0], [0.3], [0.29], [1.0]])
        with_constant = np.column_stack([X, np.full(4, 5.0)])
        alone = EmpiricalLikelihood().fit(X).score_samples(X)
        beside = EmpiricalLikelihood().fit(with_constant).score_samples(with_constant)
        np.testing.assert_allclose(beside - log_share(4, 4, 10), alone, **SAME)


seeded = settings(derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def any_table(draw: Any, numbers: Any, min_rows: int) -> pd.DataFrame:
    n_rows = draw(st.integers(min_rows, 12))
    values = st.one_of(numbers, st.just(np.nan))
    return pd.DataFrame(
        {
            "x": draw(st.lists(values, min_size=n_rows, max_size=n_rows)),
            "y": draw(st.lists(values, min_size=n_rows, max_size=n_rows)),
            "empty": np.nan,
            "constant": 3.0,
            "c": pd.Series(
                draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n_rows, max_size=n_rows)), dtype=object
            ),
            "no level": pd.Series([None] * n_rows, dtype=object),
        },
        index=range(n_rows),
    )


def asked(X: pd.DataFrame) -> pd.DataFrame:
    """The rows, and rows with everything missing, unseen or far away."""
    extremes = [np.nan, 0.0, 3.0, np.inf, -np.inf, *HUGE, *LARGEST]
    extra = {name: extremes for name in ("x", "y", "empty", "constant")}
    levels = [None, "a", "never seen"]
    extra |= {name: [levels[i % 3] for i in range(len(extremes))] for name in ("c", "no level")}
    return pd.concat([X, pd.DataFrame(extra).astype(X.dtypes.to_dict())], ignore_index=True)


class TestAlwaysFinite:
    @seeded
    @given(st.data(), st.sampled_from([0, 0.3, 1.0]), st.integers(1, 15))
    def test_any_table(self, data, smoothing, n_bins):
        X = any_table(data.draw, st.one_of(st.sampled_from([0.0, 1.0, *HUGE]), st.floats(-1e300, 1e300)), 1)
        scores = EmpiricalLikelihood(n_bins, smoothing=smoothing).fit(X).score_samples(asked(X))
        assert np.isfinite(scores).all()
        assert (scores <= 0).all()

    def test_the_largest_numbers(self):
        X = [[value] for value in [*LARGEST, 0.0]]
        scores = EmpiricalLikelihood().fit(X).score_samples(X)
        np.testing.assert_allclose(scores, [log_share(1, 3, 10)] * 3, **SAME)


class TestErrors:
    @pytest.mark.parametrize("n_bins", [0, 2.5])
    def test_n_bins(self, n_bins):
        message = f"`n_bins` of EmpiricalLikelihood must be an integer of at least 1; got {n_bins!r}."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            EmpiricalLikelihood(n_bins).fit([[0.0], [1.0]])

    @pytest.mark.parametrize("smoothing", [-1.0, np.nan])
    def test_smoothing(self, smoothing):
        message = f"`smoothing` of EmpiricalLikelihood must be a number of at least 0; got {smoothing!r}."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            EmpiricalLikelihood(smoothing=smoothing).fit([[0.0], [1.0]])

    def test_no_rows(self):
        with pytest.raises(ValueError, match=r"^EmpiricalLikelihood needs at least one row; X has none\.$"):
            EmpiricalLikelihood().fit(np.empty((0, 2)))
