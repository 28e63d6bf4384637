"""How many unlabeled rows are enough: the held-out score as their number doubles, until it stops rising."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tabcast.guard._choice import choose_in_folds
from tabcast.guard._comparison import Compared, fill_variants
from tabcast.guard._contenders import SELF_TRAINED, SUPERVISED
from tabcast.guard._pooled import pool_scores
from tabcast.guard._scoring import HeldOutScore
from tabcast.self_training import TrainingData

BEFORE, AFTER = "before", "after"
NO_GAIN, WORSE, STILL_GAINING, STOPPED = "no gain", "worse", "still gaining", "stopped"


@dataclass(frozen=True)
class PoolPoint:
    """The self-trained model with some number of unlabeled rows.

    Parameters
    ----------
    n_rows : int
        Number of unlabeled rows.
    score : float
        Score on the held-out rows of the first repeat.
    gain : float or None, default=None
        Score minus that of the point before it; None for the first one.
    std_error : float or None, default=None
        Standard error of the gain, from the paired differences of the folds (Nadeau and Bengio's); None for the first
        one.

    Examples
    --------
    >>> from tabcast.guard import PoolPoint
    >>> PoolPoint(40_000, score=0.82, gain=0.01, std_error=0.004).gain
    0.01
    """

    n_rows: int
    score: float
    gain: float | None = None
    std_error: float | None = None


@dataclass(frozen=True)
class PoolCurve:
    """The score by number of unlabeled rows, and how many train the final model.

    Parameters
    ----------
    points : tuple of PoolPoint
        The numbers of rows that were tried, each twice the one before.
    n_rows : int
        Number of unlabeled rows that train the final model.
    n_unlabeled : int
        Number of all unlabeled rows.
    reason : {"no gain", "worse", "still gaining", "stopped"}
        Why it ended. "no gain": the last doubling gained no more than one standard error; its rows are used. "worse":
        it lost more than that; the rows before it are used. "still gaining": the largest number that was to be tried
        gained; all rows are used. "stopped": the time limit or an interrupt; the last number that was tried is used.
    supervised : float
        Score of the supervised model on the same held-out rows.
    metric : str
        Name of the score.

    See Also
    --------
    GuardedClassifier : The classifier that keeps one in `pool_curve_`.
    """

    points: tuple[PoolPoint, ...]
    n_rows: int
    n_unlabeled: int
    reason: str
    supervised: float
    metric: str

    def to_dict(self) -> dict[str, Any]:
        """Give the curve as plain data that JSON can hold.

        Returns
        -------
        dict
            The fields by name; `points` is a list of dictionaries, a missing number is None.
        """
        points = [{name: _known(value) for name, value in asdict(point).items()} for point in self.points]
        return {**asdict(self), "points": points, "supervised": _known(self.supervised)}


def _known(value: float | None) -> float | None:
    """The number, None where it could not be computed because a fold lacks a class."""
    return None if value is None or math.isnan(value) else value


def plan_sizes(start: int, n_pool: int, n_folds: int) -> list[int]:
    """Numbers of unlabeled rows to try after the first one, each twice the one before.

    Together their models are trained on no more rows than the pool has, unless that would not pay for one doubling: the
    curve then costs at most about as much as a model of all rows.

    Parameters
    ----------
    start : int
        Number of rows of the comparison.
    n_pool : int
        Number of all unlabeled rows.
    n_folds : int
        Number of models per number of rows.

    Returns
    -------
    list of int
        The numbers; none if the pool has fewer than twice as many rows as the comparison.

    Examples
    --------
    >>> plan_sizes(20_000, 1_000_000, 5), plan_sizes(20_000, 48_000, 5), plan_sizes(20_000, 30_000, 5)
    ([40000, 80000], [40000], [])
    """
    sizes, size, left = [], 2 * start, max(n_pool, 2 * start * n_folds)
    while size <= n_pool and size * n_folds <= left:
        sizes.append(size)
        left -= size * n_folds
        size *= 2
    return sizes


def grow_pool(
    compared: Sequence[Compared],
    sizes: Sequence[int],
    evaluate: Callable[[int], list[Compared] | None],
    names: Sequence[str],
    data: TrainingData,
    score: HeldOutScore,
    start: int,
) -> PoolCurve:
    """Double the pool until the score on held-out rows gains no more than one standard error.

    Parameters
    ----------
    compared : sequence of Compared
        The folds of the first repeat, with the first number of rows.
    sizes : sequence of int
        The numbers of rows to try then.
    evaluate : callable
        From a number of rows to the same folds with so many; None if there is no time left.
    names : sequence of str
        The variants of the self-trained model.
    data : TrainingData
        All rows.
    score : HeldOutScore
        The score.
    start : int
        The first number of rows.

    Returns
    -------
    PoolCurve
        The scores, and how many rows to train on.
    """

    def settle(found: Sequence[Compared]) -> list[Compared]:
        return choose_in_folds([fill_variants(one, list(names)) for one in found], SELF_TRAINED, names, data, score)

    before = settle(compared)
    first = pool_scores(before, data, score).scores
    points, n_rows, reason = [PoolPoint(start, first[SELF_TRAINED])], start, STOPPED
    for size in sizes:
        found = evaluate(size)
        if found is None:
            break
        after = settle(found)
        paired = [
            replace(old, predicted={BEFORE: old.predicted[SELF_TRAINED], AFTER: new.predicted[SELF_TRAINED]})
            for old, new in zip(before, after, strict=True)
        ]
        pooled = pool_scores(paired, data, score)
        gain, error = pooled.scores[AFTER] - pooled.scores[BEFORE], pooled.std_error(AFTER, BEFORE)
        points.append(PoolPoint(size, pooled.scores[AFTER], gain, error))
        if not gain > error:  # also where the score could not be computed
            reason = WORSE if gain < -error else NO_GAIN
            n_rows = n_rows if reason == WORSE else size
            break
        before, n_rows = after, size
    else:
        reason, n_rows = STILL_GAINING, len(data.pool)
    return PoolCurve(tuple(points), n_rows, len(data.pool), reason, first[SUPERVISED], score.name)
