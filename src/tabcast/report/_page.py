"""The page: facts and words poured into the templates; nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
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
from tabcast.report._text import clean, shorten

VERDICT_COLORS = {"helped": "helped", "probably helped": "helped", "no difference seen": "undecided", "hurt": "hurt"}
WHY = ("cluster_assumption", "class_overlap", "fisher_information", "covariate_shift")
LABELS = ("selection_curve", "selection_by_alpha", "class_mix", "flipped_labels", "reliability")


def render_report(summary: Mapping[str, Any], pseudo_labels: pd.DataFrame, table: pd.DataFrame | None = None) -> str:
    """Render one HTML page that says whether the unlabeled rows helped, and shows why.

    The page is a single file: it makes no request, works without JavaScript (all but the table of pseudo-labels), on
    a phone, in dark mode and on paper. All text of the user's table is escaped, and a content security policy
    forbids everything that is not part of the page.

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

    Returns
    -------
    str
        The page.
    """
    check_pseudo_labels(pseudo_labels, table)
    diagnostics = summary.get("diagnostics") or {}
    named = {key: (diagnostics.get(key) or {"rows": []})["rows"] for key in ("rows_to_label", "flipped_labels")}
    wanted = [int(one["row"]) for rows in named.values() for one in rows[:200]]
    page = embed(pseudo_labels, table, [one["name"] for one in summary["table"]["classes"]], wanted)
    row_values = values_of_rows(pseudo_labels, table, [one["row"] for one in named["rows_to_label"]])
    figures = make_figures(summary, pseudo_labels, page)
    shown = {
        "filled": bool(summary.get("filled")),
        "why": any(key in figures for key in WHY),
        "labels": any(key in figures for key in LABELS),
        "pseudo-labels": page.n_rows > 0,
        "next": bool(diagnostics.get("rows_to_label")),
    }
    verdict = summary.get("verdict")
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
            figures=figures,
            sections=[(key, title) for key, title in words.SECTIONS.items() if shown.get(key, True)],
            most_bars=MAX_BARS,
            row_values=row_values,
            csv=write_csv(summary["table"]["target"], named["rows_to_label"], row_values),
            words=words,
            filled=filled,
        )
    )


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
        "json": to_json, "percent": percent, "shorten": shorten,
    }  # fmt: skip
    environment.tests["known"] = is_number
    # Our own files, the same on every page.
    environment.globals |= {"style": read_file("report.css"), "script": read_file("report.js")}
    return environment


def read_file(file: str) -> Markup:
    """A file of this package, which is trusted."""
    return Markup(files("tabcast.report").joinpath(file).read_text(encoding="utf-8"))


def digest(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
