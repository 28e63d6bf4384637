"""The verdict: from the intervals of two gains to words, as data and as sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from tabcast.guard._comparison import is_share
from tabcast.statistics._intervals import Interval

LEVEL = 0.9  # of the interval: without a true gain it lies above 0 in one of twenty tables
PROBABLE = 0.8  # one-sided confidence for "probably": four to one
MOST_TIMES_THE_LABELS = 10  # more labels than this multiple of the present ones is not realistic advice

HELPED, PROBABLY, NOTHING, HURT = "helped", "probably helped", "no difference seen", "hurt"


def find_word(interval: Interval) -> str:
    """What the evidence supports.

    "helped" and "hurt" if the whole interval lies on one side of 0; "probably helped" if the gain is above 0 with odds
    of four to one; otherwise "no difference seen".
    """
    if interval.low > 0:
        return HELPED
    if interval.high < 0:
        return HURT
    return PROBABLY if interval.gain > 0 and interval.confidence >= PROBABLE else NOTHING


def labels_to_settle(interval: Interval, n_labeled: int) -> int | None:
    """About how many more labels would move the interval off 0 if the gain stays the same; None: no realistic number.

    The width of the interval is proportional to 1 / sqrt(n), so ``n * (half width / gain)^2`` labels are needed,
    rounded up to two digits. 0 if the interval lies on one side already.
    """
    if interval.low > 0 or interval.high < 0:
        return 0
    half = interval.high - interval.gain
    if interval.gain == 0 or half > abs(interval.gain) * math.sqrt(1 + MOST_TIMES_THE_LABELS):
        return None
    more = max(1, math.ceil(n_labeled * ((half / interval.gain) ** 2 - 1)))
    step = 10 ** max(0, len(str(more)) - 2)
    return math.ceil(more / step) * step


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
    >>> from tabcast.guard._verdict import Gain
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
        """Put an interval into a word."""
        return cls(find_word(interval), interval.gain, interval.low, interval.high)


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """Whether the unlabeled rows helped, how certain that is, and which model was chosen; `print` it to read it.

    Three things are told apart. `total` is what the self-trained model gains over the supervised one. `gain` is what
    the unlabeled rows add: the self-trained model's gain over the best model without them, which is the committee of
    soft self-training where that is better than the user's model. The choice is the model with the better score; for
    the ensemble it is the one with the unlabeled rows, unless they probably hurt.

    Parameters
    ----------
    word : {"helped", "probably helped", "no difference seen", "hurt"}
        The verdict on the unlabeled rows.
    chosen : {"self-trained", "supervised"}
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
        Score of the self-trained model minus that of the supervised one.
    supervised : float
        Score of the supervised model: of all held-out rows of a repeat together, mean over the repeats.
    committee : float or None
        Score of the committee; None for a classifier that has none.
    self_trained : float
        Score of the self-trained model.
    n_labeled : int
        Number of labeled rows that the models are compared on: all that are a random sample.
    n_unlabeled : int
        Number of unlabeled rows.
    n_splits : int
        Number of folds per repeat.
    n_repeats : int
        Number of repeats.
    more_labels : int or None
        About how many more labels would move the interval off 0 if the gain stays the same. 0 if it lies on one side
        already, None if no realistic number would.
    same_model : bool
        Whether the semi-supervised classifier itself ended with the supervised model (its best round is 0).
    unscored : list of str
        Classes of which no row was held out: the scores say nothing about them.
    scores : DataFrame
        One row per split: `repeat`, `fold`, `n_test`, `supervised`, `committee` where there is one, `self_trained`.
        These are scores on the fold alone, missing if it lacks a class.

    See Also
    --------
    GuardedClassifier : The classifier that keeps one in `verdict_`.
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
    same_model: bool
    unscored: list[str]
    scores: pd.DataFrame

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

    def __repr__(self) -> str:
        return "\n".join(say_verdict(self.to_dict()))


HEADLINES = {
    HELPED: "The unlabeled rows helped.",
    PROBABLY: "The unlabeled rows probably helped.",
    NOTHING: "No difference was seen: the unlabeled rows may or may not help.",
    HURT: "The unlabeled rows hurt.",
}
UNDECIDED = "With the unlabeled rows the score is {} than {}, but chance cannot be ruled out."
# The self-trained model gained over the user's model, but not over the committee of labeled rows alone.
WITHOUT_CREDIT = {
    NOTHING: "but what the unlabeled rows changed may be chance.",
    HURT: "but the unlabeled rows hurt.",
}
BETTER = {HELPED: "Better", PROBABLY: "Probably better"}


def say_verdict(verdict: Mapping[str, Any]) -> list[str]:
    """Put the data of a verdict (:meth:`Verdict.to_dict`) into sentences, the headline first."""
    if str(verdict["metric"]).startswith("neg_"):
        verdict = as_loss(verdict)
    if verdict["n_unlabeled"] == 0:
        return [
            "There are no unlabeled rows, so there is nothing to compare: the model is the supervised one.",
            f"Its cross-validated {_name(verdict)} is {_score(verdict, 'supervised')}.",
            *_say_unscored(verdict),
        ]
    return [
        _say_headline(verdict),
        _say_total(verdict),
        *_say_credit(verdict),
        *_say_width(verdict),
        *_say_unscored(verdict),
        _say_choice(verdict),
    ]


def _say_headline(verdict: Mapping[str, Any]) -> str:
    """Both answers at a glance."""
    total, word = verdict["total"]["word"], verdict["word"]
    if verdict["without"] == "committee" and total in BETTER and word in WITHOUT_CREDIT:
        return f"{BETTER[total]} than your model alone, {WITHOUT_CREDIT[word]}"
    if word == NOTHING and 4 * abs(verdict["gain"]) > verdict["high"] - verdict["gain"]:  # less is no headline
        other = "the committee's" if verdict["without"] == "committee" else "without them"
        is_better = (verdict["gain"] > 0) != str(verdict["metric"]).startswith("neg_")
        return UNDECIDED.format("better" if is_better else "worse", other)
    return HEADLINES[word]


def _say_total(verdict: Mapping[str, Any]) -> str:
    """What the self-trained model gains over the supervised one, and the rows it was measured on."""
    total, without, with_them = verdict["total"], _score(verdict, "supervised"), _score(verdict, "self_trained")
    return (
        f"Cross-validated on {verdict['n_labeled']} labeled rows ({len(verdict['scores'])} splits), {_name(verdict)} "
        f"went from {without} without the unlabeled rows to {with_them} with them: a change of "
        f"{_amount(verdict, total['gain'])} ({_interval(verdict, total)})."
    )


def _say_credit(verdict: Mapping[str, Any]) -> list[str]:
    """What of it is due to the unlabeled rows, where that is another number."""
    if verdict["committee"] is None:
        return []
    score = _score(verdict, "committee")
    score = f"A committee of several kinds of models, trained on the labeled rows alone, has {score}"
    if verdict["without"] == "supervised":
        credit = ", so the whole change is credited to the unlabeled rows" if verdict["gain"] else ""
        return [f"{score}, no more than your model{credit}."]
    return [
        f"{score}: the part that the unlabeled rows add is {_amount(verdict, verdict['gain'])} "
        f"({_interval(verdict, verdict)})."
    ]


def _say_width(verdict: Mapping[str, Any]) -> list[str]:
    """How wide the interval is, and what would settle the question."""
    sentences = []
    more, width = verdict["more_labels"], _amount(verdict, verdict["high"] - verdict["low"], signed=False)
    what = "part" if verdict["without"] == "committee" else "change"
    if verdict["total"]["gain"] == 0 and all(row["supervised"] == row["self_trained"] for row in verdict["scores"]):
        sentences.append("Both models scored the same in every split.")
    elif more is None:
        sentences.append(
            f"The interval is {width} wide, much wider than the {what} itself: no realistic number of further labels "
            "would settle whether it is real."
        )
    elif more > 0:
        sentences.append(
            f"The interval is {width} wide: if the {what} stays the same, about {more} more labeled rows would settle "
            "whether it is real."
        )
    return sentences


def _say_unscored(verdict: Mapping[str, Any]) -> list[str]:
    """Which classes the scores say nothing about."""
    classes = verdict["unscored"]
    if not classes:
        return []
    listed = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
    if len(classes) == 1:
        return [f"Class {listed} has too few labeled rows to hold one out: the scores say nothing about it."]
    return [f"Classes {listed} have too few labeled rows to hold one out: the scores say nothing about them."]


def _say_choice(verdict: Mapping[str, Any]) -> str:
    """Which model was kept, and why."""
    gain = verdict["total"]["gain"]
    if verdict["chosen"] != "supervised" and (gain == 0 or (gain < 0) != str(verdict["metric"]).startswith("neg_")):
        return (
            "The model with the unlabeled rows was kept: they help an ensemble more often than not, and it is not even "
            "probable that they hurt here."
        )
    if verdict["chosen"] != "supervised":
        return "The model with the unlabeled rows was kept, because its cross-validated score is better."
    if verdict["same_model"]:
        return "The model without the unlabeled rows was kept: self-training on all rows ended with it as well."
    if gain == 0:
        return "The model without the unlabeled rows was kept, because the cross-validated scores are equal."
    return "The model without the unlabeled rows was kept, because its cross-validated score is better."


def as_loss(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the loss itself, the lower the better, for a score that is its negative."""

    def flip(gain: Mapping[str, Any]) -> dict[str, Any]:
        return {**gain, "gain": -gain["gain"], "low": -gain["high"], "high": -gain["low"]}

    scores = {name: verdict[name] for name in ("supervised", "committee", "self_trained")}
    losses = {name: None if score is None else -score for name, score in scores.items()}
    return {**flip(verdict), "total": flip(verdict["total"]), **losses}


def _interval(verdict: Mapping[str, Any], gain: Mapping[str, Any]) -> str:
    """An interval with its level."""
    low = _amount(verdict, gain["low"]).split()[0]
    return f"{verdict['level']:.0%} interval: {low} to {_amount(verdict, gain['high'])}"


def _in_points(verdict: Mapping[str, Any]) -> bool:
    """Whether the score is a proportion, so that a difference is given in points."""
    return is_share(verdict["metric"], verdict["supervised"], verdict["self_trained"])


def _amount(verdict: Mapping[str, Any], value: float, *, signed: bool = True) -> str:
    """A difference of scores, in points if these are proportions."""
    sign = "+" if signed else ""
    if not _in_points(verdict):
        return f"{value:{sign}.3f}"
    text = f"{100 * value:{sign}.1f}"
    return f"{text} point" if text.lstrip("+-") == "1.0" else f"{text} points"


def _score(verdict: Mapping[str, Any], model: str) -> str:
    """The score of a model, as a percentage if it is a proportion."""
    return f"{verdict[model]:.1%}" if _in_points(verdict) else f"{verdict[model]:.3f}"


def _name(verdict: Mapping[str, Any]) -> str:
    """The name of the score in words."""
    return name_in_words(verdict["metric"]) + (" (lower is better)" if str(verdict["metric"])[:4] == "neg_" else "")


def name_in_words(metric: str) -> str:
    """The name of a score in words; of one that scikit-learn negates, that of the loss."""
    return str(metric).removeprefix("neg_").replace("log_loss", "log-loss").replace("_", " ")
