"""Labeled against unlabeled rows: shift is found where it was put, and not where there is none."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from tabcast.diagnostics import covariate_shift
from tabcast.diagnostics._column_words import show_number, show_share


def test_without_shift_none_is_said():
    """Rows of one table, labeled at random; 30 columns that go together make it easy to be fooled."""
    X, _ = load_breast_cancer(return_X_y=True)
    said = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        rows = random.permutation(len(X))[:300]
        said.append(covariate_shift(X[rows], np.arange(300) < 80, random_state=seed).strength)
    assert said.count("none") >= 9


def mixed(n_labeled=120, n_unlabeled=480, seed=0):
    """A table of every kind of column, labeled rows first, without shift."""
    random = np.random.default_rng(seed)
    n = n_labeled + n_unlabeled
    frame = pd.DataFrame(
        {
            "age": random.normal(40, 10, n).round(),
            "income": np.where(random.random(n) < 0.1, np.nan, random.lognormal(10, 0.5, n)),
            "city": random.choice(["Ulm", "Bonn", "Kiel"], n),
            "plan": pd.Categorical(random.choice(["basic", "gold"], n), categories=["basic", "gold", "never"]),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 1000, n), unit="D"),
            "active": random.random(n) < 0.5,
        }
    )
    return frame, np.arange(n) < n_labeled


def put_shift(frame, labeled, column):
    """Change one column of the labeled rows."""
    frame, random = frame.copy(), np.random.default_rng(5)
    n = int(labeled.sum())
    if column == "age":
        frame.loc[labeled, "age"] += 20
    elif column == "income":
        frame.loc[labeled & (np.arange(len(frame)) % 4 > 0), "income"] = np.nan
    elif column == "city":
        frame.loc[labeled, "city"] = random.choice(["Ulm", "Bonn"], n, p=[0.9, 0.1])
    elif column == "plan":
        frame.loc[labeled, "plan"] = random.choice(["gold", "basic"], n, p=[0.95, 0.05])
    elif column == "since":
        frame.loc[labeled, "since"] -= pd.Timedelta(days=900)
    else:
        frame.loc[labeled, "active"] = random.random(n) < 0.97
    return frame


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("age", ("median 6", "median 39")),
        ("income", ("missing 7", "missing ")),
        ("city", ("Ulm 9", "Ulm 3")),
        ("plan", ("gold 9", "gold ")),
        ("since", ("median 201", "median 202")),
        ("active", ("True 9", "True ")),
    ],
)
def test_shift_in_one_column_is_found_in_that_column_and_told_in_words(column, words):
    frame, labeled = mixed()
    found = covariate_shift(put_shift(frame, labeled, column), labeled)
    assert found.strength in ("some", "strong")
    first = found.columns.iloc[0]
    assert first["name"] == column
    assert (found.columns["importance"].iloc[1:] < first["importance"] / 4).all()
    assert words[0] in first["labeled"]
    assert words[1] in first["unlabeled"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_narrower_column_is_found_and_told_by_its_middle_half():
    random = np.random.default_rng(0)
    X, labeled = random.normal(size=(900, 4)), np.arange(900) < 300
    X[labeled, 2] *= 0.3
    found = covariate_shift(X, labeled)
    assert found.columns["name"].iloc[0] == 2
    assert found.columns["labeled"].iloc[0].startswith("middle half -0.2")
    assert found.columns["unlabeled"].iloc[0].startswith("middle half -0.6")


def test_full_separation_is_strong_and_its_interval_not_without_width():
    X, labeled = np.arange(100.0)[:, None], np.arange(100) < 30
    found = covariate_shift(X, labeled)
    assert found.strength == "strong"
    assert found.low < found.auc


def test_rows_are_capped_and_the_seed_decides():
    random = np.random.default_rng(0)
    X, labeled = random.normal(size=(4000, 3)), np.arange(4000) < 60
    X[labeled, 0] += 1
    one, again = covariate_shift(X, labeled, random_state=3), covariate_shift(X, labeled, random_state=3)
    assert (one.n_labeled, one.n_unlabeled) == (60, 1000)
    assert one.to_dict() == again.to_dict()
    assert one.to_dict() != covariate_shift(X, labeled, random_state=4).to_dict()
    half = covariate_shift(X, np.arange(4000) % 2 == 0)
    assert (half.n_labeled, half.n_unlabeled) == (1500, 1500)


def test_tiny_tables_say_none_and_nothing_to_compare_is_none():
    X = np.random.default_rng(0).normal(size=(12, 2))
    assert covariate_shift(X, np.arange(12) < 4).strength == "none"
    assert covariate_shift(X, np.arange(12) < 2).strength == "none"
    assert covariate_shift(X, np.arange(12) < 1) is None
    assert covariate_shift(X, np.full(12, True)) is None


def test_polars_gives_what_pandas_gives():
    polars = pytest.importorskip("polars")
    frame, labeled = mixed(60, 200)
    frame = put_shift(frame, labeled, "age")[["age", "income", "city", "active"]]
    ours, theirs = covariate_shift(frame, labeled), covariate_shift(polars.from_pandas(frame), labeled)
    assert ours.auc == theirs.auc
    assert ours.columns["name"].tolist() == theirs.columns["name"].tolist()


def test_a_column_without_a_value_and_huge_numbers_do_no_harm():
    frame, labeled = mixed(60, 200)
    frame["empty"], frame["huge"] = np.nan, np.where(labeled, 1e300, -1e300)
    found = covariate_shift(frame, labeled)
    assert found.columns["name"].iloc[0] == "huge"


@pytest.mark.parametrize(
    ("value", "text"), [(41.0, "41"), (0.0, "0"), (0.123456, "0.1235"), (1234567.8, "1,234,568"), (1e300, "1e+300")]
)
def test_numbers_are_short(value, text):
    assert show_number(value) == text


@pytest.mark.parametrize(("share", "text"), [(0.6, "60%"), (0.0, "0%"), (0.004, "under 1%"), (1.0, "100%")])
def test_shares_are_percent(share, text):
    assert show_share(share) == text
