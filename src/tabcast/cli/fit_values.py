"""Values of options of `tabcast fit` that are more than a word or a number."""

from __future__ import annotations

import re
from typing import Any


def read_decision(text: str) -> Any:
    """The name of a decision, or the threshold that a number means."""
    from tabcast.decisions import DECISIONS, Threshold

    try:
        value = float(text)
    except ValueError:
        value = None
    if value is None and text in DECISIONS:
        return text
    if value is None or not 0 < value < 1:
        raise ValueError(
            "--decision must be accuracy, balanced, f1 or, for two classes, a probability between 0 and 1 such as 0.3; "
            f"got {text!r}."
        )
    return Threshold(value)


def read_seconds(text: str) -> float:
    """Seconds from "90", "90s", "10m" or "1.5h"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"--time-limit must be a positive time such as 90s, 10m or 1h; got {text!r}.")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def read_pool(text: str) -> int | str | None:
    """A number of rows, "auto", or None for "all"."""
    if text in ("auto", "all"):
        return None if text == "all" else text
    if not re.fullmatch(r"[1-9]\d*", text):
        raise ValueError(f"--max-pool must be a number of rows such as 100000, auto or all; got {text!r}.")
    return int(text)


def read_cost(text: str) -> dict[Any, float]:
    """Costs from "review=1, error=20, ill as well=90"; a pair is (true class, filled class)."""
    costs: dict[Any, float] = {}
    for one in text.split(","):
        name, equals, value = one.rpartition("=")
        true, as_what, filled = (part.strip() for part in name.partition(" as "))
        try:
            cost = float(value)
        except ValueError:
            equals = ""
        if not equals or not true or (as_what and not filled):
            raise ValueError(f'--cost must be costs such as "review=1, error=20, ill as well=90"; got {one.strip()!r}.')
        costs[(true, filled) if as_what else true] = cost
    return costs
