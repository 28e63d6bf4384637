"""ROC and precision-recall curves, beside or below each other."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import FOOT, QUARTERS, TOP
from tabcast.report._phrases import Data, decimal, spaced
from tabcast.report._scales import PHONE, Scale, end_room, left_room, percent_texts
from tabcast.report._svg import axis_bottom, axis_left, line, path, picture, text, titled

GAP = 26.0


def draw_curves(data: Data, width: float) -> Markup:
    """Recall by false positive rate, and precision by recall; one line per class."""
    phone = width <= PHONE
    wide = width if phone else (width - GAP) / 2
    high = wide if phone else wide * 0.86
    x, y = (0.0, high) if phone else (wide + GAP, 0.0)
    parts = [
        *_draw_panel(data, "roc", ("false_positive_rate", "recall"), (0.0, 0.0), (wide, high)),
        *_draw_panel(data, "precision_recall", ("recall", "precision"), (x, y), (wide, high)),
    ]
    return picture(width, 2 * high if phone else high, "ROC curve and precision-recall curve", parts)


def _draw_panel(
    data: Data, key: str, columns: tuple[str, str], at: tuple[float, float], size: tuple[float, float]
) -> list[Markup]:
    """One of the two pictures; `at` is its upper left corner."""
    texts = percent_texts(QUARTERS)
    top, base = at[1] + TOP, at[1] + size[1] - FOOT
    left, right = at[0] + left_room(texts), at[0] + size[0] - end_room(texts)
    x, y = Scale(0, 1, left, right), Scale(0, 1, base, top)
    parts = [
        axis_left(y, left, right, QUARTERS, texts),
        text(at[0], top - 14, spaced(columns[1]), css="axis-label"),
        axis_bottom(x, base, QUARTERS, texts, label=spaced(columns[0])),
    ]
    areas = data["areas"]
    if key == "roc":
        parts.append(line(x(0), y(0), x(1), y(1), "reference"))
    elif len(areas) == 1:
        parts.append(line(x(0), y(areas[0]["proportion"]), x(1), y(areas[0]["proportion"]), "reference"))
    for area in areas:
        points = [(x(one[columns[0]]), y(one[columns[1]])) for one in data[key] if one["class"] == area["class"]]
        said = f"{area['class']}: area {decimal(area['auc'], 2)} under the ROC curve"
        parts.append(titled(said, path(points, f"line {area['css']}")))
    return parts
