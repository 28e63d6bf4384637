"""Arrays are read as numbers, or refused with the cell that is none and what to do."""

import datetime

import numpy as np
import pandas as pd
import pytest

from tabcast.table import read_table


def objects(*cells):
    """An array with one column."""
    array = np.empty((len(cells), 1), dtype=object)
    array[:, 0] = cells
    return array


@pytest.mark.parametrize("missing", [pd.NA, pd.NaT, None, np.nan], ids=str)
def test_missing_values_of_any_kind_are_nan(missing):
    np.testing.assert_array_equal(read_table(objects(1, missing, 2.5)), [[1.0], [np.nan], [2.5]])


def test_numbers_as_text_are_numbers():
    for cells in (objects("1", 2.5), np.array([["1"], ["2.5"]]), [["1"], [2.5]]):
        np.testing.assert_array_equal(read_table(cells), [[1.0], [2.5]])


def test_masked_cells_are_missing():
    masked = np.ma.array(objects(1, "x", 3), mask=[[False], [True], [False]])
    np.testing.assert_array_equal(read_table(masked), [[1.0], [np.nan], [3.0]])


REFUSED = {
    "text": (objects(1, "Ulm"), ValueError, "row 1 of column 0 has a str .*'Ulm'.* Pass a DataFrame"),
    "text of a list": ([[1, "Ulm"], [2, "Bonn"]], ValueError, "row 0 of column 1 has a str .*'Ulm'"),
    "text of numpy": (np.array([["1", "Ulm"]]), ValueError, "row 0 of column 1 has a str .*'Ulm'"),
    "bytes": (objects(b"Ulm"), ValueError, "row 0 of column 0 has a bytes .* Pass a DataFrame"),
    "lists": (objects([1], [2]), TypeError, "row 0 of column 0 has a list .* make columns of its entries"),
    "tuples": (objects((1, 2), (3, 4)), TypeError, "row 0 of column 0 has a tuple .* make columns of its entries"),
    "dicts": (objects({"a": 1}), TypeError, "has a dict .*argument must be .* string.* number"),
    "dates": (objects(datetime.date(2024, 1, 2)), TypeError, "has a date .* which may have text and dates"),
    "dates of numpy": (np.array([["2024-01-02"]], dtype="datetime64[D]"), TypeError, "row 0 of column 0 .*datetime64"),
    "long integers": (objects(10**400), ValueError, "row 0 of column 0 has a int .*too large"),
    "complex": (np.array([[1j]]), ValueError, "^Complex data not supported: X is complex. Use its real"),
    "complex objects": (objects(1j), TypeError, "row 0 of column 0 has a complex"),
    "infinity": (
        np.array([[1.0, np.inf]]),
        ValueError,
        "^Input X contains infinity .* in column 1. Replace such cells",
    ),
    "infinity in objects": (objects(1, pd.NA, -np.inf), ValueError, "contains infinity .* in column 0"),
    "one dimension": (
        np.arange(3.0),
        ValueError,
        "^Expected 2D array or DataFrame for X, got 1D array .* Reshape your",
    ),
    "no columns": (
        np.empty((3, 0)),
        ValueError,
        r"^Found array with 0 feature\(s\) \(shape=\(3, 0\)\) while a minimum",
    ),
    "no rows": (np.empty((0, 3)), ValueError, r"^Found array with 0 sample\(s\)"),
    "uneven": ([[[1], 2], [[1, 2], 3]], ValueError, "^Rows of X must all have the same number of cells"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_one_sentence_names_the_cell(case):
    array, kind, sentence = REFUSED[case]
    with pytest.raises(kind, match=sentence) as caught:
        read_table(array)
    assert "\n" not in str(caught.value)


def test_the_argument_is_named():
    with pytest.raises(ValueError, match=r"^X_unlabeled has cells that are not numbers"):
        read_table(objects("Ulm"), name="X_unlabeled")
