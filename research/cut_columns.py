"""Whether students lose by columns that are cut once to 255 values, as those of large pools are.

Two real tables with few labels; XGBoost and HistGradientBoosting, CAST and soft self-training. Every table counts as
large here, once with cut columns and once without; nothing else differs. Accuracy and log loss on test rows, and paired
differences (cut less uncut) over seeds with their standard errors. Writes research/results/cut_columns.md.

    python research/cut_columns.py [--seeds 6] [--labeled 300] [--pool 8000]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import sys
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from xgboost import XGBClassifier

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import read_dataset

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.self_training import _data, _fitter

RESULT = Path(__file__).parent / "results" / "cut_columns.md"
BASES = {
    "XGBoost": lambda: XGBClassifier(n_estimators=50, n_jobs=1),
    "HistGradientBoosting": lambda: HistGradientBoostingClassifier(max_iter=50, early_stopping=False),
}
METHODS = {
    "CAST": lambda base, seed: CASTClassifier(base, alpha=0.5, validation=None, random_state=seed),
    "soft": lambda base, seed: SoftSelfTrainingClassifier(base, random_state=seed),
}


def run(table, base, method, seed, n_labeled, n_pool):
    """Accuracy and log loss without and with cut columns."""
    X, truth = read_dataset(table)
    rows = np.random.default_rng(seed).permutation(len(X))
    X, truth = X.iloc[rows].reset_index(drop=True), truth.iloc[rows].to_numpy(dtype=object)
    n_train = n_labeled + n_pool
    y = np.where(np.arange(n_train) < n_labeled, truth[:n_train], None)
    scores = {}
    with patch.object(_data, "MANY_ROWS", n_pool // 2):
        for cut in (False, True):
            how = _fitter.cut_once if cut else (lambda estimator, X: X)
            with patch.object(_fitter, "cut_once", how):
                model = METHODS[method](BASES[base](), seed).fit(X.iloc[:n_train], y)
            proba = model.predict_proba(X.iloc[n_train:])
            predicted = model.classes_[proba.argmax(axis=1)]
            scores[cut] = (predicted == truth[n_train:]).mean(), log_loss(truth[n_train:].astype(str), proba)
    return {
        "table": table,
        "base": base,
        "method": method,
        "accuracy": scores[False][0],
        "accuracy_cut": scores[True][0],
        "log_loss": scores[False][1],
        "log_loss_cut": scores[True][1],
    }


def main():
    """Run everything and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--labeled", type=int, default=300)
    parser.add_argument("--pool", type=int, default=8_000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [
        run(table, base, method, seed, given.labeled, given.pool)
        for table in ("adult", "bank-marketing")
        for base in BASES
        for method in METHODS
        for seed in range(given.seeds)
    ]
    lines = [
        "# Columns cut once",
        "",
        f"`python research/cut_columns.py --seeds {given.seeds} --labeled {given.labeled} --pool {given.pool}`: scores "
        "on test rows without cut columns, and what columns that are cut to 255 values change, with its standard error "
        "over seeds.",
        "",
        "| table | base | method | accuracy | difference | log loss | difference |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for names, part in pd.DataFrame(found).groupby(["table", "base", "method"]):
        cells = list(names)
        for score in ("accuracy", "log_loss"):
            gain = part[f"{score}_cut"] - part[score]
            cells += [f"{part[score].mean():.4f}", f"{gain.mean():+.4f} ± {gain.std() / len(gain) ** 0.5:.4f}"]
        lines.append(f"| {' | '.join(cells)} |")
    RESULT.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
