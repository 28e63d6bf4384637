"""`tabcast demo`: a real table, few labels, three models compared on held-out rows."""

from __future__ import annotations

import os
import shlex
import textwrap
import warnings
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.cli.stop import stop
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.files._write import write_table_file
from tabcast.progress import Progress, make_bar
from tabcast.statistics import corrected_interval
from tabcast.table import Floats, Index
from tabcast.validation import CrossValidation

TARGET = "diagnosis"
N_TREES = 30
N_HELD_OUT = 228  # 40% of the rows
# The fewest labels that cross-validation within them makes sense with; the most that leave rows to learn from.
ALLOWED = {"--labels": (10, 300), "--repeats": (1, 1000), "--seed": (0, 2**31)}
ABOUT = """\
569 real tumors in 30 columns (scikit-learn's breast cancer data): benign or
malignant? {repeats} x, {labels} rows keep their diagnosis, {hidden} lose it, and 228 are
held out for testing.

  supervised  gradient boosting, {trees} trees, on the labeled rows only
  CAST        the paper's self-training with the same model, on all rows
  soft        the same model on soft labels from a committee
"""


def make_models(seed: int) -> dict[str, Any]:
    """The three models, all made of the same one; CAST with a shorter search for alpha and round than its default."""
    base = HistGradientBoostingClassifier(max_iter=N_TREES, min_samples_leaf=8, random_state=seed)
    cast = CASTClassifier(base, alpha=(0.2, 0.5), validation=CrossValidation(3, n_repeats=1), random_state=seed)
    return {"supervised": base, "CAST": cast, "soft": SoftSelfTrainingClassifier(base, random_state=seed)}


def choose_labeled(y: Index, n_labels: int, seed: int) -> Index:
    """Rows that keep their label: a random sample with the classes in proportion."""
    labeled, _ = train_test_split(np.arange(len(y)), train_size=n_labels, stratify=y, random_state=seed)
    return np.sort(labeled)


def compare(n_labels: int, n_repeats: int, seed: int, progress: Progress) -> dict[str, Floats]:
    """Hide all but `n_labels` labels, train every model, score it on held-out rows; again with other rows."""
    X, y = load_breast_cancer(return_X_y=True)
    scores: dict[str, list[float]] = {}
    for number in range(seed, seed + n_repeats):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=N_HELD_OUT, stratify=y, random_state=number)
        labeled = choose_labeled(y_train, n_labels, number)
        half_labeled = np.full(len(y_train), -1)
        half_labeled[labeled] = y_train[labeled]
        for name, model in make_models(number).items():
            rows = labeled if name == "supervised" else slice(None)
            model.fit(X_train[rows], half_labeled[rows])
            scores.setdefault(name, []).append(model.score(X_test, y_test))
            progress.advance()
    return {name: np.array(values) for name, values in scores.items()}


def word_scores(scores: dict[str, Floats]) -> list[str]:
    """One line per model: accuracy, change against the supervised one in points, and whether it could be chance."""
    lines = [f"{'':10}  accuracy  change  95% interval"]
    for name, values in scores.items():
        line, gains = f"{name:10}  {100 * values.mean():8.1f}", values - scores["supervised"]
        if name != "supervised":
            line += f"  {100 * gains.mean():+6.1f}"
        if name != "supervised" and len(gains) > 1:
            # Repetitions that agree are not certain: the variance is at least that of one held-out row.
            found = corrected_interval(gains, test_share=0.0, level=0.95, resolution=1 / N_HELD_OUT)
            word = "better" if found.low > 0 else "worse" if found.high < 0 else "could be chance"
            line += f"  {100 * found.low:+.1f} to {100 * found.high:+.1f}  {word}"
        lines.append(line)
    return lines


def make_table(n_labels: int, seed: int) -> pd.DataFrame:
    """The whole table as a person would have it: a patient per row, and a diagnosis for `n_labels` of them."""
    data = load_breast_cancer(as_frame=True)
    table = data.data.rename(columns=lambda name: name.replace(" ", "_"))
    table.insert(0, "patient", [f"P-{number:04d}" for number in range(len(table))])
    labeled = np.isin(np.arange(len(table)), choose_labeled(data.target.to_numpy(), n_labels, seed))
    table[TARGET] = np.where(labeled, data.target_names[data.target], None)
    return table


def write_table(path: str, n_labels: int, seed: int) -> None:
    """Write the table, unless a file of that name is there, and print the command to type next."""
    if os.path.lexists(path):
        stop(f"{path} exists already and was left as it is; give --write another name, or remove it.")
    table = make_table(n_labels, seed)
    try:
        write_table_file(table, path)
    except (TableFileError, ImportError) as error:
        stop(error)
    print(f"{path}: {len(table)} tumors, {n_labels} with a {TARGET}. Next:")
    print(f"    tabcast fit {shlex.quote(path)} --target {TARGET}")


def run_demo(n_labels: int, n_repeats: int, seed: int, write: str | None = None) -> None:
    """Compare on scikit-learn's breast cancer data and print the result; with `write`, write the table instead."""
    for option, value in (("--labels", n_labels), ("--repeats", n_repeats), ("--seed", seed)):
        low, high = ALLOWED[option]
        if not low <= value <= high:
            stop(f"{option} of the demo must be from {low} to {high:,}; got {value}.")
    if write is not None:
        write_table(write, n_labels, seed)
        return
    print(ABOUT.format(repeats=n_repeats, labels=n_labels, hidden=341 - n_labels, trees=N_TREES), flush=True)
    total = 3 * n_repeats
    bar = make_bar("Training", total, unit="models", left="left about") if Console().is_terminal else Progress()
    # Matrices this small are slower on several threads. The labels are a random sample here, whatever a test says.
    with threadpool_limits(limits=1), warnings.catch_warnings(), bar as progress:
        warnings.simplefilter("ignore", TabcastWarning)
        scores = compare(n_labels, n_repeats, seed, progress)
    caveat = "" if n_repeats > 1 else "One repetition tells nothing about chance: use --repeats 6. "
    caveat += (
        "This is one table. On yours, `tabcast fit` compares models with and without the unlabeled rows and keeps "
    )
    print("\n".join([*word_scores(scores), "", *textwrap.wrap(caveat + "the better one.", 80)]))
    print("\nNext, the same table as a file, and a report on it:")
    print("    tabcast demo --write tumors.csv\n    tabcast fit tumors.csv --target diagnosis")
