"""Unlabeled rows that are worth a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tabcast.diagnostics._base import Diagnostic, to_plain
from tabcast.statistics._intervals import placements
from tabcast.table import Floats, Index
from tabcast.table._encoders import NormalScores
from tabcast.table._tables import take_rows

MOST_CANDIDATES = 2_000  # rows among which is chosen: the most undecided, should there be more
MOST_NEIGHBORS = 2_000  # rows that stand for the whole pool
N_NEAREST = 10
N_LIKELY = 3
UNDECIDED = 1 / 3  # the second class has at least so much of the probability of the first


@dataclass(frozen=True, eq=False, repr=False)
class RowsToLabel(Diagnostic):
    """Unlabeled rows in the order in which labels would be most useful; see `rows_to_label`."""

    rows: pd.DataFrame


def margin_uncertainty(proba: Floats) -> Floats:
    """One minus the lead of the most likely class over the next."""
    best = np.partition(proba, proba.shape[1] - 2, axis=1)[:, -2:]
    return 1.0 - np.abs(best[:, 1] - best[:, 0])


def rows_to_label(
    X: Any,
    proba: Floats,
    classes: ArrayLike,
    *,
    rows: Index | None = None,
    count: int = 10,
    categorical_features: ArrayLike | None = None,
    random_state: int = 0,
) -> RowsToLabel:
    """Choose the unlabeled rows that are most worth a label: uncertain, typical of many others, and diverse.

    Parameters
    ----------
    X : ndarray or DataFrame of shape (n_rows, n_columns)
        Unlabeled rows.
    proba : ndarray of shape (n_rows, n_classes)
        Their probabilities.
    classes : array-like of shape (n_classes,)
        The classes, in the order of the columns of `proba`.
    rows : ndarray of int of shape (n_rows,), default=None
        Numbers of the rows, for instance their positions in a larger table. None means 0, 1, 2, ...
    count : int, default=10
        Number of rows to choose.
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns by name, position or mask. None infers them from the types.
    random_state : int, default=0
        Seed of the rows that represent the pool, should it have more than 2,000.

    Returns
    -------
    RowsToLabel
        `rows` has one row per chosen row: `row` (its number), `score` (the product of the next two, lowered near rows
        chosen before), `uncertainty` (1 if the two most likely classes are equally likely, 0 if one is certain),
        `representativeness` (proportion of unlabeled rows in less dense neighborhoods), `likely` (a list of
        dictionaries, the most likely classes: `label`, `probability`) and `why` (a sentence).

    Notes
    -----
    Distances are those of normal scores and indicators (`NormalScores`). The density around a row
    is measured by its distance to the tenth nearest neighbor. Rows are chosen one at a time, and each lowers the score
    of others by ``1 - exp(-(d / h)^2)``, d being their distance and h twice the typical distance to the tenth neighbor:
    a copy of a chosen row drops to 0, a row at three times h is not affected. Among more than 2,000 rows, the 2,000
    most uncertain are considered, and 2,000 random ones represent all.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.diagnostics import rows_to_label
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> sure_of_left = np.column_stack([1 - X[:, 0], X[:, 0]])
    >>> chosen = rows_to_label(X, sure_of_left, ["left", "right"], count=1).rows
    >>> chosen["row"].tolist(), chosen["why"].tolist()
    ([24], ['undecided: left 51%, right 49%; more typical than 98% of the unlabeled rows'])
    """
    names, proba = np.asarray(classes), np.asarray(proba, dtype=float)
    rows = np.arange(len(proba)) if rows is None else rows
    uncertainty = margin_uncertainty(proba)
    random = np.random.default_rng(random_state)
    candidates = np.sort(np.argsort(-uncertainty, kind="stable")[:MOST_CANDIDATES])
    crowd = np.sort(random.permutation(len(X))[:MOST_NEIGHBORS])
    scores = NormalScores(categorical_features).fit(take_rows(X, crowd))
    places, around = scores.transform(take_rows(X, candidates)), scores.transform(take_rows(X, crowd))
    typical, reach = _typicality(places, around, candidates, crowd)
    chosen, score = choose_apart(uncertainty[candidates] * typical, places, reach, count)
    found = pd.DataFrame(
        {
            "row": np.asarray(rows)[candidates[chosen]],
            "score": score,
            "uncertainty": uncertainty[candidates[chosen]],
            "representativeness": typical[chosen],
            "likely": pd.Series([_likely(proba[one], names) for one in candidates[chosen]], dtype=object),
        }
    )
    reasons = [say_why(likely, share) for likely, share in zip(found["likely"], typical[chosen], strict=True)]
    return RowsToLabel(found.assign(why=pd.Series(reasons, dtype=object)))


def choose_apart(score: Floats, places: Floats, reach: float, count: int) -> tuple[Index, Floats]:
    """Positions of the best rows, chosen one at a time, each lowering scores within `reach`; and their scores then."""
    left = score.copy()
    chosen: list[int] = []
    scores: list[float] = []
    while len(chosen) < min(count, len(score)):
        best = int(np.argmax(left))
        if left[best] <= 0:
            break
        chosen.append(best)
        scores.append(float(left[best]))
        away = ((places - places[best]) ** 2).sum(axis=1)
        left *= -np.expm1(-away / reach**2) if reach > 0 else (away > 0)
        left[best] = 0.0
    return np.array(chosen, dtype=np.intp), np.array(scores)


def say_why(likely: list[dict[str, Any]], typical: float) -> str:
    """Why a row is worth a label, in a sentence."""
    doubt = ", ".join(f"{one['label']} {100 * one['probability']:.0f}%" for one in likely[:2])
    second = likely[1]["probability"] if len(likely) > 1 else 0.0
    start = "undecided" if second >= UNDECIDED * likely[0]["probability"] else "among the least certain"
    return f"{start}: {doubt}; more typical than {100 * typical:.0f}% of the unlabeled rows"


def _likely(proba: Floats, names: NDArray[Any]) -> list[dict[str, Any]]:
    """The most likely classes of a row."""
    order = np.argsort(-proba, kind="stable")[:N_LIKELY]
    return [{"label": to_plain(names[one]), "probability": float(proba[one])} for one in order]


def _typicality(places: Floats, around: Floats, candidates: Index, crowd: Index) -> tuple[Floats, float]:
    """Proportion of the crowd in less dense neighborhoods, for each candidate; and the distance a label reaches."""
    ours, theirs = _tenth_nearest(places, around, candidates, crowd), _tenth_nearest(around, around, crowd, crowd)
    return placements(-ours, -theirs), 2 * float(np.median(theirs))


def _tenth_nearest(places: Floats, around: Floats, who: Index, crowd: Index) -> Floats:
    """Distance of each row to the tenth nearest of the crowd, itself not counted."""
    squares = (around**2).sum(axis=1)
    distance = np.maximum((places**2).sum(axis=1)[:, None] + squares - 2 * places @ around.T, 0.0)
    distance[who[:, None] == crowd] = np.inf
    nearest = min(N_NEAREST, len(crowd) - 1) - 1
    if nearest < 0:  # a single row
        return np.zeros(len(places))
    found = np.partition(distance, nearest, axis=1)[:, nearest]
    return np.sqrt(np.where(np.isfinite(found), found, 0.0))
