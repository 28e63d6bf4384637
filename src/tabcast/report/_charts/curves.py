"""ROC and precision-recall curves, beside or below each other."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tabcast.report._forms import FOOT, QUARTERS, TOP, color
from tabcast.report._phrases import Data, percent
from tabcast.report._scales import PHONE, Scale, end_room, left_room, percent_texts
from tabcast.report._svg import axis_bottom, axis_left, element, line, path, picture, titled

GAP = 26.0


def draw_curves(data: Data, width: float) -> Markup:
    """Recall by false positive rate, and precision by recall; one line per class."""
    phone = width <= PHONE
    wide = width if phone else (width - GAP) / 2
    high = wide if phone else wide * 0.86
    panels = [
        _draw_panel(data, "roc", ("false_positive_rate", "recall"), ("false positive rate", "recall"), wide, high),
        _draw_panel(data, "precision_recall", ("recall", "precision"), ("recall", "precision"), wide, high),
    ]
    places = [(0.0, 0.0), (0.0, high) if phone else (wide + GAP, 0.0)]
    moved = [
        element("g", *parts, transform=f"translate({x:g} {y:g})") for parts, (x, y) in zip(panels, places, strict=True)
    ]
    return picture(width, 2 * high if phone else high, "ROC curve and precision-recall curve", moved)


def _draw_panel(
    data: Data, key: str, columns: tuple[str, str], labels: tuple[str, str], width: float, height: float
) -> Sequence[Markup]:
    """One of the two pictures."""
    texts = percent_texts(QUARTERS)
    base, left, right = height - FOOT, left_room(texts), width - end_room(texts)
    x, y = Scale(0, 1, left, right), Scale(0, 1, base, TOP)
    parts = [
        axis_left(y, left, right, QUARTERS, texts, label=labels[1]),
        axis_bottom(x, base, QUARTERS, texts, label=labels[0]),
    ]
    areas = data["areas"]
    if key == "roc":
        parts.append(line(x(0), y(0), x(1), y(1), "reference"))
    elif len(areas) == 1:
        parts.append(line(x(0), y(areas[0]["proportion"]), x(1), y(areas[0]["proportion"]), "reference"))
    for place, area in enumerate(areas):
        points = [(x(one[columns[0]]), y(one[columns[1]])) for one in data[key] if one["class"] == area["class"]]
        said = f"{area['class']}: {percent(area['auc'])} under the ROC curve"
        css = "accent" if len(areas) == 1 else color(place)
        parts.append(titled(said, path(points, f"line {css}")))
    return parts
