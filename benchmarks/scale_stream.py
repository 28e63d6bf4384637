"""Partitions in one process: memory and time outside XGBoost as the number of rows grows.

Writes a folder of Parquet files (20 mixed columns: 15 of floats, five of text with 3 to 50 levels) into a temporary
folder, fits a self-training classifier on 500 labeled rows and the folder in a process of its own, and prints

    peak            largest resident memory of the process, everything included
    outside         processor time that is not XGBoost's own, per row and round, in microseconds
    xgboost         processor time of XGBoost: matrices, trees and predictions, per row and round

The number of trees changes the share of XGBoost and little else, so that it is small by default. The last line is JSON.

    python benchmarks/scale.py stream [--cases cast soft] [--rows 1000000 3000000 10000000] [--trees 20]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

N_LABELED = 500
LEVELS = (3, 5, 8, 20, 50)
PART_ROWS = 250_000


def make_rows(number, n_rows, n_classes):
    """A mixed table of 20 columns and its classes; another number, other rows."""
    structure, random = np.random.default_rng(0), np.random.default_rng([1, number])
    loadings = structure.normal(size=(5, 15))
    shift = structure.normal(scale=0.6, size=(n_classes, 5))
    weight = 1 / np.arange(1, n_classes + 1)
    y = random.choice(n_classes, size=n_rows, p=weight / weight.sum())
    values = np.tanh(random.normal(size=(n_rows, 5)) + shift[y]) @ loadings + random.normal(size=(n_rows, 15))
    values[random.random(n_rows) < 0.05, 0] = np.nan
    frame = pd.DataFrame(values, columns=[f"number_{at}" for at in range(15)])
    for n in LEVELS:
        favorite = structure.random((n_classes, n)) ** 2 + 0.05
        up_to = np.cumsum(favorite / favorite.sum(axis=1, keepdims=True), axis=1)[y]
        codes = np.minimum((random.random(n_rows)[:, None] > up_to).sum(axis=1), n - 1)
        frame[f"levels_{n}"] = np.array([f"level {at}" for at in range(n)], dtype=object)[codes]
    return frame, y


def write_folder(folder, n_rows, n_classes):
    """Parquet files of a quarter of a million rows."""
    for number, first in enumerate(range(0, n_rows, PART_ROWS)):
        frame, _ = make_rows(number, min(PART_ROWS, n_rows - first), n_classes)
        frame.to_parquet(folder / f"part-{number:04}.parquet", index=False)


class Clock:
    """Processor time within some functions, that of others within them aside."""

    def __init__(self):
        self.seconds = 0.0

    def count(self, function, *, own=True):
        """The function, timed; `own=False` for ours that XGBoost calls."""

        def timed(*args, **options):
            start = time.process_time()
            try:
                return function(*args, **options)
            finally:
                self.seconds += (1 if own else -1) * (time.process_time() - start)

        return timed


def watch_xgboost(clock):
    """Time XGBoost without what it calls of ours."""
    import xgboost

    from tabcast.partitions import _boosting

    for owner, name in ((xgboost.QuantileDMatrix, "__init__"), (xgboost.Booster, "update")):
        setattr(owner, name, clock.count(getattr(owner, name)))
    xgboost.Booster.inplace_predict = clock.count(xgboost.Booster.inplace_predict)
    blocks, objective = _boosting.TrainingRows.blocks, _boosting.make_objective

    def timed_blocks(rows):
        iterator = blocks(rows)
        step = clock.count(lambda: next(iterator, None), own=False)
        while (block := step()) is not None:
            yield block

    _boosting.TrainingRows.blocks = timed_blocks
    _boosting.make_objective = lambda rows, plan: clock.count(objective(rows, plan), own=False)


def build(case, trees):
    from xgboost import XGBClassifier

    from tabcast import CASTClassifier, SoftSelfTrainingClassifier

    boosting = XGBClassifier(n_estimators=trees, n_jobs=1)
    if case == "soft":
        return SoftSelfTrainingClassifier(boosting, random_state=0)
    return CASTClassifier(boosting, alpha=0.5, validation=None, random_state=0)


def measure(case, folder, n_rows, n_classes, trees):
    """Fit in this process."""
    warnings.simplefilter("ignore")
    clock = Clock()
    watch_xgboost(clock)
    X, y = make_rows(10**6, N_LABELED, n_classes)
    model, start, wall = build(case, trees), time.process_time(), time.perf_counter()
    model.fit(X, y, X_unlabeled=folder)
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    per_row = 1e6 / (n_rows * model.n_rounds_)
    return {
        "case": case,
        "rows": n_rows,
        "classes": n_classes,
        "trees": trees,
        "rounds": model.n_rounds_,
        "peak_mb": round(peak / 2**20),
        "outside_us": round((seconds - clock.seconds) * per_row, 2),
        "xgboost_us": round(clock.seconds * per_row, 2),
        "seconds": round(seconds, 1),
        "wall": round(wall, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", choices=("cast", "soft"), default=["cast", "soft"])
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--folder", help="measure in this process, on a folder that is there")
    given = parser.parse_args()
    if given.folder:
        print(json.dumps(measure(given.cases[0], given.folder, given.rows[0], given.classes, given.trees)))
        return
    results = []
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            write_folder(Path(folder), rows, given.classes)
            for case in given.cases:
                sizes = ["--rows", str(rows), "--classes", str(given.classes), "--trees", str(given.trees)]
                command = [sys.executable, __file__, "--cases", case, "--folder", folder, *sizes]
                output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                one = json.loads(output.splitlines()[-1])
                results.append(one)
                print(
                    f"{case:<6}{rows:>12,} rows{one['peak_mb']:>7,} MB peak{one['outside_us']:>8.2f} us a row and "
                    f"round outside XGBoost, {one['xgboost_us']:.2f} in it, {one['rounds']} rounds",
                    flush=True,
                )
    print(json.dumps({"machine": platform.processor() or platform.machine(), "results": results}))


if __name__ == "__main__":
    main()
