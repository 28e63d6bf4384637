"""Tables are checked, and otherwise left alone."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.exceptions import EmptyColumnWarning
from tabcast.table import (
    describe_difference,
    find_empty_columns,
    read_table,
    stack_rows,
    take_columns,
    take_rows,
    warn_empty_columns,
)

FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, "y"]})
TABLES = {
    "array": np.array([[1.0, 4.0], [2.0, 5.0], [3.0, np.nan]]),
    "pandas": FRAME,
    "polars": pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, "y"]}),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_stays_what_it_is(kind):
    table = TABLES[kind]
    assert type(read_table(table)) is type(table)
    assert take_rows(table, np.array([2, 0])).shape == (2, 2)
    assert type(take_rows(table, np.array([2, 0]))) is type(table)
    assert take_columns(table, np.array([1])).shape == (3, 1)
    assert type(take_columns(table, np.array([1]))) is type(table)
    stacked = stack_rows(table, take_rows(table, np.array([1])))
    assert stacked.shape == (4, 2)
    assert type(stacked) is type(table)


def test_lists_become_arrays():
    assert isinstance(read_table([[1, 2], [3, 4]]), np.ndarray)


def test_stacking_unites_levels_and_keeps_order():
    first = pd.DataFrame({"c": pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True)})
    second = pd.DataFrame({"c": ["z", "a"]})
    stacked = stack_rows(first, second)
    assert stacked["c"].tolist() == ["b", "a", "z", "a"]
    assert stacked["c"].cat.categories.tolist() == ["b", "a", "z"]
    assert stacked["c"].cat.ordered
    assert first["c"].cat.categories.tolist() == ["b", "a"], "the user's table must not change"


def test_differences_are_named_and_cut():
    assert describe_difference(["a", "b"], ["b", "a"]) == ""
    assert describe_difference(["a", "b"], ["b", "c"]) == "missing 'a'; unexpected 'c'"
    assert describe_difference(list("abcdefghijklmn"), []).endswith("'j', ...")


@pytest.mark.parametrize("kind", ["array", "pandas", "polars"])
def test_infinity_is_refused_and_missing_is_not(kind):
    bad = {"array": np.array([[1.0], [np.inf]]), "pandas": pd.DataFrame({"a": [1.0, -np.inf]})}
    bad["polars"] = pl.DataFrame({"a": [1.0, float("inf")]})
    with pytest.raises(ValueError, match="contains infinity"):
        read_table(bad[kind])
    read_table(pd.DataFrame({"a": pd.array([1.0, None], dtype="Float64")}))
    read_table(pd.DataFrame({"a": [1e308, 1e308, 1e308]}))


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("nothing", [None, np.nan])
def test_empty_columns_are_named(library, nothing):
    X = library.DataFrame({"a": [1.0, 2.0], "b": [nothing, nothing]})
    with pytest.warns(EmptyColumnWarning, match="Column 'b' has no value"):
        warn_empty_columns(X, find_empty_columns(X))


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, pd.NaT], ids=repr)
def test_every_empty_column_and_no_other_is_named(nothing):
    # Some begin with a gap, some end with one; types are mixed, and a name may be a number.
    X = pd.DataFrame({"number": [nothing, 2.0], "text": ["a", nothing], 7: [nothing, nothing], "late": [nothing, "b"]})
    X["levels"] = pd.Categorical([None, None], categories=["u", "v"])
    with pytest.warns(EmptyColumnWarning, match=r"^Column 7, 'levels' has no value"):
        warn_empty_columns(X, find_empty_columns(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        some = X[["number", "text", "late"]]
        warn_empty_columns(some, find_empty_columns(some))


def test_column_names_of_several_types_are_refused():
    with pytest.raises(TypeError, match=r"Column names of X must all be text; got int and str. Use X.columns = "):
        read_table(pd.DataFrame({0: [1.0], "a": [2.0]}))
