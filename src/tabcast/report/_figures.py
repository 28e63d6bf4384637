"""The pictures of a page with their words, each from the facts that it shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from tabcast.report import _charts as charts
from tabcast.report import _words as words
from tabcast.report._data import PageData
from tabcast.report._forms import N_COLORS, color
from tabcast.report._words import Words

Data = Mapping[str, Any]

# Widths of the drawings beside their words and of those across the page: the style sheet shows the one that fits.
BESIDE, ACROSS = (700.0, 340.0), (820.0, 580.0, 340.0)

PICTURES: dict[str, tuple[Callable[[Data], Words], Callable[[Data, float], Markup]]] = {
    "gain": (words.say_gain, charts.draw_verdict),
    "classes": (words.say_classes, charts.draw_classes),
    "cluster_assumption": (words.say_cluster_assumption, charts.draw_density_accuracy),
    "class_overlap": (words.say_class_overlap, charts.draw_overlap),
    "fisher_information": (words.say_fisher_information, charts.draw_information),
    "covariate_shift": (words.say_covariate_shift, charts.draw_shift),
    "selection_curve": (words.say_selection_curve, charts.draw_selection),
    "selection_by_alpha": (words.say_selection_by_alpha, charts.draw_selection_by_alpha),
    "class_mix": (words.say_class_mix, charts.draw_class_mix),
    "flipped_labels": (words.say_flipped_labels, charts.draw_flipped),
    "reliability": (words.say_reliability, charts.draw_reliability),
    "history": (words.say_history, charts.draw_history),
    "alpha": (words.say_alpha, charts.draw_alpha),
    "seconds": (words.say_seconds, charts.draw_seconds),
}


@dataclass(frozen=True)
class Figure:
    """A picture: its words, the same drawing for several widths, and names with their colors."""

    words: Words
    drawings: list[Markup]
    legend: Sequence[tuple[Any, str]] = ()


def make_figures(summary: Data, pseudo_labels: pd.DataFrame, page: PageData) -> dict[str, Figure]:
    """Every picture that there are facts for, by name."""
    facts = find_facts(summary)
    legends = {"reliability": [("supervised (before)", "neutral"), ("self-trained (after)", "accent")]}
    if facts["class_mix"]:
        legends["class_mix"] = color_classes(facts["class_mix"]["classes"])
    made = {}
    for key, (say, draw) in PICTURES.items():
        if data := facts[key]:
            widths = ACROSS if key == "gain" else BESIDE
            made[key] = Figure(say(data), [draw(data, width) for width in widths], legends.get(key, ()))
    return made | make_map(pseudo_labels, page)


def find_facts(summary: Data) -> dict[str, Any]:
    """What each picture shows; nothing where the run has nothing to show."""
    verdict, table = summary.get("verdict") or {}, summary["table"]
    training, diagnostics = summary.get("training") or {}, summary.get("diagnostics") or {}
    curve = diagnostics.get("selection_curve") or {}
    return {
        **{key: diagnostics.get(key) for key in PICTURES},
        "gain": table["n_unlabeled"] and verdict.get("scores") and verdict,
        "classes": table["classes"] and table,
        "selection_by_alpha": curve.get("alphas") and {**curve, "alpha": training.get("alpha")},
        "history": training.get("history") and training,
        "alpha": len(training.get("alpha_scores") or []) > 1 and training,
        "seconds": training.get("seconds") and training,
    }


def color_classes(classes: Sequence[Any]) -> list[tuple[Any, str]]:
    """Classes with their colors; those without a color of their own are counted."""
    own = len(classes) if len(classes) <= N_COLORS else N_COLORS - 1
    others = [f"{len(classes) - own} others"] if own < len(classes) else []
    return [(one, color(i)) for i, one in enumerate([*classes[:own], *others])]


def make_map(pseudo_labels: pd.DataFrame, page: PageData) -> dict[str, Figure]:
    """One dot per row: its confidence against its density, or against the classifier's own confidence without one."""
    part = pseudo_labels.iloc[page.kept[page.drawn]]
    has_density = bool(part["density"].notna().any())
    columns = (
        part["density" if has_density else "raw_confidence"].astype(float).tolist(),
        part["confidence"].astype(float).tolist(),
        page.codes[page.drawn].tolist(),
        part["selected"].tolist(),
        page.drawn.tolist(),
    )
    points = [charts.Point(*row) for row in zip(*columns, strict=True) if math.isfinite(row[0] + row[1])]
    if not points:
        return {}
    x_label = "density of its class around it" if has_density else "the classifier's own confidence in that label"
    drawn = [charts.draw_map(points, width, x_label=x_label) for width in ACROSS]
    said = words.say_map(page.n_rows, len(points), density=has_density)
    return {"map": Figure(said, drawn, color_classes(page.json["labels"]))}
