"""Forms that several pictures share: bars, dots with intervals, squares; their colors and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tabcast.report._phrases import is_number
from tabcast.report._scales import (
    LABEL_SIZE,
    Scale,
    choose,
    end_room,
    fit_text,
    left_room,
    percent_texts,
    text_width,
    tick_texts,
    widen,
)
from tabcast.report._svg import axis_bottom, axis_left, dot, element, line, picture, text, titled
from tabcast.report._text import clean

N_COLORS = 8
MAX_BARS = 12
MAX_CELLS = 8
TOP = 34.0  # room above a picture for the name of its vertical axis
FOOT = 46.0  # room below it for numbers and name of the other
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


def color(position: int) -> str:
    """The class of a series' color; from the eighth on all share the last, gray."""
    return f"c{min(position, N_COLORS - 1)}"


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: its name, length, the number at its end, its color, and its full name."""

    name: str
    value: float
    shown: str
    css: str = "accent"
    full: str | None = None


def draw_bars(bars: Sequence[Bar], width: float, label: str, *, share: float = 0.0) -> Markup:
    """Horizontal bars with a name on the left, which may take a `share` of the width, and a number at the end."""
    bars = bars[:MAX_BARS]
    step, thick = 30.0, 14.0
    longest = max((text_width(one.name, LABEL_SIZE) for one in bars), default=0)
    left = min(longest + 14, width * (share or choose(width, 0.34, 0.42)))
    right = width - max((text_width(one.shown, LABEL_SIZE) for one in bars), default=0) - 12
    scale = Scale(0, max((one.value for one in bars), default=0) or 1, left, right)
    parts = []
    for i, one in enumerate(bars):
        y = i * step + 8
        base = y + thick / 2 + 4.5
        full = one.full or one.name
        long = max(scale(one.value) - left, 1.5)
        box = element("rect", x=float(left), y=y, width=long, height=thick, rx=2.0, class_=f"bar {one.css}")
        parts.append(text(left - 12, base, one.name, anchor="end", width=left - 12, full=full))
        parts.append(titled(f"{full}: {one.shown}", box))
        parts.append(text(left + long + 8, base, one.shown, css="value"))
    return picture(width, len(bars) * step + 4, label, parts)


def draw_pairs(pairs: Sequence[tuple[Any, Any, float, str]], width: float, label: str) -> Markup:
    """Bars for pairs of names; both names of a pair get the same room."""
    share = choose(width, 0.4, 0.5)
    room = (width * share - 40) / 2
    bars = []
    for one, other, value, shown in pairs:
        short = f"\u2068{fit_text(one, room)}\u2069 → \u2068{fit_text(other, room)}\u2069"
        bars.append(Bar(short, value, shown, full=f"\u2068{clean(one)}\u2069 → \u2068{clean(other)}\u2069"))
    return draw_bars(bars, width, label, share=share)


@dataclass(frozen=True)
class Dot:
    """A dot with a vertical interval: its name below, and a tip that is shown when pointed at."""

    name: str
    value: float
    low: Any
    high: Any
    tip: str


def draw_dots(
    dots: Sequence[Dot], width: float, labels: tuple[str, str], alt: str, *,
    level: float | None = None, share: bool = False, zero: bool = False,
) -> Markup:  # fmt: skip
    """Dots from left to right; `labels` name the vertical and the horizontal axis, `level` is a dashed line."""
    ends: list[Any] = [level, *(end for one in dots for end in (one.value, one.low, one.high))]
    values = [end for end in ends if is_number(end)] or [0.0, 1.0]
    low, high = widen(min([*values, 0.0] if zero else values), max(values))
    if share:
        low, high = max(low, 0.0), min(high, 1.0)
    elif zero and min(values) >= 0:
        low = 0.0
    height = choose(width, 290, 250)
    base, right = height - FOOT, width - 8
    y = Scale(low, high, base, TOP)
    ticks = y.ticks(5)
    texts = percent_texts(ticks) if share else tick_texts(ticks)
    left = left_room(texts)
    x = Scale(-0.5, len(dots) - 0.5, left, right)
    parts = [axis_left(y, left, right, ticks, texts, label=labels[0]), axis_bottom(x, base, [], [], label=labels[1])]
    if level is not None:
        parts.append(line(left, y(level), right, y(level), "reference"))
    for i, one in enumerate(dots):
        room = (right - left) / len(dots) - 4
        parts.append(text(x(i), base + 17, one.name, css="tick", anchor="middle", width=room))
        drawn = [dot(x(i), y(one.value), 5.5, "dot accent")]
        if is_number(one.low) and is_number(one.high):
            drawn.insert(0, line(x(i), y(max(one.low, low)), x(i), y(min(one.high, high)), "whisker accent"))
        parts.append(titled(one.tip, *drawn))
    return picture(width, height, alt, parts)


@dataclass(frozen=True)
class Mark:
    """A value with its interval on a horizontal scale: a dot, or a ring for what it is compared with."""

    value: Any
    low: Any
    high: Any
    tip: str
    css: str = "dot accent"


@dataclass(frozen=True)
class Range:
    """A line of a picture: its name on the left, its marks below each other, and a word at the right end."""

    name: str
    marks: Sequence[Mark]
    shown: str = ""


def draw_ranges(
    ranges: Sequence[Range], width: float, alt: str, *, bounds: tuple[float, float], unit: str, share: bool = True
) -> Markup:
    """Horizontal intervals, one line per name, on a common scale below."""
    names = max((text_width(one.name, LABEL_SIZE) for one in ranges), default=0)
    left = min(names + 14, width * choose(width, 0.34, 0.38))
    ticks = Scale(*bounds, 0, width).ticks(choose(width, 6, 4))
    texts = percent_texts(ticks) if share else tick_texts(ticks)
    shown = max((text_width(one.shown, LABEL_SIZE) for one in ranges), default=0)
    scale = Scale(*bounds, left + end_room(texts) / 2, width - max(shown + 12, end_room(texts)))
    step = 14.0
    parts, y = [], 6.0
    for one in ranges:
        high = max(28.0, step * len(one.marks) + 12)
        middle = y + high / 2
        parts.append(text(left - 12, middle + 4.5, one.name, anchor="end", width=left - 12))
        if one.shown:
            parts.append(text(width, middle + 4.5, one.shown, css="value", anchor="end"))
        for place, mark in enumerate(one.marks):
            if is_number(mark.value):
                at = middle + (place - (len(one.marks) - 1) / 2) * step
                parts.append(titled(mark.tip, *_draw_mark(mark, scale, at)))
        y += high
    grid = [axis_bottom(scale, y + 4, ticks, texts, label=unit, top=4.0)]
    if bounds[0] < 0 < bounds[1]:
        grid.append(line(scale(0), 4, scale(0), y + 4, "zero"))
    return picture(width, y + 4 + FOOT, alt, [*grid, *parts])


def _draw_mark(mark: Mark, scale: Scale, y: float) -> list[Markup]:
    """A dot on its interval, cut at the ends of the scale."""
    drawn = [dot(scale(min(max(mark.value, scale.low), scale.high)), y, 5.0, mark.css)]
    if is_number(mark.low) and is_number(mark.high):
        low, high = (min(max(end, scale.low), scale.high) for end in (mark.low, mark.high))
        drawn.insert(0, line(scale(low), y, scale(high), y, f"whisker {mark.css.split()[-1]}"))
    return drawn


@dataclass(frozen=True)
class Cell:
    """A square: how dark it is (0 to 1), the number in it, and a tip that is shown when pointed at."""

    share: float
    shown: str
    tip: str
    css: str = "cell"


def draw_squares(
    names: Sequence[str], cells: Sequence[Sequence[Cell]], width: float, alt: str, corner: tuple[str, str]
) -> Markup:
    """Squares in rows and columns of the same names; `corner` names rows and columns."""
    n = len(names)
    left = min(max(text_width(one, LABEL_SIZE) for one in [*names, corner[0]]) + 16, width * 0.3)
    size = min(choose(width, 104, 76), (width - left - 2) / n)
    high, top = min(size, 52.0), 46.0
    parts = [
        text(left - 12, top - 30, corner[0], css="axis-label", anchor="end"),
        text(left + 4, top - 30, corner[1], css="axis-label"),
    ]
    for i, one in enumerate(names):
        y = top + i * high
        parts.append(text(left + (i + 0.5) * size, top - 10, one, anchor="middle", width=size - 6))
        parts.append(text(left - 12, y + high / 2 + 4, one, anchor="end", width=left - 14))
        for j, cell in enumerate(cells[i]):
            x = left + j * size
            box = element(
                "rect", x=x + 1, y=y + 1, width=size - 2, height=high - 2, rx=3.0, class_=cell.css,
                fill_opacity=round(0.05 + 0.95 * cell.share, 3),
            )  # fmt: skip
            css = "cell-text strong" if cell.share > 0.55 else "cell-text"
            inside = text(x + size / 2, y + high / 2 + 4.5, cell.shown, css=css, anchor="middle")
            parts.append(titled(cell.tip, box, inside))
    return picture(width, top + n * high + 4, alt, parts)
