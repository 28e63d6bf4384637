"""Amounts and percentages: numbers that a currency or percent sign marks, read as the numbers beside the sign."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from tabcast.files._values import Texts

PERCENT = "%"
CURRENCIES = "$€£¥₹₩₽₺₫₪฿₴₦₱₡₲₵₸"
_MARK = rf"(?:[A-Z]{{2}})?[{CURRENCIES}]|{PERCENT}"  # also US$ and the like
_MARKED = re.compile(
    rf"(?P<open>\(\s*)?(?P<sign>[+\-\u2212]?)\s*(?P<before>{_MARK})?\s*(?P<inner>[+\-\u2212]?)\s*"
    rf"(?P<number>[\d.,][\d.,'\s\u2019]*(?:[eE][+-]?\d+)?)\s*(?P<after>{_MARK})?(?P<close>\s*\))?"
)


def find_mark(texts: Texts) -> str | None:
    """The currency or percent sign that most values of a column carry; None if none does."""
    counts: Counter[str] = Counter()
    for level, n in zip(texts.levels, texts.counts, strict=True):
        found = _split(level)
        if found is not None:
            counts[found[1]] += int(n)
    return counts.most_common(1)[0][0] if counts else None


def remove_marks(texts: Texts, mark: str | None = None) -> Texts:
    """The column without its sign (None: without any); a value with another sign stays as it is, and is no number."""
    split = [_split(level) for level in texts.levels]
    if not any(split):
        return texts
    levels = np.empty(len(split), dtype=object)
    levels[:] = [
        found[0] if found is not None and mark in (None, found[1]) else level
        for level, found in zip(texts.levels, split, strict=True)
    ]
    return Texts(texts.codes, levels)


def count_percent(texts: Texts) -> int:
    """Rows whose value carries a percent sign."""
    is_percent = np.array([(_split(level) or ("", ""))[1] == PERCENT for level in texts.levels], dtype=bool)
    return int(texts.counts[is_percent].sum())


def _split(text: str) -> tuple[str, str] | None:
    """A marked number as the number and its sign; None if it is none, or has two signs or none."""
    found = _MARKED.fullmatch(text) if not text.isdecimal() else None
    if found is None or (found["before"] is None) == (found["after"] is None):
        return None
    signs = found["sign"] + found["inner"]
    if len(signs) > 1 or (found["open"] is None) != (found["close"] is None) or (found["open"] and signs):
        return None
    minus = "-" if found["open"] or signs in ("-", "\u2212") else ""  # bookkeepers write (12) for -12
    return minus + found["number"].strip(), found["before"] or found["after"]
