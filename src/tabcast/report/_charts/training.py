"""Scores and rows by round, scores by alpha."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from tabcast.report._forms import FOOT, TOP
from tabcast.report._phrases import Data, count, decimal, is_number
from tabcast.report._scales import Scale, choose, left_room, tick_texts, widen
from tabcast.report._svg import axis_bottom, axis_left, dot, element, line, path, picture, text, titled


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
