"""Fingerprints of what fits give, to show that a change of structure changes no result.

A grid of classifiers on real tables, a small study and `tabcast fit` are run through their public names; predictions,
`pseudo_labels_`, `history_` and the other fitted attributes are hashed. Hashes depend on the processor and on library
versions, so they are recorded and compared on one machine, and no test stores them.

    python tests/reference/fingerprints.py record before.json    # before the change
    python tests/reference/fingerprints.py compare before.json   # after it: exit code 1 if anything differs
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

from tabcast import CASTClassifier, GuardedClassifier, SelfTrainingClassifier, SoftSelfTrainingClassifier
from tabcast.confidence import (
    Chain,
    ClusterAware,
    DistributionAlignment,
    GaussianProcessCalibration,
    HistogramBinning,
    SplineCalibration,
    TemperatureScaling,
)
from tabcast.density import EmpiricalLikelihood, KernelDensity
from tabcast.feature_selection import BorutaShap
from tabcast.noise_filters import MahalanobisFilter
from tabcast.pseudo_labels import (
    FixedThreshold,
    PerClassCurriculum,
    TakeAll,
    TopK,
)
from tabcast.teachers import Committee, SelfTeacher

DATASETS = Path(__file__).parents[3] / "shared" / "datasets"
TABCAST = [sys.executable, "-c", "from tabcast.cli.main import app; app()"]
ATTRIBUTES = (
    "classes_",
    "history_",
    "best_round_",
    "n_rounds_",
    "termination_reason_",
    "pseudo_labels_",
    "transduction_",
    "labeled_iter_",
    "selected_features_",
    "n_fits_",
    "alpha_",
    "alpha_scores_",
    "soft_labels_",
    "sampling_",
    "chosen_",
)

PEERS = Path(__file__).parents[2] / "research" / "peers"
STUDY = f"""
title = "Fingerprints"
item = "Fingerprints"
records = "records"
plugins = ["{PEERS.as_posix()}"]

[[grid]]
datasets = ["diabetes", "cmc", "credit-g"]
models = ["xgboost"]
tunings = ["none"]
strategies = ["threshold", "curriculum"]
noise_filters = ["none", "mahalanobis"]
methods = ["supervised", "baseline", "ts", "hb", "sp", "cast-d", "cast-l", "cast-l-permuted", "cast-d-no-alpha"]

[[grid]]
datasets = ["diabetes", "cmc"]
models = ["xgboost", "hist_gradient_boosting"]
tunings = ["none"]
strategies = ["threshold"]
methods = ["operating-point", "same-budget", "soft", "soft-self", "soft-unaligned", "sklearn-self-training"]

[[grid]]
datasets = ["diabetes"]
models = ["xgboost"]
tunings = ["paper"]
strategies = ["threshold"]
methods = ["supervised", "cast-l", "density-quality"]

[profiles.quick]
seeds = 1
folds = [0]
n_tuning_trials = 3
max_trees = 20
"""


def read_table(name):
    """A table of the data folder, with its categories."""
    meta = {entry["name"]: entry for entry in json.loads((DATASETS / "meta.json").read_text())}[name]
    text = dict.fromkeys([*meta["categories"], *meta["string"]], str)
    frame = pd.read_csv(DATASETS / f"{name}.csv.gz", dtype=text, keep_default_na=False, na_values=[""])
    for column, levels in meta["categories"].items():
        frame[column] = pd.Categorical(frame[column], categories=levels)
    return frame.drop(columns=meta["target"]), frame[meta["target"]].astype(str).to_numpy(dtype=object)


def tables():
    """Names, tables, and labels of which one in twelve is left."""
    named = {name: read_table(name) for name in ("diabetes", "credit-g", "car", "kc2")}
    X, y = load_breast_cancer(return_X_y=True)
    named["tumors"] = X, y
    X, y = load_iris(return_X_y=True, as_frame=True)
    named["iris"] = X, y.to_numpy()
    for name, (X, y) in named.items():
        kept = np.random.default_rng(3).random(len(y)) < (0.3 if name == "iris" else 1 / 12)
        missing = None if y.dtype == object else -1
        yield name, X, np.where(kept, y, missing), y


def linear():
    """Logistic regression for any table."""
    text = make_column_selector(dtype_exclude="number")
    numbers = make_column_selector(dtype_include="number")
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), text), (StandardScaler(), numbers))
    return make_pipeline(columns, LogisticRegression(max_iter=300))


def trees(**parameters):
    """A small boosting model."""
    return XGBClassifier(n_estimators=15, max_depth=3, n_jobs=1, **parameters)


def leaves():
    """A small HistGradientBoosting."""
    return HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=8)


def grid():
    """Classifiers by name, each with the tables that it is fitted on."""
    Self, Cast, Soft = SelfTrainingClassifier, CASTClassifier, SoftSelfTrainingClassifier
    numeric, mixed = ("diabetes", "tumors", "iris"), ("credit-g", "car")
    every = (*numeric, *mixed, "kc2")
    yield "self default", lambda: Self(leaves()), every
    yield "self xgboost threshold", lambda: Self(trees(), strategy=FixedThreshold(0.8)), every
    yield "self top_k, first label", lambda: Self(trees(), strategy=TopK(20), relabel=False), numeric
    yield "self all, none", lambda: Self(leaves(), strategy=TakeAll(), validation=None, max_rounds=3), mixed
    yield (
        "self fraction",
        lambda: Self(linear(), validation=0.3, strategy=FixedThreshold([0.9, 0.6])),
        ("credit-g", "kc2"),
    )
    yield "self splitter", lambda: Self(trees(), validation=StratifiedKFold(3, shuffle=True)), ("diabetes", "car")
    yield "self weight", lambda: Self(trees(), pseudo_weight=0.3, strategy=PerClassCurriculum()), every
    yield "self patience", lambda: Self(trees(), pseudo_weight=2, patience=1), numeric
    yield "self soft", lambda: Self(trees(), pseudo_weight="soft", strategy="all"), numeric
    yield (
        "self per class",
        lambda: Self(RandomForestClassifier(20), strategy=FixedThreshold([0.6, 0.8])),
        ("diabetes", "tumors"),
    )
    yield "self filter", lambda: Self(trees(), noise_filter=MahalanobisFilter()), ("diabetes", "credit-g")
    yield "self ts", lambda: Self(trees(), confidence=TemperatureScaling()), every
    yield "self hb", lambda: Self(trees(), confidence=HistogramBinning(), validation=0.3), numeric
    yield "self sp", lambda: Self(trees(), confidence=SplineCalibration()), ("diabetes",)
    yield "self gp", lambda: Self(trees(), confidence=GaussianProcessCalibration(), validation=0.3), ("iris",)
    yield (
        "self chain",
        lambda: Self(
            trees(),
            confidence=Chain([TemperatureScaling(), DistributionAlignment(), ClusterAware(EmpiricalLikelihood())]),
        ),
        ("diabetes", "credit-g"),
    )
    yield "self lightgbm", lambda: Self(LGBMClassifier(n_estimators=15, verbose=-1, n_jobs=1)), ("credit-g", "tumors")
    yield "cast default", lambda: Cast(leaves()), every
    yield "cast kernel", lambda: Cast(trees(), density="kernel"), every
    yield "cast fixed", lambda: Cast(trees(), alpha=0.5, validation=None), every
    yield "cast alphas", lambda: Cast(linear(), alpha=[0.2, 0.7, 0.0], strategy="threshold"), mixed
    yield "cast uniform", lambda: Cast(trees(), density="uniform", strategy="all"), ("kc2",)
    yield "cast boruta", lambda: Cast(trees(), feature_selection=BorutaShap(max_iter=10)), ("diabetes", "credit-g")
    yield (
        "cast filter",
        lambda: Cast(trees(), noise_filter="mahalanobis", density=KernelDensity("normal_reference")),
        numeric,
    )
    yield (
        "cast soft",
        lambda: Self(
            trees(), confidence=ClusterAware(EmpiricalLikelihood(), alpha=0.4), pseudo_weight="soft", validation=0.25
        ),
        numeric,
    )
    yield "soft default", lambda: Soft(leaves()), every
    yield "soft xgboost", lambda: Soft(trees()), every
    yield "soft self", lambda: Soft(trees(), teacher="self", temperature=0.7), every
    yield "soft auto", lambda: Soft(trees()), numeric
    yield "soft judged", lambda: Soft(trees(), validation="cv", max_rounds=3, patience=2), ("diabetes", "credit-g")
    yield "soft fraction", lambda: Soft(trees(), validation=0.3, max_rounds=2), ("iris", "kc2")
    yield "soft none", lambda: Soft(trees(), temperature=1, max_rounds=2), ("tumors", "car")
    members = ["own", "linear", "boosting", GaussianNB()]
    yield "soft members", lambda: Soft(trees(), teacher=Committee(members, n_folds=3)), ("tumors",)
    yield "guarded soft", lambda: GuardedClassifier(Soft(trees(), teacher=SelfTeacher()), n_repeats=1), every
    yield "guarded cast", lambda: GuardedClassifier(Cast(trees(), alpha=0.5), n_splits=3, n_repeats=1), ("diabetes",)
    yield "guarded default", lambda: GuardedClassifier(Soft(leaves()), n_splits=3, n_repeats=1), ("tumors",)


def digest(value):
    """A short hash of values, whatever holds them."""
    if isinstance(value, pd.DataFrame):
        return {str(name): digest(value[name].to_numpy()) for name in value}
    if hasattr(value, "__dataclass_fields__"):
        return {name: digest(getattr(value, name)) for name in value.__dataclass_fields__}
    array = np.asarray(value)
    if array.dtype.kind == "f":
        content = np.where(np.isnan(array), np.nan, array + 0.0).tobytes()
    elif array.dtype.kind in "biu":
        content = array.astype(np.int64).tobytes()
    else:
        content = json.dumps(array.tolist(), default=str).encode()
    return blake2b(content + str(array.shape).encode(), digest_size=8).hexdigest()


def describe(model, X):
    """Hashes of what a fitted classifier gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        proba = {"predict_proba": digest(model.predict_proba(X)), "predict": digest(model.predict(X))}
        proba["supervised_"] = digest(model.supervised_.predict_proba(X))
    told = {name: digest(getattr(model, name)) for name in ATTRIBUTES if hasattr(model, name)}
    if hasattr(model, "verdict_"):
        told["scores_"] = digest(model.verdict_.scores)
        told["self_trained_"] = describe(model.self_trained_, X)
    if getattr(model, "teacher_", None) is not None:
        told["teacher_"] = digest(model.teacher_.predict_proba(X)[:50])
    return proba | told


def fit_grid():
    """Hashes of every classifier of the grid on its tables, and of the ways to call `fit`."""
    ready = {name: (X, y, truth) for name, X, y, truth in tables()}
    found = {}
    for name, build, on in grid():
        for table in on:
            X, y, _ = ready[table]
            found[f"{name} / {table}"] = describe(build().set_params(random_state=5).fit(X, y), X)
    X, y, truth = ready["diabetes"]
    known = np.array([one is not None for one in y])
    weight = np.random.default_rng(0).random(len(y)) + 0.5
    labeled, apart = X[known], X[~known]
    build = lambda: CASTClassifier(trees(), alpha=0.3, random_state=1)  # noqa: E731
    found["apart"] = describe(build().fit(labeled, y[known], X_unlabeled=apart), X)
    found["weights"] = describe(build().fit(X, y, sample_weight=weight), X)
    found["validation_data"] = describe(build().fit(X, y, validation_data=(apart[:80], truth[~known][:80])), X)
    soft = SoftSelfTrainingClassifier(trees(), random_state=1)
    found["soft weights"] = describe(soft.fit(X, y, sample_weight=weight), X)
    found["no pool"] = describe(build().fit(labeled, y[known]), X)
    return found


def run_study():
    """Metrics, facts and histories of a small study, by trial."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.toml").write_text(STUDY)
        command = [*TABCAST, "study", "run", str(folder / "small.toml"), "--profile", "quick"]
        command += ["--jobs", "2", "--data-dir", str(DATASETS)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = {}
        for path in sorted(folder.glob("records/**/*.json")):
            record = json.loads(path.read_text())
            kept = {
                part: record[part] for part in ("status", "metrics", "facts", "history", "params") if part in record
            }
            trial = str(path.relative_to(folder)).rsplit("-", 1)[0]  # without the digest of the configuration
            found[trial] = kept
        return found


def run_command():
    """The predictions that `tabcast fit` and `tabcast predict` write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y = read_table("credit-g")
        table = X.assign(**{"class": np.where(np.arange(len(y)) % 10 == 0, y, "")})
        table.to_csv(folder / "table.csv", index=False)
        command = [*TABCAST, "fit", str(folder / "table.csv"), "--target", "class"]
        command += ["--seed", "3", "--out", str(folder / "run")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        written = {path.name: path for path in (folder / "run").iterdir() if path.suffix == ".csv"}
        return {name: blake2b(path.read_bytes(), digest_size=8).hexdigest() for name, path in sorted(written.items())}


def compare(before, after, place=""):
    """Paths of what differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            found
            for name in sorted(before.keys() | after.keys())
            for found in compare(before.get(name), after.get(name), f"{place} / {name}")
        ]
    return [] if before == after else [f"{place}: {before} -> {after}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {"fits": fit_grid(), "command": run_command(), "study": run_study()}
    if given.action == "record":
        given.file.write_text(json.dumps(found, indent=1))
        print(f"recorded {len(found['fits'])} fits, {len(found['study'])} records")
        return
    differing = compare(json.loads(given.file.read_text()), json.loads(json.dumps(found)))
    print("\n".join(differing) or f"equal: {len(found['fits'])} fits, {len(found['study'])} records")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
