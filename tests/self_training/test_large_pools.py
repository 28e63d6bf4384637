"""Many unlabeled rows: less is kept in memory, and the result is the same."""

import gc
import json
import subprocess
import sys
import weakref
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import TemperatureScaling, align
from tabcast.models import _native_columns
from tabcast.models._cut_table import CutTable
from tabcast.pseudo_labels import FixedThreshold
from tabcast.self_training import _data, _soft, _training_rows
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._fitter import Fitter
from tabcast.table import _blocks, read_labels
from tabcast.teachers import Committee, _committee

pytestmark = pytest.mark.filterwarnings("ignore::tabcast.exceptions.SmallClassWarning")
N_ROWS, N_LABELED = 160, 40


@contextmanager
def few_rows_are_many():
    """Tables of more than 50 rows are large."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (_blocks, _data, _soft, _native_columns, _committee):
            patch.setattr(module, "MANY_ROWS", 50)
        patch.setattr(_blocks, "ROWS_AT_A_TIME", 16)
        yield


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, N_ROWS)
    X = pd.DataFrame(random.normal(size=(N_ROWS, 4)) + truth[:, None] * [1.0, 0.5, 0.0, -0.5], columns=list("abcd"))
    X.loc[random.random(N_ROWS) < 0.1, "a"] = np.nan
    X["level"] = pd.Categorical(np.array(["x", "y", "z"])[(truth + (random.random(N_ROWS) < 0.3)) % 3])
    y = np.where(random.permutation(N_ROWS) < N_LABELED, np.array(["p", "q", "r"])[truth], None)
    return X, y


def boosting(**parameters):
    return XGBClassifier(n_estimators=2, max_depth=3, n_jobs=1, **parameters)


def assert_same(small, large, X, tolerance=0.0):
    pd.testing.assert_frame_equal(small.history_, large.history_, atol=tolerance)
    pd.testing.assert_frame_equal(small.pseudo_labels_, large.pseudo_labels_, atol=tolerance)
    np.testing.assert_allclose(small.predict_proba(X), large.predict_proba(X), rtol=0, atol=tolerance)
    np.testing.assert_array_equal(small.labeled_iter_, large.labeled_iter_)
    assert small.n_fits_ == large.n_fits_
    assert small.termination_reason_ == large.termination_reason_


MODELS = {
    "alpha is given": lambda: CASTClassifier(boosting(), alpha=0.5, validation=None),
    "alpha is searched": lambda: CASTClassifier(boosting(), max_fits=100),
    "held-out rows": lambda: CASTClassifier(boosting(), alpha=[0.0, 0.6], validation=0.3),
    "no improvement": lambda: SelfTrainingClassifier(boosting(), strategy=FixedThreshold(0.6), patience=1),
    "first label": lambda: SelfTrainingClassifier(boosting(), relabel=False, strategy=FixedThreshold(0.6)),
    "calibrated": lambda: SelfTrainingClassifier(boosting(), confidence=TemperatureScaling()),
    "weights": lambda: SelfTrainingClassifier(boosting(), pseudo_weight=0.4, decision="balanced"),
    "tuned decision": lambda: CASTClassifier(boosting(), alpha=0.3, decision="f1"),
    "own labels": lambda: SoftSelfTrainingClassifier(boosting(subsample=0.9), teacher="self", max_rounds=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_same_result(table, name):
    X, y = table
    small = MODELS[name]().set_params(random_state=1).fit(X, y)
    with few_rows_are_many():
        large = MODELS[name]().set_params(random_state=1).fit(X, y)
    assert_same(small, large, X)


def test_noise_filter(table):
    X, y = table[0][["b", "c", "d"]].to_numpy(), table[1]
    model = SelfTrainingClassifier(DecisionTreeClassifier(max_depth=3), noise_filter="mahalanobis", random_state=1)
    small = model.fit(X, y).pseudo_labels_
    with few_rows_are_many():
        pd.testing.assert_frame_equal(model.fit(X, y).pseudo_labels_, small)


@pytest.mark.parametrize("fit", [{}, {"sample_weight": np.linspace(0.5, 2, N_ROWS)}], ids=["", "weights"])
def test_soft_labels_without_copies(table, fit, monkeypatch):
    """Columns have fewer values than XGBoost has bins, so that the trees are the same."""
    X, y = table
    model = SoftSelfTrainingClassifier(boosting(), teacher="self", random_state=1)
    small, rows = model.fit(X, y, **fit), []
    proba, soft = small.predict_proba(X), small.soft_labels_
    take = _training_rows.take_training_rows
    watch = lambda data, taken: rows.append(len(taken)) or take(data, taken)  # noqa: E731
    monkeypatch.setattr(_training_rows, "take_training_rows", watch)
    with few_rows_are_many():
        large = model.fit(X, y, **fit)
    assert rows == [N_LABELED, N_ROWS]
    np.testing.assert_allclose(large.soft_labels_, soft, rtol=0, atol=1e-12)
    np.testing.assert_allclose(large.predict_proba(X), proba, rtol=0, atol=1e-6)


def test_copies_where_a_parameter_means_something_else(table, monkeypatch):
    X, y = table
    calls = []
    monkeypatch.setattr(_training_rows, "soft_training_rows", lambda *given: calls.append(given))
    with few_rows_are_many():
        SoftSelfTrainingClassifier(boosting(subsample=0.9), teacher="self", random_state=1).fit(X, y)
    assert calls == []


def test_committee_learns_encodings_from_a_sample(table):
    X, y = table
    model = SoftSelfTrainingClassifier(boosting(), teacher=Committee(["own", "linear"], n_folds=2), random_state=1)
    proba = model.fit(X, y).predict_proba(X)
    with few_rows_are_many():
        first, second = model.fit(X, y).predict_proba(X), model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - proba).mean() < 0.05


def test_alignment(table):
    proba, shares = np.random.default_rng(0).dirichlet([0.5, 1, 2], size=N_ROWS), np.array([0.2, 0.3, 0.5])
    small = align(proba, shares)
    with few_rows_are_many():
        np.testing.assert_allclose(align(proba, shares), small, rtol=0, atol=1e-9)
    np.testing.assert_allclose(small.mean(axis=0), shares, atol=1e-8)


def test_columns_of_the_pool_are_cut_once(table):
    """Many values per column: the model predicts for rows that are not cut as the pool was predicted."""
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 3))
    y = np.where(np.arange(900) < 60, (X[:, 0] + X[:, 1] > 0).astype(int), -1)
    with few_rows_are_many():
        fitter = Fitter(boosting(), TrainingData(X, read_labels(y, -1), np.arange(60), np.arange(60, 900)), None)
        predicted = fitter.with_pool(fitter.fit_supervised(Split(np.arange(60))))
    assert isinstance(fitter.data.X, CutTable)
    np.testing.assert_array_equal(predicted.estimator.predict_proba(X[60:]), predicted.pool_proba)


def test_the_table_of_the_user_is_not_copied(table):
    X = table[0]
    with few_rows_are_many():
        encoded = _native_columns.NativeColumns().fit(X).transform(X)
    pd.testing.assert_frame_equal(encoded, _native_columns.NativeColumns().fit(X).transform(X))
    assert np.shares_memory(encoded["a"].to_numpy(), X["a"].to_numpy())


def test_probabilities_of_one_classifier_at_a_time(table, monkeypatch):
    """What a classifier predicted for the unlabeled rows is gone when the next one is trained."""
    X, y = table
    predicted, alive = [], []
    with_pool, fit = Fitter.with_pool, Fitter.fit

    def watch(self, fitted):
        result = with_pool(self, fitted)
        alive.append(sum(one() is not None for one in predicted))
        predicted.append(weakref.ref(result.pool_proba))
        return result

    def collect(self, *given, **how):
        gc.collect()
        alive.append(sum(one() is not None for one in predicted))
        return fit(self, *given, **how)

    monkeypatch.setattr(Fitter, "with_pool", watch)
    monkeypatch.setattr(Fitter, "fit", collect)
    with few_rows_are_many():
        CASTClassifier(boosting(), alpha=[0.0, 0.5], validation=0.3, random_state=1).fit(X, y)
    assert len(predicted) > 5
    assert max(alive) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("case", "most"), [("soft", 1_000), ("cast", 600)])
def test_bytes_per_row(case, most):
    script = Path(__file__).parents[2] / "benchmarks" / "scale.py"
    command = [sys.executable, script, "memory", "--cases", case, "--rows", "300000", "--trees", "2"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(output.splitlines()[-1])["results"][0]["bytes_per_row"] <= most
