"""A dataset from a function: types, codes, and what is refused."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from tabcast.study.datasets import DatasetInfo, load_dataset
from tabcast.study.datasets._dataset import in_natural_order


def give(table, labels):
    return table, labels


def describe(table, labels, **changes):
    """A description that is right for the table, but for the changes."""
    known = {
        "name": "mine",
        "metric": "f1",
        "n_rows": len(table),
        "n_columns": table.shape[1],
        "n_classes": len(set(labels)),
        "target": "truth",
        "load": partial(give, table, labels),
    }
    return DatasetInfo(**{**known, **changes})


TABLE = pd.DataFrame({"size": [1, 2, 3, 4], "color": ["red", None, "blue", "red"], "open": [True, False, True, True]})
LABELS = pd.Series(["no", "yes", "no", "yes"])


def test_columns_become_floats_and_categories():
    X = load_dataset(describe(TABLE, LABELS)).X
    assert X["size"].dtype == np.float64
    assert X["color"].cat.categories.tolist() == ["blue", "red"]
    assert X["color"].isna().tolist() == [False, True, False, False]
    assert X["open"].cat.categories.tolist() == [False, True]
    assert TABLE["size"].dtype == np.int64, "the table of the plug-in was changed"


def test_levels_are_those_that_occur_in_one_order_whatever_was_declared():
    sizes = ["10", "2", None, "10"]
    tables = [TABLE.assign(size=pd.Categorical(sizes, categories=given)) for given in (["2", "10"], ["7", "10", "2"])]
    for table in tables:
        X = load_dataset(describe(table, LABELS)).X
        assert X["size"].cat.categories.tolist() == ["2", "10"]
        assert X["size"].astype(object).where(X["size"].notna(), None).tolist() == sizes


def test_an_order_that_was_stated_stays():
    sizes = pd.Categorical(["big", "small", None, "big"], categories=["small", "medium", "big"], ordered=True)
    X = load_dataset(describe(TABLE.assign(size=sizes), LABELS)).X
    assert X["size"].dtype == sizes.dtype


def test_labels_become_codes_of_the_sorted_classes():
    dataset = load_dataset(describe(TABLE, LABELS, positive_class="yes"))
    assert dataset.classes.tolist() == ["no", "yes"]
    assert dataset.y.tolist() == [0, 1, 0, 1]
    assert dataset.y.dtype == np.intp


def test_rows_keep_their_labels_whatever_the_index():
    shuffled = TABLE.set_axis([7, 3, 9, 1], axis=0)
    dataset = load_dataset(describe(shuffled, LABELS))
    assert dataset.X["size"].tolist() == [1, 2, 3, 4]
    assert dataset.X.index.tolist() == [0, 1, 2, 3]
    assert dataset.y.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (["10", "2", "1"], ["1", "2", "10"]),
        (["1.5", "-2", "1"], ["-2", "1", "1.5"]),
        (["b", "10", "2"], ["10", "2", "b"]),
        (["nan", "2", "1"], ["1", "2", "nan"]),
        ([3, 1, 2], [1, 2, 3]),
        ([True, False], [False, True]),
        (["a", 1, "b"], [1, "a", "b"]),
    ],
)
def test_natural_order(levels, expected):
    assert in_natural_order(levels) == expected
    assert in_natural_order(levels[::-1]) == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_rows": 5}, "'mine' is not the one that was described: expected n_rows 5, found 4."),
        ({"n_columns": 2, "n_classes": 3}, "expected n_columns 2, found 3; n_classes 3, found 2."),
        ({"positive_class": "no"}, r"second of its two sorted labels \['no', 'yes'\]; got 'no'."),
        ({"target": "color"}, "table of dataset 'mine' must not hold its target 'color'; leave it out."),
    ],
)
def test_a_wrong_description_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(describe(TABLE, LABELS, **changes))


def test_unknown_metric_is_refused():
    with pytest.raises(ValueError, match=r"Unknown metric of dataset 'mine': 'f-1'. Choices: accuracy, .* mean 'f1'"):
        describe(TABLE, LABELS, metric="f-1")


def test_incomplete_labels_are_refused():
    with pytest.raises(ValueError, match=r"Target 'truth' of dataset 'mine' must be complete; 1 are missing."):
        load_dataset(describe(TABLE, pd.Series(["no", None, "no", "yes"])))
    with pytest.raises(ValueError, match=r"'mine' must have one label per row; got 3 for 4 rows."):
        load_dataset(describe(TABLE, LABELS[:3]))


def test_an_array_is_refused():
    with pytest.raises(TypeError, match=r"`load` of dataset 'mine' must give a DataFrame and its labels; got ndarray."):
        load_dataset(describe(TABLE.to_numpy(), LABELS))
