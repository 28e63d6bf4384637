"""Which columns the model needs, and shift where it was put and not where there is none."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast.diagnostics import _columns as module
from tabcast.diagnostics import covariate_shift, importance
from tabcast.models import make_model
from tabcast.table._tables import take_rows


def draw(n=200, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    return X, (X[:, 1] + 0.3 * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def folds(n, k=4):
    rows = np.arange(n)
    return [(rows[rows % k != fold], rows[rows % k == fold]) for fold in range(k)]


def measure(model, X, codes, splits):
    models = [clone(model).fit(take_rows(X, train), codes[train]) for train, _ in splits]
    return importance(models, X, codes, splits)


def test_a_column_that_matters_stands_out_and_noise_does_not():
    X, codes = draw()
    found = measure(GaussianNB(), X, codes, folds(200))
    columns = found.columns.set_index("name")
    assert columns.index[0] == 1
    assert columns.loc[1, "low"] > 0.1
    assert (columns.loc[[0, 3], "low"] < 0.02).all()
    assert columns["importance"].is_monotonic_decreasing
    assert found.n_rows == 200
    assert 0.7 < found.whole < 1


def test_rare_classes_count_as_much_as_frequent_ones():
    X, codes = np.arange(40.0)[:, None] >= 30, np.repeat([0, 1], [30, 10])
    found = measure(DecisionTreeClassifier(), X.astype(float), codes, folds(40))
    # Shuffled, 1/4 of class 0 and 3/4 of class 1 are lost: half on average over the classes, 3/8 over rows.
    assert found.whole == 1
    assert 0.44 < found.columns["importance"][0] < 0.6


def test_tables_with_categories_and_missing_values():
    X, codes = draw(80)
    frame = pd.DataFrame(X, columns=["kind", "x", "x2", "x3"])
    frame["kind"] = pd.Categorical(np.where(codes == 1, "up", "down"))
    frame.loc[::7, "x"] = np.nan
    found = measure(make_model("hist_gradient_boosting", seed=0), frame, codes, folds(80, 2))
    assert found.columns["name"][0] == "kind"


def test_wide_and_long_tables_are_bounded(monkeypatch):
    X, codes = draw(120, 120)
    wide = measure(GaussianNB(), X, codes, folds(120))
    assert (wide.n_rows, wide.n_repeats) == (120, 3)
    assert wide.columns["name"][0] == 1
    monkeypatch.setattr(module, "MOST_PREDICTED", 800)
    long = measure(GaussianNB(), X[:, :4], codes, folds(120))
    assert (long.n_rows, long.n_repeats) == (120, 1)


def test_a_class_that_a_fold_lacks():
    X, codes = draw(40)
    codes[0] = 2
    found = measure(DecisionTreeClassifier(random_state=0), X, codes, folds(40))
    assert np.isfinite(found.columns.drop(columns="name").to_numpy(dtype=float)).all()


def test_without_shift_none_is_said():
    """Rows of one table, labeled at random; 30 correlated columns make false alarms easy."""
    X, _ = load_breast_cancer(return_X_y=True)
    said = []
    for seed in range(6):
        rows = np.random.default_rng(seed).permutation(len(X))[:300]
        said.append(covariate_shift(X[rows], np.arange(300) < 80, random_state=seed).strength)
    assert said.count("none") >= 5


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
        ("plan", ("basic 5", "basic ")),
        ("since", ("median 201", "median 202")),
        ("active", (" ", " ")),
    ],
)
def test_shift_in_one_column_is_found_there_and_described(column, words):
    frame, labeled = mixed()
    found = covariate_shift(put_shift(frame, labeled, column), labeled)
    assert found.strength in ("some", "strong")
    first = found.columns.iloc[0]
    assert first["name"] == column
    assert (found.columns["importance"].iloc[1:] < first["importance"] / 4).all()
    assert words[0] in first["labeled"]
    assert words[1] in first["unlabeled"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_full_separation_is_strong_and_its_interval_not_without_width():
    found = covariate_shift(np.arange(100.0)[:, None], np.arange(100) < 30)
    assert found.strength == "strong"
    assert found.low < found.auc


def test_rows_are_capped_and_the_seed_decides():
    random = np.random.default_rng(0)
    X, labeled = random.normal(size=(4000, 3)), np.arange(4000) < 60
    X[labeled, 0] += 1
    one, again = covariate_shift(X, labeled, random_state=3), covariate_shift(X, labeled, random_state=3)
    assert (one.n_labeled, one.n_unlabeled) == (60, 400)
    assert one.to_dict() == again.to_dict()
    half = covariate_shift(X, np.arange(4000) % 2 == 0)
    assert (half.n_labeled, half.n_unlabeled) == (1500, 1500)


def test_tiny_tables_say_none_and_nothing_to_compare_is_none():
    X = np.random.default_rng(0).normal(size=(12, 2))
    assert covariate_shift(X, np.arange(12) < 4).strength == "none"
    assert covariate_shift(X, np.arange(12) < 2).strength == "none"
    assert covariate_shift(X, np.arange(12) < 1) is None
    assert covariate_shift(X, np.full(12, True)) is None


def test_a_column_without_a_value_and_huge_numbers_do_no_harm():
    frame, labeled = mixed(60, 200)
    frame["empty"], frame["huge"] = np.nan, np.where(labeled, 1e300, -1e300)
    found = covariate_shift(frame, labeled)
    assert found.columns["name"].iloc[0] == "huge"
