"""Squares: how labeled rows of each class spread over the classes."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import MAX_BARS, draw_pairs
from tabcast.report._phrases import NOTHING, Data, clip, is_number, percent
from tabcast.report._scales import LABEL_SIZE, choose, text_width
from tabcast.report._svg import element, picture, text, titled
from tabcast.report._text import clean

MAX_CELLS = 8


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
