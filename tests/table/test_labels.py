"""Whatever stands for a class, and whatever stands for none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.table import UNLABELED, encode_labels, find_unlabeled, read_labels

CASES = {
    "integers": ([3, -1, 5, 3], [3, 5], [0, -1, 1, 0]),
    "floats with missing": ([3.0, np.nan, 5.0, -1.0], [3.0, 5.0], [0, -1, 1, -1]),
    "strings": (["b", None, "a", "b"], ["a", "b"], [1, -1, 0, 1]),
    "the text -1 is a class": (["b", "-1", "b", None], ["-1", "b"], [1, 0, 1, -1]),
    "booleans": ([True, None, False, True], [False, True], [1, -1, 0, 1]),
    "nullable integers": (pd.array([3, pd.NA, 5, -1], dtype="Int64"), [3, 5], [0, -1, 1, -1]),
    "nullable booleans": (pd.array([True, pd.NA, False, True], dtype="boolean"), [False, True], [1, -1, 0, 1]),
    "categories": (pd.Categorical(["b", None, "a", "b"], categories=["b", "a", "never"]), ["a", "b"], [1, -1, 0, 1]),
    "pandas strings": (pd.Series(["b", None, "a", "b"], dtype="string"), ["a", "b"], [1, -1, 0, 1]),
    "polars strings": (pl.Series(["b", None, "a", "b"]), ["a", "b"], [1, -1, 0, 1]),
    "polars integers": (pl.Series([3, None, 5, -1]), [3, 5], [0, -1, 1, -1]),
    "a column": (pd.DataFrame({"y": [3, -1, 5, 3]})["y"], [3, 5], [0, -1, 1, 0]),
}


@pytest.mark.parametrize("case", CASES)
def test_kinds_of_labels(case):
    y, classes, codes = CASES[case]
    labels = read_labels(y)
    assert labels.classes.tolist() == classes
    assert labels.codes.tolist() == codes


def test_a_named_marker_replaces_minus_one():
    assert find_unlabeled([0, -1, 9, 1], 9).tolist() == [False, False, True, False]
    assert find_unlabeled([0, -1, 9, 1], None).tolist() == [False] * 4
    assert find_unlabeled(["a", "?", None], "?").tolist() == [False, True, True]


@pytest.mark.parametrize("y", [[3, -1, 5], ["b", None, "a"], [True, None, False], [3.0, np.nan, 5.0]])
def test_values_give_back_what_came(y):
    labels = read_labels(y)
    again = labels.values(labels.codes).tolist()
    assert [value if value == value else "nan" for value in again] == [v if v == v else "nan" for v in y]


def test_values_without_markers_keep_the_type_of_the_classes():
    labels = read_labels(["b", None, "a"])
    assert labels.values(np.array([0, 1, 0])).dtype.kind == "U"
    assert labels.values(np.array([0, UNLABELED])).dtype == object


def test_labels_of_another_table():
    labels = read_labels(["b", None, "a"])
    assert encode_labels(["a", "a", "b"], labels, name="validation_data").tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match=r"validation_data must be one of .*\['a', 'b'\]; got 'c', None"):
        encode_labels(["a", "c", None], labels, name="validation_data")
