"""Columns of a large table cut once: one byte per cell, and models that predict the same for rows that are not cut."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from tabcast.models._cut_table import MOST_VALUES, CutTable, cut_once

xgboost = pytest.importorskip("xgboost")
ROWS = np.arange(900)
MODELS = {
    "xgboost": lambda **more: xgboost.XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True, **more),
    "histogram": lambda **more: HistGradientBoostingClassifier(max_iter=5, early_stopping=False, **more),
}


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "normal": random.normal(size=900),
            "level": pd.Categorical(random.choice(["a", "b", "c"], 900)),
            "skewed": np.exp(3 * random.normal(size=900)),
            "whole": random.integers(0, 5000, 900),
            "few": random.integers(0, 7, 900),
            "missing": np.where(random.random(900) < 0.2, np.nan, random.normal(size=900)),
            "heavy": np.where(random.random(900) < 0.5, 0.0, random.normal(size=900)),
        },
        index=pd.RangeIndex(900, 0, -1),
    )
    return X, (X["normal"] + X["missing"].fillna(1) + (X["level"] == "a") > 0.4).to_numpy().astype(int)


@pytest.mark.parametrize("name", MODELS)
class TestTable:
    def test_cells_are_bytes_and_values_are_few(self, table, name):
        X, _ = table
        cut = cut_once(MODELS[name](), X)
        assert isinstance(cut, CutTable)
        assert all(column.codes.dtype == np.uint8 for column in cut.cut.values())
        taken = cut[ROWS]
        assert taken.columns.tolist() == X.columns.tolist()
        assert taken["level"].tolist() == X["level"].tolist()
        numbers = taken.drop(columns="level")
        assert numbers.nunique().max() <= MOST_VALUES
        np.testing.assert_array_equal(numbers.isna(), X.drop(columns="level").isna())
        assert taken["few"].tolist() == X["few"].tolist()
        for column in ("normal", "skewed", "whole", "missing"):
            assert taken[column].nunique() > 200
            assert taken[column].corr(X[column].reset_index(drop=True), method="spearman") > 0.999

    def test_rows_are_taken_in_any_order(self, table, name):
        X, _ = table
        cut, rows = cut_once(MODELS[name](), X), np.array([7, 3, 3, 899])
        pd.testing.assert_frame_equal(cut[rows], cut[ROWS].iloc[rows].reset_index(drop=True))
        assert len(cut) == 900
        assert cut.shape == X.shape

    def test_model_predicts_the_same_for_rows_before_and_after(self, table, name):
        X, y = table
        model = MODELS[name]()
        cut = cut_once(model, X)[ROWS]
        model.fit(cut, y)
        np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(cut))

    def test_array(self, table, name):
        X, y = table[0].drop(columns="level").to_numpy(dtype=float), table[1]
        model = MODELS[name]()
        cut = cut_once(model, X)[ROWS]
        assert cut.shape == X.shape
        model.fit(cut, y)
        np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(cut))

    def test_columns_that_cannot_be_cut_stay(self, name):
        X = pd.DataFrame({"huge": [1e305, -1e305, 0.0], "empty": [np.nan] * 3, "fine": [1.0, 2.0, 3.0]})
        cut = cut_once(MODELS[name](), X)
        assert list(cut.cut) == [2]
        pd.testing.assert_frame_equal(cut[np.arange(3)], X, check_dtype=False)


def test_subset_of_rows_has_the_thresholds_of_the_table(table):
    """XGBoost's thresholds are values of its training rows, so that fewer rows change nothing."""
    X, y = table
    model = MODELS["xgboost"]()
    cut, some = cut_once(model, X), ROWS[::9]
    model.fit(cut[some], y[some])
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(cut[ROWS]))


def test_fewer_bins(table):
    cut = cut_once(HistGradientBoostingClassifier(max_bins=16), table[0])[ROWS]
    assert cut.drop(columns="level").nunique().max() <= 16


def test_columns_that_the_user_calls_categorical(table):
    model = HistGradientBoostingClassifier(categorical_features=["few", "level"])
    assert 4 not in cut_once(model, table[0]).cut


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        xgboost.XGBClassifier(max_bin=512),
        xgboost.XGBClassifier(tree_method="exact"),
        xgboost.XGBClassifier(booster="gblinear"),
        xgboost.XGBClassifier(missing=-1),
    ],
    ids=["linear", "more bins", "exact", "linear booster", "another missing"],
)
def test_other_classifiers_get_the_table_itself(table, model):
    assert cut_once(model, table[0]) is table[0]
