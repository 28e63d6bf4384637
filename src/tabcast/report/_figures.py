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
from tabcast.report._phrases import Words

Data = Mapping[str, Any]

# Widths of the drawings beside their words and of those across the page: the style sheet shows the one that fits.
BESIDE, ACROSS = (700.0, 340.0), (820.0, 580.0, 340.0)
MODELS = (("other", "neutral"), ("model", "accent"))

PICTURES: dict[str, tuple[Callable[[Data], Words], Callable[[Data, float], Markup]]] = {
    "gain": (words.say_gain, charts.draw_verdict),
    "pool_curve": (words.say_pool_curve, charts.draw_pool_curve),
    "quality": (words.say_quality, charts.draw_confusion),
    "per_class": (words.say_per_class, charts.draw_per_class),
    "thresholds": (words.say_thresholds, charts.draw_threshold),
    "importance": (words.say_importance, charts.draw_importance),
    "curves": (words.say_curves, charts.draw_curves),
    "class_prior": (lambda data: words.say_classes(data["table"], data), charts.draw_class_prior),
    "classes": (lambda table: words.say_classes(table, None), charts.draw_classes),
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
    legends = {"thresholds": [("recall", "accent"), ("precision", "c1")]}
    if facts["per_class"]:
        alone = [] if facts["per_class"]["supervised"] else [("recall, your model alone", "neutral")]
        legends["per_class"] = [*alone, ("recall", "accent"), ("precision", "c1")]
    if facts["class_mix"]:
        legends["class_mix"] = color_classes(facts["class_mix"]["classes"])
    if facts["reliability"]:
        legends["reliability"] = [(facts["reliability"][f"{who}_name"], css) for who, css in MODELS]
    if facts["curves"] and len(facts["curves"]["areas"]) > 1:
        legends["curves"] = [(one["class"], one["css"]) for one in facts["curves"]["areas"]]
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
    curve, quality = diagnostics.get("selection_curve") or {}, diagnostics.get("quality")
    prior = diagnostics.get("class_prior")
    return {
        **{key: diagnostics.get(key) for key in PICTURES},
        "gain": table["n_unlabeled"] and verdict.get("scores") and verdict,
        "pool_curve": (training.get("pool") or {}).get("curve"),
        "per_class": quality and {**quality, "supervised": verdict.get("chosen") == "supervised"},
        "curves": color_curves(diagnostics.get("curves"), [one["name"] for one in table["classes"]]),
        "importance": flag_leaks(diagnostics.get("importance"), table["columns"]),
        "class_prior": prior and {**prior, "table": table},
        "classes": not prior and table["classes"] and table,
        "reliability": name_models(diagnostics.get("reliability"), verdict.get("chosen")),
        "selection_by_alpha": curve.get("alphas") and {**curve, "alpha": training.get("alpha")},
        "history": training.get("history") and training,
        "alpha": len(training.get("alpha_scores") or []) > 1 and training,
        "seconds": training.get("seconds") and training,
    }


def name_models(data: Data | None, chosen: str | None) -> Data | None:
    """The calibration of the model that was kept and of the one it is compared with, with their names."""
    if not data:
        return None
    if chosen == "supervised":
        other, name = data["self_trained"], "the self-trained model"
    else:
        other, name = data["supervised"], "your model alone"
    kept = data.get("kept") or data["supervised" if chosen == "supervised" else "self_trained"]
    return {"model": kept, "model_name": "the model", "other": other, "other_name": name}


def color_curves(data: Data | None, classes: Sequence[Any]) -> Data | None:
    """The curves with the colors of their classes."""
    if not data or not data["areas"]:
        return None
    places = {str(name): place for place, name in enumerate(classes)}
    colors = [
        "accent" if len(data["areas"]) == 1 else color(places.get(str(one["class"]), N_COLORS)) for one in data["areas"]
    ]
    return {**data, "areas": [{**one, "css": css} for one, css in zip(data["areas"], colors, strict=True)]}


def flag_leaks(data: Data | None, columns: Sequence[Data]) -> Data | None:
    """The importance of columns, with a flag on those that the leak alarm names."""
    if not data or not data["columns"]:
        return None
    leaks = {one["name"] for one in columns if one.get("leak")}
    return {**data, "columns": [{**one, "leak": one["name"] in leaks} for one in data["columns"]]}


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
