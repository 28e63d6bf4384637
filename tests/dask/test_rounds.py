"""Self-training on a Dask DataFrame: with one worker the fit in memory, with several repeatable."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
xgboost = pytest.importorskip("xgboost")

from tabcast import CASTClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier  # noqa: E402
from tabcast.confidence import TemperatureScaling  # noqa: E402
from tabcast.exceptions import UnseenLevelsWarning  # noqa: E402


def draw(n=700, seed=0):
    """Numbers with missing values, a column of levels and one with levels that few rows have; three classes."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    X["c"] = X["c"].where(random.random(n) > 0.1)
    X["city"] = random.choice(["Ulm", "Kiel", "Bern"], n)
    X["town"] = [f"t{number}" for number in random.integers(0, 400, n)]
    score = X["a"] + X["b"] ** 2 + (X["city"] == "Ulm") + random.normal(size=n) / 2
    return X, np.array(["high", "low", "middle"])[np.digitize(score, [0.5, 2.0])]


def trees():
    return xgboost.XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1)


@pytest.fixture(scope="module")
def one_worker():
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


CLASSIFIERS = {
    "curriculum": lambda: CASTClassifier(trees(), alpha=0.5, validation=None, random_state=0),
    "threshold, searched": lambda: CASTClassifier(
        trees(), alpha=[0.2, 0.6], strategy="threshold", validation=0.3, max_rounds=2, random_state=0
    ),
    "raw": lambda: SelfTrainingClassifier(trees(), strategy="all", validation=None, max_rounds=2, random_state=0),
    "soft": lambda: SoftSelfTrainingClassifier(trees(), random_state=0),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_with_one_worker_the_result_is_that_of_a_fit_in_memory(one_worker, name):
    X, y = draw()
    labeled, pool = X[:90], X[90:].reset_index(drop=True)
    expected = CLASSIFIERS[name]().fit(labeled, y[:90], X_unlabeled=pool)
    model = CLASSIFIERS[name]().fit(labeled, y[:90], X_unlabeled=dd.from_pandas(pool, npartitions=4))
    np.testing.assert_array_equal(model.predict_proba(pool), expected.predict_proba(pool))
    np.testing.assert_array_equal(model.supervised_.predict_proba(pool), expected.supervised_.predict_proba(pool))
    found = model.pseudo_labels_.compute().reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected.pseudo_labels_, check_dtype=False)


def test_unlabeled_rows_of_x_come_first_and_partitions_may_be_empty(one_worker):
    X, y = draw()
    y = np.where(np.arange(len(y)) % 3 == 0, y, None)
    pool = dd.concat([dd.from_pandas(part, npartitions=1) for part in (X[120:300], X[:0], X[300:])])
    model = CASTClassifier(trees(), alpha=0.3, validation=None, random_state=0).fit(X[:120], y[:120], X_unlabeled=pool)
    table = model.pseudo_labels_.compute()
    assert table["row"].tolist() == [*np.flatnonzero(pd.isna(y[:120])), *range(120, 700)]
    in_x = table[table["row"] < 120]
    assert model.transduction_.shape == (120,)
    assert model.labeled_iter_[in_x["row"]].tolist() == in_x["round"].tolist()


def test_predictions_are_dask_dataframes(one_worker):
    X, y = draw()
    model = CASTClassifier(trees(), alpha=0.5, validation=None, random_state=0).fit(X, np.where(X.index < 90, y, None))
    pool = dd.from_pandas(X, npartitions=3)
    proba = model.predict_proba(pool).compute()
    assert proba.columns.tolist() == ["high", "low", "middle"]
    np.testing.assert_array_equal(proba.to_numpy(), model.predict_proba(X))
    assert model.predict(pool).compute()["prediction"].tolist() == model.predict(X).tolist()


def test_a_sample_rehearses_and_all_rows_train(one_worker):
    X, y = draw()
    pool = dd.from_pandas(X[90:], npartitions=4)
    model = CASTClassifier(trees(), alpha=0.5, validation=None, max_pool=100, random_state=0)
    model.fit(X[:90], y[:90], X_unlabeled=pool)
    table = model.pseudo_labels_.compute()
    assert len(table) == 610
    assert table["selected"].all()  # the last round of a curriculum takes every row
    assert model.max_pool == 100


@pytest.mark.parametrize(
    ("classifier", "problem"),
    [
        (lambda: CASTClassifier(), "`estimator` must be an XGBClassifier"),
        (lambda: SelfTrainingClassifier(trees(), confidence=TemperatureScaling()), "`confidence` must be Raw or"),
        (lambda: CASTClassifier(trees(), noise_filter="mahalanobis"), "`noise_filter` must be None"),
        (lambda: SelfTrainingClassifier(trees(), pseudo_weight=0.5), "`pseudo_weight` 1"),
    ],
)
def test_what_needs_all_rows_in_one_place_is_refused(classifier, problem):
    X, y = draw(60)
    with pytest.raises(ValueError, match=f"With a Dask DataFrame, .*{problem}"):
        classifier().fit(X[:40], y[:40], X_unlabeled=dd.from_pandas(X[40:], npartitions=1))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_folder_is_read_by_dask(one_worker, tmp_path, ending):
    X, y = draw()
    X["city"] = X["city"].replace("Ulm", "NA")  # a word, not a missing value
    for number, part in enumerate((X[90:300], X[300:])):
        path = tmp_path / f"{number}.{ending}"
        part.to_csv(path, index=False) if ending == "csv" else part.to_parquet(path)
    expected, model = (
        CASTClassifier(trees(), alpha=0.5, validation=None, random_state=0).fit(X[:90], y[:90], X_unlabeled=pool)
        for pool in (X[90:].reset_index(drop=True), tmp_path)
    )
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_files_of_two_kinds_are_refused(one_worker, tmp_path):
    X, y = draw(120)
    X[80:100].to_csv(tmp_path / "a.csv", index=False)
    X[100:].to_parquet(tmp_path / "b.parquet")
    for source, found in ((tmp_path, "files that end in .csv, .parquet"), (tmp_path / "*.feather", "no file")):
        with pytest.raises(ValueError, match=f"must be Parquet files or CSV files, not both; .* has {found}"):
            CASTClassifier(trees(), alpha=0.5, validation=None).fit(X[:80], y[:80], X_unlabeled=source)


@pytest.mark.parametrize("convert", [lambda X: X.to_numpy(), lambda X: X.rename(columns={"a": 0, "b": 1, "c": 2})])
def test_rows_without_names_of_columns_are_refused(convert):
    X = draw(40)[0][["a", "b", "c"]]
    model = CLASSIFIERS["raw"]()
    with pytest.raises(TypeError, match="X must be a DataFrame whose column names are text"):
        model.fit(convert(X)[:20], [0, 1] * 10, X_unlabeled=dd.from_pandas(X[20:], npartitions=1))


def test_other_columns_are_refused(one_worker):
    X, y = draw(120)
    pool = dd.from_pandas(X[80:].drop(columns="b"), npartitions=1)
    with pytest.raises(ValueError, match="b"):
        CASTClassifier(trees(), alpha=0.5, validation=None).fit(X[:80], y[:80], X_unlabeled=pool)


def test_levels_that_dask_spells_otherwise_are_told(one_worker):
    X, y = draw()
    X = X.assign(city=[name.encode() for name in np.array(["Ulm", "Bonn"])[np.arange(len(X)) % 2]])
    pool = dd.from_pandas(X[90:].reset_index(drop=True), npartitions=2)  # makes text of bytes
    with pytest.warns(UnseenLevelsWarning, match="No cell of column 'city' in X_unlabeled has a level that was"):
        CLASSIFIERS["curriculum"]().fit(X[:90], y[:90], X_unlabeled=pool)


@pytest.mark.slow
def test_two_workers_are_repeatable_and_a_killed_one_costs_a_round():
    X, y = draw(6_000)
    pool = dd.from_pandas(X[90:], npartitions=4)

    def fit():
        model = CASTClassifier(trees(), alpha=0.5, validation=None, random_state=0)
        return model.fit(X[:90], y[:90], X_unlabeled=pool).predict_proba(X)

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        first = fit()
        np.testing.assert_array_equal(first, fit())
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Thread(target=lambda: (time.sleep(2), os.kill(victim, signal.SIGKILL)))
        killer.start()
        survived = fit()
        killer.join()
        assert survived.shape == first.shape
        assert (survived.argmax(axis=1) == first.argmax(axis=1)).mean() > 0.9
