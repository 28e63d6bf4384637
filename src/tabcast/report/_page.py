"""The page: facts and words poured into the templates; nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tabcast.report import _filled as filled
from tabcast.report import _words as words
from tabcast.report._data import check_pseudo_labels, embed, to_json, values_of_rows, write_csv
from tabcast.report._figures import make_figures
from tabcast.report._forms import MAX_BARS
from tabcast.report._phrases import clip, count, date, decimal, is_number, percent
from tabcast.report._predictions import check_predictions, count_differences, count_reaching, make_preview
from tabcast.report._text import clean, shorten

VERDICT_COLORS = {"helped": "helped", "probably helped": "helped", "no difference seen": "undecided", "hurt": "hurt"}
# Sections with pictures of their own: shown if there is one of them.
PICTURES = {
    "verdict": ("gain",),
    "quality": ("quality",),
    "threshold": ("thresholds",),
    "importance": ("importance",),
    "curves": ("curves", "reliability"),
    "why": ("cluster_assumption", "class_overlap", "fisher_information", "covariate_shift"),
    "labels": ("selection_curve", "selection_by_alpha", "class_mix", "flipped_labels"),
}


def render_report(
    summary: Mapping[str, Any],
    pseudo_labels: pd.DataFrame,
    table: pd.DataFrame | None = None,
    predictions: pd.DataFrame | None = None,
) -> str:
    """Render one HTML page that says what was predicted, how good it is, and whether the unlabeled rows helped.

    The page is a single file: it makes no request, works without JavaScript (all but the table of pseudo-labels and
    the slider of the threshold), on a phone, in dark mode and on paper. All text of the user's table is escaped, and a
    content security policy forbids everything that is not part of the page.

    Parameters
    ----------
    summary : dict
        The contents of summary.json; see docs/report.md.
    pseudo_labels : DataFrame
        One row per unlabeled row, with the columns `row`, `label`, `raw_label`, `confidence`, `raw_confidence`,
        `density`, `selected` and `round`.
    table : DataFrame, default=None
        The values of the unlabeled rows: as long as `pseudo_labels`, or all rows, of which `row` is the position. With
        long tables the page holds the values of some of the rows, drawn at random. None shows no values.
    predictions : DataFrame, default=None
        The predictions of the model, as in predictions.csv: `row`, columns that identify a row, the prediction, and one
        probability per class. None shows none.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast import fit_table
    >>> from tabcast.report import render_report
    >>> table = pd.DataFrame({"dose": [1, 9] * 10, "kind": ["no", "yes"] * 5 + [None] * 10})
    >>> run = fit_table(table, "kind", method="supervised", model="logistic_regression")
    >>> render_report(run.summary, run.pseudo_labels)[:15]
    '<!DOCTYPE html>'
    """
    check_pseudo_labels(pseudo_labels, table)
    classes = [one["name"] for one in summary["table"]["classes"]]
    check_predictions(predictions, len(classes))
    diagnostics = summary.get("diagnostics") or {}
    named = {key: (diagnostics.get(key) or {"rows": []})["rows"] for key in ("rows_to_label", "flipped_labels")}
    wanted = [int(one["row"]) for rows in named.values() for one in rows[:200]]
    page = embed(pseudo_labels, table, classes, wanted)
    row_values = values_of_rows(pseudo_labels, table, [one["row"] for one in named["rows_to_label"]])
    figures, preview = make_figures(summary, pseudo_labels, page), make_preview(predictions, classes)
    shown = {
        "filled": bool(summary.get("filled")),
        **{section: any(key in figures for key in keys) for section, keys in PICTURES.items()},
        "verdict": bool(summary.get("verdict")),
        "predictions": preview.n > 0,
        "pseudo-labels": page.n_rows > 0,
        "next": bool(diagnostics.get("rows_to_label")),
    }
    verdict, thresholds = summary.get("verdict"), diagnostics.get("thresholds")
    return (
        make_environment()
        .get_template("page.html")
        .render(
            summary=summary,
            table=summary["table"],
            verdict=verdict,
            color=VERDICT_COLORS[verdict["word"]] if verdict else "undecided",
            diagnostics=diagnostics,
            page=page,
            embedded=page.json | embed_thresholds(thresholds, predictions),
            preview=preview,
            n_differ=count_differences(predictions, pseudo_labels, len(classes)),
            figures=figures,
            sections=[(key, title) for key, title in words.SECTIONS.items() if shown.get(key, True)],
            most_bars=MAX_BARS,
            row_values=row_values,
            csv=write_csv(summary["table"]["target"], named["rows_to_label"], row_values),
            words=words,
            filled=filled,
        )
    )


def embed_thresholds(data: Mapping[str, Any] | None, predictions: pd.DataFrame | None) -> dict[str, Any]:
    """What the slider of the threshold shows, read by the script: counts by threshold, in its steps."""
    if not data:
        return {}
    keys = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    steps = [one["threshold"] for one in data["counts"]]
    counts = [[one[key] for key in keys] for one in data["counts"]]
    return {"thresholds": {"steps": steps, "counts": counts, "pool": count_reaching(predictions, steps)}}


@lru_cache
def make_environment() -> Environment:
    """Templates that escape whatever is not markup already, and stop at a name that nobody defined."""
    environment = Environment(
        loader=PackageLoader("tabcast.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else clean(value),
    )
    environment.filters |= {
        "clean": clean, "clip": clip, "count": count, "date": date, "decimal": decimal, "digest": digest,
        "json": to_json, "link": link, "percent": percent, "shorten": shorten,
    }  # fmt: skip
    environment.tests["known"] = is_number
    # Our own files, the same on every page.
    environment.globals |= {"style": read_file("report.css"), "script": read_file("report.js")}
    return environment


def link(name: Any) -> str | None:
    """A file beside the page as a relative address; None for a name that is none."""
    return str(name) if re.fullmatch(r"[A-Za-z0-9_][\w.-]*", str(name), re.ASCII) else None


def read_file(file: str) -> Markup:
    """A file of this package, which is trusted."""
    return Markup(files("tabcast.report").joinpath(file).read_text(encoding="utf-8"))


def digest(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
