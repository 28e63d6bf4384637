"""The sections of the page below the verdict, each from plain data; one that has nothing to show is empty."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import pandas as pd

from tabcast.report import _charts as charts
from tabcast.report import _words as words
from tabcast.report._charts import Point
from tabcast.report._data import PageData
from tabcast.report._forms import MAX_BARS
from tabcast.report._html import clean, escape, name, shorten
from tabcast.report._layout import FULL, Data, class_legend, drawings, figure, legend, meter
from tabcast.report._phrases import count, decimal, is_number, percent, spaced
from tabcast.report._words import Words

Values = Sequence[tuple[str, str]]

MAX_NAMES = 300
MAX_TO_LABEL = 20


# The table


def show_table(summary: Data) -> str:
    """What was understood: classes, columns used and left out."""
    table = summary["table"]
    classes = table["classes"]
    bars = drawings(lambda width: charts.draw_classes(table, width))
    if len(classes) > MAX_BARS:
        bars += f'<p class="note">The first {MAX_BARS} of {count(len(classes))} classes are drawn.</p>'
    pictures = figure(words.say_classes(table), bars) if classes else ""
    return pictures + _columns(table)


def _columns(table: Data) -> str:
    left = [one for one in table["columns"] if not one["used"]]
    kinds: dict[str, list[Data]] = {}
    for one in table["columns"]:
        if one["used"]:
            kinds.setdefault(one["kind"], []).append(one)
    used = "".join(f"<div><dt>{escape(kind)}</dt><dd>{_names(group)}</dd></div>" for kind, group in kinds.items())
    inside = f'<h4>Used</h4><dl class="kinds">{used}</dl>' if used else ""
    if left:
        rows = "".join(
            f'<tr><th scope="row">{name(one["name"])}</th><td>{escape(one["kind"])}</td>'
            f"<td>{escape(shorten(one['why'], 300))}</td></tr>"
            for one in left[:MAX_NAMES]
        )
        more = f'<p class="note">and {count(len(left) - MAX_NAMES)} more.</p>' if len(left) > MAX_NAMES else ""
        inside += (
            '<h4>Left out</h4><table class="plain"><thead><tr><th scope="col">column</th><th scope="col">kind</th>'
            f'<th scope="col">why</th></tr></thead><tbody>{rows}</tbody></table>{more}'
        )
    said = escape(words.say_columns(table))
    return (
        f'<div class="item"><div class="caption"><h3>Columns</h3><p class="says">{said}</p><p class="read">What looks '
        "like an identifier, free text or a constant teaches a model nothing that holds for other rows.</p></div>"
        f'<div class="drawings">{inside}</div></div>'
    )


def _names(columns: Sequence[Data]) -> str:
    """Names of columns; many of them behind a summary."""
    items = [f"<li>{name(one['name'], 36)}{_why_used(one)}</li>" for one in columns[:MAX_NAMES]]
    if len(columns) > MAX_NAMES:
        items.append(f'<li class="nothing">and {count(len(columns) - MAX_NAMES)} more</li>')
    css = "chips with-words" if any(one.get("why") for one in columns) else "chips"
    chips = f'<ul class="{css}">{"".join(items)}</ul>'
    return chips if len(items) <= 40 else f"<details><summary>{count(len(columns))} columns</summary>{chips}</details>"


def _why_used(column: Data) -> str:
    return f" <small>{escape(shorten(column['why'], 80))}</small>" if column.get("why") else ""


# Diagnostics


def show_prospects(diagnostics: Data) -> str:
    """What speaks for self-training on this table, and what against it."""
    made = []
    if data := diagnostics.get("cluster_assumption"):
        made.append(_simple(words.say_cluster_assumption, charts.draw_density_accuracy, data))
    if data := diagnostics.get("class_overlap"):
        made.append(_simple(words.say_class_overlap, charts.draw_overlap, data))
    if data := diagnostics.get("fisher_information"):
        made.append(_simple(words.say_fisher_information, charts.draw_information, data))
    if data := diagnostics.get("covariate_shift"):
        made.append(_shift(data))
    return "".join(made)


def _simple(say: Callable[[Data], Words], draw: Callable[[Data, float], str], data: Data) -> str:
    return figure(say(data), drawings(lambda width: draw(data, width)))


def _shift(data: Data) -> str:
    shown = [one for one in data["columns"] if is_number(one["importance"])][:10]
    most = max((one["importance"] for one in shown), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{name(one["name"], 32)}</th><td class="meter">{meter(one["importance"] / most)}</td>'
        f"<td>{name(one['labeled'], 40)}</td><td>{name(one['unlabeled'], 40)}</td></tr>"
        for one in shown
    )
    table = (
        '<table class="plain shift"><thead><tr><th scope="col">column</th><th scope="col">importance</th>'
        f'<th scope="col">labeled</th><th scope="col">unlabeled</th></tr></thead><tbody>{rows}</tbody></table>'
        if rows
        else ""
    )
    return figure(words.say_covariate_shift(data), drawings(lambda width: charts.draw_shift(data, width)), table)


def show_labels(summary: Data, diagnostics: Data) -> str:
    """What became of the labels: how many, of which classes, changed, believable."""
    made = []
    if data := diagnostics.get("selection_curve"):
        made.append(_simple(words.say_selection_curve, charts.draw_selection, data))
        if data.get("alphas"):
            alpha = (summary.get("training") or {}).get("alpha")
            drawn = drawings(lambda width: charts.draw_selection_by_alpha(data, width, alpha))
            made.append(figure(words.say_selection_by_alpha(data, alpha), drawn))
    if mix := diagnostics.get("class_mix"):
        made.append(
            figure(
                words.say_class_mix(mix),
                class_legend(mix["classes"]),
                drawings(lambda width: charts.draw_class_mix(mix, width)),
            )
        )
    if flipped := diagnostics.get("flipped_labels"):
        made.append(_flipped(flipped))
    if reliability := diagnostics.get("reliability"):
        made.append(
            figure(
                words.say_reliability(reliability),
                legend(["supervised (before)", "self-trained (after)"], ["neutral", "accent"]),
                drawings(lambda width: charts.draw_reliability(reliability, width)),
            )
        )
    return "".join(made)


def _flipped(data: Data) -> str:
    drawn = [drawings(lambda width: charts.draw_flipped(data, width))] if data["pairs"] else []
    rows = "".join(
        f'<tr><th scope="row">{int(one["row"])}</th>'
        f"<td>{name(one['raw_label'], 24)}</td><td>{name(one['label'], 24)}</td>"
        f'<td class="number">{decimal(one["raw_confidence"], 2)}</td>'
        f'<td class="number">{decimal(one["confidence"], 2)}</td>'
        f'<td class="number">{decimal(one["density"], 2)}</td></tr>'
        for one in data["rows"][:8]
    )
    if rows:
        drawn.append(
            '<details><summary>Some of these rows</summary><div class="scroll" tabindex="0" role="region" '
            'aria-label="Rows with a changed label"><table class="plain"><thead><tr><th scope="col">row</th>'
            '<th scope="col">classifier alone</th><th scope="col">label given</th><th scope="col">its confidence</th>'
            '<th scope="col">confidence</th><th scope="col">density</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div></details>"
        )
    return figure(words.say_flipped_labels(data), *drawn)


# Training


def show_training(summary: Data) -> str:
    """Rounds, alphas, time, settings."""
    training, made = summary.get("training") or {}, []
    if training.get("history"):
        made.append(_simple(words.say_history, charts.draw_history, training))
    if len(training.get("alpha_scores") or []) > 1:
        made.append(_simple(words.say_alpha, charts.draw_alpha, training))
    if training.get("seconds"):
        made.append(_simple(words.say_seconds, charts.draw_seconds, training))
    made.append(_settings(summary))
    return "".join(made)


def _settings(summary: Data) -> str:
    method = summary.get("method") or {}
    pairs = [("method", method.get("title") or method.get("name")), ("model", spaced(method.get("model")))]
    pairs += [(spaced(key), value) for key, value in (method.get("settings") or {}).items()]
    pairs.append(("guard", "on: the better cross-validated model is kept" if method.get("guard") else "off"))
    pairs += [(f"file: {spaced(key)}", value) for key, value in (summary.get("files") or {}).items()]
    items = "".join(f"<div><dt>{name(key, 40)}</dt><dd>{name(value, 80)}</dd></div>" for key, value in pairs)
    return (
        '<div class="item"><div class="caption"><h3>Settings and files</h3><p class="read">What was asked for, and '
        "what was written beside this page.</p></div>"
        f'<div class="drawings"><dl class="settings">{items}</dl></div></div>'
    )


# Pseudo-labels


def show_pseudo_labels(pseudo_labels: pd.DataFrame, page: PageData) -> str:
    """The map and the table of the unlabeled rows."""
    if not page.n_rows:
        return ""
    said = words.say_pseudo_labels(page.n_rows, page.n_used, len(page.kept))
    return f'<p class="intro">{escape(said)}</p>{_map(pseudo_labels, page)}{_table(page)}'


def _map(pseudo_labels: pd.DataFrame, page: PageData) -> str:
    """A dot a row: confidence against density, or against the classifier's own confidence where there is no density."""
    part = pseudo_labels.iloc[page.kept[page.drawn]]
    has_density = bool(part["density"].notna().any())
    across = part["density" if has_density else "raw_confidence"].astype(float)
    points = [
        Point(x, y, code, used, position)
        for x, y, code, used, position in zip(
            across.tolist(),
            part["confidence"].astype(float).tolist(),
            page.codes[page.drawn].tolist(),
            part["selected"].tolist(),
            page.drawn.tolist(),
            strict=True,
        )
        if math.isfinite(x) and math.isfinite(y)
    ]
    if not points:
        return ""
    x_label = "density of its class around it" if has_density else "the classifier's own confidence in that label"
    drawing = drawings(lambda width: charts.draw_map(points, width, x_label=x_label), FULL)
    card = '<div id="card" role="status" hidden></div>'
    said = words.say_map(page.n_rows, len(points), density=has_density)
    return figure(said, class_legend(page.json["labels"]), f'<div id="map">{drawing}{card}</div>', css="full")


def _table(page: PageData) -> str:
    """The table's frame; its rows come from the page's data."""
    heads = [
        ("row", "row", ""),
        ("label", "label", ""),
        ("rawLabel", "classifier alone", "minor"),
        ("confidence", "confidence", "number"),
        ("rawConfidence", "its own", "number minor"),
        ("density", "density", "number minor"),
        ("used", "used", ""),
        ("round", "round", "number minor"),
    ]
    columns = "".join(
        f'<th scope="col" data-key="{key}" class="{css}" aria-sort="none"><button type="button">{text}</button></th>'
        for key, text, css in heads
        if key != "density" or page.json["density"] is not None
    )
    return read_file("rows.html").replace("<!-- columns -->", columns)


def read_file(file: str) -> str:
    """A file of this package."""
    return files("tabcast.report").joinpath(file).read_text(encoding="utf-8")


# What to label next


def show_rows_to_label(summary: Data, diagnostics: Data, values: Mapping[int, Values]) -> str:
    """The rows most worth labeling next, and the same as CSV."""
    data = diagnostics.get("rows_to_label")
    if not data:
        return ""
    intro = f'<p class="intro">{escape(words.say_rows_to_label(data))}</p>'
    if not data["rows"]:
        return intro
    items = "".join(_next_row(one, values.get(int(one["row"]))) for one in data["rows"][:MAX_TO_LABEL])
    more = len(data["rows"]) - MAX_TO_LABEL
    note = f'<p class="note">{count(more)} more are in the CSV below.</p>' if more > 0 else ""
    text = "\n".join(map(escape, _csv(summary, data["rows"], values).split("\n")))
    return (
        f'{intro}<ol class="next">{items}</ol>{note}<div class="copy">'
        '<button type="button" id="copy-csv" hidden>Copy as CSV</button><output id="copied" aria-live="polite">'
        '</output><details id="csv-box"><summary>Show the CSV</summary>'
        f'<pre id="csv" tabindex="0" dir="ltr">{text}</pre></details></div>'
    )


def _next_row(one: Data, values: Values | None) -> str:
    likely = "".join(
        f"<li>{meter(guess['probability'])} {name(guess['label'], 28)} <b>{percent(guess['probability'])}</b></li>"
        for guess in one["likely"][:3]
    )
    shown = ""
    if values:
        pairs = "".join(f"<div><dt>{name(key, 30)}</dt><dd>{name(value, 40)}</dd></div>" for key, value in values)
        shown = f'<details><summary>Values</summary><dl class="values">{pairs}</dl></details>'
    return (
        f'<li><p class="row-number">Row {int(one["row"])}</p><ul class="likely">{likely}</ul>'
        f'<div class="because"><p>{escape(shorten(one["why"], 300))}</p>{shown}</div></li>'
    )


def _csv(summary: Data, rows: Sequence[Data], values: Mapping[int, Values]) -> str:
    """The rows with an empty column to write labels into."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [key for key, _ in next(iter(values.values()), [])]
    writer.writerow(["row", clean(summary["table"]["target"]), "likely", "probability", "why", *columns])
    for one in rows:
        label, probability = (
            (one["likely"][0]["label"], one["likely"][0]["probability"]) if one["likely"] else ("", None)
        )
        guess = ["" if label is None else clean(label), "" if probability is None else f"{probability:.3f}"]
        known = [value for _, value in values.get(int(one["row"]), [])]
        writer.writerow([int(one["row"]), "", *guess, clean(one["why"]), *known])
    return out.getvalue()
