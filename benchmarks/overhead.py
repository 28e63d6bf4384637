"""What CAST adds to a fit: time outside the base estimator's own fit and predict, relative to that time.

XGBoost on four real tables of ../shared/datasets, 10% of the rows labeled, curriculum, fixed alpha, no feature
selection, one thread. The paper's Table A2 has 76-134% for CAST-L and 99-148% for CAST-D. The last line is JSON.

    python benchmarks/overhead.py [--repeats 5]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
from xgboost import XGBClassifier

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import read_dataset

from tabcast import CASTClassifier

TABLES = {"diabetes": [], "ozone-level-8hr": [], "cmc": [], "clinical_gusto_15628": ["tpa"]}


class Stopwatch(XGBClassifier):
    """XGBoost that adds up the time of its own fits and predictions."""

    seconds = 0.0

    def fit(self, X, y, **kwargs):
        start = time.perf_counter()
        super().fit(X, y, **kwargs)
        Stopwatch.seconds += time.perf_counter() - start
        return self

    def predict_proba(self, X, **kwargs):
        start = time.perf_counter()
        result = super().predict_proba(X, **kwargs)
        Stopwatch.seconds += time.perf_counter() - start
        return result


# To tabcast it is what it is to XGBoost: one of its classifiers.
Stopwatch.__module__ = "xgboost.sklearn"


def measure(X, y, density, seed):
    """Overhead of one fit, and its seconds."""
    Stopwatch.seconds = 0.0
    model = CASTClassifier(
        Stopwatch(n_jobs=1), density=density, alpha=0.5, strategy="curriculum", validation=None, random_state=seed
    )
    start = time.perf_counter()
    model.fit(X, y)
    total = time.perf_counter() - start
    return (total - Stopwatch.seconds) / Stopwatch.seconds, total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    result = {}
    for name, dropped in TABLES.items():
        X, truth = read_dataset(name)
        X = X.drop(columns=dropped)
        random = np.random.default_rng(0)
        # As in the paper: two thirds of 80% of the rows train, a tenth of them labeled.
        rows = random.permutation(len(X))[: int(0.8 * 2 / 3 * len(X))]
        X, truth = X.iloc[rows].reset_index(drop=True), truth.iloc[rows].to_numpy(dtype=object)
        y = np.where(random.random(len(rows)) < 0.1, truth, None)
        for density in ("likelihood", "kernel"):
            runs = [measure(X, y, density, seed) for seed in range(repeats + 1)][1:]
            overhead, seconds = median(run[0] for run in runs), median(run[1] for run in runs)
            result[f"{name} {density}"] = {"overhead": overhead, "seconds": seconds}
            print(f"{name:<22}{density:<12}{100 * overhead:6.1f} % of {seconds - overhead * seconds:.2f} s", flush=True)
    worst = {
        density: max(entry["overhead"] for key, entry in result.items() if key.endswith(density))
        for density in ("likelihood", "kernel")
    }
    print(json.dumps({"tables": result, "worst": worst}))


if __name__ == "__main__":
    main()
