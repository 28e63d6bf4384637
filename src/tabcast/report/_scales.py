"""Where things lie in a drawing, in pixels: scales, round ticks, and how wide text is."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from tabcast.report._phrases import MINUS
from tabcast.report._text import clean

Choice = TypeVar("Choice", int, float, str)

TICK_SIZE = 11.5
LABEL_SIZE = 12.5
PHONE, TABLET = 500, 600  # up to these widths a drawing is for a phone, for a tablet
# Advance widths in em of the widest common fonts (Verdana, DejaVu Sans), by kind of character.
WIDTHS = {
    character: width
    for width, characters in (
        (0.28, "il'"),
        (0.36, " .,·jf"),
        (0.46, 'IJrt/\\|:;!-()[]"'),
        (0.79, "DGHNOQU"),
        (0.84, f"w#&+<=>^~{MINUS}→←±"),
        (1.0, "mMW@—…"),
        (1.08, "%"),
    )
    for character in characters
}
BOLD = 1.15  # how much wider bold text is


@dataclass(frozen=True)
class Scale:
    """A linear map from values to pixels.

    Examples
    --------
    >>> Scale(0, 2, 100, 0)(0.5)
    75.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, n: int = 5) -> list[float]:
        """Round numbers inside, about `n` of them."""
        step = tick_step(self.low, self.high, n)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]


def tick_step(low: float, high: float, n: int) -> float:
    """The step among 1, 2, 2.5, 5 times a power of ten that gives about `n` ticks.

    Examples
    --------
    >>> tick_step(0, 1, 5), tick_step(-0.03, 0.11, 6), tick_step(3, 3, 5)
    (0.2, 0.025, 1.0)
    """
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / n))
    for factor in (1, 2, 2.5, 5, 10):
        if span / (factor * power) <= n + 0.5:
            return factor * power
    return 10 * power


def widen(low: float, high: float, share: float = 0.06, n: int = 5) -> tuple[float, float]:
    """Bounds with some margin, moved out to round numbers.

    Examples
    --------
    >>> widen(0.61, 0.88)
    (0.5, 0.9)
    """
    if low == high:
        low, high = low - (abs(low) * 0.1 or 0.5), high + (abs(high) * 0.1 or 0.5)
    room = (high - low) * share
    low, high = low - room, high + room
    # Wider bounds may need a larger step, and a larger step other bounds.
    for _ in range(4):
        step = tick_step(low, high, n)
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(low, 12), round(high, 12)


def tick_text(value: float, step: float) -> str:
    """The number of a tick with as many digits as its step, and a real minus sign.

    Examples
    --------
    >>> tick_text(0.05, 0.05), tick_text(-2, 1), tick_text(20000, 5000), tick_text(0.5, 0.25), tick_text(5, 2.5)
    ('0.05', '−2', '20,000', '0.50', '5.0')
    """
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step * 10**digits, 6) != round(step * 10**digits):
        digits += 1
    if abs(value) >= 1e7 or (value and abs(value) < 1e-5):
        return f"{value:.2g}".replace("-", MINUS)
    shown = f"{value:,.{digits}f}"
    return shown.replace("-", MINUS) if float(shown.replace(",", "")) else shown.replace("-", "")


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """Numbers of all ticks of an axis in one format."""
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    return [tick_text(tick, step) for tick in ticks]


def percent_texts(ticks: Sequence[float]) -> list[str]:
    """Proportions as percentages."""
    return [f"{one}%" for one in tick_texts([100 * tick for tick in ticks])]


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in the widest common font, in pixels: which font a reader has is not known.

    Examples
    --------
    >>> round(text_width("100%", 10), 3), round(text_width("100%", 10, bold=True), 3)
    (30.0, 34.5)
    """
    return sum(_character_width(one) for one in text) * size * (BOLD if bold else 1)


def _character_width(one: str) -> float:
    """The width of a character in em."""
    if unicodedata.combining(one) or unicodedata.category(one) in ("Cf", "Cc"):
        return 0.0
    if one in WIDTHS:
        return WIDTHS[one]
    if unicodedata.east_asian_width(one) in "WF":
        return 1.05
    foreign = 0.1 if ord(one) > 0x24F else 0.0  # Cyrillic and others are wider than Latin
    return (0.7 if one.isupper() else 0.64) + foreign


def fit_text(value: Any, width: float, size: float = LABEL_SIZE) -> str:
    """The text, with an ellipsis in the middle if it is wider than `width`.

    Examples
    --------
    >>> fit_text("monthly_fee_in_euro", 80)
    'mont…euro'
    """
    text = clean(value)
    if text_width(text, size) <= width:
        return text
    for kept in range(min(len(text) - 1, 200), 1, -1):
        head = (kept + 1) // 2
        short = text[:head] + "…" + text[len(text) - (kept - head) :]
        if text_width(short, size) <= width:
            return short
    return "…"


def left_room(texts: Sequence[str], least: float = 34) -> float:
    """How much room the numbers of a left axis take."""
    return max([least, *(text_width(one, TICK_SIZE) + 12 for one in texts)])


def end_room(texts: Sequence[str], least: float = 16) -> float:
    """How much room the first and the last number of a bottom axis take beyond its ends."""
    return max([least, *(text_width(one, TICK_SIZE) / 2 + 2 for one in (*texts[:1], *texts[-1:]))])


def choose(width: float, wide: Choice, narrow: Choice) -> Choice:
    """One of two values, by width: for a screen or for a phone."""
    return wide if width > PHONE else narrow
