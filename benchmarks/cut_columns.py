"""What cutting columns around HistGradientBoosting changes: time of a weighted fit, and quality of the model.

Soft self-training of scikit-learn's gradient boosting on real tables, of which 1,500 rows are used at most and one in
ten keeps its label, with columns cut by tabcast and by scikit-learn. The models differ in where the columns are cut;
the scores are those of the unlabeled rows. Seconds are CPU time of the student's fit. The last line is JSON.

    python benchmarks/cut_columns.py [--repeats 4]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import read_dataset

from tabcast import SoftSelfTrainingClassifier
from tabcast.models import _adapted
from tabcast.teachers import Committee

TABLES = ("ozone-level-8hr", "qsar-biodeg", "churn", "diabetes", "steel-plates-fault", "wall-robot-navigation")
MOST_ROWS = 1_500
SPENT = []
fit = _adapted._fit


def fit_timed(model, X, y, fit_params):
    """As in tabcast, with the time of weighted fits written down."""
    start = time.process_time()
    model = fit(model, X, y, fit_params)
    if "sample_weight" in fit_params:
        SPENT.append(time.process_time() - start)
    return model


def evaluate(X, truth, labeled, seed, *, cut):
    """AUC, accuracy and log-loss on the unlabeled rows, and the seconds of the student."""
    _adapted.IS_SLOW = cut
    SPENT.clear()
    y = np.where(labeled, truth, -1)
    model = SoftSelfTrainingClassifier(teacher=Committee(["own", "linear"]), random_state=seed)
    proba = model.fit(X, y).predict_proba(X)[~labeled]
    known, many = truth[~labeled], len(model.classes_) > 2
    auc = roc_auc_score(known, proba if many else proba[:, 1], multi_class="ovr", labels=model.classes_)
    predicted = model.classes_[proba.argmax(axis=1)]
    return auc, accuracy_score(known, predicted), log_loss(known, proba, labels=model.classes_), sum(SPENT)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=4)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    _adapted._fit = fit_timed
    differences, result = [], {}
    for name in TABLES:
        X, labels = read_dataset(name)
        X = X.drop(columns=["tpa"], errors="ignore")
        rows = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
        X, truth = X.iloc[rows].reset_index(drop=True), np.unique(labels.iloc[rows].astype(str), return_inverse=True)[1]
        pairs = []
        for seed in range(repeats):
            labeled = np.random.default_rng(seed).random(len(X)) < 0.1
            labeled[[np.flatnonzero(truth == code)[0] for code in np.unique(truth)]] = True
            pairs.append([evaluate(X, truth, labeled, seed, cut=cut) for cut in (True, False)])
        ours, theirs = np.array(pairs).mean(axis=0)
        differences.extend(np.subtract(*pair)[:3] for pair in np.array(pairs))
        result[name] = {"rows": len(X), "cut": ours.tolist(), "uncut": theirs.tolist(), "speedup": theirs[3] / ours[3]}
        print(
            f"{name}: AUC {ours[0]:.4f} ({theirs[0]:.4f} uncut), accuracy {ours[1]:.4f} ({theirs[1]:.4f}), log-loss "
            f"{ours[2]:.4f} ({theirs[2]:.4f}); student {ours[3]:.2f} s ({theirs[3]:.2f} s)",
            flush=True,
        )
    mean, error = np.mean(differences, axis=0), np.std(differences, axis=0, ddof=1) / np.sqrt(len(differences))
    for score, one, other in zip(("AUC", "accuracy", "log-loss"), mean, error, strict=True):
        print(f"mean difference in {score}: {one:+.5f}, standard error {other:.5f}")
    print(json.dumps({"tables": result, "difference": mean.tolist(), "standard_error": error.tolist()}))


if __name__ == "__main__":
    main()
