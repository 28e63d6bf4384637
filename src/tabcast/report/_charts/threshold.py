"""Precision and recall by threshold, with the threshold in use."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tabcast.report._forms import FOOT, QUARTERS, TOP
from tabcast.report._phrases import Data, decimal, is_number
from tabcast.report._scales import LABEL_SIZE, Scale, choose, end_room, left_room, percent_texts, text_width, tick_texts
from tabcast.report._svg import axis_bottom, axis_left, line, path, picture, text, titled


def draw_threshold(data: Data, width: float) -> Markup:
    """Recall and precision of the second class as the threshold moves."""
    height = choose(width, 250, 230)
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    texts = percent_texts(QUARTERS)
    base, left, right = height - FOOT, left_room(texts), width - end_room(tick_texts(ticks))
    x, y = Scale(0, 1, left, right), Scale(0, 1, base, TOP)
    parts = [
        axis_left(y, left, right, QUARTERS, texts, label="proportion of rows"),
        axis_bottom(x, base, ticks, tick_texts(ticks), label="threshold"),
    ]
    for name, css in (("recall", "accent"), ("precision", "c1")):
        known = [(one["threshold"], value) for one in data["counts"] if is_number(value := one[name])]
        for points in _without_gaps(known):
            parts.append(titled(name, path([(x(a), y(b)) for a, b in points], f"line {css}")))
    at, said = x(data["in_use"]), f"in use: {decimal(data['in_use'], 2)}"
    fits = at + text_width(said, LABEL_SIZE) + 8 < width
    parts.append(titled(said, line(at, TOP, at, base, "chosen")))
    parts.append(text(at + (8 if fits else -8), base - 10, said, css="side on-top", anchor=None if fits else "end"))
    return picture(width, height, "Recall and precision by threshold", parts)


def _without_gaps(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Runs of points of consecutive thresholds, of two points at least."""
    runs: list[list[tuple[float, float]]] = []
    for one in points:
        if runs and one[0] - runs[-1][-1][0] < 0.015:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [run for run in runs if len(run) > 1]
