"""How small the leaves of the default classifier should be when few rows are labeled: a study on real tables.

Supervised HistGradientBoostingClassifier on 10% of the training rows of the tables in ../shared/datasets (with at
most 100 columns), every other setting at its default, evaluated on the test rows of a 20% split. Prints, for each
min_samples_leaf, the mean over tables of accuracy, balanced accuracy, AUC and log-loss, and on how many tables it beats
scikit-learn's 20. The last line is JSON.

    python benchmarks/default_leaf.py [--seeds 3]
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import DATASETS, read_dataset

from tabcast.models import AdaptedClassifier

LEAVES = (1, 2, 3, 5, 8, 12, 20)


def measure(name, seed):
    """Scores of each leaf size on one split of one table."""
    X, y = read_dataset(name)
    y = y.astype(str).to_numpy()
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    X, _, y, _ = train_test_split(X, y, train_size=0.1, stratify=y, random_state=seed)
    for leaf in LEAVES:
        model = AdaptedClassifier(HistGradientBoostingClassifier(min_samples_leaf=leaf, random_state=seed)).fit(X, y)
        proba = model.predict_proba(X_test)
        truth = proba[:, 1] if proba.shape[1] == 2 else proba
        yield {
            "table": name,
            "seed": seed,
            "leaf": leaf,
            "accuracy": accuracy_score(y_test, model.classes_[proba.argmax(axis=1)]),
            "balanced_accuracy": balanced_accuracy_score(y_test, model.classes_[proba.argmax(axis=1)]),
            "auc": roc_auc_score(y_test, truth, multi_class="ovr", labels=model.classes_),
            "log_loss": log_loss(y_test, np.clip(proba, 1e-6, 1), labels=model.classes_),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    meta = json.loads((DATASETS / "meta.json").read_text())
    names = [entry["name"] for entry in meta if entry["name"] not in ("Bioresponse", "clinical_gusto")]
    rows = []
    for name in names:
        for seed in range(seeds):
            rows += measure(name, seed)
        print(name, flush=True)
    by_table = pd.DataFrame(rows).drop(columns="seed").groupby(["leaf", "table"]).mean()
    means = by_table.groupby("leaf").mean()
    base = by_table.loc[20]
    means["auc_wins"] = [(by_table.loc[leaf]["auc"] > base["auc"]).sum() for leaf in means.index]
    means["log_loss_wins"] = [(by_table.loc[leaf]["log_loss"] < base["log_loss"]).sum() for leaf in means.index]
    print(means.round(4).to_string())
    print(json.dumps({"tables": len(names), "seeds": seeds, "means": means.round(4).to_dict("index")}))


if __name__ == "__main__":
    main()
