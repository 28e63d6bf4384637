"""`tabcast demo`: real data, few labels, an honest comparison on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from tabcast import CASTClassifier


@dataclass(frozen=True)
class Repetition:
    """Test scores of the supervised and of the self-trained model, and what was chosen."""

    supervised: float
    self_trained: float
    alpha: float
    best_round: int
    n_fits: int

    @property
    def gain(self) -> float:
        """What the unlabeled rows added."""
        return self.self_trained - self.supervised


def compare_once(X: NDArray[np.float64], y: NDArray[np.intp], n_labels: int, seed: int) -> Repetition:
    """Hide all but `n_labels` labels, train both models, score both on rows that neither has seen."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    labeled, _ = train_test_split(np.arange(len(y_train)), train_size=n_labels, stratify=y_train, random_state=seed)
    half_labeled = np.full(len(y_train), -1)
    half_labeled[labeled] = y_train[labeled]
    classifier = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=1000))
    model = CASTClassifier(classifier, random_state=seed).fit(X_train, half_labeled)
    supervised = classifier.fit(X_train[labeled], y_train[labeled])
    return Repetition(
        supervised.score(X_test, y_test),
        model.score(X_test, y_test),
        float(model.alpha_ or 0.0),
        model.best_round_,
        model.n_fits_,
    )


def describe_gain(gains: NDArray[np.float64]) -> str:
    """One sentence on the mean change, its standard error and what that means."""
    mean = 100 * gains.mean()
    if len(gains) < 2:
        return f"Change on unseen rows: {mean:+.1f} points. One repetition tells nothing about chance: use --repeats."
    error = 100 * gains.std(ddof=1) / np.sqrt(len(gains))
    if mean > 2 * error:
        meaning = "more than chance explains"
    elif mean < -2 * error:
        meaning = "a real loss here"
    else:
        meaning = "within what chance explains"
    return (
        f"Change on unseen rows: {mean:+.1f} points of accuracy (standard error {error:.1f}, {len(gains)} "
        f"repetitions): {meaning}."
    )


def run_demo(n_labels: int, n_repeats: int, seed: int) -> None:
    """Compare on scikit-learn's handwritten digits and print a table."""
    console = Console()
    X, y = load_digits(return_X_y=True)
    most = int(0.5 * len(y))
    if not len(np.unique(y)) * 2 <= n_labels <= most:
        console.print(f"--labels must be from {len(np.unique(y)) * 2} to {most} for this table; got {n_labels}.")
        raise SystemExit(2)
    console.print(
        f"1,797 handwritten digits as a table of 64 columns. {n_labels} rows keep their label, about "
        f"{round(0.6 * len(y)) - n_labels:,} lose it, the rest are held out for testing.\n"
        "Supervised: logistic regression on the labeled rows. Self-trained: CASTClassifier around the same model, "
        "alpha and round chosen by cross-validation within the labeled rows.\n"
    )
    with threadpool_limits(limits=1):  # matrices this small are slower on several threads
        runs = [
            compare_once(X, y, n_labels, seed + number)
            for number in track(range(n_repeats), description="Training", console=console)
        ]
    table = Table("repetition", "supervised", "self-trained", "gain", "alpha", "round", "fits")
    for number, run in enumerate(runs, start=1):
        table.add_row(
            str(number),
            f"{run.supervised:.3f}",
            f"{run.self_trained:.3f}",
            f"{run.gain:+.3f}",
            f"{run.alpha:.2f}",
            str(run.best_round),
            str(run.n_fits),
        )
    console.print(table)
    console.print(describe_gain(np.array([run.gain for run in runs])))
