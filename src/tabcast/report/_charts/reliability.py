"""Accuracy by confidence beside the diagonal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from tabcast.report._forms import FOOT, TOP
from tabcast.report._phrases import Data, count, is_number, percent
from tabcast.report._scales import Scale, choose, end_room, left_room, percent_texts
from tabcast.report._svg import axis_bottom, axis_left, dot, line, path, picture, titled

MERGED = ("confidence", "accuracy", "low", "high")


def draw_reliability(data: Data, width: float) -> Markup:
    """Accuracy by confidence of the model and of the one it is compared with, and the diagonal."""
    height = choose(width, 370, 310)
    base, left = height - FOOT, left_room(["100%"])
    models = {who: merge_bins(data[who]["bins"]) for who in ("other", "model")}
    every = [one for bins in models.values() for one in bins]
    x_low = _tenth_below([one["confidence"] for one in every])
    y_low = min(x_low, _tenth_below([one["low"] if is_number(one["low"]) else one["accuracy"] for one in every]))
    right = min(width - end_room(["100%"]), left + 1.5 * (base - TOP))
    x, y = Scale(x_low, 1, left, right), Scale(y_low, 1, base, TOP)
    x_ticks, y_ticks = x.ticks(5), y.ticks(5)
    parts = [
        axis_left(y, left, right, y_ticks, percent_texts(y_ticks), label="accuracy"),
        axis_bottom(x, base, x_ticks, percent_texts(x_ticks), label="confidence"),
        line(x(x_low), y(x_low), x(1), y(1), "reference"),
    ]
    for who, css, shift in (("other", "neutral", -2.0), ("model", "accent", 2.0)):
        bins = models[who]
        places = [(x(one["confidence"]) + shift, y(one["accuracy"])) for one in bins]
        most = max((one["n"] for one in bins), default=1) or 1
        if len(places) > 1:
            parts.append(path(places, f"line {css}"))
        for (a, b), one in zip(places, bins, strict=True):
            drawn = [dot(a, b, 3.0 + 3.5 * math.sqrt(one["n"] / most), f"dot {css}")]
            if is_number(one["low"]) and is_number(one["high"]):
                drawn.insert(0, line(a, y(one["low"]), a, y(one["high"]), f"whisker thin {css}"))
            tip = f"confidence {percent(one['confidence'])}, {percent(one['accuracy'])} of {count(one['n'])} right"
            parts.append(titled(f"{data[f'{who}_name']}: {tip}", *drawn))
    return picture(width, height, "Accuracy by confidence", parts)


def merge_bins(bins: Sequence[Data], closest: float = 0.02) -> list[Data]:
    """Merge bins whose confidences cannot be told apart in a picture: means, weighted by rows.

    The ends of intervals are averaged like the rest: the interval of a typical bin, not of all rows together.

    Examples
    --------
    >>> one = {"confidence": 0.99, "accuracy": 1.0, "low": 0.7, "high": 1.0, "n": 10}
    >>> [round(both["accuracy"], 3) for both in merge_bins([one, {**one, "confidence": 1.0, "accuracy": 0.8}])]
    [0.9]
    """
    merged: list[Data] = []
    known = [one for one in bins if is_number(one["accuracy"]) and is_number(one["confidence"])]
    for one in sorted(known, key=lambda one: one["confidence"]):
        last = merged[-1] if merged else None
        if last is None or one["confidence"] - last["confidence"] >= closest:
            merged.append(one)
            continue
        n = last["n"] + one["n"]
        known_both = [key for key in MERGED if is_number(last[key]) and is_number(one[key])]
        means = {key: (last["n"] * last[key] + one["n"] * one[key]) / n for key in known_both}
        merged[-1] = {**dict.fromkeys(MERGED), **means, "n": n}
    return merged


def _tenth_below(values: Sequence[float]) -> float:
    return max(0.0, math.floor((min(values, default=0.0) - 0.02) * 10) / 10)
