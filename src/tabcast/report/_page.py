"""Assembling the page: words and pictures in order, data and script at the end, nothing loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime

import pandas as pd

from tabcast.guard import say_verdict
from tabcast.report import _charts as charts
from tabcast.report import _sections as show
from tabcast.report import _words as words
from tabcast.report._data import PageData, check_pseudo_labels, embed, to_json, values_of_rows
from tabcast.report._html import escape, name, shorten
from tabcast.report._layout import FULL, Data, drawings
from tabcast.report._phrases import count, decimal, spaced

VERDICT_CSS = {"helped": "helped", "probably helped": "helped", "no difference seen": "undecided", "hurt": "hurt"}
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Ccircle cx='8' cy='8' r='6' fill='%231f5fbf'/%3E%3C/svg%3E"
)


def render_report(summary: Data, pseudo_labels: pd.DataFrame, table: pd.DataFrame | None = None) -> str:
    """One HTML page that says whether the unlabeled rows helped, and shows why.

    The page is a single file: it makes no request, works without JavaScript (all but the table of pseudo-labels), on
    a phone, in dark mode and on paper. All text of the user's table is escaped, and a content security policy
    forbids everything that is not part of the page.

    Parameters
    ----------
    summary : what summary.json holds; see docs/report.md.
    pseudo_labels : a row for each unlabeled row: `row`, `label`, `raw_label`, `confidence`, `raw_confidence`,
        `density`, `selected`, `round`.
    table : the unlabeled rows' values: as long as `pseudo_labels`, or all rows, where `row` is the position. With long
        tables the page has the values of some of the rows, chosen at random. None: no values are shown.
    """
    check_pseudo_labels(pseudo_labels, table)
    diagnostics = summary.get("diagnostics") or {}
    wanted = _wanted_rows(diagnostics)
    page = embed(pseudo_labels, table, [one["name"] for one in summary["table"]["classes"]], wanted)
    values = values_of_rows(pseudo_labels, table, [one["row"] for one in _rows(diagnostics, "rows_to_label")])
    sections = [
        ("table", "The table", show.show_table(summary)),
        ("why", "Should it work on this table?", show.show_prospects(diagnostics)),
        ("labels", "What happened to the labels", show.show_labels(summary, diagnostics)),
        ("training", "How it was trained", show.show_training(summary)),
        ("pseudo-labels", "Pseudo-labels", show.show_pseudo_labels(pseudo_labels, page)),
        ("next", "Rows worth labeling next", show.show_rows_to_label(summary, diagnostics, values)),
    ]
    return _document(summary, [one for one in sections if one[2]], page)


def _wanted_rows(diagnostics: Data) -> list[int]:
    """Rows of which the page speaks elsewhere."""
    return [int(one["row"]) for key in ("rows_to_label", "flipped_labels") for one in _rows(diagnostics, key)[:200]]


def _rows(diagnostics: Data, key: str) -> Sequence[Data]:
    found = diagnostics.get(key)
    return found["rows"] if found else []


# The frame


def _document(summary: Data, sections: Sequence[tuple[str, str, str]], page: PageData) -> str:
    style, script = show.read_file("report.css"), show.read_file("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    verdict = summary.get("verdict")
    css = VERDICT_CSS[verdict["word"]] if verdict else "undecided"
    contents = "".join(f'<li><a href="#{key}">{title}</a></li>' for key, title, _ in sections)
    body = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title">{title}</h2>{inside}</section>'
        for key, title, inside in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="tabcast {escape(summary.get("tabcast"))}">\n'
        f'<link rel="icon" href="{ICON}">\n'
        f"<title>{escape(shorten(summary['title'], 80))}: did the unlabeled rows help?</title>\n"
        f"<style>{style}</style>\n</head>\n"
        f'<body class="verdict-{css}">\n{_hero(summary)}\n'
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n<main>\n{body}\n</main>\n{_footer(summary)}\n'
        f'<script type="application/json" id="data">{to_json(page.json)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# The verdict


def _hero(summary: Data) -> str:
    """What the page is about, the verdict, its picture, the main numbers, and what to mind."""
    table, verdict = summary["table"], summary.get("verdict")
    when = (
        f'<li><time datetime="{escape(summary["created"])}">{_date(summary["created"])}</time></li>'
        if summary.get("created")
        else ""
    )
    about = f"<li>{name(summary['title'], 60)}</li><li>column {name(table['target'], 40)}</li>{when}"
    if verdict is None:
        sentences = ["A supervised model.", "Nothing was compared: the model was trained on the labeled rows alone."]
        drawn = facts = ""
    else:
        sentences = say_verdict(verdict)
        drawn = _gain(verdict) if table["n_unlabeled"] and verdict.get("scores") else ""
        facts = _facts(summary, verdict)
    head, lead, rest = sentences[0], sentences[1:2], sentences[2:]
    said = "".join(f'<p class="lead">{escape(one)}</p>' for one in lead)
    said += f"<p>{escape(' '.join(rest))}</p>" if rest else ""
    return (
        f'<header id="verdict"><ul class="about">{about}</ul><h1>{escape(head)}</h1><div class="said">{said}</div>'
        f"{drawn}{facts}{_warnings(summary)}</header>"
    )


def _gain(verdict: Data) -> str:
    said = words.say_gain(verdict)
    return (
        f'<figure class="gain">{drawings(lambda width: charts.draw_gain(verdict, width), FULL)}'
        f"<figcaption>{escape(said.says)} {escape(said.read)}</figcaption></figure>"
    )


def _facts(summary: Data, verdict: Data) -> str:
    table = summary["table"]
    metric = spaced(verdict["metric"])
    score = f"{decimal(verdict['supervised'])} → {decimal(verdict['self_trained'])}"
    facts = [
        (score, f"{metric}, supervised → self-trained"),
        (verdict["chosen"], "the model that was kept"),
        (count(table["n_labeled"]), "labeled rows"),
        (count(table["n_unlabeled"]), "unlabeled rows"),
    ]
    items = "".join(f"<div><dt>{escape(what)}</dt><dd>{escape(value)}</dd></div>" for value, what in facts)
    return f'<dl class="facts">{items}</dl>'


def _warnings(summary: Data) -> str:
    found = [words.class_prior_warning(summary), *words.invisible_warnings(summary), *summary.get("warnings", [])]
    items = "".join(f"<li>{escape(shorten(one, 1000))}</li>" for one in found if one)
    return (
        f'<aside class="warnings" aria-labelledby="mind"><h2 id="mind">Mind this</h2><ul>{items}</ul></aside>'
        if items
        else ""
    )


def _date(iso: str) -> str:
    """A day as people write it; what is no date stays as it is."""
    try:
        when = datetime.fromisoformat(iso)
    except ValueError:
        return escape(iso)
    return f"{when:%B} {when.day}, {when.year}"


def _footer(summary: Data) -> str:
    return (
        f"<footer><p>Made by tabcast {escape(summary.get('tabcast'))}. This page is one file: it loads nothing and "
        "sends nothing.</p></footer>"
    )
