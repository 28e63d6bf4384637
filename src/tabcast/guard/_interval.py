"""From the interval of a gain to a word for it, and to the number of labels that would settle it."""

from __future__ import annotations

import math

from tabcast.statistics import Interval

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
