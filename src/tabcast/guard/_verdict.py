"""The result of the comparison as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from tabcast.guard._interval import find_word
from tabcast.guard._words import say_verdict
from tabcast.statistics import Interval


@dataclass(frozen=True)
class Gain:
    """A difference of scores with its interval, and what the evidence supports.

    Parameters
    ----------
    word : {"helped", "probably helped", "no difference seen", "hurt"}
        What the evidence supports.
    gain : float
        The difference.
    low, high : float
        Ends of the interval.

    See Also
    --------
    Verdict : Has one of the self-trained model over the supervised one.

    Examples
    --------
    >>> from tabcast.guard import Gain
    >>> gain = Gain("helped", gain=0.02, low=0.01, high=0.03)
    >>> gain.low > 0
    True
    """

    word: str
    gain: float
    low: float
    high: float

    @classmethod
    def of(cls, interval: Interval) -> Gain:
        """Put an interval into a word.

        Parameters
        ----------
        interval : Interval
            The gain with its interval.

        Returns
        -------
        Gain
            The same with a word.
        """
        return cls(find_word(interval), interval.gain, interval.low, interval.high)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether the unlabeled rows helped, how certain that is, and which model was chosen; `print` it to read it.

    Three things are told apart. `total` is what the self-trained model (or the committee, where that is offered and
    better) gains over the user's model alone. `gain` is what the unlabeled rows add: the self-trained model's gain over
    the best model without them, which is the committee of soft self-training where that is better than the user's
    model. The choice is the model with the better score. Where there are several variants of a model, each fold counts
    the one that is best on the other folds.

    Parameters
    ----------
    word : {"helped", "probably helped", "no difference seen", "hurt"}
        The verdict on the unlabeled rows.
    chosen : {"self-trained", "supervised", "committee"}
        The model that was kept.
    metric : str
        Name of the score.
    gain : float
        Score of the self-trained model minus that of the best model without unlabeled rows, on the same held-out rows.
    low : float
        Lower end of the interval of the gain.
    high : float
        Upper end of the interval of the gain.
    level : float
        Confidence level of the interval. The correction of Nadeau and Bengio accounts for overlapping training sets.
    without : {"supervised", "committee"}
        The best model without unlabeled rows.
    total : Gain
        Score of the offered model minus that of the supervised one.
    supervised : float
        Score of the supervised model: of all held-out rows of a repeat together, mean over the repeats.
    committee : float or None
        Score of the committee; None for a classifier that has none.
    self_trained : float
        Score of the self-trained model.
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
        Time limit in seconds; None also if an interrupt came before it.
    stopped : bool
        Whether the time limit or an interrupt ended the comparison early.
    unscored : list of str
        Classes with one labeled row, which is never held out: the scores say nothing about them.
    scores : DataFrame
        One row per split: `repeat`, `fold`, `n_test`, `supervised`, `committee` where there is one, `self_trained`.
        These are scores on the fold alone, missing if it lacks a class.
    offered : {"self-trained", "committee"}, default="self-trained"
        What could be kept besides the supervised model; the committee only with `deploy="committee"` or "auto".
    variant : {"unaligned", "aligned"} or None, default=None
        The variant of the self-trained model with the better score; None if there was one only.
    variants : dict, default={}
        Scores of the variants by name.
    n_judged : int or None, default=None
        Number of unlabeled rows that the models were compared with. None in files of earlier versions: all.

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
    without: str
    total: Gain
    supervised: float
    committee: float | None
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
    unscored: list[str]
    scores: pd.DataFrame
    offered: str = "self-trained"
    variant: str | None = None
    variants: Mapping[str, float] = field(default_factory=dict)
    n_judged: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the verdict as plain data that JSON can hold.

        Returns
        -------
        dict
            The fields by name; `scores` is a list with one dictionary per split, a missing score is None.
        """
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("scores", "total")}
        rows = self.scores.to_dict("records")
        return {
            **plain,
            "total": asdict(self.total),
            "variants": dict(self.variants),
            "scores": [
                {str(name): None if math.isnan(value) else value for name, value in row.items()} for row in rows
            ],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Verdict:
        """Make a verdict of plain data.

        Parameters
        ----------
        plain : dict
            What :meth:`to_dict` gave.

        Returns
        -------
        Verdict
            The same verdict.
        """
        return cls(**{**plain, "total": Gain(**plain["total"]), "scores": pd.DataFrame(plain["scores"])})

    def __str__(self) -> str:
        return "\n".join(say_verdict(self.to_dict()))
