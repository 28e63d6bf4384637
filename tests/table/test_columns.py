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
from tabcast.table._columns import (
    MISSING,
    UNSEEN,
    bin_edges,
    equal_width_bins,
    find_categorical,
    learn_and_encode,
    learn_columns,
)

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


def with_unused_levels(X: pd.DataFrame) -> pd.DataFrame:
    X = X.astype({"city": "category", "member": "category"})
    return X.assign(city=X["city"].cat.set_categories(["Zagreb", "Rome", "Atlantis", "Oslo", "Lima", "Aarhus"]))


def as_nullable(X: pd.DataFrame) -> pd.DataFrame:
    return X.astype({"amount": "Float64", "age": "Int64", "city": "string", "member": "boolean"})


def as_pyarrow(X: pd.DataFrame) -> pd.DataFrame:
    types = {"amount": "double[pyarrow]", "age": "int64[pyarrow]", "city": "string[pyarrow]", "member": "bool[pyarrow]"}
    return as_nullable(X).astype(types)


def as_polars(X: pd.DataFrame) -> pl.DataFrame:
    types = {"amount": pl.Float64, "age": pl.Int64, "city": pl.String, "member": pl.Boolean}
    cells = {name: [None if pd.isna(value) else value for value in X[name]] for name in X}
    return pl.DataFrame({name: pl.Series(cells[name], dtype=kind, strict=False) for name, kind in types.items()})


def as_polars_categories(X: pd.DataFrame) -> pl.DataFrame:
    levels = pl.Enum(["Zagreb", "Rome", "Oslo", "Lima", "Atlantis"])
    return as_polars(X).with_columns(pl.col("city").cast(levels), pl.col("amount").fill_null(float("nan")))


def shuffled_index(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_index(pd.Index(np.arange(len(X))[::-1] * 3 % 7))


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "category with unused levels": with_unused_levels,
    "nullable": as_nullable,
    "pyarrow": as_pyarrow,
    "polars": as_polars,
    "polars categories": as_polars_categories,
    "another index": shuffled_index,
}
DENSITIES = [EmpiricalLikelihood(), KernelDensity()]
each_density = pytest.mark.parametrize("density", DENSITIES, ids=str)


class TestKindsOfTables:
    @each_density
    @pytest.mark.parametrize("kind", KINDS)
    def test_same_numbers(self, kind, density):
        convert = KINDS[kind]
        expected = density.fit(plain_table()).score_samples(queries())
        np.testing.assert_allclose(density.score_samples(convert(queries())), expected, **SAME)
        density.fit(convert(plain_table()))
        np.testing.assert_allclose(density.score_samples(convert(queries())), expected, **SAME)
        np.testing.assert_allclose(density.score_samples(queries()), expected, **SAME)

    @pytest.mark.parametrize("chosen", [[2, 3], [-2, -1], [False, False, True, True], np.array([2, 3])], ids=str)
    def test_arrays(self, chosen):
        density = EmpiricalLikelihood()
        expected = density.fit(plain_table()).score_samples(queries())
        array, asked = plain_table().to_numpy(dtype=object), queries().to_numpy(dtype=object)
        np.testing.assert_allclose(density.fit(array, chosen).score_samples(asked), expected, **SAME)

    @each_density
    @pytest.mark.parametrize("missing", [False, True])
    def test_numbers_as_levels(self, missing, density):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=50), rng.choice([0, 100, 7], size=50)])
        if missing:
            X[::7, 1] = np.nan
        as_frame = pd.DataFrame(X, columns=["x", "code"])
        as_objects = as_frame.assign(code=as_frame["code"].astype(object))
        expected = density.fit(as_objects).score_samples(as_objects)
        np.testing.assert_allclose(density.fit(as_frame, ["code"]).score_samples(as_frame), expected, **SAME)
        np.testing.assert_allclose(density.fit(X, [1]).score_samples(X), expected, **SAME)

    @each_density
    def test_float32_and_integers(self, density):
        X = np.random.default_rng(0).integers(-50, 50, size=(40, 3))
        expected = density.fit(X.astype(float)).score_samples(X.astype(float))
        for other in (X, X.astype(np.int8), X.astype(np.float32), X.tolist(), np.asfortranarray(X)):
            np.testing.assert_allclose(density.fit(other).score_samples(other), expected, **SAME)

    def test_lists_of_text_and_numbers(self):
        rows = [["a", 1.5], ["b", 2.5], [None, 4.0], ["a", pd.NA], [np.nan, 3.0]]
        encoded = learn_and_encode(rows, [0])
        assert encoded.codes[:, 0].tolist() == [0, 1, MISSING, 0, MISSING]
        np.testing.assert_array_equal(encoded.continuous[:, 0], [1.5, 2.5, 4.0, np.nan, 3.0])


DATES = ["2024-01-01 00:00:00", None, "2024-01-05 12:00:00", "2024-03-01 06:30:00"]
EPOCH = dt.datetime(1970, 1, 1)
MOMENTS = [None if one is None else dt.datetime.fromisoformat(one) for one in DATES]
SECONDS = [np.nan if one is None else (one - EPOCH).total_seconds() for one in MOMENTS]
PANDAS_DATES = pd.Series(pd.to_datetime(DATES))
TIMES = {
    **{unit: pd.DataFrame({"t": PANDAS_DATES.astype(f"datetime64[{unit}]")}) for unit in ("s", "ms", "us", "ns")},
    "time zone": pd.DataFrame({"t": PANDAS_DATES.dt.tz_localize("UTC")}),
    "pyarrow": pd.DataFrame({"t": PANDAS_DATES.astype("timestamp[us][pyarrow]")}),
    "polars": pl.DataFrame({"t": pl.Series(MOMENTS, dtype=pl.Datetime("us"))}),
    "durations": pd.DataFrame({"t": PANDAS_DATES - pd.Timestamp(0)}),
    "durations of polars": pl.DataFrame({"t": [None if one is None else one - EPOCH for one in MOMENTS]}),
}


@pytest.mark.parametrize("kind", TIMES)
def test_dates_and_durations_are_seconds(kind):
    encoded = learn_and_encode(TIMES[kind])
    np.testing.assert_allclose(encoded.continuous[:, 0], SECONDS, rtol=1e-12)
    assert encoded.columns.continuous[0].has_missing


def test_days_of_polars_and_pyarrow_are_seconds():
    days = [None if one is None else one.date() for one in MOMENTS]
    expected = pd.Series(pd.to_datetime(days)).dt.as_unit("s").astype("int64").where([day is not None for day in days])
    for X in (pl.DataFrame({"t": days}), pd.DataFrame({"t": pd.Series(days, dtype="date32[day][pyarrow]")})):
        np.testing.assert_allclose(learn_and_encode(X).continuous[:, 0], expected, rtol=1e-12)


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
        assert [column.name for column in columns.categorical] == ["bool", "boolean", "text", "category", "object"]
        assert learn_columns([[1, 2.5], [2, 3.5]]).continuous_index.tolist() == [0, 1]

    def test_description_of_numbers(self):
        X = pd.DataFrame({"x": [1.0, 2.0, np.nan, 6.0], "same": 0.1, "none": np.nan})
        x, same, none = learn_columns(X).continuous
        assert (x.low, x.high, x.center, x.has_missing) == (1.0, 6.0, 3.0, True)
        assert x.scale == pytest.approx(np.std([1, 2, 6]))
        assert (same.low, same.high, same.scale, same.has_missing) == (0.1, 0.1, 0.0, False)
        assert (none.scale, none.has_missing) == (0.0, True)
        assert learn_columns(pd.DataFrame({"x": [1e16 / 3] * 7, "y": [-1e300] * 7})).continuous[0].scale == 0

    def test_levels_are_sorted_and_used(self):
        X = pd.DataFrame(
            {
                "text": ["b", None, "a", "b"],
                "number": pd.Series([100, 0, 7, 0], dtype=object),
                "category": pd.Categorical(["z", "y", None, "z"], categories=["z", "unused", "y"]),
                "mixed": pd.Series(["x", 2, 1, "x"], dtype=object),
                "interval": pd.cut([1, 9, 5, np.nan], 3),
            }
        )
        columns = learn_columns(X)
        text, number, category, mixed, _ = columns.categorical
        assert (text.levels.tolist(), text.has_missing) == (["a", "b"], True)
        assert (number.levels.tolist(), number.has_missing) == ([0, 7, 100], False)
        assert (category.levels.tolist(), category.has_missing) == (["y", "z"], True)
        assert mixed.levels.tolist() == [1, 2, "x"]
        assert [column.level_numbers.tolist() for column in (text, number)] == [[0, 1], [0, 7, 100]]
        assert columns.encode(X).codes[:, 4].tolist() == [0, 2, 1, MISSING]

    @pytest.mark.parametrize(
        ("chosen", "mask"),
        [
            (["b"], [False, True, False]),
            ([0, -1], [True, False, True]),
            (["a", 2], [True, False, True]),
            ([True, False, False], [True, False, False]),
            ([], [False, False, False]),
            (pd.Index(["a"]), [True, False, False]),
        ],
        ids=str,
    )
    def test_categorical_features(self, chosen, mask):
        assert find_categorical(pd.DataFrame(np.eye(3), columns=list("abc")), chosen).tolist() == mask

    def test_numbers_as_names_come_before_positions(self):
        assert find_categorical(pd.DataFrame(np.eye(2), columns=[1, 0]), [1]).tolist() == [True, False]


class TestEncoding:
    @pytest.fixture
    def table(self) -> pd.DataFrame:
        return pd.DataFrame({"c": ["b", "a", None], "x": [0.0, np.nan, 4.0], "d": [True, False, True]})

    def test_codes_and_numbers(self, table):
        encoded = learn_columns(table).encode(table)
        assert len(encoded) == 3
        assert encoded.codes.tolist() == [[1, 1], [0, 0], [MISSING, 1]]
        np.testing.assert_array_equal(encoded.continuous, [[0.0], [np.nan], [4.0]])
        assert encoded.take(np.array([True, False, True])).codes.tolist() == [[1, 1], [MISSING, 1]]
        assert learn_and_encode(encoded) is encoded.columns.encode(encoded) is encoded

    @pytest.mark.parametrize("dtype", ["category", "string", "str", object])
    def test_unseen_is_not_missing(self, table, dtype):
        flags = pd.array([None, True, False], "boolean")
        other = pd.DataFrame({"c": pd.Series(["B", None, "a"], dtype=dtype), "x": 1.0, "d": flags})
        assert learn_columns(table).encode(other).codes.tolist() == [[UNSEEN, MISSING], [MISSING, 1], [0, 0]]

    def test_cells(self, table):
        columns = learn_columns(table)
        other = pd.DataFrame({"c": ["a", "new", None, "b"], "x": [0.0, 4.0, np.nan, 4.1], "d": [True] * 4})
        # Order: x (bins 0 to 4, missing 5, outside 6), c (levels 0 and 1, missing 2, unseen 3), d.
        assert columns.encode(other).cells(5).T.tolist() == [[0, 0, 1], [4, 3, 1], [5, 2, 1], [6, 1, 1]]
        assert columns.encode(other).cells(1).T.tolist() == [[0, 0, 1], [0, 3, 1], [1, 2, 1], [2, 1, 1]]

    @pytest.mark.parametrize("names", [["c", "x", "d"], [0, 1, 2], [7, 5, 6]], ids=str)
    def test_columns_in_another_order_are_found_by_name(self, table, names):
        table.columns = names
        columns = learn_columns(table)
        for X in (table[names[::-1]], table[[names[1], names[0], names[2]]]):
            assert columns.encode(X).codes.tolist() == columns.encode(table).codes.tolist()


class TestBins:
    @pytest.mark.parametrize("n_bins", [1, 3, 10])
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

    @pytest.mark.parametrize("n_bins", [1, 10])
    def test_every_column_by_its_own_range(self, n_bins):
        # Ordinary ranges, a constant, and ranges of neighboring, tiny and huge floats.
        steps = np.random.default_rng(0).integers(0, 21, size=(9_000, 7))
        table = steps * [0.1, 1.0, 2.0**-52, 5e-324, 8e306, 1e-300, 0.0] + [0.0, -7.0, 1.0, 0.0, -8e307, 1e-290, 3.0]
        low, high = table.min(axis=0), table.max(axis=0)
        together = equal_width_bins(table, low, high, n_bins)
        for j, column in enumerate(table.T):
            edges = bin_edges(low[j], high[j], n_bins)
            expected = np.searchsorted(edges[1:-1], column, side="right") if low[j] < high[j] else np.zeros(9_000)
            assert together[:, j].tolist() == expected.tolist()

    def test_missing_and_outside(self):
        values = np.array([[np.nan], [-1.0], [2.0], [np.inf], [-np.inf], [0.5]])
        assert equal_width_bins(values, np.zeros(1), np.ones(1), 4)[:, 0].tolist() == [4, 5, 5, 5, 5, 2]
        values = np.array([[3.0], [3.1], [np.nan]])
        assert equal_width_bins(values, np.full(1, 3.0), np.full(1, 3.0), 4)[:, 0].tolist() == [0, 5, 4]


REFUSED = {
    "unknown name": (
        pd.DataFrame({"city": ["a"], "age": [1]}),
        ["town"],
        "`categorical_features` names column 'town', which X does not have. Columns: 'city', 'age'.",
    ),
    "unknown position": (np.eye(12), [12], "names column 12, which X does not have. Columns: 0, 1, 2, 3, 4, 5,"),
    "one name": (np.eye(2), "a", "must be a list of names or positions, or a mask; got 'a'"),
    "length of mask": (np.eye(2), [True, False, True], "must have one entry per column, 2; got 3."),
    "text": (pd.DataFrame({"city": ["Rome"]}), [], "Column 'city' is treated as continuous but holds values that are"),
    "text in an array": (np.array([[1.0, "a"]], dtype=object), None, "Column 1 is treated as continuous but holds"),
    "infinity": (np.array([[1.0, np.inf]]), None, "contains infinity or a value too large for float in column 1"),
    "one dimension": ([1.0, 2.0], None, "X must be a table with rows and columns; got 1 dimension(s)"),
    "a series": (pd.Series([1.0]), None, "for X, got a 1D Series instead"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_tables_that_cannot_be_learned(case):
    X, categorical, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        learn_columns(X, categorical)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.ones((2, 3)), "X must have the 2 columns that were learned; got 3."),
        (pd.DataFrame({"a": [1.0], "B": [1.0]}), "differ from those that were learned: missing 'b'; unexpected 'B'"),
        (np.array([[1.0, "a"]], dtype=object), "Column 'b' is treated as continuous but holds"),
    ],
)
def test_tables_that_cannot_be_encoded(X, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        learn_columns(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})).encode(X)
