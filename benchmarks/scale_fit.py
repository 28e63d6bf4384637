"""Processor time of `tabcast fit` on a large table, relative to that of its final model.

A synthetic table of 20 mixed columns (12 numbers with missing values, 8 categories), 500 labeled rows, read from CSV or
Parquet. The whole command is run in this process with one job; its reference is the self-training classifier alone,
fitted on the same rows as the final model, and, with all rows in training, on all of them. The last line is JSON.

    python benchmarks/scale_fit.py [--rows 1000000] [--model xgboost] [--max-pool auto] [--format parquet]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import resource
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

N_LABELED = 500


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


def spent():
    """Processor seconds of this process and its children so far."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def measure(call):
    """Result and processor seconds of a call."""
    start = spent()
    result = call()
    return result, spent() - start
