"""Permutation importance on held-out rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tabcast.diagnostics import _importance as module
from tabcast.diagnostics import importance
from tabcast.models import Portfolio, make_model
from tests.conftest import needs


def draw(n=200, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    return X, (X[:, 1] + 0.3 * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def folds(n, k=4):
    rows = np.arange(n)
    return [(rows[rows % k != fold], rows[rows % k == fold]) for fold in range(k)]


def test_numbers_are_those_of_shuffling_column_by_column():
    """A slow reference: one column, one repeat, one row at a time."""
    X, codes = draw(60)
    splits = folds(60)
    found = importance(LogisticRegression(), X, codes, splits, random_state=3)
    random, n_repeats = np.random.default_rng(3), found.n_repeats
    lost = {position: np.zeros(60) for position in range(4)}
    for train, rows in splits:
        model = LogisticRegression().fit(X[train], codes[train])
        for position in range(4):
            for _ in range(n_repeats):
                other = X[rows].copy()
                other[:, position] = X[random.permutation(rows), position]
                for place, row in enumerate(rows):
                    whole = model.predict_proba(X[[row]])[0, codes[row]]
                    shuffled = model.predict_proba(other[[place]])[0, codes[row]]
                    lost[position][row] += (whole - shuffled) / n_repeats
    for one in found.columns.to_dict("records"):
        by_class = [lost[one["name"]][codes == code].mean() for code in (0, 1)]
        assert one["importance"] == pytest.approx(np.mean(by_class))
        assert one["low"] < one["importance"] < one["high"]
    assert (found.n_rows, found.n_columns) == (60, 4)


def test_a_column_that_matters_stands_out_and_noise_does_not():
    X, codes = draw()
    found = importance(GaussianNB(), X, codes, folds(200)).columns.set_index("name")
    assert found.index[0] == 1
    assert found.loc[1, "low"] > 0.1
    assert (found.loc[[0, 3], "low"] < 0.02).all()
    assert found["importance"].is_monotonic_decreasing


def test_tables_with_categories_missing_values_and_equal_names():
    X, codes = draw(80)
    frame = pd.DataFrame(X)
    frame[0] = pd.Categorical(np.where(codes == 1, "up", "down"))
    frame.loc[::7, 1] = np.nan
    frame.columns = ["kind", "x", "x2", "x3"]
    found = importance(make_model("hist_gradient_boosting", seed=0), frame, codes, folds(80))
    assert found.columns["name"][0] == "kind"


@needs("polars")
def test_a_polars_table():
    import polars as pl

    X, codes = draw(60)
    frame = pl.DataFrame(X, schema=list("abcd"))
    found = importance(make_model("logistic_regression"), frame, codes, folds(60))
    assert found.columns["name"][0] == "b"


def test_wide_and_long_tables_are_bounded(monkeypatch):
    X, codes = draw(120, 70)
    found = importance(GaussianNB(), X, codes, folds(120))
    assert len(found.columns) == module.MOST_COLUMNS
    assert found.n_columns == 70
    assert found.columns["name"][0] == 1
    monkeypatch.setattr(module, "MOST_PREDICTED", 200)
    few = importance(GaussianNB(), X[:, :4], codes, folds(120))
    assert (few.n_rows, few.n_repeats) == (48, 1)


def test_a_class_that_a_fold_lacks_and_no_rows_at_all():
    X, codes = draw(40)
    codes[:2] = 2  # both in different folds; one of them may be alone
    found = importance(DecisionTreeClassifier(random_state=0), X, codes, folds(40))
    assert np.isfinite(found.columns.drop(columns="name").to_numpy(dtype=float)).all()
    assert importance(GaussianNB(), X, codes, []) is None


def test_a_portfolio_is_fitted_with_the_kind_that_it_chose():
    X, codes = draw(60)
    chosen = Portfolio(["logistic_regression"], n_splits=2, n_repeats=1, random_state=0).fit(X, codes)
    found = importance(chosen, X, codes, folds(60, 2), random_state=0)
    alone = importance(chosen.estimator_, X, codes, folds(60, 2), random_state=0)
    assert found.columns.equals(alone.columns)
