"""Squares: how labeled rows of each class spread over the classes."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import MAX_BARS, MAX_CELLS, Cell, draw_pairs, draw_squares
from tabcast.report._phrases import NOTHING, Data, clip, is_number, percent
from tabcast.report._text import clean


def draw_overlap(data: Data, width: float) -> Markup:
    """How labeled rows of each class spread over the classes by density; with many classes, the worst pairs only."""
    classes, matrix = [clean(one) for one in data["classes"]], data["matrix"]
    n = len(classes)
    if n > MAX_CELLS:
        pairs = [(matrix[i][j], i, j) for i in range(n) for j in range(n) if i != j and is_number(matrix[i][j])]
        worst = sorted(pairs, reverse=True)[:MAX_BARS]
        named = [(classes[i], classes[j], value, percent(value)) for value, i, j in worst]
        return draw_pairs(named, width, "Pairs of classes that overlap most")
    cells = [
        [
            Cell(
                clip(value),
                f"{100 * clip(value):.0f}%" if is_number(value) else NOTHING,
                f"\u2068{one}\u2069 → \u2068{classes[j]}\u2069: {percent(value)}",
            )
            for j, value in enumerate(matrix[i])
        ]
        for i, one in enumerate(classes)
    ]
    return draw_squares(classes, cells, width, "Overlap of the classes", ("rows of", "look like"))
