"""A point on a line from chance to certainty: can labeled and unlabeled rows be told apart?"""

from __future__ import annotations

import math

from markupsafe import Markup

from tabcast.report._forms import FOOT
from tabcast.report._phrases import Data, decimal, is_number
from tabcast.report._scales import Scale, end_room, tick_texts
from tabcast.report._svg import axis_bottom, dot, line, picture, text, titled


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
