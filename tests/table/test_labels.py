"""Whatever stands for a class, and whatever stands for none."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tabcast.exceptions import AmbiguousLabelWarning
from tabcast.table._labels import UNLABELED, encode_labels, find_unlabeled, read_labels

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


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.AmbiguousLabelWarning")
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


BOTH = {
    "floats": [-1.0, 0.0, 1.0, np.nan],
    "objects": np.array([-1, 0, 1, None], dtype=object),
    "nullable": pd.array([-1, 0, 1, None], dtype="Int64"),
    "polars": pl.Series([-1, 0, 1, None]),
}


@pytest.mark.parametrize("case", BOTH)
def test_minus_one_beside_missing_values_is_ambiguous(case):
    with pytest.warns(
        AmbiguousLabelWarning, match="both mean unlabeled, .* or -1 is a class .* missing_label=None"
    ) as said:
        assert read_labels(BOTH[case]).codes.tolist() == [-1, 0, 1, -1]
    assert len(said) == 1


@pytest.mark.parametrize("case", BOTH)
def test_a_choice_settles_it(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = read_labels(BOTH[case], None)
        assert labels.classes.tolist() == [-1, 0, 1]
        assert labels.codes.tolist() == [0, 1, 2, -1]
        assert read_labels(BOTH[case], np.nan).codes.tolist() == [0, 1, 2, -1]
        assert read_labels(BOTH[case], -1).codes.tolist() == [-1, 0, 1, -1]
        assert read_labels(["-1", "0", None]).classes.tolist() == ["-1", "0"], "text is not ambiguous"


def test_one_class_beside_minus_one_says_how_to_make_it_two():
    with pytest.raises(
        ValueError, match=r"Rows with -1 were read as unlabeled\. Set missing_label=None if -1 is a class"
    ):
        read_labels([-1, 1, 1])


def test_masked_labels_are_missing():
    assert read_labels(np.ma.masked_array([0, 1, 1, 0], mask=[0, 0, 1, 1])).codes.tolist() == [0, 1, -1, -1]


def test_integers_beside_missing_values_stay_integers():
    y = pl.Series([2**53, 2**53 + 1, None])
    assert read_labels(y).classes.tolist() == [2**53, 2**53 + 1]
    assert read_labels(y).classes.dtype == np.int64


BAD = {
    "NUL": (pd.Series(["a", "b\x00", None]), "ends in a NUL character"),
    "complex numbers": (np.array([1j, 2j]), r"\(complex128\). Convert them"),
    "fractions": ([0.5, 1.5, np.nan], "Unknown label type: continuous"),
    "huge integers": ([2**70, 2**71, None], "must be text, booleans or whole numbers"),
    "tuple objects": (pd.Series([("a", 1), None, ("b", 2)]), r"got \('\w', \d\) \(tuple\)"),
    "tuples in a list": ([("a", 1), None, ("b", 2)], r"got \('\w', \d\) \(tuple\)"),
    "polars lists": (pl.Series([[1], [2]]), r"\(list\). Convert them"),
    "decimals": ([Decimal(1), Decimal(2), None], r"\(Decimal\)"),
    "bytes": ([b"a", b"b", None], r"\(bytes\)"),
    "dates": ([datetime.date(2000, 1, 1), None], r"\(date\)"),
    "timestamps": (pd.to_datetime(pd.Series(["2000-01-01", None])), r"\(Timestamp\)"),
    "times of numpy": (
        np.array(["2000-01-01", "2000-01-02"], dtype="M8[D]"),
        "must be text, booleans or whole numbers",
    ),
    "a lazy frame": (pl.LazyFrame({"y": [0, 1]}), "got a polars LazyFrame"),
    "a frame": (pl.DataFrame({"y": [0, 1], "z": [0, 1]}), "got a polars DataFrame"),
}


@pytest.mark.parametrize("case", BAD)
def test_labels_that_are_no_classes_are_named(case):
    y, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence):
        read_labels(y)


@pytest.mark.parametrize(
    ("y", "classes", "unlabeled"),
    [
        (["a", "b", float("nan"), "a"], ["a", "b"], [2]),
        ([True, False, None, True], [False, True], [2]),
        ([3, 7, None, 3], [3, 7], [2]),
        (("x", None, "y"), ["x", "y"], [1]),
        ([0, 1, -1], [0, 1], [2]),
    ],
)
def test_a_list_keeps_the_types_of_its_labels(y, classes, unlabeled):
    labels = read_labels(y)
    assert labels.classes.tolist() == classes
    assert [type(one) for one in labels.classes.tolist()] == [type(one) for one in classes]
    assert np.flatnonzero(~labels.labeled).tolist() == unlabeled


def test_booleans_beside_minus_one_are_refused():
    with pytest.raises(ValueError, match=r"Labels in y must all be of one kind; got booleans and numbers"):
        read_labels([True, False, -1])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("convert", [lambda y: np.array(y, dtype=object), pd.Series, lambda y: pd.array(y, "string")])
def test_one_class_is_not_enough_whatever_marks_the_others(missing, convert):
    with pytest.raises(ValueError, match="only one class among its 2 labeled rows, 'p'; a classifier needs at least"):
        read_labels(convert(["p", missing, "p"]))


@pytest.mark.parametrize("classes", [[5, 2**53 + 1], [2**53, 2**53 + 1, 2**53 + 2], np.array([3, 7], dtype="uint8")])
def test_integers_beside_nan_stay_what_they_are(classes):
    labels = read_labels(pd.Series(classes).astype("category").reindex(range(len(classes) + 1)))
    assert labels.values(labels.codes).tolist()[:-1] == list(classes)
