"""What `tabcast fit` costs on 569 tumors with 41 labels, in units of 100 fits of gradient boosting.

The committee writes soft labels, ten splits compare models, the table is diagnosed. CPU time is divided by that of 100
plain fits of scikit-learn's gradient boosting, tabcast's default estimator, on the 41 labeled rows in the same process.
The parts are the time inside some functions. The same run with one boosted model instead of the ensemble follows, with
and without cut columns, and `CASTClassifier()` on the same table. The last line is JSON.

    python benchmarks/fit.py
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import json
import time
import warnings
from collections import defaultdict
from functools import wraps

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier

from tabcast import CASTClassifier, fit_table
from tabcast.models import _adapted
from tabcast.models._catalog import default_classifier
from tabcast.runs import _training
from tabcast.self_training import _fitter
from tabcast.teachers import Committee

N_PLAIN = 100
SPENT = defaultdict(float)


def timed(part, function):
    """The function, adding up the CPU time inside it."""

    @wraps(function)
    def call(*args, **kwargs):
        start = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            SPENT[part] += time.process_time() - start

    return call


def watch():
    """Measure the parts of a run; forests and fits of the estimator also happen within the others."""
    Committee.fit = timed("teacher", Committee.fit)
    _fitter.fit_classifier = timed("fits of the estimator", _fitter.fit_classifier)
    _training.diagnose = timed("diagnostics", _training.diagnose)
    ExtraTreesClassifier.fit = timed("all forests", ExtraTreesClassifier.fit)


def make_table():
    """Tumors of which one in twelve keeps its label."""
    data = load_breast_cancer(as_frame=True)
    known = np.random.default_rng(0).random(len(data.data)) < 1 / 12
    return data.data.assign(diagnosis=np.where(known, data.target_names[data.target], None))


def measure_plain(table):
    """Seconds of 100 fits on the labeled rows."""
    labeled = table[table["diagnosis"].notna()]
    X, y = labeled.drop(columns="diagnosis"), labeled["diagnosis"]
    default_classifier().fit(X, y)
    start = time.process_time()
    for _ in range(N_PLAIN):
        default_classifier().fit(X, y)
    return time.process_time() - start


def measure_run(table, estimator):
    """Seconds of a run, and of its parts."""
    SPENT.clear()
    start = time.process_time()
    fit_table(table, "diagnosis", estimator=estimator, random_state=0)
    return time.process_time() - start, dict(SPENT)


def measure_cast(table):
    """Seconds of `CASTClassifier()`, seconds inside fits and predictions of its estimator, and the number of fits."""
    SPENT.clear()
    X, y = table.drop(columns="diagnosis"), table["diagnosis"].to_numpy(dtype=object)
    start = time.process_time()
    model = CASTClassifier(random_state=0).fit(X, y)
    return time.process_time() - start, SPENT["fits of the estimator"], model.n_fits_


def main():
    warnings.simplefilter("ignore")
    table = make_table()
    watch()
    result, slow = {}, _adapted.IS_SLOW
    for name, estimator, cut in (
        ("auto", "auto", True),
        ("boosting, columns cut", "hist_gradient_boosting", True),
        ("boosting, columns not cut", "hist_gradient_boosting", False),
    ):
        _adapted.IS_SLOW = cut and slow
        before = measure_plain(table)
        seconds, parts = measure_run(table, estimator)
        plain = (before + measure_plain(table)) / 2  # around the run: other load changes
        result[name] = {"run": seconds, "plain": plain, "ratio": seconds / plain, "parts": parts}
        print(
            f"{name}: {seconds:.1f} s, {N_PLAIN} plain fits {plain:.1f} s, ratio {seconds / plain:.2f}; "
            + ", ".join(f"{part} {one / plain:.2f}" for part, one in parts.items()),
            flush=True,
        )
    _adapted.IS_SLOW, plain = slow, measure_plain(table)
    seconds, inside, n_fits = measure_cast(table)
    cast = {"run": seconds, "plain": plain, "ratio": seconds / plain, "n_fits": n_fits, "inside": inside / seconds}
    print(
        f"CASTClassifier(): {seconds:.1f} s, ratio {seconds / plain:.2f}; {n_fits} fits, {inside / seconds:.1%} inside"
    )
    print(json.dumps({"runs": result, "CASTClassifier": cast, "loadavg": os.getloadavg()}))


if __name__ == "__main__":
    main()
