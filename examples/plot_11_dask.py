"""
A Dask cluster
==============

The same classifier on the workers of a cluster: two local processes here, elsewhere
``open_partitions(folder, engine="tcp://scheduler:8786")``. The unlabeled rows stay on the workers, apart from a small
sample, and the model is identical, bit for bit, to that of streaming.
"""

import logging
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import make_classification
from xgboost import XGBClassifier

from tabcast import CASTClassifier
from tabcast.partitions import open_partitions


def main():
    from distributed import Client, LocalCluster

    X, y = make_classification(6200, 8, n_informative=5, random_state=0)
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    folder = Path(tempfile.mkdtemp())
    for part, start in enumerate(range(200, 6200, 1500)):
        table[start : start + 1500].to_parquet(folder / f"part-{part}.parquet")

    estimator = XGBClassifier(n_estimators=15, max_depth=4, n_jobs=1)
    model = CASTClassifier(estimator, alpha=0.5, validation=None, random_state=0)
    streamed = model.fit(table[:200], y[:200], X_unlabeled=folder).predict_proba(table)
    settings = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(**settings, silence_logs=logging.ERROR) as cluster, Client(cluster) as client:
        model.fit(table[:200], y[:200], X_unlabeled=open_partitions(folder, engine=client))
        confidence = model.pseudo_labels_["confidence"].compute()
    print("largest difference to the streamed model:", abs(model.predict_proba(table) - streamed).max())
    fig, ax = plt.subplots(figsize=(5, 2.5))
    ax.hist(confidence, bins=30)
    ax.set(xlabel="confidence in a pseudo-label", ylabel="rows")
    fig.tight_layout()


if __name__ == "__main__":
    main()
