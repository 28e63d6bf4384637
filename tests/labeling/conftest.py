"""Small tables to label, sessions with a quick model, and their servers."""

import threading
import time

import numpy as np
import pandas as pd
import pytest

from tabcast import GuardedClassifier
from tabcast.labeling._server import Server
from tabcast.labeling._session import Session
from tabcast.runs._fit_table import read_options

DEADLINE = 60  # seconds; machines may be busy


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Few folds: what is tested is around the models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tabcast.guard._guarded_classifier.FEW_LABELS", 0)
        patch.setitem(GuardedClassifier.__init__.__kwdefaults__, "n_splits", 2)
        yield


def make_customers(n=120, n_labeled=0, seed=0):
    """A table with classes that its columns tell, and the truth."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"age": random.integers(18, 80, n), "spent": random.normal(50, 20, n).round(2)})
    table["city"] = random.choice(["Bonn", "Ulm", "Kiel"], n)
    table.loc[random.random(n) < 0.1, "city"] = None
    truth = np.where(table["spent"] + table["age"] / 4 + random.normal(0, 4, n) > 62, "yes", "no").astype(object)
    return table.assign(churned=np.where(np.arange(n) < n_labeled, truth, None)), truth


def wait_for(check, what="it"):
    """The first value of a function that is true, before a deadline."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        if found := check():
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {DEADLINE} s: {what}")


@pytest.fixture
def open_session(tmp_path):
    """A function that opens, or opens again, a session on a table of customers."""
    sessions = []

    def open_it(table=None, target="churned", estimator="logistic_regression", precision=None, seed=0):
        if table is not None:
            table.to_csv(tmp_path / "customers.csv", index=False)
        training = {"estimator": estimator, "precision": precision, "random_state": seed, "n_jobs": 1, "verbose": 0}
        options = read_options(scoring=None, decision=None, dask=None, max_pool=1000, **training)
        paths = str(tmp_path / "customers.csv"), target, tmp_path / "customers-labels.csv", tmp_path / "out"
        sessions.append(Session(*paths, options, overwrite=False))
        return sessions[-1]

    yield open_it
    for one in sessions:  # a fit that goes on would disturb the warnings of the next test
        one.fit_lock.acquire(timeout=DEADLINE)


@pytest.fixture
def serve():
    """A function that serves a session until the test ends."""
    servers = []

    def serve_it(session):
        servers.append(Server(session))
        threading.Thread(target=servers[-1].serve_forever, args=(0.01,), daemon=True).start()
        return servers[-1]

    yield serve_it
    for one in servers:
        one.shutdown()
        one.server_close()
