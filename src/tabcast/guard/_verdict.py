"""What the comparison says, as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from tabcast.guard._words import say_verdict


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether the unlabeled rows helped, how sure that is, and which model was chosen. Printed, it speaks in sentences.

    Choice and verdict are two things: the choice is the better cross-validated score, the verdict is what the evidence
    supports.

    Attributes
    ----------
    word : "helped", "probably helped", "no difference seen" or "hurt".
    chosen : "self-trained" or "supervised".
    metric : name of the score.
    gain : mean score of the self-trained model minus that of the supervised one, on the same held-out rows.
    low, high, level : interval of the gain; Nadeau and Bengio's correction accounts for overlapping training sets.
    supervised, self_trained : mean scores.
    n_labeled, n_unlabeled : number of rows.
    n_splits, n_repeats : as asked for; `scores` has what was done.
    more_labels : about how many more labels would move the interval off 0, if the gain stays; 0: it lies on one side
        already; None: no realistic number.
    guard : whether the choice was free; without it the self-trained model is chosen in any case.
    same_model : whether the semi-supervised classifier itself ended with the supervised model (its best round is 0).
    time_limit, stopped : the limit in seconds, and whether it cut the comparison short.
    scores : DataFrame, a row for each split: `repeat`, `fold`, `n_test`, `supervised`, `self_trained`; scores are
        missing where a split's held-out rows lack a class that the score needs.
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
        """Everything as plain JSON; `scores` as a list of rows, a missing score as None."""
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
