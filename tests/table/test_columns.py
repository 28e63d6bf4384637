"""Columns: what is continuous, what is categorical, and that every kind of table means the same to a density."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.density import EmpiricalLikelihood, KernelDensity
from tabcast.table import (
    MISSING,
    UNSEEN,
    bin_edges,
    column_names,
    equal_width_bins,
    find_categorical,
    learn_and_encode,
    learn_columns,
)
from tests.conftest import needs

SAME = {"rtol": 1e-12, "atol": 1e-12}


def plain_table() -> pd.DataFrame:
    """A number with gaps, a whole number with gaps, text with gaps, a boolean with gaps."""
    rng = np.random.default_rng(0)
    n = 60

    def gaps(values: Any, dtype: Any) -> pd.Series[Any]:
        return pd.Series(values, dtype=dtype).mask(rng.random(n) < 0.15)

    return pd.DataFrame(
        {
            "amount": gaps(rng.normal(size=n), float),
            "age": gaps(rng.integers(18, 90, size=n), float),
            "city": gaps(rng.choice(["Rome", "Oslo", "Lima"], size=n), object),
            "member": gaps(rng.choice([True, False], size=n), object),
        }
    )


def queries() -> pd.DataFrame:
    """Rows of the table and one unseen city."""
    asked = plain_table().iloc[:20].copy()
    asked.loc[3, "city"] = "Atlantis"
    return asked


def as_category(X: pd.DataFrame) -> pd.DataFrame:
    return X.astype({"city": "category", "member": "category"})


def with_unused_levels(X: pd.DataFrame) -> pd.DataFrame:
    X = as_category(X)
    return X.assign(city=X["city"].cat.set_categories(["Zagreb", "Rome", "Atlantis", "Oslo", "Lima", "Aarhus"]))


def as_nullable(X: pd.DataFrame) -> pd.DataFrame:
    return X.astype({"amount": "Float64", "age": "Int64", "city": "string", "member": "boolean"})


def as_pyarrow(X: pd.DataFrame) -> pd.DataFrame:
    types = {"amount": "double[pyarrow]", "age": "int64[pyarrow]", "city": "string[pyarrow]", "member": "bool[pyarrow]"}
    return X.astype({"age": "Int64", "member": "boolean"}).astype(types)


def as_text(X: pd.DataFrame) -> pd.DataFrame:
    # pandas 2 has no text type that keeps missing values under the name "str".
    return X.astype({"city": "str" if int(pd.__version__.split(".")[0]) >= 3 else "string"})


def as_polars(X: pd.DataFrame) -> pl.DataFrame:
    def values(name: str) -> list[Any]:
        return [None if pd.isna(value) else value for value in X[name]]

    return pl.DataFrame(
        {
            "amount": pl.Series(values("amount"), dtype=pl.Float64),
            "age": pl.Series([None if value is None else int(value) for value in values("age")], dtype=pl.Int64),
            "city": pl.Series(values("city"), dtype=pl.String),
            "member": pl.Series(values("member"), dtype=pl.Boolean),
        }
    )


def as_polars_categories(X: pd.DataFrame) -> pl.DataFrame:
    levels = pl.Enum(["Zagreb", "Rome", "Oslo", "Lima", "Atlantis"])
    return as_polars(X).with_columns(pl.col("city").cast(levels), pl.col("amount").fill_null(float("nan")))


def shuffled_index(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_index(pd.Index(np.arange(len(X))[::-1] * 3 % 7))


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "category": as_category,
    "category with unused levels": with_unused_levels,
    "nullable": as_nullable,
    "pyarrow": as_pyarrow,
    "text": as_text,
    "polars": as_polars,
    "polars categories": as_polars_categories,
    "another index": shuffled_index,
}
EACH_KIND = [pytest.param(kind, marks=needs("pyarrow") if kind == "pyarrow" else ()) for kind in KINDS]
DENSITIES = [EmpiricalLikelihood(), KernelDensity(), KernelDensity("normal_reference")]
each_density = pytest.mark.parametrize("density", DENSITIES, ids=str)


class TestKindsOfTables:
    @each_density
    @pytest.mark.parametrize("kind", EACH_KIND)
    def test_same_numbers(self, kind, density):
        convert = KINDS[kind]
        expected = density.fit(plain_table()).score_samples(queries())
        np.testing.assert_allclose(
            density.fit(convert(plain_table())).score_samples(convert(queries())), expected, **SAME
        )

    @pytest.mark.parametrize("fitted", EACH_KIND)
    @pytest.mark.parametrize("asked", EACH_KIND)
    def test_fitted_on_one_kind_and_asked_with_another(self, fitted, asked):
        density = EmpiricalLikelihood()
        expected = density.fit(plain_table()).score_samples(queries())
        density.fit(KINDS[fitted](plain_table()))
        np.testing.assert_allclose(density.score_samples(KINDS[asked](queries())), expected, **SAME)

    @each_density
    @pytest.mark.parametrize("chosen", [[2, 3], [-2, -1], [False, False, True, True], np.array([2, 3])], ids=str)
    def test_arrays(self, chosen, density):
        expected = density.fit(plain_table()).score_samples(queries())
        array, asked = plain_table().to_numpy(dtype=object), queries().to_numpy(dtype=object)
        np.testing.assert_allclose(density.fit(array, chosen).score_samples(asked), expected, **SAME)

    @each_density
    @pytest.mark.parametrize("chosen", [["code"], [1], [-1], [False, True]], ids=str)
    @pytest.mark.parametrize("missing", [False, True])
    def test_numbers_as_levels(self, chosen, missing, density):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=50), rng.choice([0, 100, 7], size=50)])
        if missing:
            X[::7, 1] = np.nan
        as_frame = pd.DataFrame(X, columns=["x", "code"])
        as_objects = as_frame.assign(code=as_frame["code"].astype(object))
        expected = density.fit(as_objects).score_samples(as_objects)
        scores = density.fit(as_frame, chosen).score_samples(as_frame)
        np.testing.assert_allclose(scores, expected, **SAME)
        if chosen != ["code"]:
            np.testing.assert_allclose(density.fit(X, chosen).score_samples(X), expected, **SAME)
        if not missing:
            as_integers = as_frame.astype({"code": "int64"})
            np.testing.assert_allclose(density.fit(as_integers, chosen).score_samples(as_frame), expected, **SAME)

    @each_density
    def test_float32_and_integers(self, density):
        X = np.random.default_rng(0).integers(-50, 50, size=(40, 3))
        expected = density.fit(X.astype(float)).score_samples(X.astype(float))
        for other in (X, X.astype(np.int8), X.astype(np.float32), X.tolist(), np.asfortranarray(X)):
            np.testing.assert_allclose(density.fit(other).score_samples(other), expected, **SAME)

    @pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
    def test_missing_in_arrays_of_objects(self, missing):
        X = np.array([[1.0, 2.0], [3.0, missing], [5.0, 4.0]], dtype=object)
        plain = [[1.0, 2.0], [3.0, np.nan], [5.0, 4.0]]
        expected = EmpiricalLikelihood().fit(plain).score_samples(plain)
        np.testing.assert_allclose(EmpiricalLikelihood().fit(X).score_samples(X), expected, **SAME)

    @each_density
    def test_lists_of_text_and_numbers(self, density):
        rows = [["a", 1.5], ["b", 2.5], [None, 4.0], ["a", np.nan], [np.nan, 3.0]]
        as_frame = pd.DataFrame(rows).astype({0: object})
        expected = density.fit(as_frame, [0]).score_samples(as_frame)
        np.testing.assert_allclose(density.fit(rows, [0]).score_samples(rows), expected, **SAME)
        without_none = [row for row in rows if row[0] is not None]
        as_frame = pd.DataFrame(without_none).astype({0: object})
        expected = density.fit(as_frame, [0]).score_samples(as_frame)
        np.testing.assert_allclose(density.fit(without_none, [0]).score_samples(without_none), expected, **SAME)


DATES = ["2024-01-01 00:00:00", "2024-01-01 12:00:00", "2024-01-05 00:00:00", "2024-03-01 06:30:00"]
DAYS = [None, "2024-01-01", "2024-01-05", "2024-03-01"]


class TestDates:
    """Dates are seconds, whatever the table counts them in."""

    @pytest.fixture
    def seconds(self) -> pd.DataFrame:
        epoch = dt.datetime(1970, 1, 1)
        return pd.DataFrame({"when": [(dt.datetime.fromisoformat(one) - epoch).total_seconds() for one in DATES]})

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    @pytest.mark.parametrize(("unit", "zone"), [("s", None), ("ms", None), ("us", "UTC"), ("us", None), ("ns", None)])
    def test_pandas(self, seconds, unit, zone, density):
        when = pd.Series(pd.to_datetime(DATES)).astype(f"datetime64[{unit}]").dt.tz_localize(zone)
        X = pd.DataFrame({"when": when})
        expected = density.fit(seconds).score_samples(seconds)
        np.testing.assert_allclose(density.fit(X).score_samples(X), expected, rtol=1e-9)

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    def test_another_unit_when_scoring(self, density):
        # A CSV file read by pandas 3 has microseconds, a parquet file may have nanoseconds.
        X = pd.DataFrame({"when": pd.Series(pd.to_datetime(DATES)).astype("datetime64[us]")})
        expected = density.fit(X).score_samples(X)
        np.testing.assert_allclose(density.score_samples(X.astype("datetime64[ns]")), expected, rtol=1e-9)
        np.testing.assert_allclose(density.score_samples(X.astype("datetime64[s]")), expected, rtol=1e-9)

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    def test_as_fine_as_pandas_reads_them(self, seconds, density):
        X = pd.DataFrame({"when": pd.to_datetime(DATES)})
        expected = density.fit(seconds).score_samples(seconds)
        np.testing.assert_allclose(density.fit(X).score_samples(X), expected, rtol=1e-9)

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    @pytest.mark.parametrize("unit", ["ms", "us", "ns"])
    def test_polars(self, seconds, unit, density):
        when = pl.Series([dt.datetime.fromisoformat(one) for one in DATES], dtype=pl.Datetime(unit))
        X = pl.DataFrame({"when": when})
        expected = density.fit(seconds).score_samples(seconds)
        np.testing.assert_allclose(density.fit(X).score_samples(X), expected, rtol=1e-9)

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    def test_days_with_missing_ones(self, density):
        in_pandas = pd.DataFrame({"day": pd.to_datetime(DAYS).astype("datetime64[ns]")})
        in_polars = pl.DataFrame({"day": [None if day is None else dt.date.fromisoformat(day) for day in DAYS]})
        expected = density.fit(in_pandas).score_samples(in_pandas)
        assert density.columns_.continuous[0].has_missing
        np.testing.assert_allclose(density.fit(in_polars).score_samples(in_polars), expected, rtol=1e-9)

    @pytest.mark.parametrize("density", [EmpiricalLikelihood(), KernelDensity()], ids=str)
    @pytest.mark.parametrize("unit", ["s", "us", "ns"])
    def test_durations(self, unit, density):
        hours = [0.0, 1.5, 2.0, 48.0]
        X = pd.DataFrame({"took": pd.to_timedelta(hours, unit="h").astype(f"timedelta64[{unit}]")})
        seconds = pd.DataFrame({"took": [3600 * one for one in hours]})
        expected = density.fit(seconds).score_samples(seconds)
        np.testing.assert_allclose(density.fit(X).score_samples(X), expected, rtol=1e-9)

    @needs("pyarrow")
    def test_pyarrow_days(self):
        in_pandas = pd.DataFrame({"day": pd.to_datetime(DAYS)})
        days = [None if day is None else dt.date.fromisoformat(day) for day in DAYS]
        other = pd.DataFrame({"day": pd.Series(days, dtype="date32[day][pyarrow]")})
        expected = KernelDensity().fit(in_pandas).score_samples(in_pandas)
        np.testing.assert_allclose(KernelDensity().fit(other).score_samples(other), expected, rtol=1e-9)

    @needs("pyarrow")
    def test_pyarrow_timestamps(self, seconds):
        X = pd.DataFrame({"when": pd.Series(pd.to_datetime(DATES)).astype("timestamp[us][pyarrow]")})
        expected = KernelDensity().fit(seconds).score_samples(seconds)
        np.testing.assert_allclose(KernelDensity().fit(X).score_samples(X), expected, rtol=1e-9)


class TestLearning:
    def test_kinds_by_type(self):
        X = pd.DataFrame(
            {
                "float": [0.5, 1.5],
                "int": [1, 2],
                "Int64": pd.array([1, None], dtype="Int64"),
                "date": pd.to_datetime(["2024-01-01", "2024-01-02"]),
                "bool": [True, False],
                "boolean": pd.array([True, None], dtype="boolean"),
                "text": ["a", "b"],
                "category": pd.Categorical([1, 2]),
                "object": pd.Series([1, 2], dtype=object),
            }
        )
        columns = learn_columns(X)
        assert columns.names == tuple(X)
        assert columns.continuous_index.tolist() == [0, 1, 2, 3]
        assert columns.categorical_index.tolist() == [4, 5, 6, 7, 8]
        assert [column.name for column in columns.categorical] == ["bool", "boolean", "text", "category", "object"]

    def test_arrays_are_numbers(self):
        columns = learn_columns([[1, 2.5], [2, 3.5]])
        assert columns.names == (0, 1)
        assert columns.continuous_index.tolist() == [0, 1]

    def test_description_of_numbers(self):
        X = pd.DataFrame({"x": [1.0, 2.0, np.nan, 6.0], "same": 0.1, "none": np.nan})
        x, same, none = learn_columns(X).continuous
        assert (x.low, x.high, x.center, x.has_missing) == (1.0, 6.0, 3.0, True)
        assert x.scale == pytest.approx(np.std([1, 2, 6]))
        assert (same.low, same.high, same.scale, same.has_missing) == (0.1, 0.1, 0.0, False)
        assert (none.scale, none.has_missing) == (0.0, True)

    @pytest.mark.parametrize("values", [[0.1] * 3, [1e16 / 3] * 7, [-1e300] * 3], ids=str)
    def test_a_constant_has_no_spread(self, values):
        assert learn_columns(pd.DataFrame({"x": values})).continuous[0].scale == 0

    def test_levels_are_sorted_and_used(self):
        X = pd.DataFrame(
            {
                "text": ["b", None, "a", "b"],
                "number": pd.Series([100, 0, 7, 0], dtype=object),
                "category": pd.Categorical(["z", "y", None, "z"], categories=["z", "unused", "y"]),
                "mixed": pd.Series(["x", 2, 1, "x"], dtype=object),
            }
        )
        text, number, category, mixed = learn_columns(X).categorical
        assert (text.levels.tolist(), text.has_missing) == (["a", "b"], True)
        assert (number.levels.tolist(), number.has_missing) == ([0, 7, 100], False)
        assert (category.levels.tolist(), category.has_missing) == (["y", "z"], True)
        assert mixed.levels.tolist() == [1, 2, "x"]
        assert text.level_numbers.tolist() == [0, 1]
        assert number.level_numbers.tolist() == [0, 7, 100]
        assert mixed.level_numbers.tolist() == [0, 1, 2]

    def test_intervals_are_levels(self):
        X = pd.DataFrame({"age": pd.cut([1, 5, 9, 2, np.nan], 3)})
        encoded = learn_columns(X).encode(X)
        assert encoded.codes[:, 0].tolist() == [0, 1, 2, 0, MISSING]

    @pytest.mark.parametrize(
        ("chosen", "mask"),
        [
            (["b"], [False, True, False]),
            (["c", "a"], [True, False, True]),
            ([0, -1], [True, False, True]),
            ([True, False, False], [True, False, False]),
            ([], [False, False, False]),
            (("b", "c"), [False, True, True]),
            (pd.Index(["a"]), [True, False, False]),
        ],
        ids=str,
    )
    def test_categorical_features(self, chosen, mask):
        X = pd.DataFrame(np.eye(3), columns=list("abc"))
        assert find_categorical(X, chosen).tolist() == mask

    def test_names_and_positions_together(self):
        X = pd.DataFrame(np.eye(3), columns=list("abc"))
        assert find_categorical(X, ["a", 2]).tolist() == [True, False, True]

    def test_one_name_is_not_its_letters(self):
        X = pd.DataFrame(np.eye(3), columns=["ab", "a", "b"])
        try:
            chosen = find_categorical(X, "ab")
        except (TypeError, ValueError) as error:
            assert "'ab'" in str(error)  # noqa: PT017
        else:
            assert chosen.tolist() == [True, False, False]

    def test_numbers_as_names_come_before_positions(self):
        X = pd.DataFrame(np.eye(2), columns=[1, 0])
        assert find_categorical(X, [1]).tolist() == [True, False]

    def test_column_names(self):
        assert column_names(np.eye(2)) == (0, 1)
        assert column_names(pl.DataFrame({"a": [1], "b": [2]})) == ("a", "b")

    def test_duplicate_names(self):
        X = pd.concat([pd.Series([0.0, 1.0], name="same"), pd.Series(["u", "v"], name="same")], axis=1)
        columns = learn_columns(X)
        assert columns.continuous_index.tolist() == [0]
        assert columns.encode(X).codes[:, 0].tolist() == [0, 1]


class TestEncoding:
    @pytest.fixture
    def table(self) -> pd.DataFrame:
        return pd.DataFrame({"c": ["b", "a", None], "x": [0.0, np.nan, 4.0], "d": [True, False, True]})

    def test_codes_and_numbers(self, table):
        encoded = learn_columns(table).encode(table)
        assert len(encoded) == 3
        assert encoded.codes.tolist() == [[1, 1], [0, 0], [MISSING, 1]]
        np.testing.assert_array_equal(encoded.continuous, [[0.0], [np.nan], [4.0]])

    def test_unseen_is_not_missing(self, table):
        other = pd.DataFrame(
            {"c": ["B", None, "a"], "x": [1.0, 2.0, 3.0], "d": pd.array([None, True, False], "boolean")}
        )
        assert learn_columns(table).encode(other).codes.tolist() == [[UNSEEN, MISSING], [MISSING, 1], [0, 0]]

    @pytest.mark.parametrize("dtype", ["category", "string", "str", object])
    def test_unseen_in_every_type(self, table, dtype):
        other = pd.DataFrame({"c": pd.Series(["q", None, "b"], dtype=dtype), "x": 0.0, "d": True})
        assert learn_columns(table).encode(other).codes[:, 0].tolist() == [UNSEEN, MISSING, 1]

    def test_take(self, table):
        encoded = learn_columns(table).encode(table)
        by_mask, by_position = encoded.take(np.array([True, False, True])), encoded.take(np.array([0, 2]))
        assert by_mask.codes.tolist() == by_position.codes.tolist() == [[1, 1], [MISSING, 1]]
        assert by_mask.columns is encoded.columns

    def test_an_encoded_table_stays_as_it_is(self, table):
        columns = learn_columns(table)
        encoded = columns.encode(table)
        assert columns.encode(encoded) is encoded

    def test_cells(self, table):
        columns = learn_columns(table)
        other = pd.DataFrame({"c": ["a", "new", None, "b"], "x": [0.0, 4.0, np.nan, 4.1], "d": [True] * 4})
        # Order: x (bins 0 to 4, missing 5, outside 6), c (levels 0 and 1, missing 2, unseen 3), d.
        assert columns.encode(other).cells(5).T.tolist() == [[0, 0, 1], [4, 3, 1], [5, 2, 1], [6, 1, 1]]
        assert columns.encode(other).cells(1).T.tolist() == [[0, 0, 1], [0, 3, 1], [1, 2, 1], [2, 1, 1]]

    @pytest.mark.parametrize("order", [["d", "x", "c"], ["x", "c", "d"]])
    def test_columns_in_another_order_are_found_by_name_or_refused(self, table, order):
        columns = learn_columns(table)
        try:
            encoded = columns.encode(table[order])
        except ValueError as error:
            assert "columns" in str(error).lower()  # noqa: PT017
        else:
            assert encoded.codes.tolist() == columns.encode(table).codes.tolist()

    @pytest.mark.parametrize("chosen", [["amount", "age"], ["amount", "city"], ["age"]], ids=str)
    def test_learned_and_encoded_in_one_go(self, chosen):
        X = plain_table()[chosen]
        once, twice = learn_and_encode(X), learn_columns(X).encode(X)
        assert once.columns.names == twice.columns.names == tuple(chosen)
        assert once.columns.continuous == twice.columns.continuous
        np.testing.assert_array_equal(once.continuous, twice.continuous)
        np.testing.assert_array_equal(once.codes, twice.codes)
        assert learn_and_encode(once) is once

    @pytest.mark.parametrize("names", [["age", "income"], [0, 1], [7, 5]], ids=str)
    def test_numbers_in_another_order_are_found_by_name_or_refused(self, names):
        X = pd.DataFrame([[20.0, 1e3], [30.0, 2e3], [40.0, 3e3]], columns=names)
        columns = learn_columns(X)
        try:
            encoded = columns.encode(X[names[::-1]])
        except ValueError as error:
            assert "columns" in str(error).lower()  # noqa: PT017
        else:
            np.testing.assert_array_equal(encoded.continuous, columns.encode(X).continuous)


class TestBins:
    @pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 49])
    @pytest.mark.parametrize(
        ("low", "high"), [(0.0, 1.0), (-3.7, 12.1), (1e9, 1e9 + 1), (-1e-300, 1e-300), (-1e300, 1e300)]
    )
    def test_edges_decide(self, low, high, n_bins):
        edges = np.linspace(low, high, n_bins + 1)
        around = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        bins = equal_width_bins(around[:, None], np.array([low]), np.array([high]), n_bins)[:, 0]
        for value, b in zip(around, bins, strict=True):
            if low <= value <= high:
                assert edges[b] <= value
                assert value < edges[b + 1] or (b == n_bins - 1 and value == high)
            else:
                assert b == n_bins + 1

    def test_every_column_by_its_own_range(self):
        # The same column alone, beside another one, and beside a constant.
        values = np.array([0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 0.9, 1.0])
        alone = equal_width_bins(values[:, None], np.array([0.0]), np.array([1.0]), 10)[:, 0]
        for low, high in [(0.0, 7.0), (5.0, 5.0), (0.0, 0.0)]:
            table = np.column_stack([values, np.full(8, low)])
            both = equal_width_bins(table, np.array([0.0, low]), np.array([1.0, high]), 10)
            assert both[:, 0].tolist() == alone.tolist()
            assert both[:, 1].tolist() == [0] * 8

    def test_missing_and_outside(self):
        values = np.array([[np.nan], [-1.0], [2.0], [np.inf], [-np.inf], [0.5]])
        assert equal_width_bins(values, np.zeros(1), np.ones(1), 4)[:, 0].tolist() == [4, 5, 5, 5, 5, 2]

    def test_constant(self):
        values = np.array([[3.0], [3.1], [np.nan]])
        assert equal_width_bins(values, np.full(1, 3.0), np.full(1, 3.0), 4)[:, 0].tolist() == [0, 5, 4]

    @pytest.mark.parametrize("n_rows", [1, 50, 9_000])
    @pytest.mark.parametrize("n_bins", [1, 3, 10])
    def test_columns_side_by_side(self, n_rows, n_bins):
        # Ordinary ranges, and those of neighboring, tiny and huge floats: each as if it were alone, and by its edges.
        steps = np.random.default_rng(n_rows).integers(0, 21, size=(n_rows, 6))
        table = steps * [0.1, 1.0, 2.0**-52, 5e-324, 8e306, 1e-300] + [0.0, -7.0, 1.0, 0.0, -8e307, 1e-290]
        low, high = table.min(axis=0), table.max(axis=0)
        together = equal_width_bins(table, low, high, n_bins)
        for j, column in enumerate(table.T):
            edges = bin_edges(low[j], high[j], n_bins)
            expected = np.searchsorted(edges[1:-1], column, side="right") if low[j] < high[j] else np.zeros(n_rows)
            assert together[:, j].tolist() == expected.tolist()
        ordinary = equal_width_bins(table[:, :2], low[:2], high[:2], n_bins)
        assert ordinary.tolist() == together[:, :2].tolist()

    def test_the_whole_range_of_floats(self):
        low, high = np.finfo(float).min, np.finfo(float).max
        values = np.array([[low], [-1.0], [1.0], [high]])
        assert equal_width_bins(values, np.array([low]), np.array([high]), 2)[:, 0].tolist() == [0, 0, 1, 1]


class TestErrors:
    def test_unknown_name(self):
        message = "`categorical_features` names column 'town', which X does not have. Columns: 'city', 'age'."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            learn_columns(pd.DataFrame({"city": ["a"], "age": [1]}), ["town"])

    def test_unknown_position(self):
        message = (
            "`categorical_features` names column 12, which X does not have. Columns: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...."
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            learn_columns(np.eye(12), [12])

    def test_mask_of_another_length(self):
        message = "A mask `categorical_features` must have one entry per column, 2; got 3."
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            learn_columns(np.eye(2), [True, False, True])

    def test_text_that_is_not_categorical(self):
        X = pd.DataFrame({"city": ["Rome", "Oslo"]})
        message = (
            r"^Column 'city' is treated as continuous but holds values that are not numbers \(.*\)\. Convert it, or"
        )
        with pytest.raises(ValueError, match=message):
            learn_columns(X, [])

    def test_text_in_an_array(self):
        with pytest.raises(
            ValueError, match=r"^Column 1 is treated as continuous .* name it in `categorical_features`\.$"
        ):
            learn_columns(np.array([[1.0, "a"], [2.0, "b"]], dtype=object))

    def test_text_in_an_array_at_scoring(self):
        columns = learn_columns(np.array([[1.0, 2.0], [2.0, 3.0]]))
        with pytest.raises(
            ValueError, match=r"^Column 1 is treated as continuous but holds values that are not numbers"
        ):
            columns.encode(np.array([[1.0, "a"], [2.0, "b"]], dtype=object))

    @pytest.mark.parametrize("n_columns", [1, 3])
    def test_number_of_columns(self, n_columns):
        columns = learn_columns(np.eye(2))
        for other in (np.ones((2, n_columns)), pd.DataFrame(np.ones((2, n_columns)))):
            with pytest.raises(ValueError, match=rf"^X must have the 2 columns that were learned; got {n_columns}\.$"):
                columns.encode(other)

    @pytest.mark.parametrize("X", [[1.0, 2.0], 5.0, pd.Series([1.0, 2.0])], ids=["list", "number", "Series"])
    def test_not_a_table(self, X):
        with pytest.raises(ValueError, match="X"):
            learn_columns(X)
        with pytest.raises(ValueError, match="X"):
            learn_columns(np.eye(2)).encode(X)
