"""BorutaShap: seconds per iteration against one XGBoost fit, in one run, on one thread.

qsar-biodeg (1,055 x 41) with all its rows, and Bioresponse (1,776 columns) with 250 labeled rows, from
../shared/datasets. XGBoost is fitted with its default parameters. The last line is JSON.

    python benchmarks/boruta.py [--quick]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
from xgboost import XGBClassifier

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import read_dataset

from tabcast.feature_selection._selections import BorutaShap


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def measure(name, n_rows, max_iter):
    """Time of one fit and of one iteration, taken in turns so that a busy moment hits them alike."""
    X, target = read_dataset(name)
    y = np.unique(target, return_inverse=True)[1]
    rows = np.random.default_rng(0).permutation(len(X))[:n_rows]
    X, y = X.to_numpy(float)[rows], y[rows]
    model, selection = XGBClassifier(n_jobs=1), BorutaShap(max_iter=max_iter, random_state=0)
    model.fit(X, y)
    fits = [seconds(lambda: model.fit(X, y)) for _ in range(5)]
    total = seconds(lambda: selection.fit(X, y))
    fits += [seconds(lambda: model.fit(X, y)) for _ in range(5)]
    one_fit, one_iteration = median(fits), total / selection.n_iter_
    print(
        f"{name} {X.shape[0]} x {X.shape[1]}: one XGBoost fit {one_fit:.3f} s; BorutaShap {selection.n_iter_} "
        f"iterations in {total:.1f} s, {one_iteration:.3f} s each, {one_iteration / one_fit:.1f} fits; "
        f"keeps {selection.support_.sum()} columns",
        flush=True,
    )
    return {
        "table": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "xgboost_fit_seconds": one_fit,
        "iteration_seconds": one_iteration,
        "fits_per_iteration": one_iteration / one_fit,
        "iterations": selection.n_iter_,
        "seconds": total,
        "kept": int(selection.support_.sum()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few iterations")
    max_iter = 5 if parser.parse_args().quick else 50
    tables = [measure("qsar-biodeg", 1055, max_iter), measure("Bioresponse", 250, max_iter)]
    print(json.dumps({"benchmark": "boruta", "tables": tables}))


if __name__ == "__main__":
    main()
