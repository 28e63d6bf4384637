"""A column of another table gets the type that it had: converted where nothing is lost, refused otherwise."""

import datetime
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from tabcast.exceptions import UnseenLevelsWarning
from tabcast.table._types import learn_types, stack_rows

DATES = pd.date_range("2000-01-01", periods=4)
KNOWN = {
    "numbers": [0.5, 1.5, 2.0, 7.0],
    "booleans": [True, False, True, True],
    "numbers as text": ["1", "2", "7", "1"],
    "text": ["a", "b", "b", "a"],
    "dates": DATES,
    "levels of numbers": pd.Categorical([1, 2, 7, 1]),
}
CONVERTED = {
    "text to numbers": ("numbers", ["3.5", None, "7", "1e2"], [3.5, None, 7.0, 100.0]),
    "objects to numbers": ("numbers", pd.Series([3, 2.5, None], dtype=object), [3.0, 2.5, None]),
    "levels to numbers": ("numbers", pd.Categorical([30, 20, 30]), [30.0, 20.0, 30.0]),
    "booleans to numbers": ("numbers", [True, False], [1.0, 0.0]),
    "nothing to numbers": ("numbers", pd.Series([None, None], dtype=object), [None, None]),
    "numbers to booleans": ("booleans", [0, 1, 1], [False, True, True]),
    "numbers and gaps to booleans": ("booleans", [0.0, None, 1.0], [False, None, True]),
    "text to booleans": ("booleans", ["True", "false"], [True, False]),
    "numbers to text": ("numbers as text", [1, 2, 2], ["1", "2", "2"]),
    "numbers and gaps to text": ("numbers as text", [1.0, None, 2.5], ["1", None, "2.5"]),
    "text to dates": ("dates", ["2001-02-03", None], [pd.Timestamp("2001-02-03"), None]),
    "objects to dates": ("dates", [datetime.date(2001, 2, 3), None], [pd.Timestamp("2001-02-03"), None]),
    "text to levels of numbers": ("levels of numbers", ["1", "7", None], [1.0, 7.0, None]),
}
REFUSED = {
    "numbers": (["3.5", "n/a"], "'c' has numbers in fit but text in X, and 'n/a' cannot be converted"),
    "booleans": ([0, 2], "'c' has booleans in fit but numbers in X, and 2(\\.0)? cannot"),
    "text": ([1, 2], "'c' has text in fit but numbers in X, and 1(\\.0)? cannot"),
    "numbers as text": ([True, False], "'c' has text in fit but booleans in X, and True cannot"),
    "dates": (["03/02/2001"], "'c' has dates without a time zone in fit but text in X, and '03/02/2001' cannot"),
}


def make(values):
    return pd.DataFrame({"c": values})


def cells(table):
    return [None if pd.isna(cell) else cell for cell in pd.Series(list(table["c"]), dtype=object)]


@pytest.mark.parametrize("case", CONVERTED)
def test_converted_without_loss(case):
    known, given, expected = CONVERTED[case]
    types = pickle.loads(pickle.dumps(learn_types(make(KNOWN[known]))))
    table = make(given)
    before = cells(table)
    result = types.align(table, warn=False)
    assert cells(result) == expected
    assert [type(cell) for cell in cells(result)] == [type(cell) for cell in expected] or known == "dates"
    assert cells(table) == before, "the user's table must not change"
    stacked = stack_rows(make(KNOWN[known]), table)
    assert len(stacked) == 4 + len(expected)
    assert cells(stacked)[4:] == expected
    assert learn_types(stacked).columns[0].kind == types.columns[0].kind


@pytest.mark.parametrize("known", REFUSED)
def test_refused_with_loss(known):
    given, sentence = REFUSED[known]
    with pytest.raises(ValueError, match=f"Column {sentence}.* without loss. Convert the column to one type in both"):
        learn_types(make(KNOWN[known])).align(make(given))
    with pytest.raises(ValueError, match=r"in X but .* in X_unlabeled"):
        stack_rows(make(KNOWN[known]), make(given))


def test_the_same_types_give_the_same_table():
    for known in KNOWN.values():
        table = make(known)
        assert learn_types(table).align(table) is table
    array = np.ones((3, 2))
    assert learn_types(array).align(array) is array


def test_time_zones():
    aware = make(DATES.tz_localize("UTC"))
    with pytest.raises(ValueError, match="dates with a time zone in fit but dates without a time zone in X"):
        learn_types(aware).align(make(DATES))
    stacked = stack_rows(aware, make(DATES.tz_localize("Europe/Berlin")))
    assert stacked["c"].dtype == aware["c"].dtype
    assert stacked["c"].iloc[4] == DATES[0].tz_localize("Europe/Berlin")


def test_an_empty_column_takes_the_type_of_the_other_table():
    empty = pd.DataFrame({"c": pd.Series([None, None], dtype=object)})
    assert stack_rows(empty, make([1.5, 2.5]))["c"].dtype == float
    assert stack_rows(make([1.5, 2.5]), empty)["c"].dtype == float


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("int64", "Int64"),
        ("uint64", "int64[pyarrow]"),
        ("Float64", "double[pyarrow]"),
    ],
)
def test_numbers_of_all_types_stay_numbers(first, second):
    for one, other in ((first, second), (second, first)):
        stacked = stack_rows(make(pd.array([1, 2], dtype=one)), make(pd.array([3], dtype=other)))
        assert pd.api.types.is_numeric_dtype(stacked["c"])
        assert stacked["c"].astype(float).tolist() == [1.0, 2.0, 3.0]


def test_columns_without_a_known_level_warn():
    types = learn_types(make(["a", "b", None]))
    with pytest.warns(UnseenLevelsWarning, match="No cell of column 'c' in X has a level that was there in fit"):
        types.align(make(["A", None, "B"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        types.align(make(["A", None, "b"]))
        types.align(make(["A"] * 5_000 + ["b"]))
        types.align(make([None, None]))


def test_an_array_for_a_table_with_booleans():
    types = learn_types(pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]}))
    assert types.align(np.array([[3.0, 0.0], [4.0, 1.0]]))["b"].tolist() == [False, True]


def test_stacking_unites_levels_and_keeps_order():
    first = pd.DataFrame({"c": pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True)})
    stacked = stack_rows(first, pd.DataFrame({"c": ["z", "a"]}))
    assert stacked["c"].tolist() == ["b", "a", "z", "a"]
    assert stacked["c"].cat.categories.tolist() == ["b", "a", "z"]
    assert stacked["c"].cat.ordered
    assert first["c"].cat.categories.tolist() == ["b", "a"], "the user's table must not change"


@pytest.mark.parametrize(
    ("X", "more", "kind", "sentence"),
    [
        (make([1.0]), np.ones((2, 1)), TypeError, "same kind of table; got a pandas DataFrame and a numpy ndarray"),
        (np.ones((2, 1)), np.ones((2, 3)), ValueError, "must have the same columns; got 1 and 3 columns"),
        (make([1.0]), pd.DataFrame({"C": [1.0]}), ValueError, "X and X_unlabeled: missing 'c'; unexpected 'C'"),
    ],
)
def test_tables_that_cannot_be_stacked(X, more, kind, sentence):
    with pytest.raises(kind, match=sentence):
        stack_rows(X, more)


def test_columns_named_by_numbers_must_be_in_order():
    types = learn_types(pd.DataFrame({0: [1.0], 1: [2.0]}))
    with pytest.raises(ValueError, match=r"in the same order; fit had \[0, 1\], X has \[1, 0\]. Select them by name"):
        types.align(pd.DataFrame({1: [2.0], 0: [1.0]}))
