"""The Dask engine: the models of this process, on one worker or two, also when a worker is killed."""

import logging
import os
import signal

import numpy as np
import pandas as pd
import pytest

from tabcast.partitions import DaskEngine, StreamEngine, open_partitions
from tabcast.partitions import _dask_engine as module
from tests.partitions.pool import Pool

pytest.importorskip("xgboost")
pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed")

from tests.self_training.test_partitioned import MODELS, trees  # noqa: E402


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    return Pool("adult", 200, 2_500, tmp_path_factory.mktemp("adult"))


@pytest.fixture
def two_workers():
    yield from make_cluster(2)


@pytest.fixture
def one_worker():
    yield from make_cluster(1)


def make_cluster(n_workers):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(n_workers=n_workers, silence_logs=logging.CRITICAL, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def assert_same(model, expected):
    assert trees(model.estimator_.estimator_) == trees(expected.estimator_.estimator_)
    table = model.pseudo_labels_.compute().reset_index(drop=True)
    pd.testing.assert_frame_equal(table, expected.pseudo_labels_.to_pandas(), check_exact=True)
    pd.testing.assert_frame_equal(model.history_, expected.history_)


def fit_both(name, pool, client, n_parts=7):
    """A model of this process with two partitions, and one of the cluster with more."""
    here = MODELS[name]().fit(pool.X, pool.y, X_unlabeled=pool.write(2))
    there = MODELS[name]().fit(pool.X, pool.y, X_unlabeled=open_partitions(pool.write(n_parts), engine=client))
    return there, here


def test_two_workers_give_the_model_of_this_process(adult, two_workers):
    there, here = fit_both("CAST-L", adult, two_workers, 3)
    assert_same(there, here)
    frame = there.pseudo_labels_  # a Dask DataFrame, and so are predictions for one
    assert frame.npartitions == 3
    dataframe = pytest.importorskip("dask.dataframe")
    rows = dataframe.from_pandas(adult.unlabeled, npartitions=3)
    assert np.array_equal(there.predict_proba(rows).compute().to_numpy(), here.predict_proba(adult.unlabeled))
    assert there.predict(rows).compute()["prediction"].tolist() == here.predict(adult.unlabeled).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CAST-D", "naive", "soft"])
def test_other_methods_on_two_workers(adult, two_workers, name):
    assert_same(*fit_both(name, adult, two_workers, 3))


@pytest.mark.slow
def test_one_worker_and_a_dask_dataframe(adult, one_worker):
    dataframe = pytest.importorskip("dask.dataframe")
    here = MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=adult.write(2))
    rows = dataframe.from_pandas(adult.unlabeled, npartitions=4, sort=False)
    assert_same(MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=rows), here)


def kill_a_worker(client):
    """kill -9 of the first worker."""
    processes = client.run(os.getpid)
    os.kill(processes[min(processes)], signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_killed_in_scoring_costs_its_partitions(adult, two_workers, monkeypatch):
    here = MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=adult.write(2))
    killed, plain_map = [], DaskEngine.map

    def kill_once(self, function, *placed):
        result = plain_map(self, function, *placed)
        if "score" in repr(function) and not killed:
            killed.append(True)
            kill_a_worker(self.client)
        return result

    monkeypatch.setattr(DaskEngine, "map", kill_once)
    source = open_partitions(adult.write(7), engine=two_workers)
    there = MODELS["CAST-L"]().fit(adult.X, adult.y, X_unlabeled=source)
    assert killed
    assert_same(there, here)


@pytest.mark.slow
def test_a_worker_killed_in_training_makes_the_round_run_again(adult, two_workers, monkeypatch, caplog):
    many = {"estimator__n_estimators": 300}
    here = MODELS["CAST-L"]().set_params(**many).fit(adult.X, adult.y, X_unlabeled=adult.write(2))
    killed, wait_some = [], module._wait_some

    def kill_once(waiting, library):
        if not killed:
            killed.append(True)
            wait_some(waiting, library)  # a second of training
            kill_a_worker(two_workers)
        return wait_some(waiting, library)

    monkeypatch.setattr(module, "_wait_some", kill_once)
    monkeypatch.setattr(module, "REPLY_WAIT", 15)  # where it is killed before the workers have met
    source = open_partitions(adult.write(7), engine=two_workers)
    with caplog.at_level(logging.WARNING, logger="tabcast.partitions"):
        there = MODELS["CAST-L"]().set_params(**many).fit(adult.X, adult.y, X_unlabeled=source)
    assert_same(there, here)
    assert "runs again on the workers that are left: 1 of 3" in caplog.text


def test_an_engine_that_is_not_there_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CONNECT_WAIT", 0.5)
    pd.DataFrame({"a": [1.0]}).to_csv(tmp_path / "a.csv", index=False)
    from tabcast.partitions._engine import find_engine

    with pytest.raises(ValueError, match="`engine` must be 'stream', the address"):
        find_engine("dask", [])
    with pytest.raises(ValueError, match=r"No Dask scheduler answers at tcp://127.0.0.1:1 "):
        find_engine("tcp://127.0.0.1:1", [])
    assert isinstance(find_engine(None, open_partitions(tmp_path).members), StreamEngine)
