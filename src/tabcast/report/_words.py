"""Sentences that the terminal and the page share: about the model and the filled table."""

from __future__ import annotations

from collections.abc import Mapping
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


def say_quality(quality: Data) -> str:
    """How often the model is right on held-out rows, beside a constant answer."""
    return (
        f"Cross-validated, {100 * quality['accuracy']:.1f}% of the predictions are right (95% interval: "
        f"{percent(quality['accuracy_low'])} to {percent(quality['accuracy_high'])}); always {quality['constant']!r} "
        f"would be right in {100 * quality['constant_accuracy']:.1f}%."
    )


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
    return [begin, *say_bounds(filled), *say_filled_classes(filled)]


def say_filled_classes(filled: Data) -> list[str]:
    """What a constant answer would reach on the same rows, and how much of each class was filled."""
    if not filled["n_filled"]:
        return []
    predicted = [one for one in filled["per_class"] if one["n"]][:MOST_CLASSES]
    shares = ", ".join(f"{one['name']} {percent(one['n_filled'] / one['n'])}" for one in predicted)
    constant = percent(filled["constant_precision"])
    return [
        f"Always {filled['constant']!r} would be right in {constant} of those held-out rows. Proportion filled of each "
        f"predicted class: {shares}."
    ]


def say_bounds(filled: Data) -> list[str]:
    """What shows that the precision is reached, or why that cannot be shown."""
    if not filled["n_held_out"]:
        return ["No labeled row could be held out, so nothing is known about the precision of predictions: label more."]
    said = [say_bound(filled)] if filled["n_unlabeled"] else []
    if filled["n_filled"]:
        said.append(
            "This holds if the labeled rows are a random sample of all rows. The models that predicted held-out rows "
            "were trained without them, on most of the labels, so the model of all labels should be no worse."
        )
    if filled["n_review"]:
        said.append("To fill more, label rows that are drawn at random, and fit the table again.")
    return said


def say_bound(filled: Data) -> str:
    """The bound, or what is missing for one."""
    wanted, level = _exact(filled["precision"]), _exact(filled["confidence"])
    rows = "held-out labeled rows"
    if "threshold" in filled:
        return (
            f"At least {wanted} of the filled labels are right, with {level} confidence: of {filled['n_rows']:,} "
            f"{rows} with a probability of {filled['threshold']:.3f} or more, {filled['n_right']:,} were predicted "
            "correctly."
        )
    reason = f"A precision of {wanted} cannot be shown with {level} confidence: "
    if filled["n_held_out"] < filled["fewest"]:
        reason += (
            f"{filled['n_held_out']:,} {rows} are too few, it takes at least {filled['fewest']:,} without an error"
        )
    else:
        reason += f"too many of the most confident of {filled['n_held_out']:,} {rows} are predicted wrongly"
    best = "not even 50% can" if filled["best"] is None else f"at best about {_exact(filled['best'])} can"
    missing = filled["fewest"] - filled["n_held_out"]
    if filled["more_labels"] is not None and filled["more_labels"] <= MOST_TIMES_THE_LABELS * filled["n_held_out"]:
        more = f"about {_about(filled['more_labels'])} more labels are needed if the model stays as good"
    elif missing > 0:
        more = f"at least {missing:,} more labels are needed"
    else:
        more = "no realistic number of further labels would do unless the model becomes better"
    return f"{reason}; {best}, and {more}."


def _rows(n: int) -> str:
    return f"{n:,} row{'' if n == 1 else 's'}"


def _exact(proportion: float) -> str:
    """A proportion as percent, with the digits that it has."""
    return f"{100 * proportion:.6g}%"


def _about(n: int) -> str:
    """A number, rounded up to two digits."""
    step = 10 ** max(len(str(n)) - 2, 0)
    return f"{-(-n // step) * step:,}"
