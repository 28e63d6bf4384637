"""Which columns matter: the importance of each with its interval."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import MAX_BARS, Mark, Range, draw_ranges
from tabcast.report._phrases import Data, signed
from tabcast.report._scales import choose, widen
from tabcast.report._text import clean

LEAK = "⚠ may leak"


def draw_importance(data: Data, width: float) -> Markup:
    """The most important columns, with a flag on those that may leak the label."""
    shown = data["columns"][:MAX_BARS]
    ends = [100 * one[key] for one in shown for key in ("low", "high")] or [0.0, 1.0]
    ranges = []
    for one in shown:
        value, low, high = (100 * one[key] for key in ("importance", "low", "high"))
        span = f"{signed(one['low'], points=True)} to {signed(one['high'], points=True)}"
        tip = f"{clean(one['name'])}: {signed(one['importance'], points=True)} ({span})"
        ranges.append(Range(clean(one["name"]), [Mark(value, low, high, tip)], LEAK if one.get("leak") else ""))
    bounds = widen(min(0.0, *ends), max(0.0, *ends))
    unit = choose(width, "probability of the true class lost, points", "probability lost, points")
    return draw_ranges(ranges, width, "Importance of the columns", bounds=bounds, unit=unit, share=False)
