"""Scores of the contenders over all held-out rows of a repeat together, and how uncertain their differences are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd

from tabcast.guard._comparison import Compared
from tabcast.guard._contenders import COMMITTEE, SELF_TRAINED, SUPERVISED
from tabcast.guard._scoring import HeldOutScore, is_share, score_splits
from tabcast.self_training import TrainingData
from tabcast.statistics import Interval, corrected_error, corrected_interval, mean
from tabcast.table import Floats


@dataclass(frozen=True, eq=False)
class PooledScores:
    """The scores of all contenders.

    A fold may lack a class, so a mean of scores per fold is a mean over the classes that happen to be there. Here the
    held-out rows of a repeat are scored together. What a fold contributes is its jackknife pseudo-value: with k folds,
    the score S of all of them, and S_j without fold j, it is ``k * S - (k - 1) * S_j``. For accuracy and folds of one
    size these are the scores of the folds.

    Attributes
    ----------
    scores : dict
        Score of each contender, mean over the repeats.
    contributions : dict
        For each contender one number per split.
    table : DataFrame
        One row per split: `repeat`, `fold`, `n_test`, and the scores of the supervised model, the committee and the
        self-trained model on the fold alone, missing if the fold lacks a class.
    test_share : float
        Number of held-out rows divided by number of training rows, mean over splits.
    resolution : float
        What one held-out row of a split changes; 0 for scores that are not proportions.
    """

    scores: dict[str, float]
    contributions: dict[str, Floats]
    table: pd.DataFrame
    test_share: float
    resolution: float

    def gain(self, contender: str, reference: str, level: float) -> Interval:
        """The gain of a contender over another one, with its interval."""
        gain, known = self.scores[contender] - self.scores[reference], self._differ(contender, reference)
        centered = known - mean(known) + gain
        return corrected_interval(centered, self.test_share, level, resolution=self.resolution)

    def std_error(self, contender: str, reference: str) -> float:
        """The standard error of that gain."""
        return corrected_error(self._differ(contender, reference), self.test_share, resolution=self.resolution)

    def _differ(self, contender: str, reference: str) -> Floats:
        """Differences of the contributions of each split, without those that are not known."""
        differences = self.contributions[contender] - self.contributions[reference]
        return differences[~np.isnan(differences)]


def pool_scores(compared: list[Compared], data: TrainingData, score: HeldOutScore) -> PooledScores:
    """Score every contender on the held-out rows of each repeat."""
    names = list(compared[0].predicted)
    repeats = [list(group) for _, group in groupby(compared, key=lambda one: one.split.repeat)]
    pooled = {name: [score_splits(repeat, name, data, score) for repeat in repeats] for name in names}
    weights = np.array([len(repeat) for repeat in repeats])
    known = ~np.isnan([pooled[name] for name in names]).any(axis=0)
    scores = {
        name: float(np.average(np.array(values)[known], weights=weights[known])) if known.any() else math.nan
        for name, values in pooled.items()
    }
    contributions = {
        name: np.concatenate(
            [_contribute(repeat, name, whole, data, score) for repeat, whole in zip(repeats, pooled[name], strict=True)]
        )
        for name in names
    }
    n_test = np.array([len(one.split.held_out) for one in compared])
    test_share = float((n_test / (len(data.labeled) - n_test)).mean())
    # Without unlabeled rows the models are the same, and nothing has to be estimated.
    in_points = len(data.pool) > 0 and is_share(score.name, *scores.values())
    shown = [name for name in (SUPERVISED, COMMITTEE, SELF_TRAINED) if name in names]
    table = _tabulate(compared, shown, data, score)
    return PooledScores(scores, contributions, table, test_share, 1 / float(n_test.mean()) if in_points else 0.0)


def _contribute(repeat: list[Compared], name: str, whole: float, data: TrainingData, score: HeldOutScore) -> Floats:
    """The pseudo-value of each fold of a repeat; NaN where the others lack a class."""
    k = len(repeat)
    if k == 1:
        return np.array([whole])
    n_classes = _count_classes(repeat, data)
    values = []
    for fold in repeat:
        others = [one for one in repeat if one is not fold]
        complete = _count_classes(others, data) == n_classes
        values.append(k * whole - (k - 1) * score_splits(others, name, data, score) if complete else math.nan)
    return np.array(values)


def _count_classes(compared: Sequence[Compared], data: TrainingData) -> int:
    """Number of classes among the held-out rows of some splits."""
    return len(np.unique(np.concatenate([data.labels.codes[one.split.held_out] for one in compared])))


def _tabulate(compared: list[Compared], names: list[str], data: TrainingData, score: HeldOutScore) -> pd.DataFrame:
    """One row per split, with the score of each contender on the fold alone."""
    n_classes = _count_classes(compared, data)
    complete = [_count_classes([one], data) == n_classes for one in compared]
    columns = {
        "repeat": np.array([one.split.repeat for one in compared]),
        "fold": np.array([one.split.fold for one in compared]),
        "n_test": np.array([len(one.split.held_out) for one in compared]),
    }
    for name in names:
        columns[name.replace("-", "_")] = np.array(
            [
                score_splits([one], name, data, score) if whole else math.nan
                for one, whole in zip(compared, complete, strict=True)
            ]
        )
    return pd.DataFrame(columns)
