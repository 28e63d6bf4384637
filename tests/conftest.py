"""Small tables that many tests use."""

import json
import os
import signal
import threading
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from tabcast.teachers._committee import MEMBERS

SMALL_TABLES = Path(__file__).parent / "data"
DATASETS = Path(__file__).parents[2] / "shared" / "datasets"
collect_ignore = ["reference/fingerprints.py"]  # a script; it imports packages that are optional for the tests


def needs(*packages):
    """Mark of a test, a class or a parameter that is skipped where an optional package is not installed.

    A whole module calls `pytest.importorskip`. tests/contracts/test_release.py checks that either every optional
    package is installed or none, so that no test is skipped by mistake.
    """
    missing = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def need_pyarrow(file):
    """Skip the test where a file, named or only its ending, can be neither read nor written without pyarrow."""
    if str(file).endswith(("parquet", "feather")):
        pytest.importorskip("pyarrow")


def pytest_configure(config):
    """Let matplotlib keep its list of fonts in pytest's own folder, not in the home folder."""
    if hasattr(config, "cache"):
        os.environ["MPLCONFIGDIR"] = str(config.cache.mkdir("matplotlib"))


def dataset_folder(name):
    """Folder that has a real table: tests/data, else ../shared/datasets; skips where neither has it."""
    for folder in (SMALL_TABLES, DATASETS):
        if (folder / f"{name}.csv.gz").exists():
            return folder
    pytest.skip(f"needs {name}.csv.gz in {DATASETS}")


def read_meta(folder):
    """Entries of a data folder's meta.json by name."""
    return {entry["name"]: entry for entry in json.loads((folder / "meta.json").read_text())}


def read_dataset(name):
    """A real table as (X, y), categories in their own order."""
    folder = dataset_folder(name)
    meta = read_meta(folder)[name]
    text = [*meta["categories"], *meta["string"]]
    frame = pd.read_csv(
        folder / f"{name}.csv.gz", dtype=dict.fromkeys(text, str), keep_default_na=False, na_values=[""]
    )
    for column, levels in meta["categories"].items():
        frame[column] = pd.Categorical(frame[column], categories=levels)
    target = meta["target"]
    return frame.drop(columns=target), frame[target]


def hide_labels(y, keep, seed, marker=-1):
    """A copy of y in which `keep` rows, some of each class, still have their label."""
    y = np.asarray(y)
    random = np.random.default_rng(seed)
    order = random.permutation(len(y))
    first_of_class = [order[y[order] == one][:2] for one in np.unique(y)]
    kept = np.concatenate([*first_of_class, order])
    kept = kept[np.sort(np.unique(kept, return_index=True)[1])][:keep]
    hidden = np.full(len(y), marker, dtype=object if marker is None else None)
    hidden[kept] = y[kept]
    return hidden


@pytest.fixture
def mixed_table():
    """A DataFrame with every kind of column, and classes that depend on some of them."""
    random = np.random.default_rng(7)
    n = 160
    age = random.normal(40, 10, n)
    income = np.where(random.random(n) < 0.1, np.nan, random.lognormal(3, 0.5, n))
    city = random.choice(["Ulm", "Bonn", "Kiel"], n)
    frame = pd.DataFrame(
        {
            "age": age,
            "income": income,
            "city": city,
            "plan": pd.Categorical(random.choice(["basic", "gold"], n), categories=["basic", "gold", "never"]),
            "active": random.random(n) < 0.5,
            "visits": pd.array(random.integers(0, 9, n), dtype="Int64"),
            "member": pd.array(random.choice([True, False, None], n), dtype="boolean"),
            "note": pd.Series(random.choice(["x", "y", None], n), dtype=object),
        }
    )
    frame.loc[3, "visits"] = pd.NA
    truth = np.where(age + 10 * (city == "Ulm") + random.normal(0, 3, n) > 43, "stays", "leaves")
    return frame, truth


@pytest.fixture(scope="module")
def small_committee():
    """Committees with a few trees, for tests of what is built around them."""
    trees = {"build": lambda: ExtraTreesClassifier(n_estimators=20), "build_in_folds": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MEMBERS, "trees", replace(MEMBERS["trees"], **trees))
        yield


@pytest.fixture(autouse=True)
def interrupts_are_heard():
    """A process started in the background ignores interrupts, and so would the processes that tests start."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
