"""Bars divided by class: the proportions of each round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from tabcast.report._forms import QUARTERS, color
from tabcast.report._phrases import Data, count, is_number, percent
from tabcast.report._scales import LABEL_SIZE, PHONE, Scale, percent_texts, text_width
from tabcast.report._svg import axis_bottom, element, picture, text, titled
from tabcast.report._text import clean


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
