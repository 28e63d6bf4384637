"""Processor time of `tabcast fit` on a large table, by phase and relative to that of its final model.

A synthetic table of 20 mixed columns (12 numbers with missing values, 8 categories) with 500 labeled rows, read from
Parquet or CSV; the command runs in this process, one thread and one job. The last line is JSON. The reference is the
final model of the same run. With `--max-pool auto` that one is trained on some of the rows only; the model of all rows,
as `--max-pool all` trains it, is the better reference then.

    python benchmarks/scale.py fit [--rows 1000000] [--model xgboost] [--max-pool all] [--format parquet]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import resource
import tempfile
import time
from functools import wraps
from pathlib import Path

import numpy as np
import pandas as pd

N_LABELED = 500
CURVE = "pool curve"  # its models count as part of it


def make_table(n_rows, seed=0):
    """Rows of 20 mixed columns around eight centers, two classes, and labels for 500 of them."""
    random = np.random.default_rng(seed)
    centers = random.normal(size=(8, 12)) * 1.2
    cluster = random.integers(0, 8, n_rows)
    numbers = centers[cluster] + random.normal(size=(n_rows, 12))
    score = numbers[:, :4] @ [0.9, -0.7, 0.5, 0.4] + 0.8 * (cluster % 2) + random.logistic(size=n_rows) * 0.7
    numbers[random.random((n_rows, 12)) < 0.03] = np.nan
    columns = {f"number_{place}": np.round(numbers[:, place], 4) for place in range(12)}
    for place in range(8):
        levels = np.array([f"level_{one}" for one in range(3 + 2 * place)], dtype=object)
        likely = (cluster + place) % len(levels)
        codes = np.where(random.random(n_rows) < 0.5, likely, random.integers(0, len(levels), n_rows))
        columns[f"category_{place}"] = pd.Categorical.from_codes(codes, levels)
    label = np.full(n_rows, None, dtype=object)
    rows = random.permutation(n_rows)[:N_LABELED]
    label[rows] = np.where(score[rows] > np.median(score), "yes", "no")
    return pd.DataFrame({**columns, "label": label})


class Clock:
    """Processor seconds by phase: a phase that is called by another one is not counted in it."""

    def __init__(self):
        self.seconds, self.open, self.since = {}, ["other"], time.process_time()

    def _book(self):
        now = time.process_time()
        self.seconds[self.open[-1]] = self.seconds.get(self.open[-1], 0.0) + now - self.since
        self.since = now

    def watch(self, owner, name, phase):
        """Count a function or method as a phase."""
        inner = getattr(owner, name)

        @wraps(inner)
        def call(*args, **kwargs):
            self._book()
            self.open.append(CURVE if CURVE in self.open else phase)
            try:
                return inner(*args, **kwargs)
            finally:
                self._book()
                self.open.pop()

        setattr(owner, name, call)

    def close(self):
        """The phases, longest first."""
        self._book()
        return dict(sorted(self.seconds.items(), key=lambda one: -one[1]))


def watch_phases(clock):
    """What `tabcast fit` spends its time on."""
    from tabcast.guard import GuardedClassifier
    from tabcast.guard import _guarded_classifier as guard
    from tabcast.runs import _fit_table as fitting
    from tabcast.runs import _prepared_table as preparing
    from tabcast.runs import _run as running
    from tabcast.runs import _training as training

    clock.watch(preparing, "read_table", "reading")
    clock.watch(preparing, "note_leaks", "leak checks")
    clock.watch(fitting, "prepare_table", "understanding")
    clock.watch(guard, "read_training_data", "guard: checks")
    clock.watch(GuardedClassifier, "_fit_final", "final model")
    clock.watch(GuardedClassifier, "_grow_pool", CURVE)
    clock.watch(guard, "compare_on_sample", "comparison")
    clock.watch(training, "diagnose", "diagnostics")
    clock.watch(fitting, "tabulate_predictions", "predictions")
    clock.watch(fitting, "fill_table", "filling")
    clock.watch(running, "render_report", "page")
    clock.watch(running, "save_model", "model file")
    clock.watch(running, "write_folder", "writing")


def main():
    """Print the phases and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--model", default="xgboost")
    parser.add_argument("--method", default="soft")
    parser.add_argument("--max-pool", default="auto")
    parser.add_argument("--format", choices=["csv", "parquet"], default="parquet")
    parser.add_argument("--keep", type=Path, help="folder for the table and the results; a table in it is used again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"table_{given.rows}.{given.format}"
        if not path.exists():
            table = make_table(given.rows)
            table.to_csv(path, index=False) if given.format == "csv" else table.to_parquet(path)
        clock = Clock()
        from tabcast.cli.main import app

        watch_phases(clock)
        options = ["--model", given.model, "--method", given.method, "--max-pool", given.max_pool, "--jobs", "1"]
        out = folder / f"out_{given.max_pool}"
        app(["fit", str(path), "--target", "label", *options, "--out", str(out), "--overwrite"], standalone_mode=False)
        seconds, peak = clock.close(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        size = {one.name: one.stat().st_size for one in out.iterdir()}
        pool = json.loads((out / "summary.json").read_text())["training"]["pool"]
    total = sum(seconds.values())
    for phase, spent in seconds.items():
        print(f"{phase:16} {spent:8.1f} s {100 * spent / total:5.1f}%")
    ratio = total / seconds["final model"]
    print(f"{'total':16} {total:8.1f} s, {ratio:.2f} times the final model; {peak:.1f} GiB at most")
    facts = {"seconds": seconds, "total": total, "ratio": ratio, "gib": peak, "bytes": size}
    print(json.dumps({**vars(given), "keep": None, **facts, "pool": pool}))


if __name__ == "__main__":
    main()
