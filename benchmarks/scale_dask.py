"""CAST on a local Dask cluster: memory of the client, and seconds with one and two workers.

python benchmarks/scale_dask.py [--rows 1000000] [--trees 20]
"""

import argparse
import json
import resource
import time
import warnings

import numpy as np
import pandas as pd


def draw(n, seed):
    """20 columns and two classes."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 20)), columns=[f"x{j}" for j in range(20)])
    y = (X["x0"] + X["x1"] ** 2 + random.normal(size=n) > 1).astype(int).to_numpy()
    return X, y


def main():
    import dask.dataframe as dd
    from distributed import Client, LocalCluster
    from xgboost import XGBClassifier

    from tabcast import CASTClassifier

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--trees", type=int, default=20)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = draw(500, 0)
    sizes = [given.rows // 10] * 10
    for n_workers in (1, 2):
        pool = dd.from_map(lambda seed, n=sizes[0]: draw(n, seed)[0], range(1, 11), meta=X.iloc[:0])
        options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
        with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster):
            start = time.perf_counter()
            estimator = XGBClassifier(n_estimators=given.trees, max_depth=6)
            CASTClassifier(estimator, alpha=0.5, validation=None, random_state=0).fit(X, y, X_unlabeled=pool)
            seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found = {"rows": sum(sizes), "workers": n_workers, "seconds": round(seconds, 1), "client_mb": round(peak)}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
