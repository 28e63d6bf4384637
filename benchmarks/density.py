"""Densities against their peers, in one run, on one thread.

KernelDensity against statsmodels (10 mixed columns, 10,000 queries), its memory on 50,000 x 50,000, and
EmpiricalLikelihood against scikit-learn's KBinsDiscretizer + CategoricalNB on 1,000,000 x 20. The last line is JSON.

    python benchmarks/density.py [--quick]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import threading
import time
import warnings

import numpy as np
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer
from statsmodels.nonparametric.kernel_density import KDEMultivariate

from tabcast.density import ClassConditional, EmpiricalLikelihood, KernelDensity

LEVELS = [2, 3, 3]


def mixed_rows(n, random):
    return np.column_stack([random.normal(size=(n, 7)), random.integers(0, LEVELS, size=(n, 3))])


def fastest(function, repeats):
    """Shortest time of several, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def compare_kernel(n_rows, n_queries, repeats):
    random = np.random.default_rng(n_rows)
    rows, queries = mixed_rows(n_rows, random), mixed_rows(n_queries, random)
    theirs = KDEMultivariate(rows, "c" * 7 + "u" * 3, bw="normal_reference")
    their_time, their_density = fastest(lambda: theirs.pdf(queries), 1)
    ours = KernelDensity("normal_reference").fit(rows, [7, 8, 9])
    our_time, our_log = fastest(lambda: ours.score_samples(queries), repeats)
    difference = float(np.max(np.abs(np.exp(our_log) / their_density - 1)))
    ratio = their_time / our_time
    print(
        f"KernelDensity {n_rows:>5} x {n_queries}: {our_time:.3f} s, statsmodels {their_time:.2f} s, "
        f"{ratio:.1f} times faster, relative difference {difference:.0e}",
        flush=True,
    )
    return {"rows": n_rows, "seconds": our_time, "statsmodels_seconds": their_time, "ratio": ratio, "diff": difference}


def resident_mb():
    """Memory this process holds now, in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_memory(function):
    """Most memory above the start that a function held, in MB, and its time."""
    start, peak, done = resident_mb(), [0.0], threading.Event()

    def watch():
        while not done.wait(0.01):
            peak[0] = max(peak[0], resident_mb() - start)

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    function()
    seconds = time.perf_counter() - began
    done.set()
    watcher.join()
    return peak[0], seconds


def compare_likelihood(n_rows, repeats):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(n_rows, 20)), random.integers(0, 2, size=n_rows)

    def theirs():
        bins = KBinsDiscretizer(10, encode="ordinal", strategy="uniform", subsample=None)
        cells = bins.fit_transform(X).astype(np.intp)
        model = CategoricalNB(alpha=1.0, min_categories=10).fit(cells, y)
        return model.predict_joint_log_proba(cells) - model.class_log_prior_

    def ours():
        return ClassConditional(EmpiricalLikelihood(10, smoothing=1.0)).fit(X, y).score_samples(X)

    our_time, our_scores = fastest(ours, repeats)
    their_time, their_scores = fastest(theirs, 1)
    difference = float(np.max(np.abs(our_scores - their_scores)))
    print(
        f"EmpiricalLikelihood {n_rows} x 20: {our_time:.2f} s, KBinsDiscretizer + CategoricalNB {their_time:.2f} s, "
        f"{their_time / our_time:.1f} times faster, difference {difference:.0e}",
        flush=True,
    )
    return {"seconds": our_time, "sklearn_seconds": their_time, "ratio": their_time / our_time, "diff": difference}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore", FutureWarning)  # statsmodels announces a change of its random numbers
    n_queries, repeats = (1_000, 1) if quick else (10_000, 3)
    kernel = [compare_kernel(n, n_queries, repeats) for n in (500, 2_000, 4_000)]
    mean = float(np.exp(np.mean([np.log(entry["ratio"]) for entry in kernel])))
    print(f"KernelDensity is {mean:.1f} times faster than statsmodels (geometric mean)")
    n_large = 5_000 if quick else 50_000
    random = np.random.default_rng(1)
    rows, queries = mixed_rows(n_large, random), mixed_rows(n_large, random)
    density = KernelDensity().fit(rows, [7, 8, 9])
    megabytes, seconds = peak_memory(lambda: density.score_samples(queries))
    print(f"KernelDensity {n_large} x {n_large}: {seconds:.1f} s, at most {megabytes:.0f} MB above its inputs")
    likelihood = compare_likelihood(50_000 if quick else 1_000_000, repeats)
    result = {
        "kernel": kernel,
        "kernel_ratio": mean,
        "large_rows": n_large,
        "large_seconds": seconds,
        "large_megabytes": megabytes,
        "likelihood": likelihood,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
