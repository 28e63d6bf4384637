"""Text into values: what counts as missing, as a boolean, as a number in which notation, as a date in which.

Everything works on the distinct texts of a column (:class:`Texts`), so that a million rows with ten levels cost ten.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Compared without case and without spaces around them. A category may well be called "none" or "?"; a number not.
MISSING_WORDS = frozenset({"", "na", "n/a", "n.a.", "nan", "<na>", "null", "#n/a", "#na", "nat"})
NOT_NUMBERS = MISSING_WORDS | frozenset(
    {"none", "nil", "-", "--", "---", "?", ".", "..", "*", "missing", "unknown", "(null)", "#null!", "#div/0!"}
    | {"#value!", "#ref!", "#num!", "#name?", "-nan", "1.#qnan", "n.d.", "nd"}
)
BOOLEAN_WORDS = frozenset({"true", "false"})

NUMBER_FORMATS = ("plain", "thousands_comma", "decimal_comma")
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_GROUPED = {  # numbers with thousands separators, or with a decimal comma
    "thousands_comma": re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{_EXPONENT}"),
    "decimal_comma": re.compile(rf"[+-]?(?:\d*,\d+|\d+,|[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?){_EXPONENT}"),
}
_SPACED = re.compile(r"([+-]?[1-9]\d{0,2})((?:[ '\u00a0\u202f\u2019]\d{3})+)((?:[.,]\d*)?)")
_INTEGER = re.compile(r"[+-]?\d+")
_LEADING_ZERO = re.compile(r"[+-]?0\d+")
# pandas before 3.1 drops digits after the fifteenth or so.
_PANDAS_IS_EXACT = pd.to_numeric(pd.Series(["0.006482139427807225"], dtype=object))[0] == 0.006482139427807225

DATE_FORMATS = (
    "ISO8601",
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d.%m.%y", "%m/%d/%y", "%d/%m/%y"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
)
TIME_FORMATS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
ALL_DATE_FORMATS = tuple(
    dict.fromkeys(day if day == "ISO8601" else day + time for day in DATE_FORMATS for time in TIME_FORMATS)
)
# Which formats are each other's twin when no day is above 12.
SWAPPED = {"%m/%d/%Y": "%d/%m/%Y", "%d-%m-%Y": "%m-%d-%Y", "%m/%d/%y": "%d/%m/%y"}
_DATE_LIKE = re.compile(r"\d{1,4}[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/. ,]|\d{4}-\d{2}|[^\W\d]{3,9} \d{1,2},? \d{4}")
DATE_SAMPLE = 300
FORMAT_SAMPLE = 1_000


@dataclass(frozen=True)
class Texts:
    """A column as its distinct texts: `levels[codes]` is the column, code -1 is missing.

    Spaces around values are gone, and so are the values that mean "missing".
    """

    codes: NDArray[np.intp]
    levels: NDArray[np.object_]

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How often each level occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    @property
    def n_values(self) -> int:
        """Rows with a value."""
        return int(self.counts.sum())

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """A number per level to a number per row, missing as NaN."""
        return np.append(values, np.nan)[self.codes]

    def without(self, words: frozenset[str]) -> Texts:
        """The same column with more words that mean "missing"."""
        keep = np.array([level.casefold() not in words for level in self.levels], dtype=bool)
        if keep.all():
            return self
        renumber = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
        return Texts(renumber[self.codes], self.levels[keep])


def find_texts(values: pd.Series[Any]) -> Texts:
    """A column of any type as its distinct texts."""
    try:
        codes, raw = pd.factorize(values, use_na_sentinel=True)
    except TypeError:  # lists and the like
        codes, raw = pd.factorize(values.map(str, na_action="ignore"), use_na_sentinel=True)
    cleaned = [_clean(text_of(value)) for value in np.asarray(raw, dtype=object)]
    levels = sorted({text for text in cleaned if text is not None})
    position = {text: number for number, text in enumerate(levels)}
    renumber = np.array([-1 if text is None else position[text] for text in cleaned] + [-1], dtype=np.intp)
    result = np.empty(len(levels), dtype=object)
    result[:] = levels
    return Texts(renumber[codes], result)


def text_of(value: Any) -> str:
    """A value as the text that a CSV of it would hold, the same for every type that can hold it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (Number, np.number, Decimal)):
        return text_of_number(value)
    return str(value)


def text_of_number(value: Any) -> str:
    """A number without a needless `.0`."""
    number = float(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def plain_number(text: str) -> str:
    """A number's text without a needless `.0`; any other text as it is."""
    try:
        return text_of_number(float(text)) if math.isfinite(float(text)) else text
    except ValueError:
        return text


def _clean(text: str) -> str | None:
    """The text without spaces around it, or None if it means "missing"."""
    text = text.strip()
    return None if len(text) <= 4 and text.casefold() in MISSING_WORDS else text


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds text alone (and missing values)."""
    if isinstance(values.dtype, pd.StringDtype):
        return True
    return values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) in ("string", "empty")


def split_plain(values: pd.Series[Any]) -> tuple[NDArray[np.float64], Texts]:
    """A text column as plain numbers, and the texts that are none (without those that mean "missing")."""
    numbers = _plain_numbers(values)
    unread = np.isnan(numbers) & values.notna().to_numpy()
    if not unread.any():
        return numbers, Texts(np.full(len(values), -1), np.empty(0, dtype=object))
    return numbers, find_texts(values[unread]).without(NOT_NUMBERS)


def has_leading_zeros(values: pd.Series[Any]) -> bool:
    """Whether digits begin with a zero somewhere in a text column, and nothing is ever written after a point."""
    text = values.dropna().astype(str).str.strip()
    if not text.str.fullmatch(_LEADING_ZERO.pattern).any():
        return False
    others = text[~text.str.fullmatch(_INTEGER.pattern)]
    return all(word.casefold() in NOT_NUMBERS for word in others)


def read_numbers(levels: NDArray[np.object_], number_format: str) -> NDArray[np.float64]:
    """Texts as numbers in one of NUMBER_FORMATS; NaN where a text is none. Infinite ones stay infinite."""
    numbers = _plain_numbers(pd.Series(levels, dtype=object))
    # A plain number is one with thousands commas too, but not one with a decimal comma.
    rest = np.arange(len(levels)) if number_format == "decimal_comma" else np.flatnonzero(np.isnan(numbers))
    rewritten = np.array([_rewrite(levels[position], number_format) for position in rest], dtype=object)
    numbers[rest] = _plain_numbers(pd.Series(rewritten, dtype=object))
    return numbers


def _rewrite(text: str, number_format: str) -> str:
    """A text in some notation as a plain number; something that is none if it is none in that notation."""
    text = _without_spaces(text)
    if number_format == "plain":
        return text
    if _GROUPED[number_format].fullmatch(text):
        return text.replace(".", "").replace(",", ".") if number_format == "decimal_comma" else text.replace(",", "")
    return "" if number_format == "decimal_comma" and "." in text else text


def _plain_numbers(values: pd.Series[Any]) -> NDArray[np.float64]:
    """Texts as numbers with a decimal point; NaN where a text is none."""
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan, copy=True)
    if not _PANDAS_IS_EXACT:
        read = ~np.isnan(numbers)
        numbers[read] = values.to_numpy(dtype=object)[read].astype(float)
    return numbers


def _without_spaces(text: str) -> str:
    """`1 234 567` and `1'234` without their separators: with three digits after each they mean nothing else."""
    found = _SPACED.fullmatch(text)
    return found[1] + re.sub(r"\D", "", found[2]) + found[3] if found else text


def find_number_format(texts: Texts, preferred: str | None = None) -> tuple[str | None, NDArray[np.float64]]:
    """The notation that reads most rows of a column, and its numbers by level.

    A notation with commas is taken only when it reads more rows than plain numbers do. `1,234` alone may be 1.234 or
    1234: then the format is `preferred`, or None (and the numbers are those of plain reading) if that does not help.
    """
    by_format = {"plain": read_numbers(texts.levels, "plain")}
    n_read = {"plain": _n_rows(texts, by_format["plain"])}
    if n_read["plain"] == texts.n_values and preferred != "decimal_comma":
        return "plain", by_format["plain"]
    for name in NUMBER_FORMATS[1:]:
        by_format[name] = read_numbers(texts.levels, name)
        n_read[name] = _n_rows(texts, by_format[name])
    found = best_number_format(n_read, preferred)
    return found, by_format[found or "plain"]


def best_number_format(n_read: dict[str, int], preferred: str | None) -> str | None:
    """The notation that reads most, the preferred one among equals; None where only the comma's meaning is open."""
    best = [name for name in NUMBER_FORMATS if n_read[name] == max(n_read.values())]
    if preferred in best:
        return preferred
    return None if best == ["thousands_comma", "decimal_comma"] else best[0]


def count_plain(values: pd.Series[Any]) -> tuple[int, int, int]:
    """Of texts that are plain numbers: how many, how many without a point, how many also with a decimal comma."""
    values = values[pd.to_numeric(values, errors="coerce").notna().to_numpy()].str.strip()
    pointed = values[values.str.contains(".", regex=False).to_numpy(dtype=bool)]
    n_without = len(values) - len(pointed)
    return len(values), n_without, n_without + int(pointed.str.fullmatch(_GROUPED["decimal_comma"].pattern).sum())


def first_decisive_format(texts: Texts) -> str | None:
    """The one notation that reads more of a column's first texts than the others do; None if several do."""
    sample = texts.levels[:FORMAT_SAMPLE]
    if not any("." in text or "," in text for text in sample):
        return None
    return decisive_format({name: int((~np.isnan(read_numbers(sample, name))).sum()) for name in NUMBER_FORMATS})


def decisive_format(n_read: dict[str, int]) -> str | None:
    """The one notation that reads more than the others do; None if several do."""
    # What plain reading reads, reading with thousands reads too: that tells nothing about thousands.
    best = [name for name in NUMBER_FORMATS if n_read[name] == max(n_read.values())]
    if best == ["plain", "thousands_comma"]:
        return "plain"
    return best[0] if len(best) == 1 else None


def _n_rows(texts: Texts, numbers: NDArray[np.float64]) -> int:
    """Rows that could be read."""
    return int(texts.counts[~np.isnan(numbers)].sum())


def find_date_format(texts: Texts, preferred: str | None = None) -> str | None:
    """The notation that reads most of a column's texts as dates, at least four of five; None if there is none."""
    step = max(1, len(texts.levels) // DATE_SAMPLE)
    sample = texts.levels[::step]
    if sum(bool(_DATE_LIKE.match(text)) for text in sample) < 0.8 * len(sample):
        return None
    candidates = [] if preferred is None else [preferred]
    candidates += ALL_DATE_FORMATS
    best, most = None, 0.8 * len(sample) - 0.5
    for candidate in dict.fromkeys(candidates):
        n_read = int((~np.isnat(read_dates(sample, candidate))).sum())
        if n_read > most:
            best, most = candidate, n_read
            if n_read == len(sample):
                break
    if best is None or best == preferred:
        return best
    return _check_swap(texts, best)


def _check_swap(texts: Texts, found: str) -> str:
    """Month and day swapped, where all texts together show it though the sample did not."""
    twin = swapped_format(found)
    if twin is None:
        return found
    n_found, n_twin = ((~np.isnat(read_dates(texts.levels, one))).sum() for one in (found, twin))
    return twin if n_twin > n_found else found


def swapped_format(date_format: str) -> str | None:
    """The same notation with day and month swapped, if people use that one too."""
    for one, other in SWAPPED.items():
        for start, twin in ((one, other), (other, one)):
            if date_format.startswith(start):
                return twin + date_format[len(start) :]
    return None


def read_dates(levels: NDArray[np.object_], date_format: str) -> NDArray[np.datetime64]:
    """Texts as dates (UTC, microseconds), not-a-time where a text is none."""
    dates = pd.to_datetime(pd.Series(levels, dtype=object), format=date_format, errors="coerce", utc=True)
    return plain_dates(dates)


def plain_dates(dates: pd.Series[Any]) -> NDArray[np.datetime64]:
    """A column of dates without its time zone, in microseconds."""
    if dates.dt.tz is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return dates.to_numpy(dtype="datetime64[us]")
