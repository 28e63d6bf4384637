"""What a notebook shows of a fitted classifier: a small card, with scikit-learn's diagram folded below it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

MOST_CLASSES = 6
BOX = (
    "display: inline-block; max-width: 44rem; padding: 0.7rem 1rem; border: 1px solid rgb(128 128 128 / 40%); "
    "border-radius: 6px; font-family: sans-serif; line-height: 1.4"
)
NAME = "padding: 0 1rem 0 0; text-align: left; font-weight: normal; opacity: 0.7; vertical-align: top"
VALUE = "padding: 0; text-align: left"


def make_card(title: str, headline: str, facts: Iterable[tuple[str, str]]) -> str:
    """A card: what it is, the most important sentence, and names with values; all text is escaped."""
    rows = "".join(
        f'<tr><th scope="row" style="{NAME}">{escape(name)}</th><td style="{VALUE}">{escape(value)}</td></tr>'
        for name, value in facts
    )
    strong = f'<div style="font-weight: 600; margin: 0.2rem 0 0.4rem">{escape(headline)}</div>' if headline else ""
    return (
        f'<div class="tabcast-card" style="{BOX}"><div style="opacity: 0.7">{escape(title)}</div>{strong}'
        f'<table style="border-collapse: collapse; margin: 0">{rows}</table></div>'
    )


def show_classifier(model: Any) -> str:
    """The card of a fitted classifier above its diagram; of an unfitted one the diagram alone."""
    diagram = estimator_html_repr(model)
    if not hasattr(model, "estimator_"):
        return diagram
    verdict = getattr(model, "verdict_", None)
    headline = "" if verdict is None else str(verdict).splitlines()[0]
    card = make_card(type(model).__name__, headline, describe(model, verdict))
    return f"{card}<details><summary>Parameters</summary>{diagram}</details>"


def describe(model: Any, verdict: Any) -> list[tuple[str, str]]:
    """Names and values of a fitted classifier."""
    trainer = getattr(model, "self_trained_", model)
    labeled = np.asarray(trainer.labeled_iter_) == 0
    facts = [] if verdict is None else describe_verdict(verdict)
    n_unlabeled = getattr(trainer, "n_unlabeled_", int((~labeled).sum()))  # in partitions, or in memory
    facts.append(("rows", f"{int(labeled.sum()):,} labeled, {n_unlabeled:,} unlabeled"))
    facts.append(("classes", list_classes(model.classes_.tolist())))
    if verdict is None and trainer.n_rounds_:
        facts.append(("rounds", f"{trainer.n_rounds_}, of which round {trainer.best_round_} was chosen"))
    return facts


def describe_verdict(verdict: Any) -> list[tuple[str, str]]:
    """The gain with its interval, and which model was kept."""
    name, total = str(verdict.metric).replace("_", " "), verdict.total
    change = f"{total.gain:+.3f}, {verdict.level:.0%} interval: {total.low:+.3f} to {total.high:+.3f}"
    return [
        (name, f"{verdict.supervised:.3f} to {verdict.self_trained:.3f} ({change})"),
        ("model that was kept", str(verdict.chosen)),
    ]


def list_classes(classes: list[Any]) -> str:
    """The classes in a line."""
    more = len(classes) - MOST_CLASSES
    shown = ", ".join(str(one) for one in classes[:MOST_CLASSES])
    return f"{shown} and {more} more" if more > 0 else shown
