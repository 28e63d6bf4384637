"""Uniform: the density that knows nothing, but still looks at what it is given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tabcast.density import ClassConditional, Uniform


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"x": [0.0, np.nan, 1e300], "c": ["a", None, "b"]})


def test_the_same_everywhere(table):
    queries = pd.DataFrame({"x": [5.0, np.nan, -np.inf, 0.0], "c": ["never seen", None, "a", "b"]})
    scores = Uniform().fit(table).score_samples(queries)
    np.testing.assert_array_equal(scores, np.zeros(4))
    assert scores.dtype == float


def test_favors_no_class(table):
    scores = ClassConditional(Uniform(), min_samples=1).fit(table, [0, 1, 1]).score_samples(table)
    np.testing.assert_array_equal(scores, np.zeros((3, 2)))


@pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
def test_favors_no_class_that_is_small(table):
    scores = ClassConditional(Uniform(), min_samples=5).fit(table, [0, 1, 1], classes=[0, 1, 2]).score_samples(table)
    np.testing.assert_allclose(scores, np.zeros((3, 3)), atol=1e-15)


def test_no_rows_to_score(table):
    assert Uniform().fit(table).score_samples(table.iloc[:0]).shape == (0,)


def test_clone(table):
    np.testing.assert_array_equal(clone(Uniform().fit(table)).fit(table).score_samples(table), np.zeros(3))


def test_errors_of_the_family(table):
    with pytest.raises(ValueError, match=r"^Uniform needs at least one row; X has none\.$"):
        Uniform().fit(table.iloc[:0])
    with pytest.raises(ValueError, match=r"^X must have the 2 columns that were learned; got 1\.$"):
        Uniform().fit(table).score_samples(table[["x"]])
    with pytest.raises(NotFittedError):
        Uniform().score_samples(table)
