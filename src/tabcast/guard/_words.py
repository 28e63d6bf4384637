"""The sentences of a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tabcast.guard._interval import HELPED, HURT, NOTHING, PROBABLY
from tabcast.guard._scoring import is_share

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
# The committee was offered, which sees no unlabeled row.
COMMITTEE_HEADLINES = {
    HELPED: "Better than your model alone, without credit to the unlabeled rows.",
    PROBABLY: "Probably better than your model alone, without credit to the unlabeled rows.",
    NOTHING: "No difference was seen between the committee and your model alone.",
    HURT: "The committee is worse than your model alone.",
}
OF_STUDENTS = {
    "unaligned": "whose labels are not aligned with the class proportions",
    "aligned": "whose labels are aligned with the class proportions of the labeled rows",
}


def say_verdict(verdict: Mapping[str, Any]) -> list[str]:
    """Put a verdict into sentences: the words, the gains, how certain they are, and which model was chosen and why.

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

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tabcast import GuardedClassifier, SelfTrainingClassifier
    >>> from tabcast.guard import say_verdict
    >>> X = np.arange(24.0).reshape(-1, 1)
    >>> y = np.where(np.arange(24) % 2, -1, np.arange(24) // 12)
    >>> model = SelfTrainingClassifier(GaussianNB(), validation=None)
    >>> model = GuardedClassifier(model, n_splits=2, n_repeats=1, random_state=0).fit(X, y)
    >>> say_verdict(model.verdict_.to_dict())[0]
    'No difference was seen: the unlabeled rows may or may not help.'
    """
    if verdict["n_unlabeled"] == 0:
        return [
            "There are no unlabeled rows, so there is nothing to compare: the model is the supervised one.",
            f"Its cross-validated {_name(verdict)} is {verdict['supervised']:.3f}.",
            *_say_unscored(verdict),
        ]
    return [
        _say_headline(verdict),
        _say_total(verdict),
        *_say_credit(verdict),
        *_say_width(verdict),
        *_say_unscored(verdict),
        _say_choice(verdict),
        *_say_students(verdict),
    ]


def _say_headline(verdict: Mapping[str, Any]) -> str:
    """Both answers at a glance."""
    total, word = verdict["total"]["word"], verdict["word"]
    if _offers_committee(verdict):
        return COMMITTEE_HEADLINES[total]
    if verdict["without"] == "committee" and total in BETTER and word in WITHOUT_CREDIT:
        return f"{BETTER[total]} than your model alone, {WITHOUT_CREDIT[word]}"
    if word == NOTHING and float(_amount(verdict, verdict["gain"]).split()[0]) != 0:
        other = "the committee's" if verdict["without"] == "committee" else "without them"
        return UNDECIDED.format("higher" if verdict["gain"] > 0 else "lower", other)
    return HEADLINES[word]


def _say_total(verdict: Mapping[str, Any]) -> str:
    """What the offered model gains over the supervised one, and the rows it was measured on."""
    total = verdict["total"]
    what = "committee" if _offers_committee(verdict) else "self-trained"
    return (
        f"Cross-validated on {verdict['n_labeled']} labeled rows ({len(verdict['scores'])} splits), "
        f"{_say_sample(verdict)}{_name(verdict)} "
        f"went from {verdict['supervised']:.3f} (supervised) to {verdict['supervised'] + total['gain']:.3f} ({what}): "
        f"a change of {_amount(verdict, total['gain'])} ({_interval(verdict, total)})."
    )


def _say_sample(verdict: Mapping[str, Any]) -> str:
    """With how many unlabeled rows, where not with all."""
    judged, n = verdict.get("n_judged"), verdict["n_unlabeled"]
    return "" if judged is None or judged == n else f"with {judged:,} of the {n:,} unlabeled rows, "


def _say_credit(verdict: Mapping[str, Any]) -> list[str]:
    """What of it is due to the unlabeled rows, where that is another number."""
    if verdict["committee"] is None:
        return []
    if _offers_committee(verdict):
        return [
            "The committee is several kinds of models, trained on the labeled rows alone. A student trained on the "
            f"unlabeled rows as well has {verdict['self_trained']:.3f}: "
            + ("" if verdict["without"] == "committee" else "compared with your model, ")
            + f"{_amount(verdict, verdict['gain'])} ({_interval(verdict, verdict)})."
        ]
    score = f"A committee of several kinds of models, trained on the labeled rows alone, has {verdict['committee']:.3f}"
    if verdict["without"] == "supervised":
        credit = ", so the whole change is credited to the unlabeled rows" if verdict["gain"] else ""
        return [f"{score}, no more than your model{credit}."]
    return [
        f"{score}: the part that the unlabeled rows add is {_amount(verdict, verdict['gain'])} "
        f"({_interval(verdict, verdict)})."
    ]


def _say_width(verdict: Mapping[str, Any]) -> list[str]:
    """How wide the interval is, what would settle the question, and whether time ran out."""
    sentences = []
    more, width = verdict["more_labels"], _amount(verdict, verdict["high"] - verdict["low"], signed=False)
    what = "part" if verdict["without"] == "committee" else "change"
    if _offers_committee(verdict) and verdict["word"] == NOTHING:
        pass  # a student that is not offered: nothing has to be settled
    elif verdict["total"]["gain"] == 0 and all(row["supervised"] == row["self_trained"] for row in verdict["scores"]):
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
    if verdict["stopped"]:
        limit = verdict["time_limit"]
        reason = "An interrupt" if limit is None else f"The time limit of {limit:g} s"
        sentences.append(
            f"{reason} ended the comparison early: {len(verdict['scores'])} of {verdict['n_splits']} x "
            f"{verdict['n_repeats']} splits were evaluated."
        )
    return sentences


def _say_unscored(verdict: Mapping[str, Any]) -> list[str]:
    """Which classes the scores say nothing about."""
    classes = verdict["unscored"]
    if not classes:
        return []
    listed = ", ".join(map(repr, classes[:5])) + (", ..." if len(classes) > 5 else "")
    if len(classes) == 1:
        return [f"Class {listed} has one labeled row, which is never held out: the scores say nothing about it."]
    return [f"Classes {listed} have one labeled row each, which is never held out: the scores say nothing about them."]


def _say_choice(verdict: Mapping[str, Any]) -> str:
    """Which model was kept, and why."""
    gain, chosen, model = verdict["total"]["gain"], verdict["chosen"], _model(verdict)
    if not verdict["guard"]:
        if chosen != "supervised" and gain <= 0:
            return f"{model} was kept although its cross-validated score is not better, because the guard is off."
        return f"{model} was kept; the guard is off."
    if chosen != "supervised":
        return f"{model} was kept, because its cross-validated score is better than {_others(verdict)}."
    if verdict["same_model"] and not _offers_committee(verdict):
        return "The supervised model was kept: self-training on all rows ended with it as well."
    if gain == 0:
        return "The supervised model was kept, because the cross-validated scores are equal."
    return "The supervised model was kept, because its cross-validated score is better."


def _say_students(verdict: Mapping[str, Any]) -> list[str]:
    """Which of several students is the self-trained model."""
    scores, variant = verdict.get("variants") or {}, verdict.get("variant")
    if verdict["chosen"] != "self-trained" or variant not in OF_STUDENTS or len(scores) < 2:
        return []
    [other] = [name for name in scores if name != variant]
    compared = f"{scores[variant]:.3f} against {scores[other]:.3f}"
    return [f"It is the student {OF_STUDENTS[variant]} ({compared}; the scores above account for this choice)."]


def _offers_committee(verdict: Mapping[str, Any]) -> bool:
    """Whether the committee was the model to keep or not to keep."""
    return bool(verdict.get("offered") == "committee")


def _model(verdict: Mapping[str, Any]) -> str:
    """The offered model."""
    return "The committee" if _offers_committee(verdict) else "The self-trained model"


def _others(verdict: Mapping[str, Any]) -> str:
    """What the model that was kept was better than."""
    if _offers_committee(verdict) and verdict["self_trained"] < verdict["supervised"] + verdict["total"]["gain"]:
        return "those of the supervised and of the self-trained model"
    return "the supervised one's"


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


def _name(verdict: Mapping[str, Any]) -> str:
    """The name of the score in words."""
    return str(verdict["metric"]).replace("_", " ")
