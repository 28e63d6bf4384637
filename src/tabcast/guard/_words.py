"""The sentences of a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tabcast.guard._scoring import is_share

HEADLINES = {
    "helped": "The unlabeled rows helped.",
    "probably helped": "The unlabeled rows probably helped.",
    "no difference seen": "No difference was seen: the unlabeled rows may or may not help.",
    "hurt": "The unlabeled rows hurt.",
}


def say_verdict(verdict: Mapping[str, Any]) -> list[str]:
    """Put a verdict into sentences: the word, the gain, how certain it is, and which model was chosen and why.

    Parameters
    ----------
    verdict : dict
        The data of a verdict, as :meth:`Verdict.to_dict` gives it.

    Returns
    -------
    list of str
        The sentences, the headline first.

    See Also
    --------
    Verdict : The data; `print` shows these sentences.
    """
    if verdict["n_unlabeled"] == 0:
        return [
            "There are no unlabeled rows, so there is nothing to compare: the model is the supervised one.",
            f"Its cross-validated {_name(verdict)} is {verdict['supervised']:.3f}.",
        ]
    return [HEADLINES[verdict["word"]], _say_gain(verdict), *_say_width(verdict), _say_choice(verdict)]


def _say_gain(verdict: Mapping[str, Any]) -> str:
    """The gain with its interval, and the rows it was measured on."""
    low = _amount(verdict, verdict["low"]).split()[0]
    n_judged = sum(row["supervised"] is not None and row["self_trained"] is not None for row in verdict["scores"])
    return (
        f"Cross-validated on {verdict['n_labeled']} labeled rows ({n_judged} splits), {_name(verdict)} went from "
        f"{verdict['supervised']:.3f} (supervised) to {verdict['self_trained']:.3f} (self-trained): a change of "
        f"{_amount(verdict, verdict['gain'])} ({verdict['level']:.0%} interval: {low} to "
        f"{_amount(verdict, verdict['high'])})."
    )


def _say_width(verdict: Mapping[str, Any]) -> list[str]:
    """How wide the interval is, what would settle the question, and whether time ran out."""
    sentences = []
    more, width = verdict["more_labels"], _amount(verdict, verdict["high"] - verdict["low"], signed=False)
    if all(row["supervised"] == row["self_trained"] for row in verdict["scores"]):
        sentences.append("Both models scored the same in every split.")
    elif more is None:
        sentences.append(
            f"The interval is {width} wide, much wider than the change itself: no realistic number of further labels "
            "would settle whether it is real."
        )
    elif more > 0:
        sentences.append(
            f"The interval is {width} wide: if the change stays the same, about {more} more labeled rows would settle "
            "whether it is real."
        )
    if verdict["stopped"]:
        sentences.append(
            f"The time limit of {verdict['time_limit']:g} s ended the comparison early: {len(verdict['scores'])} of "
            f"{verdict['n_splits']} x {verdict['n_repeats']} splits were evaluated."
        )
    return sentences


def _say_choice(verdict: Mapping[str, Any]) -> str:
    """Which model was kept, and why."""
    if not verdict["guard"]:
        if verdict["chosen"] == "self-trained" and verdict["gain"] <= 0:
            return (
                "The self-trained model was kept although its cross-validated score is not better, because the guard "
                "is off."
            )
        return "The self-trained model was kept; the guard is off."
    if verdict["chosen"] == "self-trained":
        return "The self-trained model was kept, because its cross-validated score is better."
    if verdict["same_model"]:
        return "The supervised model was kept: self-training on all rows ended with it as well."
    if verdict["gain"] == 0:
        return "The supervised model was kept, because the cross-validated scores are equal."
    return "The supervised model was kept, because its cross-validated score is better."


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


def _name(verdict: Mapping[str, Any]) -> str:
    """The name of the score in words."""
    return str(verdict["metric"]).replace("_", " ")
