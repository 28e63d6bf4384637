"""What `tabcast predict` costs beside the model itself: 1,000,000 x 20 Parquet, streamed.

The table (an identifier, 14 numeric columns with missing values, 4 categorical ones, 1 of dates; 2 classes, so that the
model itself is fast) is generated with a seed in a temporary folder. The peer is the base model's own `predict_proba`
on the whole table, in memory and encoded; ours is everything but starting Python: loading the model, reading Parquet,
interpreting columns, encoding, predicting, writing Parquet. The bounds for the default model are 4 times the peer's
time and a peak of 1 GB for the whole process (`ru_maxrss`, in a separate process). Other models and CSV output are
measured as well. Runs of ours and the peer alternate, and the fastest of each counts. Seconds are CPU time of all
threads, which depends little on other load; wall time is printed as well. The last line is JSON.

    python benchmarks/predict.py [--rows 1000000] [--repeats 3] [--threads 1]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

MODELS = ("hist_gradient_boosting", "xgboost", "lightgbm")
MOST_TIMES, MOST_MEGABYTES = 4, 1_000
N_TRAIN, CHUNK = 2_000, 100_000
CITIES = [f"city {number}" for number in range(40)]
LEVELS = {"plan": ["basic", "gold", "silver"], "channel": ["mail", "phone", "shop", "web"], "city": CITIES}


def make_chunk(n, start, random):
    """Some rows of the table, with the label that they would have."""
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"customer": [f"C{number:08d}" for number in range(start, start + n)]})
    for number in range(10):
        values = random.normal(size=n)
        frame[f"number_{number}"] = np.where(random.random(n) < 0.02 * number, np.nan, values)
    for number in range(4):
        frame[f"count_{number}"] = random.poisson(3 + number, n)
    for name, levels in LEVELS.items():
        frame[name] = np.asarray(levels, dtype=object)[random.integers(0, len(levels), n)]
    frame["member"] = np.asarray(["yes", "no", None], dtype=object)[random.integers(0, 3, n)]
    frame["since"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 3_000, n), unit="D")
    score = frame["number_0"] + (frame["plan"] == "gold") + 0.2 * frame["count_0"] + random.normal(0, 0.3, n)
    return frame, np.where(score > 1.2, "leaves", "stays").astype(object)


def make_table(path, n_rows):
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    random, writer = np.random.default_rng(0), None
    for start in range(0, n_rows, CHUNK):
        frame, _ = make_chunk(min(CHUNK, n_rows - start), start, random)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def train(name, path):
    """A model of the catalog, fitted on labeled rows of the same kind."""
    import numpy as np

    from tabcast.decisions import MostProbable
    from tabcast.files import understand
    from tabcast.models import AdaptedClassifier
    from tabcast.models._catalog import make_model
    from tabcast.runs import SavedModel
    from tabcast.runs._model_file import save_model

    frame, labels = make_chunk(N_TRAIN, 0, np.random.default_rng(1))
    understanding = understand(frame.assign(status=labels), "status")
    classifier = AdaptedClassifier(make_model(name, seed=0, n_jobs=int(os.environ["OMP_NUM_THREADS"])))
    classifier.fit(understanding.features(frame), labels.astype(str))
    rule = MostProbable().fit(classifier.classes_, np.full(len(classifier.classes_), 1.0))
    save_model(path, SavedModel(classifier, understanding, rule))


def time_peer(model, table, n_repeats):
    """The model's own `predict_proba` on a table that it can take as it is."""
    from tabcast.files import read_table_file
    from tabcast.runs import load_model

    saved = load_model(model)
    features = saved.understanding.features(read_table_file(table))
    encoded = saved.classifier.adaptation_.encode(features)
    del features
    runs = []
    for _ in range(n_repeats):
        clock, start = time.perf_counter(), time.process_time()
        saved.classifier.estimator_.predict_proba(encoded)
        runs.append({"seconds": time.process_time() - start, "clock": time.perf_counter() - clock})
    return min(runs, key=lambda run: run["seconds"])


def time_ours(model, table, out):
    """What `tabcast predict` does once Python and the packages are loaded."""
    from tabcast.runs import load_model, predict_file

    clock, start = time.perf_counter(), time.process_time()
    predicted = predict_file(load_model(model), table, out)
    seconds, clock = time.process_time() - start, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "clock": clock, "peak_megabytes": peak, "rows": predicted.n_rows}


STEPS = {"make_table": make_table, "train": train, "time_peer": time_peer, "time_ours": time_ours}


def in_own_process(step, *arguments):
    """Run a step of this script in a process of its own, and what it says."""
    command = [sys.executable, __file__, "--step", step, json.dumps([*map(str, arguments)])]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_step(step, arguments):
    numbers = [int(argument) if argument.isdigit() else argument for argument in json.loads(arguments)]
    print(json.dumps(STEPS[step](*numbers)))


def compare(name, folder, table, n_repeats):
    """The model's own time and ours, to Parquet and to CSV."""
    model = folder / f"{name}.skops"
    in_own_process("train", name, model)
    peers, ours = [], []
    for _ in range(n_repeats):
        peers.append(in_own_process("time_peer", model, table, 2))
        ours.append(in_own_process("time_ours", model, table, folder / "out.parquet"))
    text = in_own_process("time_ours", model, table, folder / "out.csv")
    peer, fastest = (min(runs, key=lambda run: run["seconds"]) for runs in (peers, ours))
    result = {
        "model_seconds": peer["seconds"],
        "seconds": fastest["seconds"],
        "ratio": fastest["seconds"] / peer["seconds"],
        "model_clock": min(run["clock"] for run in peers),
        "clock": min(run["clock"] for run in ours),
        "peak_megabytes": max(run["peak_megabytes"] for run in ours),
        "csv_seconds": text["seconds"],
        "csv_peak_megabytes": text["peak_megabytes"],
        "rows": fastest["rows"],
    }
    print(
        f"{name}: {result['seconds']:.1f} s, the model alone {result['model_seconds']:.1f} s: "
        f"{result['ratio']:.2f} times (by the clock {result['clock']:.1f} and {result['model_clock']:.1f} s); "
        f"peak {result['peak_megabytes']:.0f} MB; "
        f"to CSV {result['csv_seconds']:.1f} s, {result['csv_peak_megabytes']:.0f} MB",
        flush=True,
    )
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        run_step(*arguments.step)
        return
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(arguments.threads))
    os.environ.update(threads)
    models = [name for name in arguments.models if name not in ("xgboost", "lightgbm") or find_spec(name)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "table.parquet"
        in_own_process("make_table", table, arguments.rows)
        print(f"{arguments.rows:,} x 20, {table.stat().st_size / 1e6:.0f} MB of Parquet, {arguments.threads} thread(s)")
        result = {name: compare(name, folder, table, arguments.repeats) for name in models}
    first = result[models[0]]
    holds = first["ratio"] <= MOST_TIMES and first["peak_megabytes"] <= MOST_MEGABYTES
    print(f"{models[0]}: {'holds' if holds else 'does not hold'}")
    print(json.dumps({"models": result, "holds": holds, "loadavg": os.getloadavg()}))


if __name__ == "__main__":
    main()
