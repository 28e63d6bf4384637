"""What diagnostics cost, and how often covariate_shift sees a shift where there is none. The last line is JSON.

python benchmarks/diagnostics.py
"""

import argparse
import json
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression

from tabcast import CASTClassifier, GuardedClassifier
from tabcast.diagnostics import covariate_shift, diagnose

POOLS = {(200, 5_000): ("likelihood",), (2_000, 48_000): ("likelihood", "kernel")}


def measure_cost(n_labeled, n_unlabeled, density):
    """Processor seconds of `diagnose` for a fitted CAST, 20 columns, without the fit."""
    X, truth = make_classification(n_labeled + n_unlabeled, 20, n_informative=8, class_sep=0.7, random_state=0)
    X, y = pd.DataFrame(X), np.where(np.arange(len(truth)) < n_labeled, truth, -1)
    cast = CASTClassifier(LogisticRegression(), density=density, alpha=0.5, validation=None)
    model = GuardedClassifier(cast, n_repeats=1, random_state=0).fit(X, y)
    start = time.process_time()
    diagnose(model, X, y)
    return time.process_time() - start


def breast_cancer(random):
    """Real rows, labeled at random."""
    X, _ = load_breast_cancer(return_X_y=True)
    return X[random.permutation(len(X))], 142


def correlated(n_labeled, n_unlabeled, n_columns):
    """A function that draws normal rows with correlated columns."""

    def draw(random):
        mixing = random.normal(size=(n_columns, n_columns))
        return random.normal(size=(n_labeled + n_unlabeled, n_columns)) @ mixing, n_labeled

    return draw


WITHOUT_SHIFT = {
    "breast cancer, 142 of 569 rows labeled at random, 30 columns": (breast_cancer, 60),
    "200 labeled and 600 unlabeled rows, 20 correlated normal columns": (correlated(200, 600, 20), 40),
    "40 and 400 rows, 10 such columns": (correlated(40, 400, 10), 40),
    "10 and 60 rows, 4 such columns": (correlated(10, 60, 4), 60),
}


def count_none(draw, draws):
    """How often the answer is "none"."""
    answers = []
    for seed in range(draws):
        X, n_labeled = draw(np.random.default_rng(seed))
        answers.append(covariate_shift(X, np.arange(len(X)) < n_labeled, random_state=seed).strength)
    return answers.count("none")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, help="of each table without shift, at most")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    seconds, none = {}, {}
    for (n_labeled, n_unlabeled), densities in POOLS.items():
        for density in densities:
            name = f"{n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows, {density}"
            seconds[name] = measure_cost(n_labeled, n_unlabeled, density)
            print(f"{name}: {seconds[name]:.1f} s of processor time", flush=True)
    for name, (draw, draws) in WITHOUT_SHIFT.items():
        draws = min(draws, given.draws or draws)
        none[name] = [count_none(draw, draws), draws]
        print(f'{name}: "none" in {none[name][0]} of {draws}', flush=True)
    print(json.dumps({"seconds": seconds, "none": none}))


if __name__ == "__main__":
    main()
