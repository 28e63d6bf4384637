"""The confusion matrix, and precision and recall per class."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import MAX_BARS, MAX_CELLS, Cell, Mark, Range, draw_pairs, draw_ranges, draw_squares
from tabcast.report._phrases import Data, count, percent
from tabcast.report._text import clean


def draw_confusion(data: Data, width: float) -> Markup:
    """Held-out rows by true and predicted class; with many classes, the pairs that are confused most."""
    classes, matrix = [clean(one) for one in data["classes"]], data["confusion"]
    n = len(classes)
    if n > MAX_CELLS:
        pairs = [(matrix[i][j], i, j) for i in range(n) for j in range(n) if i != j and matrix[i][j]]
        worst = sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2]))[:MAX_BARS]
        named = [(classes[i], classes[j], value, count(value)) for value, i, j in worst]
        return draw_pairs(named, width, "Pairs of classes that are confused most")
    cells = []
    for i, one in enumerate(classes):
        total = sum(matrix[i]) or 1
        cells.append(
            [
                Cell(
                    value / total,
                    count(value),
                    f"{count(value)} of {count(sum(matrix[i]))} rows of \u2068{one}\u2069 are predicted as "
                    f"\u2068{classes[j]}\u2069",
                    "cell" if i == j else "cell wrong",
                )
                for j, value in enumerate(matrix[i])
            ]
        )
    return draw_squares(classes, cells, width, "Held-out rows by true and predicted class", ("rows of", "predicted as"))


def draw_per_class(data: Data, width: float) -> Markup:
    """Recall of the model and of the supervised one (if that was not kept), and precision, for each class."""
    ranges = []
    for one in data["per_class"][:MAX_BARS]:
        n, predicted = count(one["n"]), count(one["n_predicted"])
        marks = [
            Mark(
                one["supervised_recall"],
                one["supervised_low"],
                one["supervised_high"],
                f"recall, your model alone: {percent(one['supervised_recall'])} of {n}",
                "ring neutral",
            ),
            Mark(one["recall"], one["recall_low"], one["recall_high"], f"recall: {percent(one['recall'])} of {n}"),
            Mark(
                one["precision"],
                one["precision_low"],
                one["precision_high"],
                f"precision: {percent(one['precision'])} of {predicted}",
                "dot c1",
            ),
        ]
        ranges.append(Range(clean(one["class"]), marks[1:] if data["supervised"] else marks))
    return draw_ranges(ranges, width, "Recall and precision by class", bounds=(0.0, 1.0), unit="proportion of rows")
