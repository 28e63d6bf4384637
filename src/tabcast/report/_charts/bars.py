"""Horizontal bars: classes, seconds, changed labels."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import MAX_BARS, Bar, Mark, Range, color, draw_bars, draw_pairs, draw_ranges
from tabcast.report._phrases import Data, count, percent, seconds, spaced
from tabcast.report._scales import widen
from tabcast.report._text import clean


def draw_classes(table: Data, width: float) -> Markup:
    """Labeled rows of each class."""
    bars = [
        Bar(clean(one["name"]), one["n_labeled"], count(one["n_labeled"]), color(i))
        for i, one in enumerate(table["classes"])
    ]
    return draw_bars(bars, width, "Labeled rows by class")


def draw_class_prior(data: Data, width: float) -> Markup:
    """Proportion of each class with its uncertainty, and its labeled rows."""
    shown = data["classes"][:MAX_BARS]
    ranges = []
    for i, one in enumerate(shown):
        tip = f"{clean(one['class'])}: {percent(one['proportion'])} ({percent(one['low'])} to {percent(one['high'])})"
        mark = Mark(one["proportion"], one["low"], one["high"], tip, f"dot {color(i)}")
        ranges.append(Range(clean(one["class"]), [mark], count(one["n"])))
    most = max((one["high"] for one in shown), default=1.0)
    bounds = (0.0, min(1.0, widen(0.0, most)[1]))
    return draw_ranges(ranges, width, "Class proportions", bounds=bounds, unit="proportion of all rows")


def draw_seconds(training: Data, width: float) -> Markup:
    """Where the time went."""
    spent = sorted(training["seconds"].items(), key=lambda one: -one[1])
    bars = [Bar(spaced(name), value, seconds(value), "neutral") for name, value in spent]
    return draw_bars(bars, width, "Seconds per step")


def draw_flipped(data: Data, width: float) -> Markup:
    """How often each label replaced another."""
    pairs = sorted(data["pairs"], key=lambda one: -one["n"])
    return draw_pairs([(one["from"], one["to"], one["n"], count(one["n"])) for one in pairs], width, "Changed labels")
