"""What contracts are tried on: small tables, and probabilities from uncertain to certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tabcast.table import Floats, Index

N_LABELED, N_POOL = 40, 30


@dataclass(frozen=True)
class Problem:
    """A small table: rows with classes to learn from, rows without, and predictions for both."""

    name: str
    X: Any
    y: Index
    X_pool: Any
    proba: Floats
    held_out_proba: Floats


def draw_frame(n_rows: int, random: np.random.Generator) -> pd.DataFrame:
    """Every usual kind of column, with values missing."""
    place = np.arange(n_rows)
    return pd.DataFrame(
        {
            "number": np.where(place % 5 == 0, np.nan, random.normal(size=n_rows)),
            "count": pd.Series(random.integers(0, 9, n_rows), dtype="Int64").mask(place % 7 == 1),
            "level": pd.Categorical(random.choice(["a", "b"], n_rows), categories=["a", "b", "never"]),
            "text": np.array(["x", "y", None], dtype=object)[random.integers(0, 3, n_rows)],
            "truth": random.random(n_rows) < 0.5,
        }
    )


def draw_proba(n_rows: int, n_classes: int, seed: int = 0) -> Floats:
    """Probabilities from uncertain to certain."""
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), n_rows)


def problems(n_classes: int = 2) -> Iterator[Problem]:
    """Realistic tables. The unlabeled rows hold what the labeled ones do not: outliers, new levels, missing values."""
    random = np.random.default_rng(n_classes)
    y = np.arange(N_LABELED) % n_classes
    predicted = draw_proba(N_POOL, n_classes), draw_proba(N_LABELED, n_classes, seed=1)
    numbers, pool = (
        np.column_stack([random.normal(size=(n, 2)), random.integers(0, 4, n), np.full(n, 7.0)])
        for n in (N_LABELED, N_POOL)
    )
    numbers[:, 0] += 2 * y
    pool[0] = 1e6
    yield Problem("an array", numbers, y, pool, *predicted)
    numbers, pool = numbers.copy(), pool.copy()
    numbers[::6, 0], pool[1] = np.nan, np.nan
    yield Problem("an array with missing numbers", numbers, y, pool, *predicted)
    frame, frame_pool = draw_frame(N_LABELED, random), draw_frame(N_POOL, random)
    frame["number"] += 2 * y
    frame_pool["level"] = pd.Categorical(["never"] + ["a"] * (N_POOL - 1), categories=["a", "b", "never"])
    frame_pool.loc[frame_pool.index[2], "text"] = "a new level"
    yield Problem("a DataFrame with categories and missing values", frame, y, frame_pool, *predicted)


def probabilities(n_rows: int, n_classes: int) -> Iterator[tuple[str, Floats]]:
    """What classifiers may predict: different probabilities, equal ones, only 0 and 1, a class never."""
    yield "different probabilities", draw_proba(n_rows, n_classes)
    yield "equal probabilities", np.full((n_rows, n_classes), 1 / n_classes)
    yield "probabilities of 0 and 1", np.eye(n_classes)[np.arange(n_rows) % n_classes]
    yield "a class without probability", np.column_stack([draw_proba(n_rows, n_classes - 1), np.zeros(n_rows)])


def confidences() -> Iterator[tuple[str, Floats]]:
    """What strategies see, for different numbers of rows and classes: probabilities, and rows that do not sum to 1."""
    for n_classes in (2, 5):
        for n_rows in (N_POOL, 1, 0):
            low = draw_proba(n_rows, n_classes) * np.linspace(0, 1, n_rows)[:, None]
            strange = [("rows that do not sum to 1", low), ("no confidence at all", np.zeros((n_rows, n_classes)))]
            for name, confidence in [*probabilities(n_rows, n_classes), *strange]:
                yield f"{n_classes} classes, {n_rows} rows and {name}", confidence
