"""Tables at the door: pandas or numbers from here on, and what no model can use is named with its cure."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tabcast.density._kernel_density import BLOCK_QUERIES
from tabcast.exceptions import EmptyColumnWarning
from tabcast.table import _tables
from tabcast.table._columns import learn_and_encode
from tabcast.table._tables import (
    describe_difference,
    map_rows,
    read_table,
    take_columns,
    take_rows,
    warn_empty_columns,
)

CELLS = {"a": [1.5, None, 3.0], "b": ["x", None, "y"], "c": [True, False, None], "d": [datetime.date(2000, 1, 1)] * 3}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_library_become_pandas(library):
    table = read_table(library(CELLS))
    assert isinstance(table, pd.DataFrame)
    for name, cells in CELLS.items():
        present = [pd.Timestamp(cell) if name == "d" else cell for cell in table[name].dropna()]
        assert present == [pd.Timestamp(cell) if name == "d" else cell for cell in cells if cell is not None]


def test_pandas_stays_what_it_is():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, "y"]})
    assert read_table(frame) is frame
    assert take_rows(frame, np.array([2, 0]))["a"].tolist() == [3.0, 1.0]
    assert take_columns(frame, np.array([1])).columns.tolist() == ["b"]


def objects(*cells):
    """An array with one column."""
    array = np.empty((len(cells), 1), dtype=object)
    array[:, 0] = cells
    return array


NUMBERS = {
    "a list": ([[1], [2.5]], [[1.0], [2.5]]),
    "text": ([["1"], [2.5]], [[1.0], [2.5]]),
    "text of numpy": (np.array([["1"], ["2.5"]]), [[1.0], [2.5]]),
    "missing": (objects(pd.NA, pd.NaT, None, np.nan, 1), [[np.nan]] * 4 + [[1.0]]),
    "masked": (np.ma.array(objects(1, "x"), mask=[[False], [True]]), [[1.0], [np.nan]]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_arrays_are_numbers(case):
    given, expected = NUMBERS[case]
    np.testing.assert_array_equal(read_table(given), expected)


REFUSED_ARRAYS = {
    "text": (
        objects(1, "Ulm"),
        ValueError,
        "^X has cells that are .* row 1 of column 0 has a str .*'Ulm'.* Pass a",
    ),
    "text of a list": ([[1, "Ulm"], [2, "Bonn"]], ValueError, "row 0 of column 1 has a str .*'Ulm'"),
    "bytes": (objects(b"Ulm"), ValueError, "row 0 of column 0 has a bytes .* Pass a DataFrame"),
    "lists": (objects([1], [2]), TypeError, "row 0 of column 0 has a list .* make columns of its entries"),
    "dicts": (objects({"a": 1}), TypeError, "has a dict .*argument must be .* string.* number"),
    "dates": (objects(datetime.date(2024, 1, 2)), TypeError, "has a date .* which may have text and dates"),
    "dates of numpy": (np.array([["2024-01-02"]], dtype="datetime64[ns]"), TypeError, "column 0 has a Timestamp"),
    "durations": (np.array([[3]], dtype="timedelta64[ns]"), TypeError, "row 0 of column 0 has a Timedelta"),
    "long integers": (objects(10**400), ValueError, "row 0 of column 0 has a int .*too large"),
    "complex": (np.array([[1j]]), ValueError, "^Complex data not supported"),
    "complex objects": (objects(1j), TypeError, "row 0 of column 0 has a complex"),
    "infinity": (
        np.array([[1.0, np.inf]]),
        ValueError,
        "^Input X contains infinity .* in column 1. Replace such",
    ),
    "infinity in objects": (objects(1, pd.NA, -np.inf), ValueError, "contains infinity .* in column 0"),
    "one dimension": (
        np.arange(3.0),
        ValueError,
        "^Expected 2D array or DataFrame for X, got a 1D array instead. Reshape your data",
    ),
    "three dimensions": (np.zeros((2, 2, 2)), ValueError, "got a 3D array instead"),
    "an empty list": ([], ValueError, "^Expected 2D array .* got a 1D array"),
    "no columns": (
        np.empty((3, 0)),
        ValueError,
        r"^Found array with 0 feature\(s\) \(shape=\(3, 0\)\) while a min",
    ),
    "no rows": (np.empty((0, 3)), ValueError, r"^Found array with 0 sample\(s\)"),
    "ragged": ([[1], [1, 2]], ValueError, "^Rows of X must all have the same number of cells"),
    "a dict": ({"a": [1, 2]}, ValueError, "got dict instead. Pass a DataFrame"),
    "list of dicts": ([{"a": 1}, {"a": 2}], ValueError, "got a list of dicts instead"),
    "nothing": (None, ValueError, "got NoneType instead"),
    "a generator": ((row for row in [[1], [2]]), ValueError, "got generator instead"),
    "structured": (np.zeros(2, dtype=[("a", float)]), ValueError, "got a structured array"),
    "a series": (pl.Series([1]), ValueError, r"got a 1D Series instead.* X.to_frame\(\)"),
    "lazy": (pl.LazyFrame({"a": [1]}), TypeError, r"a polars LazyFrame, whose rows are not in memory; pass X.collect"),
}
UTC = pd.Timestamp("2000-01-01", tz="UTC")
REFUSED_FRAMES = {
    "no columns": (pd.DataFrame(index=range(3)), ValueError, "0 feature"),
    "no rows": (pl.DataFrame({"c": []}), ValueError, "0 sample"),
    "double names": (pd.DataFrame([[1, 2]], columns=["c", "c"]), ValueError, "must differ; 'c' occurs more than once"),
    "several names": (
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", 1)])),
        ValueError,
        "MultiIndex",
    ),
    "names of several types": (
        pd.DataFrame({0: [1.0], "a": [2.0]}),
        TypeError,
        "Column names of X must all be text; got int and str. Use X.columns = ",
    ),
    "infinity": (pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, -np.inf]}), ValueError, "contains infinity .* column 'b'"),
    "infinity in polars": (pl.DataFrame({"a": [1.0, float("inf")]}), ValueError, "contains infinity .* column 'a'"),
    "complex": (pd.DataFrame({"c": [1j, 2j]}), ValueError, "Complex data not supported: Column 'c' of X is complex"),
    "zones": (
        pd.DataFrame({"c": pd.Series([UTC, UTC.tz_convert("Europe/Berlin")], dtype=object)}),
        ValueError,
        "'c' of X has dates of several time zones, or with and without one",
    ),
}


@pytest.mark.parametrize(("table", "kind", "sentence"), [*REFUSED_ARRAYS.values(), *REFUSED_FRAMES.values()])
def test_what_is_no_table_is_refused(table, kind, sentence):
    with pytest.raises(kind, match=sentence):
        read_table(table)


BAD_CELLS = {
    "lists": pd.DataFrame({"c": [[1], [2]]}),
    "dicts": pd.DataFrame({"c": [{"a": 1}, None]}),
    "sets": pd.DataFrame({"c": [{1}, {2}]}),
    "arrays": pd.DataFrame({"c": [np.ones(2), np.zeros(2)]}),
    "objects": pd.DataFrame({"c": [object(), object()]}),
    "lists of pyarrow": pd.DataFrame({"c": pd.array([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64())))}),
    "lists of polars": pl.DataFrame({"c": [[1], [2]]}),
    "structs of polars": pl.DataFrame({"c": [{"a": 1}, {"a": 2}]}),
    "objects of polars": pl.DataFrame({"c": pl.Series([object(), object()], dtype=pl.Object)}),
}


@pytest.mark.parametrize("case", BAD_CELLS)
def test_cells_that_are_no_single_values(case):
    with pytest.raises(ValueError, match=r"^Column 'c' of X_unlabeled has .* A cell must be a number, a boolean, text"):
        read_table(BAD_CELLS[case], name="X_unlabeled")


DECIMALS = {"c": [Decimal("1.5"), None, Decimal(2)]}
ARROW_DECIMALS = pd.array(DECIMALS["c"], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame(DECIMALS), pl.DataFrame(DECIMALS), pa.table(DECIMALS), pd.DataFrame({"c": ARROW_DECIMALS})],
    ids=["pandas", "polars", "pyarrow", "pyarrow in pandas"],
)
def test_decimals_are_numbers(table):
    np.testing.assert_array_equal(learn_and_encode(read_table(table)).continuous[:, 0], [1.5, np.nan, 2.0])


def test_huge_and_missing_numbers_are_not_infinite():
    read_table(pd.DataFrame({"a": pd.array([1.0, None], dtype="Float64"), "b": [1e308, 1e308]}))


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, pd.NaT], ids=repr)
def test_every_empty_column_and_no_other_is_named(nothing):
    X = pd.DataFrame({"number": [nothing, 2.0], "text": ["a", nothing], 7: [nothing, nothing], "late": [nothing, "b"]})
    X["levels"] = pd.Categorical([None, None], categories=["u", "v"])
    with pytest.warns(EmptyColumnWarning, match=r"^Column 7, 'levels' has no value"):
        assert warn_empty_columns(X).tolist() == [False, False, True, False, True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_empty_columns(X[["number", "text", "late"]])


def test_differences_are_named_and_cut():
    assert describe_difference(["a", "b"], ["b", "a"]) == ""
    assert describe_difference(["a", "b"], ["b", "c"]) == "missing 'a'; unexpected 'c'"
    assert describe_difference(list("abcdefghijklmn"), []).endswith("'j', ...")


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("n_rows", [0, 1, 4, 11])
def test_blocks_give_what_one_piece_gives(monkeypatch, n_rows, kind):
    monkeypatch.setattr(_tables, "ROWS_AT_A_TIME", 4)
    values, sizes = np.random.default_rng(0).normal(size=(n_rows, 3)), []

    def total(X, sign):
        sizes.append(len(X))
        return np.asarray(X).sum(axis=1) * sign

    result = map_rows(total, kind(values), np.arange(n_rows))
    np.testing.assert_array_equal(result, values.sum(axis=1) * np.arange(n_rows))
    assert max(sizes) <= 4
    assert sum(sizes) == n_rows


def test_densities_of_blocks_are_those_of_one_piece():
    """A kernel density sums a block of queries at a time; the bits of its sums depend on where blocks begin."""
    assert _tables.ROWS_AT_A_TIME % BLOCK_QUERIES == 0
