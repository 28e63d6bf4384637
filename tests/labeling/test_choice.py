"""Which rows to label next: properties of the choice, and its slow twin."""

import numpy as np
import pandas as pd
import pytest

from tabcast.labeling import suggest_rows
from tabcast.labeling._choice import choose_v_optimal, kernel_reach, margin_uncertainty
from tests.reference import naive_v_optimal


def chosen(X, y, *, count, seed=0, **options):
    """Rows by design alone."""
    found = suggest_rows(X, y, count=count, random_share=0, random_state=seed, **options)
    assert set(found["how"]) <= {"chosen"}
    return found["row"].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_as_its_slow_twin(seed):
    random = np.random.default_rng(seed)
    candidates, labeled = random.normal(size=(14, 2)), random.normal(size=(seed, 2))
    weight = random.random(14)
    expected = naive_v_optimal.choose(candidates, labeled, weight, 4)
    assert choose_v_optimal(candidates, labeled, weight, 4).tolist() == expected
    assert kernel_reach(candidates) == pytest.approx(naive_v_optimal.kernel_width(candidates))


def test_a_copy_of_a_labeled_row_comes_last():
    X = np.r_[np.zeros(12), np.linspace(1, 2, 30)][:, None]
    y = np.where(np.arange(42) < 2, 1.0, np.nan)
    assert min(chosen(X, y, count=5)) >= 12


def test_outliers_are_not_preferred():
    random = np.random.default_rng(0)
    for n_columns in (5, 20):
        X = random.normal(size=(200, n_columns))
        X[:5] = random.choice([-8, 8], size=(5, n_columns)) + X[:5]  # far from all others and from each other
        y = np.where(np.arange(200) < 190, np.nan, 0.0)
        assert min(chosen(X, y, count=10)) >= 5


def test_uncertain_regions_come_first():
    X = np.linspace(0, 1, 100)[:, None]
    y = np.full(100, np.nan)
    proba = np.column_stack([np.where(X[:, 0] < 0.7, 0.99, 0.5)] * 2)
    proba[:, 1] = 1 - proba[:, 0]
    assert X[chosen(X, y, count=3, proba=proba)].min() > 0.6
    assert X[chosen(X, y, count=3)].min() < 0.4


def test_the_order_of_rows_does_not_matter():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=80), "b": random.normal(size=80), "c": random.choice(["u", "v"], 80)})
    y = np.where(np.arange(80) < 9, 1.0, np.nan)
    order = random.permutation(80)
    assert order[chosen(X.iloc[order], y[order], count=8, seed=5)].tolist() == chosen(X, y, count=8)


def test_three_of_ten_are_random_and_seeded():
    X = np.random.default_rng(0).normal(size=(900, 3))
    y = np.where(np.arange(900) % 30 == 0, 1, -1)
    found = suggest_rows(X, y, random_state=1)
    assert found["how"].value_counts().to_dict() == {"chosen": 7, "random": 3}
    assert (y[found["row"]] == -1).all()
    assert found["row"].is_unique
    pd.testing.assert_frame_equal(found, suggest_rows(X, y, random_state=1))
    assert not found.equals(suggest_rows(X, y, random_state=2))
    assert set(suggest_rows(X, y, random_share=1, random_state=1)["how"]) == {"random"}


def test_one_row_at_a_time_is_random_as_often():
    X, y = np.random.default_rng(0).normal(size=(30, 1)), np.full(30, np.nan)
    source = np.random.RandomState(0)
    n_random = sum(suggest_rows(X, y, count=1, random_state=source)["how"][0] == "random" for _ in range(100))
    assert 20 <= n_random <= 40


def test_random_rows_are_a_random_sample():
    """Uncertain rows are as frequent among the random ones as in the table."""
    X, y = np.linspace(0, 1, 60)[:, None], np.full(60, np.nan)
    proba = np.where(X[:, 0] < 0.2, 0.5, [[1.0], [0.0]]).T
    source = np.random.RandomState(0)
    rows = pd.concat([suggest_rows(X, y, proba, random_state=source) for _ in range(60)])
    uncertain = (rows["row"] < 12).groupby(rows["how"]).mean()
    assert abs(uncertain["random"] - 0.2) < 0.06
    assert uncertain["chosen"] > 0.5


def test_few_rows():
    X = np.arange(4.0)[:, None]
    assert sorted(suggest_rows(X, [1, None, None, None], random_state=0)["row"]) == [1, 2, 3]
    assert suggest_rows(X, [1, 2, 1, 2], random_state=0).empty
    assert suggest_rows(X, [None] * 4, count=2, random_state=0)["row"].nunique() == 2
    assert len(chosen(np.zeros((5, 2)), [None] * 5, count=5)) == 5  # copies of each other


def test_a_table_of_every_kind_of_column():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": ["u", None, "w", "u"], "c": [None] * 4})
    assert sorted(suggest_rows(frame, [None] * 4, count=4, random_state=0)["row"]) == [0, 1, 2, 3]


def test_margins():
    proba = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.5, 0.3]])
    np.testing.assert_allclose(margin_uncertainty(proba), [1.0, 0.0, 0.8])


def test_wrong_arguments():
    X, y = np.zeros((3, 1)), [None] * 3
    with pytest.raises(ValueError, match="`count` of suggest_rows must be"):
        suggest_rows(X, y, count=0)
    with pytest.raises(ValueError, match="`random_share` of suggest_rows must be"):
        suggest_rows(X, y, random_share=1.5)
    with pytest.raises(ValueError, match="`proba`"):
        suggest_rows(X, y, np.ones((2, 2)))
    with pytest.raises(ValueError, match="`y` must have one entry per row of X"):
        suggest_rows(X, [None] * 2)
