"""Cells that no model can use are named; decimals are numbers."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.table import learn_and_encode, read_table
from tests.conftest import needs

BAD_CELLS = {
    "lists": [[1], [2]],
    "tuples": [(1, 2), (3, 4)],
    "dicts": [{"a": 1}, None],
    "sets": [{1}, {2}],
    "arrays": [np.ones(2), np.zeros(2)],
    "frames": [pd.DataFrame(), None],
    "objects": [object(), object()],
}


@pytest.mark.parametrize("case", BAD_CELLS)
def test_cells_that_are_no_single_values(case):
    with pytest.raises(ValueError, match=r"Column 'c' of X_unlabeled has .* A cell must be a number, a boolean, text"):
        read_table(pd.DataFrame({"c": BAD_CELLS[case]}), name="X_unlabeled")


def test_a_column_named_by_a_number_is_named_so():
    with pytest.raises(ValueError, match=r"^Column 7 of X has "):
        read_table(pd.DataFrame({7: BAD_CELLS["lists"]}))


@needs("pyarrow")
def test_lists_of_pyarrow():
    import pyarrow as pa

    lists = pd.array([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64())))
    with pytest.raises(ValueError, match=r"Column 'c' of X_unlabeled has .* A cell must be a number, a boolean, text"):
        read_table(pd.DataFrame({"c": lists}), name="X_unlabeled")


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([[1], [2]]),
        pl.Series([b"a", b"b"]),
        pl.Series([object(), object()], dtype=pl.Object),
        pl.Series([{"a": 1}, {"a": 2}]),
        pl.Series([[1], [2]], dtype=pl.Array(pl.Int64, 1)),
    ],
    ids=["List", "Binary", "Object", "Struct", "Array"],
)
def test_polars_types_that_are_no_single_values(values):
    with pytest.raises(ValueError, match=r"Column 'c' of X has the type \w+.* A cell must be"):
        read_table(pl.DataFrame({"c": values}))


DECIMALS = [Decimal("1.5"), None, Decimal(2)]


def decimals_of_pyarrow(in_pandas):
    import pyarrow as pa

    if in_pandas:
        return pd.DataFrame({"c": pd.array(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(5, 2)))})
    return pa.table({"c": DECIMALS})


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: pd.DataFrame({"c": DECIMALS}), id="objects"),
        pytest.param(lambda: decimals_of_pyarrow(in_pandas=True), id="pyarrow in pandas", marks=needs("pyarrow")),
        pytest.param(lambda: pl.DataFrame({"c": DECIMALS}), id="polars"),
        pytest.param(lambda: decimals_of_pyarrow(in_pandas=False), id="pyarrow", marks=needs("pyarrow")),
    ],
)
def test_decimals_are_numbers(make):
    encoded = learn_and_encode(read_table(make()))
    np.testing.assert_array_equal(encoded.continuous[:, 0], [1.5, np.nan, 2.0])


def test_complex_columns():
    for cells in ([1j, 2j], pd.Series([1j, None], dtype=object)):
        with pytest.raises(ValueError, match="Complex data not supported: Column 'c' of X is complex"):
            read_table(pd.DataFrame({"c": cells}))


def test_several_time_zones():
    utc = pd.Timestamp("2000-01-01", tz="UTC")
    for other in (utc.tz_convert("Europe/Berlin"), utc.tz_localize(None)):
        with pytest.raises(ValueError, match="'c' of X has dates of several time zones, or with and without one"):
            read_table(pd.DataFrame({"c": pd.Series([utc, other], dtype=object)}))


@needs("pyarrow")
def test_dates_of_pyarrow():
    dates = pd.Series(pd.date_range("2000-01-01", periods=3))
    expected = learn_and_encode(pd.DataFrame({"c": dates})).continuous
    arrow = pd.DataFrame({"c": dates.astype("timestamp[ns][pyarrow]")})
    np.testing.assert_array_equal(learn_and_encode(arrow).continuous, expected)


NO_TABLE = {
    "three dimensions": (np.zeros((2, 2, 2)), "dim 3 for X, while a table has rows and columns"),
    "a dict": ({"a": [1, 2]}, "got dict instead. Pass a DataFrame"),
    "dicts": ([{"a": 1}, {"a": 2}], "got a list of dicts instead"),
    "nothing": (None, "got NoneType instead"),
    "a generator": ((row for row in [[1], [2]]), "got generator instead"),
    "ragged": ([[1], [1, 2]], "same number of cells"),
    "structured": (np.zeros(2, dtype=[("a", float)]), "got a structured array"),
    "text": (
        np.array([["a", "b"]], dtype=object),
        "X has cells that are not numbers: row 0 of column 0 .* Pass a DataFrame",
    ),
    "several names": (
        pd.DataFrame(np.ones((2, 2)), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])),
        "names of several levels",
    ),
    "no columns": (pd.DataFrame(index=range(3)), "0 feature"),
}


@pytest.mark.parametrize("case", NO_TABLE)
def test_what_is_no_table(case):
    table, sentence = NO_TABLE[case]
    with pytest.raises(ValueError, match=sentence):
        read_table(table)


def test_lazy_tables():
    with pytest.raises(TypeError, match=r"X is a polars LazyFrame, whose rows are not in memory; pass X.collect\(\)"):
        read_table(pl.LazyFrame({"a": [1]}))


@needs("pyarrow")
def test_tables_of_pyarrow():
    import pyarrow as pa

    table = pa.table({"a": [1.5, None], "b": ["x", "y"], "d": [datetime.date(2000, 1, 1)] * 2})
    assert read_table(table)["a"].tolist()[0] == 1.5
    assert read_table(table)["b"].tolist() == ["x", "y"]


def test_masked_cells_are_missing():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(read_table(masked), [[1.0, np.nan], [3.0, 4.0]])


def test_a_type_that_polars_does_not_know_is_refused():
    pytest.importorskip("pyarrow")  # polars needs it to convert periods
    months = pl.from_pandas(
        pd.DataFrame({"month": pd.period_range("2024-01", periods=3, freq="M"), "empty": [None] * 3})
    )
    if str(months.schema["month"]) in ("Int64", "String", "Date"):
        pytest.skip("this polars converts periods")
    with pytest.raises(ValueError, match=r"Column 'month' of X has the type .* A cell must be a number"):
        read_table(months)
    assert read_table(months[["empty"]]).shape == (3, 1)
