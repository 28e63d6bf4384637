"""The verdict: the gain of the self-trained model, or the steps that lead to it."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import FOOT
from tabcast.report._phrases import Data, decimal, in_points, is_number, signed, spaced
from tabcast.report._scales import LABEL_SIZE, PHONE, Scale, choose, end_room, text_width, tick_texts, widen
from tabcast.report._svg import axis_bottom, dot, line, picture, text, titled


def draw_verdict(verdict: Data, width: float) -> Markup:
    """The gain of the self-trained model; in steps where a committee without unlabeled rows was compared as well."""
    return draw_gain(verdict, width) if verdict.get("committee") is None else draw_steps(verdict, width)


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
