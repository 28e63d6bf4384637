"""Synthetic tables whose unlabeled rows are noise, come from another population, or truly help.

In the tables called "committee" a linear model, which is a member of the committee, is close to the best there is. The
student, a tree, gains over the tree of the labeled rows by learning from the committee, and nothing over the committee.

The first rows of each table are the population that labeled and test rows come from; the others are the unlabeled rows.
Every seed draws other labeled, unlabeled and test rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import make_circles, make_moons

from tabcast.study.datasets import DatasetInfo, Split

N_POPULATION, N_OTHERS = 12_000, 3_000
N_UNLABELED, N_TEST = 300, 4_000

Rows = tuple[np.ndarray, np.ndarray]


def moons(random: np.random.Generator, n_rows: int) -> Rows:
    """Two moons in two columns."""
    return make_moons(n_rows, noise=0.15, random_state=int(random.integers(2**31)))


def circles(random: np.random.Generator, n_rows: int) -> Rows:
    """A circle within another, in two columns."""
    return make_circles(n_rows, noise=0.15, factor=0.4, random_state=int(random.integers(2**31)))


def clouds(random: np.random.Generator, n_rows: int, *, apart: float = 2.2) -> Rows:
    """Two overlapping normal clouds in ten columns, each of which is weakly informative."""
    y = random.integers(0, 2, n_rows)
    return random.normal(size=(n_rows, 10)) + np.where(y == 1, 0.5, -0.5)[:, None] * apart / np.sqrt(10), y


def three_clouds(random: np.random.Generator, n_rows: int) -> Rows:
    """Three overlapping normal clouds in four columns."""
    y = random.integers(0, 3, n_rows)
    return random.normal(size=(n_rows, 4)) + np.array([[0.0, 0, 0, 0], [2, 1, 0, 0], [0, 2, 1, 0]])[y], y


def same(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same population."""
    return X


def noise(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Independent normal noise, five times as wide as the population."""
    return X.mean(axis=0) + 5 * X.std(axis=0) * random.normal(size=X.shape)


def shifted(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A population that lies six standard deviations away in every column."""
    return X + 6 * X.std(axis=0)


def far(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Normal noise far away: twenty standard deviations in every column."""
    return X.mean(axis=0) + X.std(axis=0) * (20 + random.normal(size=X.shape))


def spot(X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A class of its own: a small spot between the others."""
    return X.mean(axis=0) + X.std(axis=0) * (0.5 + 0.2 * random.normal(size=X.shape))


def make_problem(
    name: str,
    draw: Callable[[np.random.Generator, int], Rows],
    others: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    n_labeled: int,
) -> DatasetInfo:
    """Make a dataset of the study with equally many labeled rows per class."""
    seed = [ord(letter) for letter in name]
    X, y = draw(np.random.default_rng(0), 99)
    n_columns, n_classes = X.shape[1], len(np.unique(y))

    def load() -> tuple[pd.DataFrame, pd.Series]:
        random = np.random.default_rng(seed)
        X, y = draw(random, N_POPULATION)
        X_others, y_others = draw(random, N_OTHERS)
        table = np.concatenate([X, others(X_others, random)])
        return pd.DataFrame(table, columns=[f"x{number}" for number in range(n_columns)]), pd.Series([*y, *y_others])

    def split(y: np.ndarray, random: np.random.Generator) -> Split:
        rows = random.permutation(N_POPULATION)
        labeled = np.concatenate([rows[y[rows] == one][: n_labeled // n_classes] for one in range(n_classes)])
        test = np.setdiff1d(rows, labeled, assume_unique=True)[:N_TEST]
        return Split(labeled, N_POPULATION + random.permutation(N_OTHERS)[:N_UNLABELED], test)

    return DatasetInfo(
        name=name,
        metric="balanced_accuracy",
        n_rows=N_POPULATION + N_OTHERS,
        n_columns=n_columns,
        n_classes=n_classes,
        target="class",
        load=load,
        split=split,
    )


noise_in_clouds = make_problem("noise-in-clouds", clouds, noise, 60)
shifted_moons = make_problem("shifted-moons", moons, shifted, 40)
shifted_clouds = make_problem("shifted-clouds", clouds, shifted, 60)
far_from_clouds = make_problem("far-from-clouds", clouds, far, 60)
spot_in_three_clouds = make_problem("spot-in-three-clouds", three_clouds, spot, 60)
committee_clouds = make_problem("committee-clouds", clouds, same, 60)
committee_three_clouds = make_problem("committee-three-clouds", three_clouds, same, 60)
helpful_moons = make_problem("helpful-moons", moons, same, 40)
helpful_clouds = make_problem("helpful-clouds", partial(clouds, apart=3.2), same, 60)
helpful_circles = make_problem("helpful-circles", circles, same, 40)
