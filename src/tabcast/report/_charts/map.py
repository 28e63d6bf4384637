"""The map of the pseudo-labels: one dot per row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tabcast.report._forms import FOOT, TOP, color
from tabcast.report._scales import Scale, choose, left_room, tick_texts, widen
from tabcast.report._svg import axis_bottom, axis_left, dot, element, picture


@dataclass(frozen=True)
class Point:
    """A row on the map: its place, class, whether it was used, and its position in the page's table."""

    x: float
    y: float
    code: int
    used: bool
    position: int


def draw_map(points: Sequence[Point], width: float, *, x_label: str) -> Markup:
    """One dot per row: filled if it was used, a ring if not."""
    height = choose(width, 440, 340)
    base, right = height - FOOT, width - 8
    y = Scale(*_bounds([one.y for one in points]), base - 4, TOP + 4)
    ticks = y.ticks(5)
    left = left_room(tick_texts(ticks))
    x = Scale(*_bounds([one.x for one in points]), left + 8, right - 8)
    x_ticks = x.ticks(choose(width, 10, 5))
    radius = choose(width, 3.5, 2.7)
    dots = [
        dot(x(one.x), y(one.y), radius, f"{'p' if one.used else 'o'} {color(one.code)}", data_i=one.position)
        for one in points
    ]
    parts = [
        axis_left(y, left, right, ticks, tick_texts(ticks), label="confidence"),
        axis_bottom(x, base, x_ticks, tick_texts(x_ticks), label=x_label, top=TOP),
        element("g", *dots),
        dot(0, 0, 7, "halo"),
    ]
    return picture(width, height, "Map of the pseudo-labels", parts)


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    """From a little below the minimum to 1 for values between 0 and 1."""
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return max(0.0, math.floor((low - 0.01) * 10) / 10), 1.0
    return widen(low, high)
