"""`tabcast demo`: a real table, few labels, three models compared on held-out rows."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from tabcast import CASTClassifier, SoftSelfTrainingClassifier
from tabcast.cli.demo_words import ASCII, UNICODE, describe_table, word_comparison, word_written
from tabcast.cli.stop import stop
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError, write_table_file
from tabcast.progress import Progress, make_bar
from tabcast.table import Floats, Index
from tabcast.validation import CrossValidation

TARGET = "diagnosis"
N_TREES = 30
HELD_OUT = 0.4  # of the rows, for testing
MAX_FITS = 40  # of CAST per repetition; its default is 120
# The fewest labels that cross-validation within them makes sense with; the most that leave rows to learn from.
ALLOWED = {"--labels": (10, 300), "--repeats": (1, 1000), "--seed": (0, 2**31)}
Maker = Callable[[int], Any]


@dataclass(frozen=True)
class Comparison:
    """Accuracy of each model in each repetition, on rows that none of them has seen."""

    scores: dict[str, Floats]
    kept_supervised: int  # repetitions in which CAST found no round better than the supervised model
    n_labeled: int
    n_unlabeled: int
    n_held_out: int

    def gains(self, name: str) -> Floats:
        """What a model gains over the supervised one, repetition by repetition."""
        return self.scores[name] - self.scores["supervised"]

    @property
    def n_repeats(self) -> int:
        """Number of repetitions."""
        return len(self.scores["supervised"])


def make_model(seed: int) -> HistGradientBoostingClassifier:
    """The model that all three are made of; leaves as small as those of tabcast's default."""
    return HistGradientBoostingClassifier(max_iter=N_TREES, min_samples_leaf=8, random_state=seed)


def make_cast(seed: int) -> CASTClassifier:
    """CAST, with a shorter search for alpha and round than its default."""
    validation = CrossValidation(3, n_repeats=1)
    return CASTClassifier(make_model(seed), max_fits=MAX_FITS, validation=validation, random_state=seed)


def make_soft(seed: int) -> SoftSelfTrainingClassifier:
    """Soft self-training, as `tabcast fit` uses it by default."""
    return SoftSelfTrainingClassifier(make_model(seed), random_state=seed)


MAKERS: dict[str, Maker] = {"supervised": make_model, "CAST": make_cast, "soft": make_soft}


def choose_labeled(y: Index, n_labels: int, seed: int) -> Index:
    """Rows that keep their label: a random sample with the classes in proportion."""
    labeled, _ = train_test_split(np.arange(len(y)), train_size=n_labels, stratify=y, random_state=seed)
    return np.sort(labeled)


def compare(n_labels: int, n_repeats: int, seed: int, progress: Progress, makers: dict[str, Maker]) -> Comparison:
    """Hide all but `n_labels` labels, train every model, score it on held-out rows; again with other rows."""
    X, y = load_breast_cancer(return_X_y=True)
    scores = {name: np.empty(n_repeats) for name in makers}
    kept_supervised = 0
    for number in range(n_repeats):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=HELD_OUT, stratify=y, random_state=seed + number
        )
        labeled = choose_labeled(y_train, n_labels, seed + number)
        half_labeled = np.full(len(y_train), -1)
        half_labeled[labeled] = y_train[labeled]
        for name, make in makers.items():
            progress.describe(name)
            model = make(seed + number)
            if name == "supervised":
                model.fit(X_train[labeled], y_train[labeled])
            else:
                model.fit(X_train, half_labeled)
            scores[name][number] = model.score(X_test, y_test)
            kept_supervised += name == "CAST" and model.best_round_ == 0
            progress.advance()
    return Comparison(scores, kept_supervised, n_labels, len(y_train) - n_labels, len(y_test))


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
    print("\n".join(word_written(path, len(table), n_labels, TARGET)))


def run_demo(n_labels: int, n_repeats: int, seed: int, write: str | None = None) -> None:
    """Compare on scikit-learn's breast cancer data and print the result; with `write`, write the table instead."""
    for option, value in (("--labels", n_labels), ("--repeats", n_repeats), ("--seed", seed)):
        low, high = ALLOWED[option]
        if not low <= value <= high:
            stop(f"{option} of the demo must be from {low} to {high:,}; got {value}.")
    if write is not None:
        write_table(write, n_labels, seed)
        return
    print("\n".join(describe_table(n_labels, n_repeats, N_TREES)), flush=True)
    n_fits = len(MAKERS) * n_repeats
    # Matrices this small are slower on several threads. The labels are a random sample here, whatever a test says.
    with threadpool_limits(limits=1), warnings.catch_warnings(), choose_progress(n_fits) as progress:
        warnings.simplefilter("ignore", TabcastWarning)
        try:
            found = compare(n_labels, n_repeats, seed, progress, MAKERS)
        except KeyboardInterrupt:
            stop("Stopped before the comparison was complete.", 130)
    options = "".join(
        f" {option} {value}"
        for option, value, usual in (("--labels", n_labels, 40), ("--seed", seed, 0))
        if value != usual
    )
    print("\n".join(word_comparison(found, choose_marks(), MAX_FITS, options)))


def choose_progress(total: int) -> Progress:
    """A bar on a terminal, nothing elsewhere."""
    return make_bar("Training", total, unit="models", left="left about") if Console().is_terminal else Progress()


def choose_marks() -> str:
    """Characters of the picture: those that the terminal's encoding has."""
    try:
        UNICODE.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
