"""The result of the comparison as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from tabcast.guard._words import say_verdict


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether the unlabeled rows helped, how certain that is, and which model was chosen; `print` it to read it.

    Choice and verdict are two things: the choice is the model with the better cross-validated score, the verdict is
    what the evidence supports.

    Parameters
    ----------
    word : {"helped", "probably helped", "no difference seen", "hurt"}
        The verdict.
    chosen : {"self-trained", "supervised"}
        The model that was kept.
    metric : str
        Name of the score.
    gain : float
        Mean score of the self-trained model minus that of the supervised one, on the same held-out rows.
    low : float
        Lower end of the interval of the gain.
    high : float
        Upper end of the interval of the gain.
    level : float
        Confidence level of the interval. The correction of Nadeau and Bengio accounts for overlapping training sets.
    supervised : float
        Mean score of the supervised model.
    self_trained : float
        Mean score of the self-trained model.
    n_labeled : int
        Number of labeled rows.
    n_unlabeled : int
        Number of unlabeled rows.
    n_splits : int
        Number of folds per repeat. `scores` has the splits that were evaluated.
    n_repeats : int
        Number of repeats.
    more_labels : int or None
        About how many more labels would move the interval off 0 if the gain stays the same. 0 if it lies on one side
        already, None if no realistic number would.
    guard : bool
        Whether the supervised model could be chosen. If not, the self-trained model was kept in any case.
    same_model : bool
        Whether the semi-supervised classifier itself ended with the supervised model (its best round is 0).
    time_limit : float or None
        Time limit in seconds.
    stopped : bool
        Whether the time limit ended the comparison early.
    scores : DataFrame
        One row per split: `repeat`, `fold`, `n_test`, `supervised`, `self_trained`. Scores are missing if the held-out
        rows of a split lack a class that the score needs.

    See Also
    --------
    GuardedClassifier : The classifier that keeps one in `verdict_`.
    say_verdict : Its sentences.
    """

    word: str
    chosen: str
    metric: str
    gain: float
    low: float
    high: float
    level: float
    supervised: float
    self_trained: float
    n_labeled: int
    n_unlabeled: int
    n_splits: int
    n_repeats: int
    more_labels: int | None
    guard: bool
    same_model: bool
    time_limit: float | None
    stopped: bool
    scores: pd.DataFrame

    def to_dict(self) -> dict[str, Any]:
        """Give the verdict as plain data that JSON can hold.

        Returns
        -------
        dict
            The fields by name; `scores` is a list with one dictionary per split, a missing score is None.
        """
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "scores"}
        rows = self.scores.to_dict("records")
        return {
            **plain,
            "scores": [
                {str(name): None if math.isnan(value) else value for name, value in row.items()} for row in rows
            ],
        }

    def __str__(self) -> str:
        return "\n".join(say_verdict(self.to_dict()))
