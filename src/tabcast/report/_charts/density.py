"""Dots with intervals by density: accuracy, information."""

from __future__ import annotations

from markupsafe import Markup

from tabcast.report._forms import Dot, draw_dots
from tabcast.report._phrases import Data, count, decimal, is_number, percent, spaced
from tabcast.report._text import clean


def draw_density_accuracy(data: Data, width: float) -> Markup:
    """Accuracy of held-out predictions by density, sparse to dense."""
    groups = [one for one in data["deciles"] if is_number(one["accuracy"])]
    total = sum(one["n"] for one in groups)
    mean = sum(one["n"] * one["accuracy"] for one in groups) / total if total else None
    dots = [
        Dot(
            clean(one["decile"]), one["accuracy"], one["low"], one["high"],
            f"group {one['decile']}: {percent(one['accuracy'])} of {count(one['n'])} right "
            f"({percent(one['low'])} to {percent(one['high'])})",
        )
        for one in groups
    ]  # fmt: skip
    labels = ("accuracy", "density group, sparse → dense")
    return draw_dots(dots, width, labels, "Accuracy by density group", level=mean, share=True)


def draw_information(data: Data, width: float) -> Markup:
    """Fisher information by density region."""
    dots = [
        Dot(
            spaced(one["region"]), one["information"], one["low"], one["high"],
            f"{spaced(one['region'])}: {decimal(one['information'], 2)} "
            f"({decimal(one['low'], 2)} to {decimal(one['high'], 2)}), {count(one['n'])} rows",
        )
        for one in data["regions"] if is_number(one["information"])
    ]  # fmt: skip
    labels = ("information of a row (1: a labeled row)", "density region")
    return draw_dots(dots, width, labels, "Fisher information by density region", zero=True)
