"""The densities equal their reference implementations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tabcast.density import ClassConditional, EmpiricalLikelihood, KernelDensity
from tabcast.table._columns import equal_width_bins

from .reference_density import (
    ReferenceClassConditional,
    ReferenceEmpiricalLikelihood,
    ReferenceKernelDensity,
    find_bin,
)

# Counting is exact, so only the sum over columns may round; a kernel sum rounds in every term.
COUNTED = {"rtol": 1e-12, "atol": 1e-12}
SUMMED = {"rtol": 1e-10, "atol": 1e-10}

seeded = settings(
    derandomize=True,
    deadline=None,
    max_examples=50,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

tenths = st.integers(-100, 100).map(lambda k: k / 10)  # often lie on bin edges
numbers = st.one_of(tenths, st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
words = st.sampled_from(["red", "green", "blue", "Amber", ""])
codes = st.sampled_from([0, 100, 7, -3])


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[float] = numbers, max_rows: int = 25) -> tuple[Any, Any, Any]:
    """Rows, queries and which columns are categorical; queries may be missing, outside or unseen anywhere."""
    kinds = draw(st.lists(st.sampled_from(["number", "constant", "word", "code"]), min_size=1, max_size=4))
    cells, asked = [], []
    for kind in kinds:
        cell = {"number": values, "constant": st.just(draw(values)), "word": words, "code": codes}[kind]
        others = {"word": st.just("never seen"), "code": st.just(55)}.get(kind, values)
        cells.append(st.one_of(cell, st.none()) if draw(st.booleans()) else cell)
        asked.append(st.one_of(cell, others, st.none()))
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=max_rows))
    queries = draw(st.lists(st.tuples(*asked), min_size=1, max_size=6)) + rows[:3]
    return rows, queries, [kind in ("word", "code") for kind in kinds]


def frame(rows: list[Any], is_categorical: list[bool]) -> pd.DataFrame:
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            f"column {j}": pd.Series(list(column), dtype=object if is_categorical[j] else float)
            for j, column in enumerate(columns)
        }
    )


def assert_same(fast: Any, slow: Any, table: Any, tolerance: dict[str, float]) -> None:
    rows, queries, is_categorical = table
    got = fast.fit(frame(rows, is_categorical)).score_samples(frame(queries, is_categorical))
    np.testing.assert_allclose(got, slow.fit(rows, is_categorical).score_samples(queries), **tolerance)


class TestEmpiricalLikelihood:
    @seeded
    @given(tables(), st.integers(1, 12), st.sampled_from([0, 0.1, 1.0, 2.5]))
    def test_any_table(self, table, n_bins, smoothing):
        fast = EmpiricalLikelihood(n_bins, smoothing=smoothing)
        assert_same(fast, ReferenceEmpiricalLikelihood(n_bins, smoothing), table, COUNTED)

    @pytest.mark.parametrize("seed", range(3))
    def test_round_numbers_beside_a_constant(self, seed):
        # Numbers with one decimal lie on the edges; other columns must not move them.
        rng = np.random.default_rng(seed)
        rows = [(value, 5.0, None) for value in (rng.integers(0, 11, size=100) / 10).tolist()]
        kinds = [False, False, False]
        assert_same(EmpiricalLikelihood(), ReferenceEmpiricalLikelihood(), (rows, rows[:30], kinds), COUNTED)

    def test_many_rows(self):
        # More rows than one block of the fast code.
        rng = np.random.default_rng(0)
        numbers, levels = rng.normal(size=20_000), rng.integers(0, 5, size=20_000)
        rows = list(zip(numbers.tolist(), levels.tolist(), strict=True))
        fast = EmpiricalLikelihood().fit(frame(rows, [False, True]))
        slow = ReferenceEmpiricalLikelihood().fit(rows, [False, True])
        asked = [0, 16_383, 16_384, 19_999]
        got = fast.score_samples(frame(rows, [False, True]))[asked]
        np.testing.assert_allclose(got, slow.score_samples([rows[i] for i in asked]), **COUNTED)

    @seeded
    @given(st.lists(tenths, min_size=1, max_size=20), st.lists(tenths, min_size=1, max_size=10), st.integers(1, 20))
    def test_bins_follow_the_edges(self, values, asked, n_bins):
        edges = np.linspace(min(values), max(values), n_bins + 1)
        expected = [find_bin(value, edges) for value in asked]
        column = np.array(asked)[:, None]
        got = equal_width_bins(column, np.array([min(values)]), np.array([max(values)]), n_bins)
        assert got[:, 0].tolist() == [n_bins + 1 if b is None else b for b in expected]


class TestKernelDensity:
    @seeded
    @given(tables(), st.sampled_from(["reference", "normal_reference"]))
    def test_any_table(self, table, bandwidth):
        assert_same(KernelDensity(bandwidth), ReferenceKernelDensity(bandwidth), table, SUMMED)

    @seeded
    @given(tables(tenths), st.data())
    def test_given_bandwidths(self, table, data):
        # A half is the widest bandwidth that is valid for any number of levels.
        bandwidth = [data.draw(st.floats(0.01, 0.5) if categorical else st.floats(0.5, 50)) for categorical in table[2]]
        assert_same(KernelDensity(bandwidth), ReferenceKernelDensity(bandwidth), table, SUMMED)

    def test_many_levels_missing_and_unseen(self):
        # More levels than the fast code multiplies as one-hot columns, beside a column with few.
        rng = np.random.default_rng(1)
        rows = [(int(a), "uv"[b], float(x)) for a, b, x in zip(*mixed(rng, 300), strict=True)]
        rows += [(None, "u", 0.5), (3, None, None)]
        queries = [*rows[:10], *rows[-2:], (10**6, "u", 0.1), (None, "w", None), (5, "v", 40.0)]
        kinds = [True, True, False]
        for bandwidth in ([0.3, 0.2, 0.5], "reference", "normal_reference"):
            assert_same(KernelDensity(bandwidth), ReferenceKernelDensity(bandwidth), (rows, queries, kinds), SUMMED)

    def test_more_rows_than_a_block(self):
        rng = np.random.default_rng(2)
        rows = [(int(a), "uv"[b], float(x)) for a, b, x in zip(*mixed(rng, 4500), strict=True)]
        kinds = [True, True, False]
        fast, slow = KernelDensity().fit(frame(rows, kinds)), ReferenceKernelDensity().fit(rows, kinds)
        asked = [0, 255, 256, 700, 4096, 4499]
        got = fast.score_samples(frame(rows, kinds))[asked]
        np.testing.assert_allclose(got, slow.score_samples([rows[i] for i in asked]), **SUMMED)

    def test_nothing_near(self):
        # Every term underflows: only the largest ones in the log domain are left.
        rows, kinds = [(0.0, "a"), (1.0, "b"), (1.5, "b")], [False, True]
        queries = [(1e3, "a"), (-1e5, "b"), (1e8, "zzz"), (1e60, None)]
        fast = KernelDensity([1.0, 0.1]).fit(frame(rows, kinds)).score_samples(frame(queries, kinds))
        slow = ReferenceKernelDensity([1.0, 0.1]).fit(rows, kinds).score_samples(queries)
        np.testing.assert_allclose(fast, slow, rtol=1e-12)

    @pytest.mark.parametrize("missing_in", ["nowhere", "fitted rows", "queries", "both"])
    @pytest.mark.parametrize("bandwidth", [1.0, 1e-2, 1e-5])
    def test_rows_far_from_the_center(self, bandwidth, missing_in):
        # A tight cluster, up to 50,000,000 bandwidths from the mean of the table.
        rng = np.random.default_rng(3)
        rows = [(float(x),) for x in rng.normal(1000, 2 * bandwidth, size=40)] + [(0.0,)] * 40
        queries = [(float(x),) for x in rng.normal(1000, 2 * bandwidth, size=10)]
        rows += [(None,)] if missing_in in ("fitted rows", "both") else []
        queries += [(None,)] if missing_in in ("queries", "both") else []
        fast = KernelDensity([bandwidth]).fit(frame(rows, [False])).score_samples(frame(queries, [False]))
        slow = ReferenceKernelDensity([bandwidth]).fit(rows, [False]).score_samples(queries)
        # A float that many bandwidths out is known to `distance` * 2e-16 bandwidths, which count z times.
        distance = 500 / bandwidth
        np.testing.assert_allclose(fast, slow, rtol=0, atol=max(1e-10, distance * 1e-14))


def mixed(rng: np.random.Generator, n_rows: int) -> tuple[Any, Any, Any]:
    """130 levels, two levels and numbers that depend on them."""
    two = rng.integers(0, 2, size=n_rows)
    return rng.integers(0, 130, size=n_rows), two, rng.normal(loc=two, size=n_rows)


PAIRS = {
    "likelihood": (EmpiricalLikelihood(n_bins=4), lambda: ReferenceEmpiricalLikelihood(4), COUNTED),
    "likelihood, no smoothing": (
        EmpiricalLikelihood(smoothing=0),
        lambda: ReferenceEmpiricalLikelihood(10, 0),
        COUNTED,
    ),
    "kernel": (KernelDensity(), ReferenceKernelDensity, SUMMED),
    "kernel, statsmodels' rule": (
        KernelDensity("normal_reference"),
        lambda: ReferenceKernelDensity("normal_reference"),
        SUMMED,
    ),
}


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
@pytest.mark.parametrize("pair", PAIRS)
class TestClassConditional:
    @settings(seeded, max_examples=25)
    @given(data=st.data())
    def test_any_table(self, pair, data):
        density, make_reference, tolerance = PAIRS[pair]
        rows, queries, is_categorical = data.draw(tables(tenths))
        y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
        classes = data.draw(st.sampled_from([None, ["c", "a", "b"]]))
        min_samples = data.draw(st.integers(1, 6))
        fast = ClassConditional(density, min_samples=min_samples)
        fast.fit(frame(rows, is_categorical), y, classes=classes)
        slow = ReferenceClassConditional(make_reference, min_samples).fit(rows, y, is_categorical, classes)
        assert fast.classes_.tolist() == slow.classes
        got = fast.score_samples(frame(queries, is_categorical))
        np.testing.assert_allclose(got, slow.score_samples(queries), **tolerance)
