"""Horizontal bars: classes, seconds, changed labels."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import Bar, color, draw_bars, draw_pairs
from tabcast.report._phrases import Data, count, seconds, spaced
from tabcast.report._text import clean


def draw_classes(table: Data, width: float) -> Markup:
    """Labeled rows of each class."""
    bars = [
        Bar(clean(one["name"]), one["n_labeled"], count(one["n_labeled"]), color(i))
        for i, one in enumerate(table["classes"])
    ]
    return draw_bars(bars, width, "Labeled rows by class")


def draw_seconds(training: Data, width: float) -> Markup:
    """Where the time went."""
    spent = sorted(training["seconds"].items(), key=lambda one: -one[1])
    bars = [Bar(spaced(name), value, seconds(value), "neutral") for name, value in spent]
    return draw_bars(bars, width, "Seconds per step")


def draw_flipped(data: Data, width: float) -> Markup:
    """How often each label replaced another."""
    pairs = sorted(data["pairs"], key=lambda one: -one["n"])
    return draw_pairs([(one["from"], one["to"], one["n"], count(one["n"])) for one in pairs], width, "Changed labels")
