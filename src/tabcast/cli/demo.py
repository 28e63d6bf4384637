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
from threadpoolctl import threadpool_limits

from tabcast import SoftSelfTrainingClassifier
from tabcast.cli.stop import stop
from tabcast.exceptions import TabcastWarning
from tabcast.files import TableFileError
from tabcast.files._write import write_table_file
from tabcast.models import AdaptedClassifier
from tabcast.models._catalog import default_classifier
from tabcast.progress import Progress, make_bar

TARGET, RICH = "income", ">50K"
N_DRAWS = 5
ABOUT = """\
1,800 people of the US census of 1994: who earns more than $50,000 a year? Of {labels} the
answer is kept, of the others it is hidden and predicted; {draws} times, with other people.
"""
NAMES = ("always '<=50K'", "gradient boosting", "ensemble, labeled rows", "tabcast, all rows")
DONE = f"""\
Gradient boosting learns from the labeled rows alone, tabcast's ensemble from these and
from all rows; ± is the standard error over the draws. Of the tables with plain column
names in our study of 20, this one (adult of OpenML) is closest to the median gain.

Next, the same table as a file, a report on it, and the labels that help it most:
    tabcast demo --write census.csv
    tabcast fit census.csv --target {TARGET}
    tabcast label census.csv --target {TARGET}
"""


def read_census() -> pd.DataFrame:
    """The whole table, every label known.

    census.csv.gz has rows of adult of OpenML (B. Becker and R. Kohavi, UCI Machine Learning Repository, which offers it
    under CC BY 4.0), drawn at random, with the column `class` renamed; the license of tabcast does not cover it.
    """
    packed = files("tabcast.cli") / "census.csv.gz"
    with packed.open("rb") as file:
        return pd.read_csv(file, compression="gzip", keep_default_na=False, na_values=[""])


def hide_labels(table: pd.DataFrame, n_labels: int, seed: int) -> pd.DataFrame:
    """The table with the labels of all but some rows removed, which are drawn at random."""
    kept = np.random.default_rng(seed).permutation(len(table))[:n_labels]
    return table.assign(**{TARGET: table[TARGET].where(np.isin(np.arange(len(table)), kept), None)})


def compare(n_labels: int, seed: int, progress: Progress) -> pd.DataFrame:
    """Accuracy and AUC on the rows without a label, one row per draw and model."""
    table, found = read_census(), []
    for draw in range(seed, seed + N_DRAWS):
        given = hide_labels(table, n_labels, draw)
        is_hidden = given[TARGET].isna()
        X, truth = table.drop(columns=TARGET), table.loc[is_hidden, TARGET] == RICH
        alone = AdaptedClassifier(default_classifier().set_params(random_state=draw))
        alone.fit(X[~is_hidden], table.loc[~is_hidden, TARGET])
        model = SoftSelfTrainingClassifier(random_state=draw).fit(X, given[TARGET])
        progress.advance()
        found.append((draw, NAMES[0], 1 - truth.mean(), 0.5))
        for name, one in zip(NAMES[1:], (alone, model.supervised_, model), strict=True):
            proba = one.predict_proba(X[is_hidden])[:, 1]  # "<=50K" is before ">50K"
            found.append((draw, name, ((proba > 0.5) == truth).mean(), roc_auc_score(truth, proba)))
    return pd.DataFrame(found, columns=["draw", "model", "accuracy", "auc"])


def word_scores(scores: pd.DataFrame) -> list[str]:
    """One line per model: accuracy and AUC, and how much they are above those of gradient boosting."""
    lines, tables = [f"{'':24} right   AUC"], scores.pivot(index="draw", columns="model")
    for name in NAMES:
        accuracy, area = (100 * tables[value, name].mean() for value in ("accuracy", "auc"))
        lines.append(f"{name:24} {accuracy:4.1f}%  {area:4.1f}")
    for value, unit in (("accuracy", "accuracy"), ("auc", "AUC")):
        gains = 100 * (tables[value, NAMES[3]] - tables[value, NAMES[1]])
        lines.append(f"tabcast above gradient boosting: {gains.mean():+.1f} ± {sem(gains):.1f} points of {unit}")
    return lines


def write_table(path: str, n_labels: int, seed: int) -> None:
    """Write the table of the first draw, unless a file of that name is there, and print what to type next."""
    if os.path.lexists(path):
        stop(f"{path} exists already and was left as it is; give --write another name, or remove it.")
    table = hide_labels(read_census(), n_labels, seed)
    try:
        write_table_file(table, path)
    except (TableFileError, ImportError) as error:
        stop(error)
    print(f"{path}: {len(table):,} people, {n_labels} with a known {TARGET}. Next:")
    print(f"    tabcast fit {shlex.quote(path)} --target {TARGET}")


def run_demo(n_labels: int, seed: int, write: str | None = None) -> None:
    """Compare on real people and print the result; with `write`, write the table instead."""
    if write is not None:
        write_table(write, n_labels, seed)
        return
    print(ABOUT.format(labels=n_labels, draws=N_DRAWS), flush=True)
    bar = make_bar("Training", N_DRAWS, unit="draws", left="left about") if Console().is_terminal else Progress()
    # Matrices this small are slower on several threads.
    with threadpool_limits(limits=1), warnings.catch_warnings(), bar as progress:
        warnings.simplefilter("ignore", TabcastWarning)
        scores = compare(n_labels, seed, progress)
    print("\n".join(word_scores(scores)), DONE, sep="\n\n", end="")
