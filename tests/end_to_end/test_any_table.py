"""Any classifier takes any table, in every classifier of tabcast and in fit_table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tabcast import (
    CASTClassifier,
    GuardedClassifier,
    SelfTrainingClassifier,
    SoftSelfTrainingClassifier,
    fit_table,
    load_run,
)
from tabcast.models import AdaptedClassifier
from tabcast.teachers import Committee
from tests.conftest import hide_labels, read_dataset
from tests.runs.test_model_file import round_trip

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning"),
]
N = 120
ESTIMATORS = {
    "linear": LogisticRegression(max_iter=500),
    "forest": RandomForestClassifier(10, random_state=0),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "bayes": GaussianNB(),
    "neighbors": KNeighborsClassifier(),
    "svm": SVC(probability=True, random_state=0),
    "network": MLPClassifier((4,), learning_rate_init=0.05, max_iter=60, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2),
}
TAKES_WEIGHTS = [name for name in ESTIMATORS if name != "neighbors"]


def draw(kind):
    """A table whose one column that is not plain numbers knows the class, the class, and labels of a third."""
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, N)
    level = np.where(random.random(N) < 0.9, truth, 1 - truth)
    column = {
        "text": np.array(["Ulm", "Bonn"], dtype=object)[level],
        "category": pd.Categorical(np.array(["low", "high"])[level], categories=["low", "high", "never"]),
        "date": pd.Timestamp("2021-01-01") + pd.to_timedelta(400 * level + random.integers(0, 300, N), unit="D"),
        "missing": np.where(random.random(N) < 0.2, np.nan, level + random.normal(0, 0.2, N)),
    }[kind]
    X = pd.DataFrame({"noise": random.normal(size=N), kind: column})
    if kind == "date":
        X.loc[::7, kind] = pd.NaT
    if kind == "text":
        X.loc[::7, kind] = None
    return X, truth, np.where(np.arange(N) % 3 == 0, truth, -1)


@pytest.mark.parametrize("kind", ["text", "category", "date", "missing"])
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("classifier", [SelfTrainingClassifier, CASTClassifier])
def test_in_a_classifier(classifier, name, kind):
    X, truth, y = draw(kind)
    parameters = {"alpha": 0.5} if classifier is CASTClassifier else {}
    model = classifier(ESTIMATORS[name], validation=None, max_rounds=2, random_state=0, **parameters).fit(X, y)
    assert model.score(X, truth) > 0.65
    np.testing.assert_array_equal(model.estimator_.predict_proba(X), model.predict_proba(X))
    assert model.supervised_.predict(X.head(3)).shape == (3,)


@pytest.mark.parametrize("kind", ["text", "category", "date", "missing"])
@pytest.mark.parametrize("name", TAKES_WEIGHTS)
def test_in_soft_self_training(name, kind):
    X, truth, y = draw(kind)
    model = SoftSelfTrainingClassifier(ESTIMATORS[name], teacher="self", random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.6
    assert model.estimator_.predict_proba(X).shape == (N, 2)


@pytest.mark.parametrize("kind", ["text", "category", "date", "missing"])
@pytest.mark.parametrize("name", ["linear", "tree", "bayes"])
def test_in_the_guard(name, kind):
    X, truth, y = draw(kind)
    inner = SelfTrainingClassifier(ESTIMATORS[name], validation=None, max_rounds=1)
    model = GuardedClassifier(inner, n_splits=2, n_repeats=1, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.65
    assert set(model.estimator_.predict(X)) <= {0, 1}


@pytest.mark.parametrize("kind", ["text", "category", "date", "missing"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_as_teacher_and_as_member(name, kind):
    X, truth, y = draw(kind)
    X.loc[X.index[y == 0], "noise"] = X["noise"].clip(-1, 1)
    X.loc[X.index[y == -1][:3], "noise"] = np.nan  # in the pool alone
    for teacher in (ESTIMATORS[name], Committee(["own", ESTIMATORS[name]], n_folds=2)):
        model = SoftSelfTrainingClassifier(DecisionTreeClassifier(max_depth=3), teacher=teacher, random_state=0)
        assert model.fit(X, y).score(X, truth) > 0.6


def test_validation_data_the_pool_and_new_rows_may_hold_what_the_labeled_rows_do_not():
    X, truth, y = draw("text")
    new = X.assign(text="a new level", noise=np.nan)
    X.loc[X.index[y == -1][:9], "noise"] = np.nan
    model = CASTClassifier(LogisticRegression(), alpha=0.5, max_rounds=1, random_state=0)
    model.fit(X, y, X_unlabeled=new.head(9), validation_data=(X[40:60].assign(noise=np.nan), truth[40:60]))
    assert np.isfinite(model.predict_proba(X.sample(9, random_state=0))).all()
    with pytest.warns(UserWarning, match="No cell of column 'text'"):
        assert np.isfinite(model.predict_proba(X.assign(text="another"))).all()


@pytest.mark.parametrize("name", ["linear", "forest", "bayes", "svm"])
def test_numbers_reach_the_classifier_as_they_are(name):
    X, _, y = draw("missing")
    X = X.fillna({"missing": 0.0})
    model = SelfTrainingClassifier(ESTIMATORS[name], validation=None, max_rounds=1, random_state=0).fit(X, y)
    assert type(model.estimator_) is type(ESTIMATORS[name])
    assert model.estimator_.feature_names_in_.tolist() == ["noise", "missing"]


def test_a_numeric_column_that_is_called_categorical_is_one_where_the_table_is_encoded():
    X, _, y = draw("text")
    X["code"] = np.arange(N) % 5
    model = SelfTrainingClassifier(GaussianNB(), categorical_features=["text", "code"], validation=None, random_state=0)
    encoded = model.fit(X, y).estimator_.adaptation_.encode(X)
    assert encoded.shape[1] == 1 + 3 + 5  # noise, two cities and missing, five codes


@pytest.mark.parametrize("name", ["credit-g", "kc2", "cmc", "car"])
@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=500), RandomForestClassifier(20, random_state=0)])
def test_real_tables(name, estimator):
    X, truth = read_dataset(name)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    model = SoftSelfTrainingClassifier(estimator, teacher="self", random_state=0)
    model.fit(X, hide_labels(truth, 150, 0, None))
    takes_it = name in ("kc2", "cmc") and isinstance(estimator, RandomForestClassifier)  # numbers, some as text
    assert isinstance(model.supervised_, AdaptedClassifier) != takes_it
    assert model.score(X, truth) > truth.value_counts(normalize=True).max() - 0.12


@pytest.mark.parametrize("name", ESTIMATORS)
def test_in_a_model_file(name, tmp_path):
    X, _, y = draw("text")
    X["size"] = draw("missing")[0]["missing"]
    model = SelfTrainingClassifier(ESTIMATORS[name], validation=None, max_rounds=1, random_state=0).fit(X, y)
    again = round_trip(model.deployed_, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("name", "convert"), [("linear", pl.from_pandas), ("neighbors", pd.DataFrame), ("svm", pd.DataFrame)]
)
def test_fit_table(name, convert, tmp_path):
    estimator, (X, truth, y) = ESTIMATORS[name], draw("text")
    table = X.assign(since=draw("date")[0]["date"], size=draw("missing")[0]["missing"])
    table["class"] = np.where(y < 0, None, np.where(truth, "yes", "no"))
    run = fit_table(convert(table), "class", estimator=estimator)
    found = run.predict(convert(table.drop(columns="class")))
    assert (found["prediction"] == np.where(truth, "yes", "no")).mean() > 0.6
    run.save(tmp_path / "run")
    pd.testing.assert_frame_equal(load_run(tmp_path / "run").predict(table), found)


def test_fit_table_with_a_voting_classifier():
    X, truth, y = draw("category")
    voting = VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier(random_state=0))], voting="soft")
    run = fit_table(X.assign(y=np.where(y < 0, None, truth.astype(str))), "y", estimator=voting)
    assert run.summary["method"]["name"] == "cast-l"
