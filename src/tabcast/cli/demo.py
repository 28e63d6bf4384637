"""`tabcast demo`: a real table, most labels hidden, and what is right about the hidden ones."""

from __future__ import annotations

import os
import shlex
import warnings
from importlib.resources import files

import numpy as np
import pandas as pd
from rich.console import Console
from scipy.stats import sem
from sklearn.metrics import roc_auc_score

from tabcast import fit_table
from tabcast.cli.stop import stop
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.files._write import write_table_file
from tabcast.models import AdaptedClassifier
from tabcast.models._catalog import default_classifier
from tabcast.progress import Progress, make_bar

TARGET, BAD = "risk", "bad"
N_DRAWS = 3
# The fewest labels that can be cross-validated; the most that leave rows to test on.
ALLOWED = {"--labels": (20, 500), "--seed": (0, 2**31)}
ABOUT = """\
1,000 loans of a German bank: which are a bad risk? {labels} of them keep their answer,
the others lose it and are predicted; {draws} times, with other loans drawn at random.
"""
NAMES = ("always 'good'", "gradient boosting", "tabcast")
DONE = f"""\
Gradient boosting learns from the labeled rows alone, tabcast from all. The table (credit-g of
OpenML) was not chosen because it looks good: its gain is the median one of our study of 20
tables, of those with plain column names (python research/figures/evidence.py).

Next, the same table as a file, a report on it, and labels of your own:
    tabcast demo --write loans.csv
    tabcast fit loans.csv --target {TARGET}
    tabcast label loans.csv --target {TARGET}
"""


def read_loans() -> pd.DataFrame:
    """The whole table, every label known.

    loans.csv.gz is credit-g of OpenML (H. Hofmann, Statlog German credit data, packaged under ODC-PDDL 1.0) with the
    column `class` renamed; the license of tabcast does not cover it.
    """
    packed = files("tabcast.cli") / "loans.csv.gz"
    with packed.open("rb") as file:
        return pd.read_csv(file, compression="gzip", keep_default_na=False)


def hide_labels(table: pd.DataFrame, n_labels: int, seed: int) -> pd.DataFrame:
    """The table with the labels of all but some rows removed, which are drawn at random."""
    kept = np.random.default_rng(seed).permutation(len(table))[:n_labels]
    return table.assign(**{TARGET: table[TARGET].where(np.isin(np.arange(len(table)), kept), None)})


def compare(n_labels: int, seed: int, progress: Progress) -> pd.DataFrame:
    """Accuracy and AUC on the rows without a label, one row per draw and model."""
    table, found = read_loans(), []
    for draw in range(seed, seed + N_DRAWS):
        given = hide_labels(table, n_labels, draw)
        is_hidden = given[TARGET].isna()
        X, truth = table.drop(columns=TARGET), table.loc[is_hidden, TARGET] == BAD
        alone = AdaptedClassifier(default_classifier().set_params(random_state=draw))
        alone.fit(X[~is_hidden], table.loc[~is_hidden, TARGET])
        progress.advance()
        run = fit_table(given, TARGET, random_state=draw)
        progress.advance()
        constant = np.full(len(truth), (table.loc[~is_hidden, TARGET] == BAD).mean())
        probabilities = (
            constant,
            alone.predict_proba(X[is_hidden])[:, list(alone.classes_).index(BAD)],
            run.predictions[f"probability_{BAD}"].to_numpy(),
        )
        for name, proba in zip(NAMES, probabilities, strict=True):
            found.append((draw, name, ((proba > 0.5) == truth).mean(), roc_auc_score(truth, proba)))
    return pd.DataFrame(found, columns=["draw", "model", "accuracy", "auc"])


def word_scores(scores: pd.DataFrame) -> list[str]:
    """One line per model: accuracy and AUC, and tabcast's gain over gradient boosting with its standard error."""
    means = 100 * scores.groupby("model")[["accuracy", "auc"]].mean()
    lines = [
        f"{'':18} right   AUC",
        *(f"{name:18} {means.accuracy[name]:4.1f}%  {means.auc[name]:4.1f}" for name in NAMES),
    ]
    tables = scores.pivot(index="draw", columns="model")
    for value, unit in (("accuracy", "points of accuracy"), ("auc", "points of AUC")):
        gains = 100 * (tables[value][NAMES[2]] - tables[value][NAMES[1]])
        lines.append(f"tabcast - gradient boosting: {gains.mean():+.1f} ± {sem(gains):.1f} {unit}")
    return lines


def write_table(path: str, n_labels: int, seed: int) -> None:
    """Write the table of the first draw, unless a file of that name is there, and print what to type next."""
    if os.path.lexists(path):
        stop(f"{path} exists already and was left as it is; give --write another name, or remove it.")
    table = hide_labels(read_loans(), n_labels, seed)
    try:
        write_table_file(table, path)
    except (TableFileError, ImportError) as error:
        stop(error)
    print(f"{path}: {len(table):,} loans, {n_labels} with a known {TARGET}. Next:")
    print(f"    tabcast fit {shlex.quote(path)} --target {TARGET}")


def run_demo(n_labels: int, seed: int, write: str | None = None) -> None:
    """Compare on real loans and print the result; with `write`, write the table instead."""
    for option, value in (("--labels", n_labels), ("--seed", seed)):
        low, high = ALLOWED[option]
        if not low <= value <= high:
            stop(f"{option} of the demo must be from {low} to {high:,}; got {value}.")
    if write is not None:
        write_table(write, n_labels, seed)
        return
    print(ABOUT.format(labels=n_labels, draws=N_DRAWS), flush=True)
    bar = make_bar("Training", 2 * N_DRAWS, unit="models", left="left about") if Console().is_terminal else Progress()
    with warnings.catch_warnings(), bar as progress:
        warnings.simplefilter("ignore", TabcastWarning)
        scores = compare(n_labels, seed, progress)
    print("\n".join(word_scores(scores)), DONE, sep="\n\n", end="")
