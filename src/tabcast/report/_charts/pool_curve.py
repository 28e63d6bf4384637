"""The score by number of unlabeled rows."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import Dot, draw_dots
from tabcast.report._phrases import Data, count, decimal, is_number, rows, spaced


def draw_pool_curve(curve: Data, width: float) -> Markup:
    """One dot per number of rows, its bar the standard error of the difference from the one before."""
    dots = []
    for one in curve["points"]:
        score, error = one["score"], one["std_error"]
        if not is_number(score):
            continue
        known = is_number(error)
        low, high = (score - error, score + error) if known else (None, None)
        tip = f"{rows(one['n_rows'])}: {decimal(score)}" + (f" ± {decimal(error)}" if known else "")
        dots.append(Dot(count(one["n_rows"]), score, low, high, tip))
    labels = (f"{spaced(curve['metric'])} on held-out rows", "unlabeled rows in training")
    return draw_dots(dots, width, labels, "Score by number of unlabeled rows", level=curve["supervised"])
