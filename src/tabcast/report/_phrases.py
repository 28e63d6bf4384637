"""Numbers and names in the words of a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from tabcast.report._text import clean, shorten

Data = Mapping[str, Any]

NOTHING = "—"
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Words:
    """The text beside a picture: the question it answers, how to read it, and what this one shows."""

    title: str
    read: str
    says: str


def count(value: float) -> str:
    """A number of things.

    Examples
    --------
    >>> count(50000), count(69.8333)
    ('50,000', '69.8')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def rows(value: float) -> str:
    """A number of rows.

    Examples
    --------
    >>> rows(1), rows(2000)
    ('1 row', '2,000 rows')
    """
    return f"{count(value)} row" if value == 1 else f"{count(value)} rows"


def percent(share: float | None) -> str:
    """A proportion as a percentage; a small one keeps a digit.

    Examples
    --------
    >>> percent(0.614), percent(0.0123), percent(0.0001), percent(0.0), percent(0.9999)
    ('61%', '1.2%', 'under 0.1%', '0%', 'over 99.9%')
    """
    if share is None or math.isnan(share):
        return NOTHING
    if 0 < share < 0.001:
        return "under 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    return f"{100 * share:.0f}%" if share == 0 or 0.0995 <= share <= 0.985 or share == 1 else f"{100 * share:.1f}%"


def decimal(value: float | None, digits: int = 3) -> str:
    """A number with a real minus sign; a dash where there is none.

    Examples
    --------
    >>> decimal(-0.5), decimal(None), decimal(0.1234, 2)
    ('−0.500', '—', '0.12')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value:.{digits}f}".replace("-", MINUS)


def seconds(value: float) -> str:
    """A duration.

    Examples
    --------
    >>> seconds(0.0312), seconds(4.21), seconds(75), seconds(3700)
    ('0.03 s', '4.2 s', '1 min 15 s', '1 h 1 min')
    """
    if value < 0.1:
        return f"{value:.2f} s"
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def p_value(value: float | None) -> str:
    """A p-value to append to a sentence.

    Examples
    --------
    >>> p_value(0.0002), p_value(0.034), p_value(None)
    (', p < 0.001', ', p = 0.034', '')
    """
    if value is None:
        return ""
    return ", p < 0.001" if value < 0.001 else f", p = {value:.3f}"


def interpolate(points: Sequence[tuple[float, float]], at: float) -> float:
    """The height of a line through points sorted from left to right; beyond its ends, that of the nearest end.

    Examples
    --------
    >>> interpolate([(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)], 0.75), interpolate([(0.0, 1.0)], 2.0)
    (0.25, 1.0)
    """
    x, y = zip(*points, strict=True)
    return float(np.interp(at, x, y))


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def quoted(value: Any, limit: int = 40) -> str:
    """A name of the user's inside a sentence, in quotes and isolated, so that right-to-left text stays inside them."""
    return f"“\u2068{shorten(value, limit)}\u2069”"


def spaced(text: Any) -> str:
    """A name in code as words.

    Examples
    --------
    >>> spaced("balanced_accuracy")
    'balanced accuracy'
    """
    return clean(text).replace("_", " ")


def in_points(verdict: Data) -> bool:
    """Whether the score is a proportion, so that differences are given in points (hundredths)."""
    proportions = all(0 <= verdict[key] <= 1 for key in ("supervised", "self_trained"))
    return proportions and not str(verdict["metric"]).startswith("neg_")


def signed(value: float, *, points: bool) -> str:
    """A difference of scores.

    Examples
    --------
    >>> signed(0.0344, points=True), signed(-0.02, points=False)
    ('+3.4 points', '−0.020')
    """
    text = f"{100 * value:+.1f}" if points else f"{value:+.3f}"
    text = text.replace("-", MINUS)
    return f"{text} point{'' if text[1:] == '1.0' else 's'}" if points else text


def is_number(value: Any) -> bool:
    """Whether there is a finite number to show."""
    return isinstance(value, int | float) and math.isfinite(value)


def clip(share: Any) -> float:
    """A proportion to draw: between 0 and 1, and 0 where there is none."""
    return min(1.0, max(0.0, float(share))) if is_number(share) else 0.0


def date(iso: str) -> str:
    """A date in words; text that is no date stays as it is.

    Examples
    --------
    >>> date("2026-10-02T14:05:00+00:00"), date("yesterday")
    ('October 2, 2026', 'yesterday')
    """
    try:
        when = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{when:%B} {when.day}, {when.year}"
