"""The page: facts and pictures poured into the templates; nothing is loaded from anywhere, and nothing runs."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tabcast.guard._verdict import say_verdict
from tabcast.plots._figure import clean, shorten
from tabcast.report import _words as words
from tabcast.report._data import collect
from tabcast.report._words import count, percent

VERDICT_COLORS = {"helped": "helped", "probably helped": "helped", "hurt": "hurt"}


def render_report(
    summary: Mapping[str, Any],
    pseudo_labels: pd.DataFrame,
    predictions: pd.DataFrame | None = None,
) -> str:
    """Render one HTML page that says whether the unlabeled rows helped, what was predicted, and how good it is.

    The page is a single file without a script: it makes no request, and works on a phone, in dark mode and on paper.
    All text of the user's table is escaped, and a content security policy forbids everything that is not part of the
    page.

    Parameters
    ----------
    summary : dict
        The contents of summary.json; see docs/diagnostics.md.
    pseudo_labels : DataFrame
        One row per unlabeled row, with the columns `row`, `label`, `raw_label`, `confidence`, `raw_confidence`,
        `density`, `selected` and `round`.
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
    >>> run = fit_table(table, "kind", estimator="logistic_regression")
    >>> render_report(run.summary, run.pseudo_labels)[:15]
    '<!DOCTYPE html>'
    """
    facts = collect(summary, pseudo_labels, predictions)
    verdict = facts["verdict"]
    return (
        make_environment()
        .get_template("page.html")
        .render(
            **facts,
            color=VERDICT_COLORS.get(verdict["word"], "undecided"),
            sentences=say_verdict(verdict),
            pictures=draw(summary),
            words=words,
        )
    )


def draw(summary: Mapping[str, Any]) -> dict[str, Markup]:
    """Every picture that there are facts for, by name."""
    from tabcast import plots
    from tabcast.plots._figure import to_image

    diagnostics, verdict = summary.get("diagnostics") or {}, summary.get("verdict")
    rounds = (summary.get("training") or {}).get("history") or []
    titled = {
        "verdict": (
            "The change of the score with its interval",
            plots.plot_verdict,
            verdict and verdict["n_unlabeled"],
        ),
        "quality": ("Confusion matrix of held-out rows", plots.plot_confusion, None),
        "thresholds": ("Recall and precision by threshold", plots.plot_thresholds, None),
        "curves": ("ROC and precision-recall curves of held-out rows", plots.plot_curves, None),
        "reliability": ("Accuracy by confidence on held-out rows", plots.plot_calibration, None),
        "importance": ("Columns by importance, with intervals", plots.plot_importance, None),
        "rounds": (
            "Unlabeled rows in use and score by round",
            plots.plot_rounds,
            len(rounds) > 2 or any(one.get("score") is not None for one in rounds),
        ),
    }
    return {
        name: Markup(to_image(plot(summary), title))
        for name, (title, plot, wanted) in titled.items()
        if (diagnostics.get(name) if wanted is None else wanted)
    }


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
    style = Markup(files("tabcast.report").joinpath("report.css").read_text(encoding="utf-8"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.globals |= {"style": style, "style_digest": f"sha256-{digest}"}
    environment.filters |= {"count": count, "date": _date, "link": link, "percent": percent, "shorten": shorten}
    return environment


def link(name: Any) -> str | None:
    """A file beside the page as a relative address; None for a name that is none."""
    return str(name) if re.fullmatch(r"[A-Za-z0-9_][\w.-]*", str(name), re.ASCII) else None


def _date(iso: str) -> str:
    """A date in words; text that is no date stays as it is."""
    try:
        when = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{when:%B} {when.day}, {when.year}"
