"""How memory and processor time grow with the number of unlabeled rows.

Each case runs in a process of its own. The table is synthetic and mixed: 15 columns of floats, which depend on five
hidden factors and on the class, one of them with 5% missing values, and five category columns of 3 to 50 levels, 125
bytes a row together. 500 rows have a label. The process makes the table, fits the case once on 2,000 rows so that
everything is loaded, and then measures a fit on all rows:

    bytes_per_row   largest resident memory during the fit (VmHWM, reset before it) minus resident memory before it
                    (VmRSS, which includes the table), divided by the number of unlabeled rows
    seconds         processor time of the fit, all threads
    us_per_row      the same per unlabeled row, in microseconds

The number of trees changes the time and hardly the memory, so that it is small by default. The last line is JSON.

    python benchmarks/scale_memory.py [--cases soft cast search] [--rows 200000 1000000] [--trees 20]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gc
import json
import platform
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd

N_LABELED = 500
LEVELS = (3, 5, 8, 20, 50)
BLOCK = 100_000


def make_table(n_rows, n_classes, seed=0):
    """A mixed table of 20 columns and its classes, made block by block so that nothing but the table is large."""
    structure = np.random.default_rng(seed)
    loadings = structure.normal(size=(5, 15))
    shift = structure.normal(scale=0.6, size=(n_classes, 5))
    favorite = [structure.random((n_classes, n)) ** 2 + 0.05 for n in LEVELS]
    numbers = [np.empty(n_rows) for _ in range(15)]
    codes = [np.empty(n_rows, dtype=np.int8) for _ in LEVELS]
    classes = np.empty(n_rows, dtype=np.int8)
    for number, start in enumerate(range(0, n_rows, BLOCK)):
        random = np.random.default_rng([seed, number])
        rows = slice(start, min(start + BLOCK, n_rows))
        n = rows.stop - rows.start
        y = random.choice(n_classes, size=n, p=_proportions(n_classes))
        hidden = random.normal(size=(n, 5)) + shift[y]
        values = np.tanh(hidden) @ loadings + random.normal(size=(n, 15))
        values[random.random(n) < 0.05, 0] = np.nan
        for column, new in zip(numbers, values.T, strict=True):
            column[rows] = new
        for column, weight in zip(codes, favorite, strict=True):
            up_to = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)[y]
            column[rows] = np.minimum((random.random(n)[:, None] > up_to).sum(axis=1), weight.shape[1] - 1)
        classes[rows] = y
    frame = {f"number_{at}": column for at, column in enumerate(numbers)}
    for n, column in zip(LEVELS, codes, strict=True):
        levels = [f"level {at}" for at in range(n)]
        frame[f"levels_{n}"] = pd.Categorical.from_codes(column, categories=levels)
    return pd.DataFrame(frame, copy=False), classes


def _proportions(n_classes):
    """Class k is 1 / (k + 1) as frequent as the first."""
    weight = 1 / np.arange(1, n_classes + 1)
    return weight / weight.sum()


def hide(classes, n_labeled=N_LABELED, seed=0):
    """Labels of `n_labeled` random rows; -1 for the others."""
    rows = np.random.default_rng(seed).permutation(len(classes))[:n_labeled]
    y = np.full(len(classes), -1)
    y[rows] = classes[rows]
    return y


def _boosting(trees):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=trees, n_jobs=1)


def soft(trees):
    """Soft self-training with the default committee."""
    from tabcast import SoftSelfTrainingClassifier

    return SoftSelfTrainingClassifier(_boosting(trees), max_pool=None, random_state=0)


def cast(trees):
    """CAST with alpha given and no rows held out."""
    from tabcast import CASTClassifier

    return CASTClassifier(_boosting(trees), alpha=0.5, validation=None, max_pool=None, random_state=0)


def search(trees):
    """CAST as it is by default: alpha is searched on cross-validation splits."""
    from tabcast import CASTClassifier

    return CASTClassifier(_boosting(trees), max_pool=None, random_state=0)


CASES = {one.__name__: one for one in (soft, cast, search)}


def _memory(name):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name + ":"))


def measure(case, n_rows, n_classes, trees):
    """Fit a case in this process, and return what it took."""
    warnings.simplefilter("ignore")
    model = CASES[case](trees)
    X, classes = make_table(n_rows + N_LABELED, n_classes)
    y = hide(classes)
    few = np.append(np.flatnonzero(y >= 0), np.flatnonzero(y < 0)[:1500])
    CASES[case](2).fit(X.iloc[few], y[few])
    gc.collect()
    before = _memory("VmRSS")
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")  # the largest resident memory is counted from here
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    peak = _memory("VmHWM") - before
    gc.collect()
    left = _memory("VmRSS") - before
    return {
        "case": case,
        "rows": n_rows,
        "classes": n_classes,
        "trees": trees,
        "bytes_per_row": round(peak / n_rows),
        "left_per_row": round(left / n_rows),
        "seconds": round(seconds, 1),
        "us_per_row": round(1e6 * seconds / n_rows, 1),
        "fits": model.n_fits_,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000_000])
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--here", action="store_true", help="measure in this process: one case, one number of rows")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(measure(given.cases[0], given.rows[0], given.classes, given.trees)))
        return
    results = []
    for case in given.cases:
        for rows in given.rows:
            sizes = ["--classes", str(given.classes), "--trees", str(given.trees)]
            command = [sys.executable, __file__, "--here", "--cases", case, "--rows", str(rows), *sizes]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            one = json.loads(output.splitlines()[-1])
            results.append(one)
            print(
                f"{case:<8}{rows:>11,} rows{one['bytes_per_row']:>7,} B a row, {one['left_per_row']:>5,} left"
                f"{one['us_per_row']:>9.1f} us a row, {one['fits']} fits",
                flush=True,
            )
    print(json.dumps({"machine": platform.processor() or platform.machine(), "results": results}))


if __name__ == "__main__":
    main()
