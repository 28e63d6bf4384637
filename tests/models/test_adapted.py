"""Encoding around a classifier: as much as it needs, and nothing more."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tabcast import SelfTrainingClassifier
from tabcast.exceptions import TabcastWarning
from tabcast.models import AdaptedClassifier
from tabcast.models._adapted import NativeColumns, adapt, weight_parameter
from tabcast.models._catalog import default_classifier, ensemble_booster
from tabcast.table._encoders import NormalScores, TableCodes
from tests.conftest import hide_labels

WORDS = np.array(["no", "yes"])


def test_nothing_is_done_where_nothing_is_needed():
    numbers = np.zeros((4, 2))
    assert not adapt(HistGradientBoostingClassifier(), numbers, np.array([0, 1])).needed
    assert not adapt(HistGradientBoostingClassifier(), numbers, WORDS).needed
    assert not adapt(RandomForestClassifier(), np.array([[np.nan], [0.0]]), WORDS).needed
    text, by_name = pd.DataFrame({"a": ["x", "y"]}), make_column_transformer((OneHotEncoder(), ["a"]))
    assert not adapt(make_pipeline(by_name, LogisticRegression()), text, WORDS).needed
    assert not adapt(make_pipeline(OneHotEncoder(), LogisticRegression()), text, WORDS).needed
    assert not adapt(make_pipeline(TableCodes(), RandomForestClassifier()), text, WORDS).needed


@pytest.mark.parametrize(
    ("estimator", "encoder"),
    [
        (RandomForestClassifier(), TableCodes),
        (GradientBoostingClassifier(), TableCodes),
        (LogisticRegression(), NormalScores),
        (GaussianNB(), NormalScores),
        (make_pipeline(StandardScaler(), LogisticRegression()), NormalScores),
        (CalibratedClassifierCV(RandomForestClassifier(5), cv=2), NormalScores),
    ],
)
@pytest.mark.parametrize("cell", ["x", pd.Timestamp("2020-01-02")])
def test_what_others_cannot_take_is_encoded(estimator, encoder, cell):
    X = pd.DataFrame({"a": [cell, None] * 30, "n": np.arange(60.0)})
    adaptation = adapt(estimator, X, WORDS)
    assert type(adaptation.columns) is encoder
    assert np.isfinite(adaptation.encode(X)).all()


def test_an_estimator_that_takes_the_table_is_found_by_trying():
    class ByName(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_, self.levels_ = np.unique(y), X["a"].unique()
            return self

        def predict_proba(self, X):
            return np.full((len(X["a"]), len(self.classes_)), 1 / len(self.classes_))

    text = pd.DataFrame({"a": ["x", None] * 5})
    assert not adapt(ByName(), text, WORDS).needed
    assert not adapt(ByName(), text.assign(b=pd.NaT), WORDS).needed
    assert not adapt(ByName(), text.rename(columns={"a": "b"}), WORDS).needed, "encoding does not help: its own error"


@pytest.mark.parametrize("estimator", [default_classifier(), LogisticRegression()])
def test_an_identifier_is_named(estimator):
    X = pd.DataFrame({"name": [f"n{row}" for row in range(120)], "size": np.arange(120.0), "half": list("ab") * 60})
    with pytest.warns(TabcastWarning, match="^Column 'name' has a different value in most rows"):
        adapt(estimator, X, WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adapt(estimator, X.assign(name=X["name"].str[:2]), WORDS)


def test_what_xgboost_needs():
    xgboost = pytest.importorskip("xgboost")
    model, numbers, text = xgboost.XGBClassifier(), np.zeros((4, 2)), pd.DataFrame({"a": ["x", "y"]})
    assert not adapt(model, numbers, np.array([0, 1, 2])).needed
    assert adapt(model, numbers, np.array([1, 2])).whole_labels
    assert adapt(model, numbers, np.array([False, True])).whole_labels
    assert adapt(model, numbers, WORDS).whole_labels
    assert adapt(make_pipeline(StandardScaler(), model), numbers, WORDS).whole_labels
    assert adapt(model, text, WORDS).columns is not None
    assert adapt(make_pipeline(StandardScaler(), model), text, WORDS).whole_labels


def test_a_column_that_is_empty_among_the_training_rows_only():
    """HistGradientBoostingClassifier of scikit-learn 1.9 refuses such a table by itself."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:20, 1] = np.nan
    for table in (X, pd.DataFrame(X, columns=["a", "b"])):
        model = AdaptedClassifier(default_classifier()).fit(table[:20], y[:20])
        assert (model.predict(table[20:]) == y[20:]).mean() > 0.7


def test_native_columns_fix_levels_at_fit():
    train = pd.DataFrame({"c": ["b", "a", "b", "c"], "n": [1, 2, 3, 4], "t": [True, False, True, True]})
    columns = NativeColumns(max_levels=2).fit(train)
    result = columns.transform(pd.DataFrame({"c": ["a", "zz", "b", "c"], "n": [1, 2, 3, 4], "t": [True] * 4}))
    assert result.columns.tolist() == ["c", "n", "t"]
    assert result["c"].isna().tolist() == [False, True, False, True], "unseen and rarest levels become missing"
    assert isinstance(result["c"].dtype, pd.CategoricalDtype)
    assert result["n"].dtype == float


def test_native_columns_as_text():
    columns = NativeColumns(as_text=True).fit(pd.DataFrame({"c": ["b", None]}))
    assert columns.transform(pd.DataFrame({"c": ["b", None, "new"]}))["c"].tolist() == ["b", "missing", "missing"]


def test_where_weights_go():
    assert weight_parameter(LogisticRegression()) == "sample_weight"
    assert (
        weight_parameter(make_pipeline(StandardScaler(), LogisticRegression())) == "logisticregression__sample_weight"
    )
    assert weight_parameter(AdaptedClassifier(LogisticRegression())) == "sample_weight"
    assert weight_parameter(AdaptedClassifier(KNeighborsClassifier())) is None


def test_probabilities_are_those_of_the_bare_model(mixed_table):
    xgboost = pytest.importorskip("xgboost")
    X, truth = mixed_table
    adapted = AdaptedClassifier(xgboost.XGBClassifier(n_estimators=10, random_state=0)).fit(X[["age"]], truth)
    bare = xgboost.XGBClassifier(n_estimators=10, random_state=0).fit(X[["age"]], (truth == "stays").astype(int))
    np.testing.assert_array_equal(adapted.predict_proba(X[["age"]]), bare.predict_proba(X[["age"]]))
    assert adapted.classes_.tolist() == ["leaves", "stays"]
    assert hide_labels(truth, 20, 0, None).tolist().count(None) == len(truth) - 20


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize(
    "names",
    [
        ['size<5 "cm"', "size[5", "{a}: b, c", "plain"],
        ["line\nend", "line\rend", "nul\0", ""],
        ["a b", "a_b", "a\nb", "a b_2"],
    ],
)
def test_names_that_a_library_refuses(library, names):
    learner = pytest.importorskip(library)
    kind = learner.XGBClassifier if library == "xgboost" else learner.LGBMClassifier
    settings = {"n_estimators": 5} | ({"verbose": -1} if library == "lightgbm" else {})
    X, y = make_classification(120, 4, random_state=0)
    table = pd.DataFrame(X, columns=names)
    labels = np.where(np.arange(120) % 2 == 0, y, -1)
    model = SelfTrainingClassifier(kind(**settings), validation=None, random_state=0).fit(table, labels)
    plain = SelfTrainingClassifier(kind(**settings), validation=None, random_state=0).fit(
        table.set_axis(list("abcd"), axis=1), labels
    )
    np.testing.assert_array_equal(model.predict_proba(table), plain.predict_proba(table.set_axis(list("abcd"), axis=1)))
    assert model.feature_names_in_.tolist() == names


def test_the_booster_of_the_ensemble_uses_levels_of_few_rows():
    """With nine rows per level, of which scikit-learn's splits by category use none."""
    X = pd.DataFrame({"city": pd.Series(list("abcdef") * 9), "size": np.arange(54) % 5 * 1.0})
    y = np.where(X["city"].isin(list("ace")), "yes", "no")
    model = AdaptedClassifier(ensemble_booster().set_params(random_state=0)).fit(X, y)
    assert model.score(X, y) == 1.0
    assert AdaptedClassifier(default_classifier().set_params(random_state=0)).fit(X, y).score(X, y) < 0.7
    unseen = pd.DataFrame({"city": ["a", "z", None], "size": [0.0, np.nan, 1.0]})
    assert model.predict(unseen)[0] == "yes"
    assert np.isfinite(model.predict_proba(unseen)).all()
