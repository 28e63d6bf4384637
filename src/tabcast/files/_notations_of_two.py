"""Two files that write numbers or dates differently: each is read in its own notation before they become one table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tabcast.files._decide import Decision, decide
from tabcast.files._rules import DateRule, NumberRule, Problem
from tabcast.files._understand import settle_decisions
from tabcast.files._values import NOT_NUMBERS, find_texts, plain_dates, read_dates, swapped_format


def read_alike(
    one: pd.DataFrame, other: pd.DataFrame, names: tuple[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The two tables with the columns read that they write differently; and which cells could not be read.

    A column of numbers with a decimal comma in one file and a decimal point in the other, or of dates with the day
    first in one and the month first in the other, becomes numbers or dates in both. All other columns stay as they
    are. `names` is what the tables are called in messages.
    """
    shared = [name for name in one.columns if name in other.columns]
    decisions = [{name: decide(str(name), frame[name]) for name in shared} for frame in (one, other)]
    for frame, found in zip((one, other), decisions, strict=True):
        settle_decisions(frame, found)
    frames, notes = [one.copy(deep=False), other.copy(deep=False)], []
    for name in shared:
        pair = [found[name] for found in decisions]
        if not _differ(*pair):
            continue
        for position, decision in enumerate(pair):
            frames[position][name], problems = _read(frames[position][name], decision)
            notes += [f"In {names[position]}: {problem.say()}" for problem in problems]
    return frames[0], frames[1], notes


def _differ(one: Decision, other: Decision) -> bool:
    """Whether two columns are both numbers, or both dates, in notations that cannot be read together."""
    if one.is_open or other.is_open or "identifier" in (one.kind, other.kind):
        return False
    rules = (one.rule, other.rule)
    formats = {getattr(rule, "format", None) or "plain" for rule in rules}
    if len(formats) == 1:
        return False
    if all(isinstance(rule, NumberRule) for rule in rules):
        return formats != {"plain", "thousands_comma"}  # what is plain is also read with thousands
    return all(isinstance(rule, DateRule) for rule in rules) and not _is_settled_by_the_other(one, other)


def _is_settled_by_the_other(one: Decision, other: Decision) -> bool:
    """Whether only one of two columns tells that the day or the month comes first, so that it holds for both."""
    formats = [rule.format for rule in (one.rule, other.rule) if isinstance(rule, DateRule)]
    if None in formats or swapped_format(formats[0] or "") != formats[1]:
        return False
    return any(fact.code == "day_or_month" for decision in (one, other) for fact in decision.facts)


def _read(values: pd.Series[Any], decision: Decision) -> tuple[pd.Series[Any], list[Problem]]:
    """A column in its own notation, by type."""
    if isinstance(decision.rule, NumberRule):
        return decision.rule.convert(values)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return pd.Series(plain_dates(values), index=values.index), []
    texts = find_texts(values).without(NOT_NUMBERS)
    rule = decision.rule
    assert isinstance(rule, DateRule)
    _, problems = rule.convert(values)
    levels = read_dates(texts.levels, rule.format or "ISO8601")
    dates = pd.Series(levels).reindex(texts.codes).to_numpy()  # code -1 is no position: not a time
    return pd.Series(dates, index=values.index), problems
