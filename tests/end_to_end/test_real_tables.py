"""Every kind of table can be fitted and predicted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tabcast import CASTClassifier, SelfTrainingClassifier
from tabcast.models import AdaptedClassifier
from tabcast.validation import LabeledScorer, SemiSupervisedSplit
from tests.conftest import hide_labels, read_dataset


def by_name():
    """A pipeline that only works if the DataFrame arrives as one."""
    numbers, levels = ["age", "income", "visits"], ["city", "plan"]
    encode = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore"), levels),
        ]
    )
    return Pipeline([("encode", encode), ("classify", LogisticRegression())])


@pytest.mark.parametrize("density", ["likelihood", "kernel"])
def test_default_estimator_takes_every_kind_of_column(mixed_table, density):
    X, truth = mixed_table
    model = CASTClassifier(density=density, alpha=0.5, validation=0.3, random_state=0)
    model.fit(X, hide_labels(truth, 50, 0, None))
    assert set(model.predict(X)) <= {"leaves", "stays"}
    assert model.score(X, truth) > 0.75
    assert np.isfinite(model.pseudo_labels_[["confidence", "raw_confidence", "density"]].to_numpy()).all()


def test_dataframe_reaches_a_pipeline_that_selects_by_name(mixed_table):
    X, truth = mixed_table
    y = hide_labels(truth, 50, 0, None)
    model = CASTClassifier(by_name(), alpha=0.5, validation=0.3, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.75
    assert isinstance(model.estimator_, Pipeline)
    assert model.feature_names_in_.tolist() == X.columns.tolist()


def test_polars_gives_what_pandas_gives(mixed_table):
    X, truth = mixed_table
    y = hide_labels(truth, 50, 0, None)
    frame = pl.DataFrame(
        {
            name: X[name].tolist() if X[name].dtype.kind == "f" else [None if pd.isna(v) else v for v in X[name]]
            for name in ["age", "income", "city", "plan", "active", "visits", "note"]
        },
        strict=False,
    ).with_columns(pl.col("income").fill_nan(None), pl.col("plan").cast(pl.Categorical))
    pandas = X[frame.columns]
    settings = {"alpha": 0.5, "max_rounds": 2, "validation": 0.3, "random_state": 0}
    ours = CASTClassifier(density="kernel", **settings).fit(frame, pl.Series(y.tolist()))
    theirs = CASTClassifier(density="kernel", **settings).fit(pandas, y)
    np.testing.assert_allclose(ours.predict_proba(frame), theirs.predict_proba(pandas))
    np.testing.assert_allclose(ours.pseudo_labels_["density"], theirs.pseudo_labels_["density"])


def test_the_base_estimator_gets_pandas(mixed_table):
    X, truth = mixed_table
    frame = pl.DataFrame({"age": X["age"].to_numpy(), "size": X["age"].to_numpy() ** 2})

    class Witness(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            assert isinstance(X, pd.DataFrame)
            return super().fit(X, y, sample_weight)

    model = SelfTrainingClassifier(Witness(), random_state=0).fit(frame, hide_labels(truth, 40, 0, None))
    assert len(model.predict(frame)) == len(truth)


@pytest.mark.parametrize(
    ("name", "convert"),
    [("sklearn", str), ("sklearn", bool), ("xgboost", str), ("xgboost", int), ("lightgbm", bool), ("lightgbm", float)],
)
def test_kinds_of_labels(mixed_table, name, convert):
    X, truth = mixed_table
    truth = np.array([convert(value) for value in (truth == "stays").astype(int) + (convert is int) * 5])
    if name == "xgboost":
        estimator = pytest.importorskip("xgboost").XGBClassifier(n_estimators=20)
    elif name == "lightgbm":
        estimator = pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)
    else:
        estimator = None
    y = [value if known else None for value, known in zip(truth.tolist(), np.arange(len(X)) % 3 == 0, strict=True)]
    model = CASTClassifier(estimator, alpha=0.3, validation=0.3, random_state=0).fit(X, y)
    assert model.classes_.tolist() == sorted(set(truth.tolist()))
    assert type(model.predict(X).tolist()[0]) is convert
    assert model.score(X, truth) > 0.75
    assert model.transduction_.tolist().count(None) + (model.labeled_iter_ >= 0).sum() == len(X)


@pytest.mark.parametrize(
    ("y", "missing_label", "n_unlabeled"),
    [
        ([0, 1, -1, 0, 1, -1], "auto", 2),
        ([0.0, 1.0, np.nan, 0.0, 1.0, -1.0], "auto", 2),
        ([0, 1, -1, 0, 1, -1], np.nan, 0),
        (["a", "b", None, "a", "b", "-1"], "auto", 1),
        (["a", "b", "?", "a", "b", None], "?", 2),
        ([True, False, None, True, False, True], "auto", 1),
        (pd.array([0, 1, pd.NA, 0, 1, 1], dtype="Int64"), "auto", 1),
        (pd.Categorical(["a", "b", None, "a", "b", "a"]), "auto", 1),
        (pd.Series(["a", "b", None, "a", "b", "a"], dtype="string"), "auto", 1),
        (pd.Series([7, 8, 99, 7, 8, 99]), 99, 2),
    ],
)
def test_markers(y, missing_label, n_unlabeled):
    X = np.arange(12.0).reshape(6, 2)
    model = SelfTrainingClassifier(LogisticRegression(), validation=None, missing_label=missing_label, random_state=0)
    if n_unlabeled == 0:
        with pytest.warns(UserWarning, match="no unlabeled rows"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert len(model.pseudo_labels_) == n_unlabeled
    assert (model.labeled_iter_ == 0).sum() == 6 - n_unlabeled


def test_separate_unlabeled_rows_equal_markers(mixed_table):
    X, truth = mixed_table
    y = hide_labels(truth, 50, 0, None)
    labeled = np.array([value is not None for value in y])
    order = np.concatenate([np.flatnonzero(labeled), np.flatnonzero(~labeled)])
    settings = {"alpha": 0.5, "max_rounds": 2, "validation": 0.3, "random_state": 0}
    together = CASTClassifier(**settings).fit(X.iloc[order].reset_index(drop=True), y[order])
    apart = CASTClassifier(**settings).fit(X[labeled], y[labeled].tolist(), X_unlabeled=X[~labeled])
    np.testing.assert_array_equal(together.predict_proba(X), apart.predict_proba(X))
    pd.testing.assert_frame_equal(together.pseudo_labels_, apart.pseudo_labels_)
    assert apart.transduction_.tolist() == together.transduction_.tolist()


def test_separate_unlabeled_rows_may_have_other_levels_and_column_order():
    labeled = pd.DataFrame({"size": [1.0, 2, 3, 4], "color": pd.Categorical(["red", "blue", "red", "blue"])})
    more = pd.DataFrame({"color": pd.Categorical(["green", "red"]), "size": [2.5, 3.5]})
    model = CASTClassifier(alpha=0.5, validation=None, random_state=0)
    with pytest.warns(UserWarning, match="Few labeled rows"):
        model.fit(labeled, ["a", "b", "a", "b"], X_unlabeled=more)
    assert len(model.pseudo_labels_) == 2
    assert np.isfinite(model.pseudo_labels_["density"]).all()


def test_unseen_levels_and_too_many_levels(mixed_table):
    X, truth = mixed_table
    X = X.assign(code=[f"code {i}" for i in range(len(X))], ticket=np.arange(len(X)).astype(str))
    X = pd.concat([X, X], ignore_index=True)
    X["code"] = [f"code {i}" for i in range(len(X))]
    truth = np.concatenate([truth, truth])
    model = CASTClassifier(alpha=0.5, max_rounds=2, validation=None, random_state=0)
    model.fit(X, hide_labels(truth, 100, 0, None))
    new = X.assign(city="Atlantis", code="code -1")
    assert model.predict_proba(new).shape == (len(X), 2)


def test_xgboost_gets_encoded_columns_and_predicts_the_users_labels(mixed_table):
    xgboost = pytest.importorskip("xgboost")
    X, truth = mixed_table
    model = CASTClassifier(xgboost.XGBClassifier(n_estimators=20), alpha=0.5, validation=0.3, random_state=0)
    model.fit(X, hide_labels(truth, 50, 0, None))
    assert isinstance(model.estimator_, AdaptedClassifier)
    assert isinstance(model.estimator_.estimator_, xgboost.XGBClassifier)
    assert set(model.predict(X)) <= {"leaves", "stays"}
    plain = CASTClassifier(xgboost.XGBClassifier(n_estimators=20), alpha=0.5, validation=None, random_state=0)
    plain.fit(X[["age"]], hide_labels((truth == "stays").astype(int), 50, 0))
    assert isinstance(plain.estimator_, xgboost.XGBClassifier)


def test_xgboost_in_a_pipeline_gets_encoded_labels(mixed_table):
    xgboost = pytest.importorskip("xgboost")
    X, truth = mixed_table
    pipeline = make_pipeline(StandardScaler(), xgboost.XGBClassifier(n_estimators=10))
    model = SelfTrainingClassifier(pipeline, validation=None, pseudo_weight=0.5, random_state=0)
    model.fit(X[["age", "income"]], hide_labels(truth, 50, 0, None))
    assert set(model.predict(X[["age", "income"]])) <= {"leaves", "stays"}


def test_catboost_when_installed(mixed_table):
    catboost = pytest.importorskip("catboost")
    X, truth = mixed_table
    model = CASTClassifier(
        catboost.CatBoostClassifier(iterations=20, verbose=0, allow_writing_files=False),
        alpha=0.5,
        validation=None,
        random_state=0,
    )
    model.fit(X, hide_labels(truth, 50, 0, None))
    assert set(model.predict(X)) <= {"leaves", "stays"}


def test_text_columns_are_encoded_for_a_classifier_that_takes_numbers_only(mixed_table):
    X, truth = mixed_table
    model = SelfTrainingClassifier(RandomForestClassifier(5), random_state=0)
    model.fit(X[["age", "city"]], hide_labels(truth, 50, 0, None))
    assert model.score(X[["age", "city"]], truth) > 0.5


def test_grid_search_and_cross_validation_on_a_half_labeled_table(mixed_table):
    X, truth = mixed_table
    y = hide_labels(truth, 60, 0, None)
    model = CASTClassifier(by_name(), alpha=0.5, validation=None, random_state=0)
    scores = cross_val_score(model, X, y, cv=SemiSupervisedSplit(2), error_score="raise")
    assert scores.min() > 0.5
    search = GridSearchCV(
        model,
        {"density": ["likelihood"], "estimator__classify__C": [0.1, 1.0]},
        cv=SemiSupervisedSplit(2),
        scoring=LabeledScorer("balanced_accuracy"),
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.5
    assert set(search.predict(X)) <= {"leaves", "stays"}


def test_inside_a_pipeline_and_cloned(mixed_table):
    X, truth = mixed_table
    y = hide_labels((truth == "stays").astype(int), 60, 0)
    inner = CASTClassifier(LogisticRegression(), alpha=0.5, validation=None, random_state=0)
    outer = make_pipeline(StandardScaler(), inner)
    outer.fit(X[["age"]], y)
    again = clone(outer).set_params(castclassifier__alpha=0.0).fit(X[["age"]], y)
    assert outer.score(X[["age"]], (truth == "stays").astype(int)) > 0.7
    assert again[-1].alpha_ == 0.0


@pytest.mark.parametrize("name", ["cmc", pytest.param("credit-g", marks=pytest.mark.slow)])
def test_real_mixed_tables_with_missing_values(name):
    X, truth = read_dataset(name)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1).sample(600, random_state=0)
    truth = truth.loc[X.index]
    y = hide_labels(truth.to_numpy(dtype=object), 90, 0, None)
    model = CASTClassifier(density="kernel", alpha=0.4, max_rounds=2, validation=0.3, random_state=0).fit(X, y)
    baseline = pd.Series(y).dropna().value_counts(normalize=True).iloc[0]
    assert model.score(X, truth) > baseline - 0.15
    assert np.isfinite(model.pseudo_labels_["density"]).all()
