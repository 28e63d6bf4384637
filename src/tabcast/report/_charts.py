"""One function per picture: plain data in, SVG out, for a given width, so that text keeps its size on a phone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tabcast.report._forms import FOOT, MAX_BARS, TOP, Bar, Dot, color, draw_bars, draw_dots, draw_pairs
from tabcast.report._phrases import (
    NOTHING,
    clip,
    count,
    decimal,
    in_points,
    is_number,
    percent,
    seconds,
    signed,
    spaced,
)
from tabcast.report._scales import (
    LABEL_SIZE,
    PHONE,
    Scale,
    choose,
    end_room,
    left_room,
    percent_texts,
    text_width,
    tick_texts,
    widen,
)
from tabcast.report._svg import axis_bottom, axis_left, dot, element, line, path, picture, text, titled
from tabcast.report._text import clean

Data = Mapping[str, Any]

MAX_CELLS = 8
MERGED = ("confidence", "accuracy", "low", "high")
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


# The verdict


def draw_verdict(verdict: Data, width: float) -> Markup:
    """The gain of the self-trained model; in steps where a committee without unlabeled rows was compared as well."""
    return draw_gain(verdict, width) if verdict["committee"] is None else draw_steps(verdict, width)


def draw_steps(verdict: Data, width: float) -> Markup:
    """Three models, one per line, and two intervals: against the user's model, and against the best without the pool.

    The first interval is to be compared with the line of the user's model, the second with that of the best model
    without unlabeled rows.
    """
    points = in_points(verdict)
    factor = 100 if points else 1
    names = ("supervised", "committee", "self_trained")
    own, committee, student = (factor * (verdict[name] - verdict["supervised"]) for name in names)
    without = committee if verdict["without"] == "committee" else own
    total, credit = verdict["total"], verdict
    spans = [
        (factor * total["low"], factor * total["high"]),
        (without + factor * credit["low"], without + factor * credit["high"]),
    ]
    n_ticks = 5 if width <= PHONE else 9
    marks = (own, committee, student, *spans[0], *spans[1])
    bounds = widen(min(marks), max(marks), n=n_ticks)
    ticks = Scale(*bounds, 0, width).ticks(n_ticks)
    texts = [one if tick <= 0 else f"+{one}" for tick, one in zip(ticks, tick_texts(ticks), strict=True)]
    side = end_room(texts)
    scale = Scale(*bounds, side, width - side)
    base, rows = 248.0, (32.0, 76.0, 120.0)
    unit = f"gain in {spaced(verdict['metric'])}" + (", points" if points else "")
    parts = [
        axis_bottom(scale, base, ticks, texts, label=unit, top=24),
        line(scale(own), 24, scale(own), base, "zero"),
        line(scale(without), rows[verdict["without"] == "committee"], scale(without), base, "reference"),
    ]
    labels = ("your model alone", "committee, labeled rows only", "with the unlabeled rows")
    for label, name, at, y in zip(labels, names, (own, committee, student), rows, strict=True):
        said = f"{label}: {decimal(verdict[name])}"
        mark = "gain-dot verdict-mark" if name == "self_trained" else "step-dot"
        parts.append(titled(said, dot(scale(at), y, 9 if name == "self_trained" else 6, mark)))
        room = text_width(said, LABEL_SIZE) / 2
        middle = min(max(scale(at), room + 4), width - room - 4)
        parts.append(text(middle, y - 15, said, css="label on-top", anchor="middle"))
    against = (
        "against your model",
        choose(width, "against the best without unlabeled rows", "against the best without"),
    )
    for (low, high), y, whom, gain in zip(spans, (rows[2] + 46, rows[2] + 88), against, (total, credit), strict=True):
        said = f"{whom}: {signed(gain['gain'], points=points)}"
        room = text_width(said, LABEL_SIZE) / 2
        middle = min(max(scale((low + high) / 2), room + 4), width - room - 4)
        ends = [line(scale(end), y - 6, scale(end), y + 6, "interval-end verdict-mark") for end in (low, high)]
        parts += [
            line(scale(low), y, scale(high), y, "interval verdict-mark"),
            *ends,
            dot(scale(student), y, 4, "gain-dot verdict-mark"),
            text(middle, y - 12, said, css="label on-top", anchor="middle"),
        ]
    sentence = (
        f"Gain over your model {signed(total['gain'], points=points)}, over the best model without unlabeled rows "
        f"{signed(credit['gain'], points=points)}."
    )
    return picture(width, base + FOOT - 4, sentence, parts)


def draw_gain(verdict: Data, width: float) -> Markup:
    """The gain, its interval, zero, and the gain of each split."""
    points = in_points(verdict)
    factor = 100 if points else 1
    low, high, gain = (factor * verdict[key] for key in ("low", "high", "gain"))
    splits = [
        factor * (one["self_trained"] - one["supervised"])
        for one in verdict["scores"]
        if is_number(one["self_trained"]) and is_number(one["supervised"])
    ]
    n_ticks = 5 if width <= PHONE else 9
    bounds = widen(min(0, low, *splits), max(0, high, *splits), n=n_ticks)
    ticks = Scale(*bounds, 0, width).ticks(n_ticks)
    texts = [one if tick <= 0 else f"+{one}" for tick, one in zip(ticks, tick_texts(ticks), strict=True)]
    side = end_room(texts)
    scale = Scale(*bounds, side, width - side)
    middle, base = 84.0, 146.0
    unit = f"gain in {spaced(verdict['metric'])}" + (", points" if points else "")
    zero = scale(0)
    parts = [
        axis_bottom(scale, base, ticks, texts, label=unit, top=36),
        line(zero, 8, zero, base, "zero"),
        *_sides(zero, width),
        line(scale(low), middle, scale(high), middle, "interval verdict-mark"),
    ]
    for end in (low, high):
        parts.append(line(scale(end), middle - 8, scale(end), middle + 8, "interval-end verdict-mark"))
    said = signed(verdict["gain"], points=points)
    parts.append(titled(said, dot(scale(gain), middle, 9, "gain-dot verdict-mark")))
    room = text_width(said, 16, bold=True) / 2
    at = min(max(scale(gain), room + 4), width - room - 4)
    parts.append(text(at, middle - 20, said, css="gain-text on-top verdict-mark", anchor="middle"))
    for one in splits:
        tick = line(scale(one), base - 26, scale(one), base - 12, "split")
        parts.append(titled(f"one split: {signed(one / factor, points=points)}", tick))
    ends = f"{signed(verdict['low'], points=points)} to {signed(verdict['high'], points=points)}"
    return picture(width, base + FOOT - 4, f"Gain {said}, interval {ends}.", parts)


def _sides(zero: float, width: float) -> list[Markup]:
    """Which model is better on which side of zero, where there is room for the words."""
    found = []
    for words, side, room in (("supervised is better", -1, zero), ("self-trained is better", 1, width - zero)):
        if room > text_width(words, LABEL_SIZE) + 40:
            arrow = f"←  {words}" if side < 0 else f"{words}  →"
            found.append(text(zero + 10 * side, 18, arrow, css="side", anchor="end" if side < 0 else None))
    return found


# Bars


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


# Dots with intervals


def draw_density_accuracy(data: Data, width: float) -> Markup:
    """Accuracy of held-out predictions by density, sparse to dense."""
    groups = [one for one in data["deciles"] if is_number(one["accuracy"])]
    total = sum(one["n"] for one in groups)
    mean = sum(one["n"] * one["accuracy"] for one in groups) / total if total else None
    dots = [
        Dot(
            clean(one["decile"]), one["accuracy"], one["low"], one["high"],
            f"group {one['decile']}: {percent(one['accuracy'])} of {count(one['n'])} right "
            f"({percent(one['low'])} to {percent(one['high'])})",
        )
        for one in groups
    ]  # fmt: skip
    labels = ("accuracy", "density group, sparse → dense")
    return draw_dots(dots, width, labels, "Accuracy by density group", level=mean, share=True)


def draw_information(data: Data, width: float) -> Markup:
    """Fisher information by density region."""
    dots = [
        Dot(
            spaced(one["region"]), one["information"], one["low"], one["high"],
            f"{spaced(one['region'])}: {decimal(one['information'], 2)} "
            f"({decimal(one['low'], 2)} to {decimal(one['high'], 2)}), {count(one['n'])} rows",
        )
        for one in data["regions"] if is_number(one["information"])
    ]  # fmt: skip
    labels = ("information of a row (1: a labeled row)", "density region")
    return draw_dots(dots, width, labels, "Fisher information by density region", zero=True)


# Squares


def draw_overlap(data: Data, width: float) -> Markup:
    """How labeled rows of each class spread over the classes by density; with many classes, the worst pairs only."""
    classes, matrix = [clean(one) for one in data["classes"]], data["matrix"]
    n = len(classes)
    if n > MAX_CELLS:
        pairs = [(matrix[i][j], i, j) for i in range(n) for j in range(n) if i != j and is_number(matrix[i][j])]
        worst = sorted(pairs, reverse=True)[:MAX_BARS]
        named = [(classes[i], classes[j], value, percent(value)) for value, i, j in worst]
        return draw_pairs(named, width, "Pairs of classes that overlap most")
    left = min(max(text_width(one, LABEL_SIZE) for one in [*classes, "rows of"]) + 16, width * 0.3)
    size = min(choose(width, 104, 76), (width - left - 2) / n)
    high, top = min(size, 52.0), 46.0
    parts = [
        text(left - 12, top - 30, "rows of", css="axis-label", anchor="end"),
        text(left + 4, top - 30, "look like", css="axis-label"),
    ]
    for i, one in enumerate(classes):
        y = top + i * high
        parts.append(text(left + (i + 0.5) * size, top - 10, one, anchor="middle", width=size - 6))
        parts.append(text(left - 12, y + high / 2 + 4, one, anchor="end", width=left - 14))
        for j, value in enumerate(matrix[i]):
            x = left + j * size
            share = clip(value)
            box = element(
                "rect", x=x + 1, y=y + 1, width=size - 2, height=high - 2, rx=3.0, class_="cell",
                fill_opacity=round(0.05 + 0.95 * share, 3),
            )  # fmt: skip
            shown = f"{100 * share:.0f}%" if is_number(value) else NOTHING
            css = "cell-text strong" if share > 0.55 else "cell-text"
            inside = text(x + size / 2, y + high / 2 + 4.5, shown, css=css, anchor="middle")
            parts.append(titled(f"\u2068{one}\u2069 → \u2068{classes[j]}\u2069: {percent(value)}", box, inside))
    return picture(width, top + n * high + 4, "Overlap of the classes", parts)


# Shift


def draw_shift(data: Data, width: float) -> Markup:
    """The AUC of telling labeled from unlabeled rows, on a line from 0.5 to 1."""
    least = min([0.5, *(data[key] for key in ("low", "auc") if is_number(data[key]))])
    bounds = (math.floor(least * 10) / 10, 1.0)
    ticks = Scale(*bounds, 0, width).ticks(6)
    side = end_room(tick_texts(ticks))
    scale = Scale(*bounds, side, width - side)
    base, y = 56.0, 41.0
    parts = [
        text(scale(0.5), 16, "cannot tell", css="side", anchor=None if scale.low == 0.5 else "middle"),
        text(width - side, 16, "can always tell", css="side", anchor="end"),
        axis_bottom(scale, base, ticks, tick_texts(ticks), label="AUC of telling them apart", top=28),
    ]
    drawn = [dot(scale(data["auc"]), y, 6.5, "dot accent")]
    if is_number(data["low"]) and is_number(data["high"]):
        drawn.insert(0, line(scale(data["low"]), y, scale(data["high"]), y, "interval accent"))
    parts.append(titled(f"AUC {decimal(data['auc'])} ({decimal(data['low'])} to {decimal(data['high'])})", *drawn))
    return picture(width, base + FOOT - 4, f"AUC {decimal(data['auc'], 2)}", parts)


# Lines


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


def draw_reliability(data: Data, width: float) -> Markup:
    """Accuracy by confidence, before and after, and the diagonal."""
    height = choose(width, 370, 310)
    base, left = height - FOOT, left_room(["100%"])
    models = {who: merge_bins(data[who]["bins"]) for who in ("supervised", "self_trained")}
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
    for who, css, shift in (("supervised", "neutral", -2.0), ("self_trained", "accent", 2.0)):
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
            parts.append(titled(f"{who.replace('_', '-')}: {tip}", *drawn))
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


# Proportions


def draw_class_mix(data: Data, width: float) -> Markup:
    """Class proportions of the labeled rows and of the rows in use, round by round."""
    lines: list[tuple[str, Sequence[Any], str]] = [("labeled rows", data["labeled"], "rows")]
    lines += [(f"round {one['round']}", one["shares"], count(round(one["n"]))) for one in data["rounds"] if one["n"]]
    left, step, thick = text_width("labeled rows", LABEL_SIZE, bold=True) + 14, 31.0, 20.0
    right = width - max(text_width(one[2], LABEL_SIZE) for one in lines) - 12
    scale = Scale(0, 1, left, right)
    base = len(lines) * step + 12
    ticks = QUARTERS if width > PHONE else [0.0, 0.5, 1.0]
    parts = [axis_bottom(scale, base, ticks, percent_texts(ticks))]
    for i, (name, shares, n) in enumerate(lines):
        y = i * step + (6 if i else 0)
        parts.append(text(left - 12, y + thick / 2 + 4.5, name, css="label" if i else "label strong", anchor="end"))
        parts.append(text(right + 10, y + thick / 2 + 4.5, n, css="value" if i else "tick"))
        start = 0.0
        for j, share in enumerate(shares):
            if not is_number(share) or share <= 0:
                continue
            a, b = scale(start), scale(min(start + share, 1.0))
            start += share
            box = element(
                "rect", x=a + 0.75, y=y, width=max(b - a - 1.5, 0.5), height=thick, rx=2.0, class_=f"bar {color(j)}"
            )
            inside = [box]
            if b - a > 36:
                shown = f"{100 * share:.0f}%"
                inside.append(text((a + b) / 2, y + thick / 2 + 4, shown, css=f"on {color(j)}", anchor="middle"))
            parts.append(titled(f"{clean(data['classes'][j])}: {percent(share)}", *inside))
    return picture(width, base + 26, "Class proportions by round", parts)


# Training


def draw_history(training: Data, width: float) -> Markup:
    """Rows in use by round, below the score where there is one."""
    history, best = training["history"], training["best_round"]
    scored = [(i, one) for i, one in enumerate(history) if is_number(one.get("score"))]
    most = max((float(one["n_selected"]) for one in history), default=0.0) or 1.0
    values = _with_errors([one for _, one in scored])
    score_high = choose(width, 170, 150) if scored else 0.0
    y = Scale(*widen(min(values), max(values), n=4), TOP + score_high, TOP)
    ticks = y.ticks(4)
    top = TOP + (score_high + 44 if scored else 0)
    bars = Scale(0, most, top + 84, top)
    left = left_room([*(tick_texts(ticks) if scored else []), count(round(most))])
    right = width - 10
    x = Scale(-0.5, len(history) - 0.5, left, right)
    parts = []
    if scored:
        parts.append(axis_left(y, left, right, ticks, tick_texts(ticks), label="score on held-out rows"))
        parts.append(path([(x(i), y(one["score"])) for i, one in scored], "line accent"))
        parts += [_scored_dot(x(i), y, one, one["round"] == best, f"round {one['round']}") for i, one in scored]
    parts.append(axis_left(bars, left, right, [0.0, most], ["0", count(round(most))], label="unlabeled rows in use"))
    thick = min(44.0, (right - left) / max(len(history), 1) * 0.6)
    every = max(1, math.ceil(len(history) / choose(width, 16, 8)))
    for i, one in enumerate(history):
        high = max(bars(0) - bars(one["n_selected"]), 0.0)
        css = "bar accent" if one["round"] == best else "bar neutral"
        box = element("rect", x=x(i) - thick / 2, y=bars(0) - high, width=thick, height=high, rx=2.0, class_=css)
        said = f"round {one['round']}: {count(one['n_selected'])} rows, {count(one['n_changed'])} changed"
        parts.append(titled(said, box))
        if i % every == 0:
            parts.append(text(x(i), bars(0) + 17, one["round"], css="tick", anchor="middle"))
    parts.append(axis_bottom(x, bars(0), [], [], label="round"))
    return picture(width, bars(0) + FOOT, "Training history", parts)


def draw_alpha(training: Data, width: float) -> Markup:
    """Scores of the alphas tried."""
    tried = [one for one in training["alpha_scores"] if is_number(one["score"])]
    values = _with_errors(tried)
    height = choose(width, 250, 220)
    base, right = height - FOOT, width - 10
    y = Scale(*widen(min(values), max(values), n=4), base, TOP)
    ticks = y.ticks(4)
    left = left_room(tick_texts(ticks))
    alphas = [one["alpha"] for one in tried] or [0.0, 1.0]
    room = (max(alphas) - min(alphas)) * 0.05 or 0.05
    x = Scale(min(alphas) - room, max(alphas) + room, left, right)
    x_ticks = [tick for tick in x.ticks(choose(width, 9, 5)) if 0 <= tick <= 1]
    parts = [
        axis_left(y, left, right, ticks, tick_texts(ticks), label="score on held-out rows"),
        axis_bottom(x, base, x_ticks, tick_texts(x_ticks), label="alpha"),
    ]
    parts += [_scored_dot(x(one["alpha"]), y, one, one["chosen"], f"alpha {decimal(one['alpha'], 2)}") for one in tried]
    return picture(width, height, "Score by alpha", parts)


def _with_errors(scored: Sequence[Data]) -> list[float]:
    return [one["score"] + k * (one.get("score_std_error") or 0) for one in scored for k in (-1, 0, 1)] or [0.0, 1.0]


def _scored_dot(at: float, y: Scale, one: Data, chosen: bool, name: str) -> Markup:
    """A score with its standard error; filled if it was chosen."""
    error = one.get("score_std_error") or 0.0
    interval = line(at, y(one["score"] - error), at, y(one["score"] + error), "whisker thin accent")
    mark = dot(at, y(one["score"]), 6.5 if chosen else 4.5, "dot accent" if chosen else "ring accent")
    return titled(f"{name}: {decimal(one['score'])} ± {decimal(error)}", interval, mark)


# The map of pseudo-labels


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
