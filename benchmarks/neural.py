"""What the neural models cost on one thread, after a first fit that loads torch.

An MLP and an FT-Transformer on 41 labeled rows of diabetes, SCARF's pretraining for 50 epochs on 409 rows, and CAST-L
with the curriculum around the MLP on a fold of the paper's protocol, each with its limit in seconds. Then CAST-L around
SCARF with one alpha, pretrained once per run or in every fit, with equal predictions; and FT-Transformers whose last
block computes the summary alone or every token. Then what one thread costs, on which networks
are trained so that the result does not depend on the number of threads: seconds of the clock, also with as many threads
as there are processors. Elsewhere seconds are processor time, the smallest of the repeats, which depends little on
other load; the reference is a fixed number of matrix products in the same process, so that numbers of two machines can
be compared. The last line is JSON.

    python benchmarks/neural.py [--repeats 3] [--without-cast]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import hide_labels, read_dataset
from tests.reference.reference_pretraining import PretrainsInEveryFit
from tests.reference.reference_transformer import EveryToken

from tabcast import CASTClassifier
from tabcast.models.neural import FTTransformerClassifier, MLPClassifier, SCARFClassifier, _base, _transformers

torch.set_num_threads(1)


def reference():
    """Two hundred products of matrices of 256 rows in single precision."""
    matrix = torch.ones(256, 256)
    for _ in range(200):
        matrix = matrix @ matrix / 256


def seconds(work, repeats, clock=time.process_time):
    """Time of the fastest repeat, by default of the processor."""
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def compare_pretraining(X, labels, held_out):
    """Processor time of a CAST run with one pretraining per run, and with one per fit."""
    pool = X[[label is None for label in labels]]
    net = SCARFClassifier(random_state=0)
    times, predictions = [], []
    for estimator in (net, PretrainsInEveryFit(net, pool)):
        model = CASTClassifier(estimator, alpha=0.5, feature_selection=None, random_state=0)
        times.append(seconds(lambda model=model: model.fit(X, labels, validation_data=held_out), 1))
        predictions.append(model.predict_proba(X))
    assert np.array_equal(*predictions), "one pretraining per run must not change predictions"
    return model.n_fits_, *times


def compare_last_blocks(X, y, n_blocks, repeats):
    """Processor time of an epoch if the last block computes the summary alone, and if it computes every token."""
    net, fast = FTTransformerClassifier(num_attn_blocks=n_blocks, epochs=1), _transformers.TableTransformer
    times = []
    for transformer in (fast, EveryToken):
        _transformers.TableTransformer = transformer
        times.append(seconds(lambda: net.fit(X, y), repeats))
    _transformers.TableTransformer = fast
    return times


def compare_threads(net, X, y, repeats):
    """Seconds of the clock for a fit as it is, on one thread, and on as many as there are processors."""
    times, one_thread = [], _base.one_thread
    torch.set_num_threads(os.cpu_count())
    for context in (one_thread, nullcontext):
        _base.one_thread = context
        times.append(seconds(lambda: net.fit(X, y), repeats, time.perf_counter))
    _base.one_thread = one_thread
    torch.set_num_threads(1)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without-cast", action="store_true", help="Leave out the self-training run.")
    options = parser.parse_args()
    X, y = read_dataset("diabetes")
    y = y.to_numpy(dtype=object)
    labels = hide_labels(y[:409], 41, 0, marker=None)
    few = np.flatnonzero([label is not None for label in labels])
    MLPClassifier(epochs=1, random_state=0).fit(X.iloc[few], y[few])  # loads what torch loads at first use
    cast = CASTClassifier(MLPClassifier(), feature_selection=None, random_state=0)
    fold, validation = np.arange(409), np.arange(409, 614)
    held_out = (X.iloc[validation], y[validation])
    works = {
        "MLP, 41 rows": (0.5, lambda: MLPClassifier(random_state=0).fit(X.iloc[few], y[few])),
        "FT-Transformer, 41 rows": (2.0, lambda: FTTransformerClassifier(random_state=0).fit(X.iloc[few], y[few])),
        "SCARF, 409 rows, 50 epochs": (3.0, lambda: SCARFClassifier(random_state=0).pretrain(X.iloc[:409])),
        "CAST-L, curriculum, MLP": (60.0, lambda: cast.fit(X.iloc[fold], labels, validation_data=held_out)),
    }
    if options.without_cast:
        works.popitem()
    unit = seconds(reference, options.repeats)
    print(f"reference {unit:.3f} s")
    found = {}
    for name, (limit, work) in works.items():
        took = seconds(work, 1 if limit > 10 else options.repeats)
        found[name] = {"seconds": round(took, 3), "references": round(took / unit, 1), "limit": limit}
        verdict = "within" if took <= limit else "ABOVE"
        print(f"{name:28} {took:7.2f} s  {took / unit:7.1f} references  {verdict} the limit of {limit:g} s")
    numbers = np.random.default_rng(0).normal(size=(400, 70))
    for n_columns in (8, 70):
        for n_blocks in (2, 4):
            alone, every = compare_last_blocks(numbers[:, :n_columns], y[:400], n_blocks, options.repeats)
            name = f"FT-Transformer, {n_columns} columns, {n_blocks} blocks"
            found[name] = {"summary_alone": round(alone, 4), "every_token": round(every, 4)}
            print(f"{name}: summary alone {alone:.3f} s, every token {every:.3f} s ({every / alone:.2f} times)")
    for name, net in {"MLP": MLPClassifier(epochs=5), "FT-Transformer": FTTransformerClassifier(epochs=5)}.items():
        one, many = compare_threads(net, numbers, y[:400], options.repeats)
        found[f"{name}, threads"] = {"one": round(one, 4), "all": round(many, 4), "n_threads": os.cpu_count()}
        print(f"{name}, 5 epochs, 400 rows: one thread {one:.3f} s, {os.cpu_count()} threads {many:.3f} s")
    if not options.without_cast:
        n_fits, once, every = compare_pretraining(X.iloc[fold], labels, held_out)
        found["pretraining"] = {"n_fits": n_fits, "once": round(once, 3), "in_every_fit": round(every, 3)}
        print(
            f"SCARF, {n_fits} fits: pretrained once {once:.2f} s, in every fit {every:.2f} s ({every / once:.1f} times)"
        )
    print(json.dumps({"reference_seconds": round(unit, 4), "models": found}))


if __name__ == "__main__":
    main()
