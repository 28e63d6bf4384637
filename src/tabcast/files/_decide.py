"""Deciding what a column is, from its values and its name, never from the labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._rules import CategoryRule, DateRule, NumberRule, Rule, TextRule, bound_numbers, is_number
from tabcast.files._values import (
    BOOLEAN_WORDS,
    NOT_NUMBERS,
    PERCENT,
    Texts,
    count_percent,
    find_date_format,
    find_mark,
    find_number_format,
    find_texts,
    has_leading_zeros,
    is_text,
    is_unit,
    plain_dates,
    plain_number,
    read_dates,
    read_numbers,
    remove_marks,
    split_plain,
    swapped_format,
)
from tabcast.files._words import Fact, note
from tabcast.wording import shorten

MOST_LEVELS = 200  # gradient boosting of scikit-learn takes 255
MANY_LEVELS, MOST_LOST = 1_000, 0.5  # with more levels, and fewer rows that would keep theirs, the spelling tells more
SHOWN_LEVELS = 3
FEW_LEVELS = 20  # numbers and words mixed: up to here they are levels such as 1, 2, 3, "4 or more"
MOSTLY = 0.8  # proportion of numbers (or dates) that makes a column one of numbers, strays missing
NEARLY_ALL = 0.9  # proportion of different values that makes an identifier
OFTEN_DIFFERENT = 0.3  # proportion of different words from which they may be names of rows
FEWEST_FOR_KEY = 20  # rows below which 1, 2, 3, ... may well be a measurement
FEWEST_FOR_UNIQUE = 5
SAMPLE_ROWS = 1_000
EXACT = 2**53  # the largest integer up to which floats hold every one
PROSE_WORDS, PROSE_LENGTH, PROSE_SHARE = 4.0, 50.0, 0.2
ID_NAME = re.compile(
    r"(?i:(?:^|[\W_])(?:id|ids|uid|uuid|guid|key|pk|index|idx|row|rowid|row_?(?:nr|no|num|number)|nr|no|unnamed: 0)$)"
    r"|(?<=[a-z])(?:Id|ID|Key|Nr|No)$",
)

INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")  # the index of a DataFrame, written to a file and read back


@dataclass(frozen=True)
class Decision:
    """What a column is, whether it is used, why, and how it becomes a feature.

    Parameters
    ----------
    kind, used, facts
        As in :class:`ColumnNote`.
    rule : Rule or None
        How it becomes a feature, also where it is left out but could be used; None if it cannot.
    is_open : bool
        Whether its numbers may be read in two ways, so that the other columns have to decide.
    """

    kind: str
    used: bool
    facts: tuple[Fact, ...]
    rule: Rule | None
    is_open: bool = False


def decide(name: str, values: pd.Series[Any], hint: str | None = None) -> Decision:
    """Decide what a column is; `hint` is the notation of numbers in other columns, for texts such as `1,234`."""
    dtype = values.dtype
    if values.isna().all():
        return Decision("empty", False, (note("no_value"),), None)
    if _is_nested(values):
        example = type(values.dropna().iloc[0]).__name__
        return Decision("mixed", False, (note("nested", type=example),), None)
    if is_number(dtype):
        return _decide_numbers(name, values, values.to_numpy(dtype=float, na_value=np.nan, copy=True), None)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _decide_dates(name, plain_dates(values), None)
    if pd.api.types.is_timedelta64_dtype(dtype):
        seconds = values.dt.total_seconds().to_numpy(dtype=float, copy=True)
        return _decide_numbers(name, pd.Series(seconds), seconds, None, unit="seconds")
    if is_text(values):
        return _decide_text(name, values, hint)
    texts = find_texts(values)
    if values.dtype == object and not pd.api.types.is_bool_dtype(values.dropna().infer_objects().dtype):
        return _decide_text(name, pd.Series(_spread_text(texts)), hint)  # several types in one column
    return _decide_levels(name, texts)


def decide_category(name: str, values: pd.Series[Any]) -> Decision:
    """Decide what a column is whose values, perhaps numbers, the user declared to be categories."""
    if values.isna().all() or _is_nested(values):
        return decide(name, values)
    texts = _same_numbers(find_texts(values))
    if not texts.n_values:
        return Decision("empty", False, (note("only_missing_words"),), None)
    rule, share_kept = _category_rule(name, texts)
    if len(texts.levels) == 1 and texts.n_values == len(texts.codes):
        return Decision("constant", False, (_same_value(texts),), rule)
    return Decision("category", True, (_levels(texts, rule, share_kept), note("category_on_request")), rule)


def _same_numbers(texts: Texts) -> Texts:
    """`1` and `1.0` are the same level, unless there are codes with leading zeros."""
    if has_leading_zeros(pd.Series(texts.levels, dtype=object)):
        return texts
    levels = np.empty(len(texts.levels) + 1, dtype=object)
    levels[:-1] = [plain_number(level) for level in texts.levels]
    return find_texts(pd.Series(levels[texts.codes], dtype=object))


def _decide_text(name: str, values: pd.Series[Any], hint: str | None) -> Decision:
    """A column of text: numbers, dates or levels written down."""
    if hint != "decimal_comma" and split_plain(values.iloc[:SAMPLE_ROWS])[1].n_values == 0:
        numbers, rest = split_plain(values)
        is_plain = not rest.n_values and not np.isnan(numbers).all()
        if is_plain and not (_are_integers(numbers) and has_leading_zeros(values)):
            return _decide_numbers(name, values, numbers, "plain")
    texts = find_texts(values)
    if not texts.n_values:
        return Decision("empty", False, (note("only_missing_words"),), None)
    if has_leading_zeros(pd.Series(texts.levels, dtype=object)):
        return _decide_levels(name, texts, note("leading_zeros"))
    without = texts.without(NOT_NUMBERS)
    if without.n_values:
        mark = find_mark(without)
        unmarked = without if mark is None else remove_marks(without, mark)
        by_clock = read_numbers(without.levels, "clock")
        if int(without.counts[~np.isnan(by_clock)].sum()) >= MOSTLY * without.n_values:
            strays = [_stray(without, np.isnan(by_clock))] if np.isnan(by_clock).any() else []
            return _decide_numbers(name, values, without.spread(by_clock), "clock", note("clock"), *strays)
        number_format, by_level = find_number_format(unmarked, prefer_notation(unmarked, mark, hint))
        if number_format is None and _could_be_numbers(unmarked):
            example = note("two_notations", example=shorten(without.levels[0]))
            return Decision("mixed", False, (example,), NumberRule(name, "thousands_comma", mark), is_open=True)
        n_numbers = int(without.counts[~np.isnan(by_level)].sum())
        marked = _marked(without, mark)
        if n_numbers == without.n_values:
            return _decide_numbers(name, values, without.spread(by_level), number_format, *marked, mark=mark)
        if n_numbers and not _few_levels(texts) and n_numbers >= MOSTLY * without.n_values:
            details = (*marked, _stray(without, np.isnan(by_level)))
            return _decide_numbers(name, values, without.spread(by_level), number_format, *details, mark=mark)
        date_format = find_date_format(without)
        if date_format is not None:
            return _decide_text_dates(name, without, date_format)
        if 0.1 * without.n_values < n_numbers and not _few_levels(texts) and len(texts.levels) > MOST_LEVELS:
            both = note("numbers_and_words", n_numbers=n_numbers, n_words=without.n_values - n_numbers)
            return Decision("mixed", False, (both,), _category_rule(name, texts)[0])
    return _decide_levels(name, texts)


def prefer_notation(texts: Texts, mark: str | None, hint: str | None) -> str | None:
    """The notation to read numbers in where they do not tell: that of the other columns, as far as it matters here."""
    with_comma = any("," in level for level in texts.levels)
    if with_comma and mark is not None and mark != PERCENT and not (is_unit(mark) and hint == "decimal_comma"):
        return (
            "thousands_comma"  # three digits after the comma of an amount are thousands: prices have no third decimal
        )
    return hint if with_comma or any("." in level for level in texts.levels) else None


def _decide_numbers(
    name: str,
    values: pd.Series[Any],
    numbers: NDArray[np.float64],
    number_format: str | None,
    *details: Fact,
    unit: str = "none",
    mark: str | None = None,
) -> Decision:
    """A column of numbers: `values` as they came, `numbers` what they mean."""
    problems = bound_numbers(name, numbers)
    rule = NumberRule(name, number_format, mark)
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return Decision("empty", False, (note("only_infinite"),), None)
    low, high = float(present.min()), float(present.max())
    if mark is None and _are_integers(present):
        key = _find_key(name, values, present)
        if key is not None:
            return Decision("identifier", False, (key,), rule)
    if low == high and len(present) == len(numbers):
        return Decision("constant", False, (note("same_number", value=low),), rule)
    facts = [note("range", low=low, high=high, unit=unit)]
    if number_format in ("decimal_comma", "thousands_comma"):
        facts.append(note(number_format))
    facts += [*details, *(note(problem.what.replace(" ", "_"), n=problem.n) for problem in problems)]
    if _are_rounded(present):
        facts.append(note("rounded"))
    return Decision("number", True, tuple(facts), rule)


def _find_key(name: str, values: pd.Series[Any], present: NDArray[np.float64]) -> Fact | None:
    """Why a column of integers is a key and not a measurement; None if it is not."""
    n = len(present)
    n_different = int(values.nunique())
    if INDEX.fullmatch(name.strip()) and 2 * n_different >= n:  # twice where two files became one table
        return note("index")
    if n >= FEWEST_FOR_KEY and n == len(values) == n_different and present.max() - present.min() == n - 1:
        return note("row_numbers")
    if n_different == n and n >= FEWEST_FOR_KEY and np.abs(present).max() > EXACT:
        return note("long_integers")
    if ID_NAME.search(name.strip()) and n_different >= NEARLY_ALL * n and n >= FEWEST_FOR_UNIQUE:
        return note("named_like_a_key")
    return None


def _decide_text_dates(name: str, texts: Texts, date_format: str) -> Decision:
    """A column of dates as text."""
    by_level = read_dates(texts.levels, date_format)
    dates = np.append(by_level, np.array("NaT", dtype=by_level.dtype))[texts.codes]
    twin = swapped_format(date_format)
    details = []
    if twin is not None and not np.isnat(read_dates(texts.levels[~np.isnat(by_level)], twin)).any():
        details.append(note("day_or_month", order="month/day" if date_format.startswith("%m") else "day/month"))
    if np.isnat(by_level).any():
        details.append(_stray(texts, np.isnat(by_level)))
    return _decide_dates(name, dates, date_format, *details)


def _decide_dates(name: str, dates: NDArray[np.datetime64], date_format: str | None, *details: Fact) -> Decision:
    """A column of dates."""
    present = dates[~np.isnat(dates)]
    first, last = (str(date.astype("datetime64[D]")) for date in (present.min(), present.max()))
    rule = DateRule(name, date_format, first)
    if present.min() == present.max() and len(present) == len(dates):
        return Decision("constant", False, (note("same_date", value=first),), rule)
    return Decision("date", True, (note("dates", first=first, last=last), *details), rule)


def _decide_levels(name: str, texts: Texts, *details: Fact) -> Decision:
    """A column of words: levels, free text or an identifier."""
    n, n_levels = texts.n_values, len(texts.levels)
    if not n:
        return Decision("empty", False, (note("only_missing_words"),), None)
    rule, share_kept = _category_rule(name, texts)
    if n_levels == 1 and n == len(texts.codes):
        return Decision("constant", False, (_same_value(texts),), rule)
    if _is_prose(texts):
        return Decision("text", True, (note("free_text", n=n_levels, n_rows=n),), TextRule(name, _find_analyzer(texts)))
    if n >= FEWEST_FOR_UNIQUE and n_levels / n >= NEARLY_ALL:
        return Decision("identifier", False, (note("different_values", n=n_levels, n_rows=n), *details), rule)
    if ID_NAME.search(name.strip()) and n_levels / n > 0.5 and n >= FEWEST_FOR_UNIQUE:
        return Decision("identifier", False, (note("named_like_a_key_of_words", n=n_levels, n_rows=n),), rule)
    if n_levels > FEW_LEVELS and n_levels / n >= OFTEN_DIFFERENT:
        details = (*details, note("like_names", n_rows=n))
    if n_levels > MANY_LEVELS and share_kept < MOST_LOST:
        return Decision("category", True, (note("many_levels", n=n_levels), *details), TextRule(name, "characters"))
    return Decision("category", True, (_levels(texts, rule, share_kept), *details), rule)


def learn_text(rule: TextRule, values: pd.Series[Any], decision: Decision, taken: Iterable[str]) -> Decision:
    """The decision for a column of text with its rule learned; without it if the texts have too few terms in common."""
    texts = find_texts(values)
    learned, (first, *details) = rule.learn(texts, taken), decision.facts
    if learned is not None:
        features = note("text_features", n=len(learned.outputs), n_terms=len(learned.terms), terms=rule.analyzer)
        return replace(decision, facts=(first, features, *details), rule=learned)
    category, share_kept = _category_rule(rule.name, texts)
    if decision.kind == "category":
        return replace(decision, facts=(_levels(texts, category, share_kept), *details), rule=category)
    return Decision("text", False, (first, note("nothing_in_common"), *details), category)


def _find_analyzer(texts: Texts) -> str:
    """Words, unless the texts have no spaces between them."""
    sample = texts.levels[:: max(1, len(texts.levels) // 1_000)]
    return "words" if np.mean([len(text.split()) for text in sample]) >= PROSE_WORDS else "characters"


def _marked(texts: Texts, mark: str | None) -> list[Fact]:
    """That the numbers carry a sign, and what it means."""
    if mark is None:
        return []
    if mark != PERCENT:
        return [note("unit", mark=mark) if is_unit(mark) else note("currency", mark=mark)]
    n_without = texts.n_values - count_percent(texts)
    return [note("percent"), *([note("partly_percent", n=n_without)] if n_without else [])]


def _same_value(texts: Texts) -> Fact:
    return note("same_value", value=shorten(texts.levels[0]))


def _levels(texts: Texts, rule: CategoryRule, share_kept: float) -> Fact:
    """How many levels, and which."""
    if rule.other is not None:
        return note("grouped_levels", n=len(texts.levels), n_kept=len(rule.levels) - 1, share=share_kept)
    return note("levels", n=len(texts.levels), shown=[shorten(level) for level in rule.levels[:SHOWN_LEVELS]])


def _category_rule(name: str, texts: Texts) -> tuple[CategoryRule, float]:
    """The rule of a column of levels, MOST_LEVELS of them at most, and the proportion of rows whose level it keeps."""
    folded = {level.casefold() for level in texts.levels}
    if folded <= BOOLEAN_WORDS:
        return CategoryRule(name, tuple(sorted(folded)), None, True), 1.0
    if len(texts.levels) <= MOST_LEVELS:
        return CategoryRule(name, tuple(texts.levels)), 1.0
    frequent = np.argsort(-texts.counts, kind="stable")[: MOST_LEVELS - 1]
    levels = sorted(texts.levels[frequent])
    other = "(other)"
    while other in set(texts.levels):
        other = f"({other})"
    return CategoryRule(name, (*levels, other), other), float(texts.counts[frequent].sum() / texts.n_values)


def _is_prose(texts: Texts) -> bool:
    """Whether a column holds sentences: long or of many words, and mostly different ones."""
    if len(texts.levels) <= max(FEW_LEVELS, PROSE_SHARE * texts.n_values):
        return False
    sample = texts.levels[:: max(1, len(texts.levels) // 1_000)]
    n_words = np.mean([len(text.split()) for text in sample])
    length = np.mean([len(text) for text in sample])
    return bool(n_words >= PROSE_WORDS or length >= PROSE_LENGTH)


def _few_levels(texts: Texts) -> bool:
    """Whether a mix of numbers and words is a handful of levels."""
    return len(texts.levels) <= min(FEW_LEVELS, texts.n_values / 2)


def _could_be_numbers(texts: Texts) -> bool:
    """Whether all but a few texts are numbers with either meaning of the comma."""
    by_level = find_number_format(texts, "thousands_comma")[1]
    return int(texts.counts[~np.isnan(by_level)].sum()) >= MOSTLY * texts.n_values


def _is_nested(values: pd.Series[Any]) -> bool:
    """Whether the cells are lists, records, bytes or other things that no CSV cell holds."""
    if values.dtype != object:
        return False
    return any(isinstance(value, (list, tuple, dict, set, bytes, np.ndarray)) for value in values.dropna().iloc[:100])


def _spread_text(texts: Texts) -> NDArray[np.object_]:
    """A column of texts again."""
    levels = np.empty(len(texts.levels) + 1, dtype=object)
    levels[:-1] = texts.levels
    return levels[texts.codes]


def _stray(texts: Texts, lost: NDArray[np.bool_]) -> Fact:
    """How many values are not what the others are."""
    counts = np.where(lost, texts.counts, 0)
    return note("stray", n=int(counts.sum()), example=shorten(texts.levels[int(np.argmax(counts))]))


def _are_rounded(present: NDArray[np.float64]) -> bool:
    """Whether there are integers that floats cannot hold exactly."""
    return bool(EXACT < np.abs(present).max() < 1e22) and _are_integers(present)


def _are_integers(numbers: NDArray[np.float64]) -> bool:
    """Whether all numbers, missing ones aside, are whole."""
    return bool(((numbers == np.round(numbers)) | np.isnan(numbers)).all())
