"""Sentences that the terminal and the page share: the score of a supervised model, and the filled table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

Data = Mapping[str, Any]

MOST_CLASSES = 12
MOST_TIMES_THE_LABELS = 10  # more labels than this multiple of the present ones is not realistic advice


def count(value: float) -> str:
    """A number of things.

    Examples
    --------
    >>> count(50000), count(69.8333)
    ('50,000', '69.8')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(share: float | None) -> str:
    """A proportion as a percentage; a small one keeps a digit.

    Examples
    --------
    >>> percent(0.614), percent(0.0123), percent(0.0001), percent(0.0), percent(0.9999), percent(None)
    ('61%', '1.2%', 'under 0.1%', '0%', 'over 99.9%', '—')
    """
    if share is None or isnan(share):
        return "—"
    share = round(share, 9)  # the upper end of an interval may be a little below 1
    if 0 < share < 0.001:
        return "under 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    return f"{100 * share:.0f}%" if share in (0, 1) or 0.0995 <= share <= 0.985 else f"{100 * share:.1f}%"


def say_score(score: Data | None) -> list[str]:
    """The cross-validated score with its interval; nothing if it is not known."""
    if score is None:
        return []
    interval = (
        "no interval, because hardly a fold has every class"
        if score["low"] is None
        else f"{score['level']:.0%} interval: {score['low']:.3f} to {score['high']:.3f}"
    )
    return [
        f"Its cross-validated {score['metric'].replace('_', ' ')} is {score['score']:.3f} ({interval}; "
        f"{score['n_splits']} splits of the labeled rows)."
    ]


def say_filled(filled: Data) -> list[str]:
    """How many rows were filled, why one may trust them, and what would fill more."""
    n_pool = filled["n_filled"] + filled["n_review"]
    if not n_pool:
        return ["Every row has a label: there was nothing to fill."]
    if filled["n_filled"]:
        left = f"{_rows(filled['n_review'])} {'is' if filled['n_review'] == 1 else 'are'} left for review"
        begin = (
            f"{count(filled['n_filled'])} of {count(n_pool)} unlabeled rows "
            f"{'is' if filled['n_filled'] == 1 else 'are'} filled ({percent(filled['share'])}), {left}."
        )
    else:
        begin = f"No row was filled: all {count(n_pool)} unlabeled rows are left for review."
    why = say_costs(filled) if filled["rule"] == "cost" else say_bounds(filled)
    return [begin, *say_stopped(filled), *why]


def say_stopped(filled: Data) -> list[str]:
    """What a comparison that ended early means for the rows that were held out."""
    if not filled["stopped"] or filled["n_held_out"] >= filled["n_given"]:
        return []
    return [
        f"The comparison ended early, so only {count(filled['n_held_out'])} of {count(filled['n_given'])} labeled rows "
        "were held out; with the others more could be shown: let it run to the end."
    ]


def say_bounds(filled: Data) -> list[str]:
    """What shows that the precision is reached, or why that cannot be shown."""
    if not filled["n_held_out"]:
        return ["No labeled row could be held out, so nothing is known about the precision of predictions: label more."]
    said = [say_bound(filled, one) for one in filled["bounds"] if one["n_unlabeled"]][:MOST_CLASSES]
    if filled["n_filled"]:
        said.append(
            "This holds if the labeled rows are a random sample of all rows. The models that predicted held-out rows "
            "were trained without them, on four fifths of the labels, so the model of all labels should be no worse."
        )
    return said


def say_bound(filled: Data, one: Data) -> str:
    """The bound of all classes together, or of one."""
    wanted, level = _exact(filled["precision"]), _exact(filled["confidence"])
    who = "" if one["class"] is None else f"{one['class']!r}: "
    rows = "held-out labeled rows" if one["class"] is None else "held-out rows predicted so"
    if "threshold" in one:
        return (
            f"{who}At least {wanted} of the filled labels are right, with {level} confidence: of {one['n_rows']:,} "
            f"{rows} with a probability of {one['threshold']:.3f} or more, {one['n_right']:,} were predicted correctly."
        )
    reason = f"{who}A precision of {wanted} cannot be shown with {level} confidence: "
    if one["n_held_out"] < one["fewest"]:
        reason += f"{one['n_held_out']:,} {rows} are too few, it takes at least {one['fewest']:,} without an error"
    else:
        reason += f"too many of the most confident of {one['n_held_out']:,} {rows} are predicted wrongly"
    best = "not even 50% can" if one["best"] is None else f"at best about {_exact(one['best'])} can"
    missing = one["fewest"] - one["n_held_out"]
    if one["more_labels"] is not None and one["more_labels"] <= MOST_TIMES_THE_LABELS * one["n_held_out"]:
        more = f"about {_about(one['more_labels'])} more labels are needed if the model stays as good"
    elif missing > 0:
        more = f"at least {missing:,} more labels are needed"
    else:
        more = "no realistic number of further labels would do unless the model becomes better"
    return f"{reason}; {best}, and {more}."


def say_costs(filled: Data) -> list[str]:
    """What filling costs by estimate, and what it would have cost on held-out rows."""
    cost = filled["cost"]
    if "paid" not in cost:
        return ["No labeled row could be held out, so nothing is known about the cost of errors: label more."]
    rule = (
        f"A row is filled where its expected error costs less than a review ({cost['review']:g}); a wrong label costs "
        f"{cost['error']:g}{' unless a cost of its own is given' if cost['pairs'] else ''}."
    )
    tried = (
        f"On the {cost['n_held_out']:,} held-out labeled rows this rule fills {cost['n_rows']:,}, of which "
        f"{cost['n_right']:,} correctly, and costs {cost['paid']:.3g} per row; reviewing every row costs "
        f"{cost['review']:.3g}."
    )
    worse = ["On these rows that is no better than reviewing every row."] if cost["paid"] >= cost["review"] else []
    return [rule, tried, *worse, "This is an estimate, without a bound; it assumes a random sample of labeled rows."]


def say_next(filled: Data) -> str:
    """What to do next."""
    if not filled["n_next_rows"]:
        return ""
    return (
        f"{filled['files']['next_rows']} names the {_rows(filled['n_next_rows'])} whose labels would probably help "
        "most; add labels to the table and fit it again to fill more."
    )


def say_history(history: Sequence[Data]) -> str:
    """How the share of filled rows has grown."""
    if len(history) < 2:
        return ""
    first, last = history[0], history[-1]
    return (
        f"In {len(history)} runs, from {first['n_labeled']:,} to {last['n_labeled']:,} labels, the share of unlabeled "
        f"rows that is filled went from {percent(first['share'])} to {percent(last['share'])}."
    )


def _rows(n: int) -> str:
    return f"{n:,} row{'' if n == 1 else 's'}"


def _exact(proportion: float) -> str:
    """A proportion as percent, with the digits that it has."""
    return f"{100 * proportion:.6g}%"


def _about(n: int) -> str:
    """A number, rounded up to two digits."""
    step = 10 ** max(len(str(n)) - 2, 0)
    return f"{-(-n // step) * step:,}"
