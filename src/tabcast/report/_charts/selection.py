"""A line over a threshold or alpha: how many rows pass."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tabcast.report._forms import FOOT, QUARTERS, TOP
from tabcast.report._phrases import Data, count, decimal, percent
from tabcast.report._scales import LABEL_SIZE, Scale, choose, end_room, left_room, percent_texts, text_width, tick_texts
from tabcast.report._svg import axis_bottom, axis_left, dot, line, path, picture, text, titled


def draw_selection(data: Data, width: float) -> Markup:
    """The proportion of rows that pass, by threshold."""
    points = [(one["threshold"], one["share"], one["n"]) for one in data["thresholds"]]
    return _draw_shares(points, width, "confidence threshold", data.get("threshold"), "Rows that pass, by threshold")


def draw_selection_by_alpha(data: Data, width: float) -> Markup:
    """The proportion of rows that pass, by alpha."""
    points = [(one["alpha"], one["share"], one["n"]) for one in data["alphas"]]
    return _draw_shares(points, width, "alpha", data["alpha"], "Rows that pass, by alpha")


def _draw_shares(
    points: Sequence[tuple[float, float, int]], width: float, x_label: str, chosen: float | None, alt: str
) -> Markup:
    """A line of proportions, and the value in use."""
    height = choose(width, 260, 230)
    xs = [x for x, _, _ in points] or [0.0, 1.0]
    ticks = Scale(min(xs), max(xs), 0, width).ticks(6)
    base, left, right = height - FOOT, left_room(percent_texts(QUARTERS)), width - end_room(tick_texts(ticks))
    x, y = Scale(min(xs), max(xs), left, right), Scale(0, 1, base, TOP)
    parts = [
        axis_left(y, left, right, QUARTERS, percent_texts(QUARTERS), label="proportion of unlabeled rows"),
        axis_bottom(x, base, ticks, tick_texts(ticks), label=x_label),
    ]
    places = [(x(a), y(b)) for a, b, _ in points]
    if places:
        ground = [(places[-1][0], base), (places[0][0], base)]
        parts += [path([*places, *ground], "wash accent", closed=True), path(places, "line accent")]
    # Invisible dots show the numbers when pointed at.
    for (a, b), (value, share, n) in zip(places, points, strict=True):
        said = f"{decimal(value, 2)}: {percent(share)} of rows ({count(n)})"
        parts.append(titled(said, dot(a, b, 8, "ghost")))
    if chosen is not None and min(xs) <= chosen <= max(xs):
        at, said = x(chosen), f"in use: {decimal(chosen, 2)}"
        parts.append(line(at, TOP, at, base, "chosen"))
        fits = at + text_width(said, LABEL_SIZE) + 8 < width
        parts.append(text(at + (8 if fits else -8), TOP + 13, said, css="side on-top", anchor=None if fits else "end"))
    return picture(width, height, alt, parts)
