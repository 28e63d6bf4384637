"""How accuracy grows with the number of unlabeled rows, on the synthetic table of scale_memory.py.

Soft self-training of XGBoost with 500 labeled rows and more and more unlabeled ones; accuracy on 50,000 further rows.
The supervised model is the same for all. The last line is JSON.

    python benchmarks/pool_size.py [--rows 10000 50000 250000] [--seeds 2]
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from scale_memory import N_LABELED, make_table  # also sets one thread

N_TEST = 50_000


def measure(table, classes, n_rows, seed):
    """Accuracy of the supervised and of the self-trained model."""
    from xgboost import XGBClassifier

    from tabcast import SoftSelfTrainingClassifier

    order = np.random.default_rng(seed).permutation(len(classes) - N_TEST)
    rows = np.concatenate([order[:N_LABELED], order[N_LABELED : N_LABELED + n_rows]])
    y = np.full(len(rows), -1)
    y[:N_LABELED] = classes[rows[:N_LABELED]]
    estimator = XGBClassifier(n_estimators=60, max_depth=4, learning_rate=0.15, n_jobs=1)
    model = SoftSelfTrainingClassifier(estimator, max_pool=None, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table.iloc[rows], y)
    test, truth = table.iloc[-N_TEST:], classes[-N_TEST:]
    return [float((one.predict(test) == truth).mean()) for one in (model.supervised_, model)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 50_000, 250_000])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    table, classes = make_table(max(options.rows) + N_LABELED + N_TEST, 3)
    found = {}
    for n_rows in options.rows:
        pairs = np.array([measure(table, classes, n_rows, seed) for seed in range(options.seeds)])
        found[n_rows] = pairs.mean(axis=0).round(4).tolist()
        print(f"{n_rows:9,} unlabeled rows: supervised {found[n_rows][0]:.4f}, self-trained {found[n_rows][1]:.4f}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
