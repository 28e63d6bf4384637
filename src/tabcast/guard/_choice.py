"""The choice between contenders, made in each fold without looking at it: what it gains is then not flattered by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tabcast.guard._comparison import Compared
from tabcast.guard._scoring import HeldOutScore, score_splits
from tabcast.self_training import TrainingData


def find_best(scores: dict[str, float], names: Sequence[str]) -> str:
    """The name with the best score; the first of equal ones, and of those without a score."""
    best = names[0]
    for name in names[1:]:
        if scores[name] > scores[best] or (math.isnan(scores[best]) and not math.isnan(scores[name])):
            best = name
    return best


def choose_in_folds(
    compared: list[Compared], result: str, names: Sequence[str], data: TrainingData, score: HeldOutScore
) -> list[Compared]:
    """Add a contender that is, in each fold, the one of `names` with the best score on the other folds of the repeat.

    The best of several contenders on all folds has a score that is too good: it was chosen for it. Here the rows of a
    fold have no part in the choice that they are scored with. With the first contender only, or a single fold in a
    repeat, there is nothing to choose.

    Parameters
    ----------
    compared : list of Compared
        The splits.
    result : str
        Name of the added contender.
    names : sequence of str
        What is chosen from, in order of preference.
    data : TrainingData
        The rows.
    score : HeldOutScore
        The score.

    Returns
    -------
    list of Compared
        The same splits.
    """
    chosen = []
    for one in compared:
        others = [other for other in compared if other.split.repeat == one.split.repeat and other is not one]
        best = names[0]
        if len(names) > 1 and others:
            best = find_best({name: score_splits(others, name, data, score) for name in names}, names)
        chosen.append(replace(one, predicted={**one.predicted, result: one.predicted[best]}))
    return chosen
