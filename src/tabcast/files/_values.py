"""Text into values: what counts as missing, as a boolean, as a number in which notation, as a date in which.

Everything works on the distinct texts of a column (:class:`Texts`), so that a million rows with ten levels cost ten.
"""

from __future__ import annotations

import math
import re
from collections import Counter
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
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:\s*([AaPp])\.?[Mm]\.?)?")
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
    """Texts as numbers in one of NUMBER_FORMATS, or times of day in minutes ("clock"); NaN where a text is none."""
    if number_format == "clock":
        return np.array([_read_clock(level) for level in levels], dtype=float)
    numbers = _plain_numbers(pd.Series(levels, dtype=object))
    # A plain number is one with thousands commas too, but not one with a decimal comma.
    rest = np.arange(len(levels)) if number_format == "decimal_comma" else np.flatnonzero(np.isnan(numbers))
    rewritten = np.array([_rewrite(levels[position], number_format) for position in rest], dtype=object)
    numbers[rest] = _plain_numbers(pd.Series(rewritten, dtype=object))
    return numbers


def _read_clock(text: str) -> float:
    """A time of day in minutes since midnight; NaN if it is none."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return math.nan
    hour, half = int(found[1]), (found[4] or "").lower()
    if hour > 23 or (half and not 1 <= hour <= 12):
        return math.nan
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return 60 * hour + int(found[2]) + int(found[3] or 0) / 60


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


def find_date_format(texts: Texts) -> str | None:
    """The notation that reads most of a column's texts as dates, at least four of five; None if there is none."""
    sample = texts.levels[:: max(1, len(texts.levels) // DATE_SAMPLE)]
    if sum(bool(_DATE_LIKE.match(text)) for text in sample) < 0.8 * len(sample):
        return None
    best, most = None, 0.8 * len(sample) - 0.5
    for candidate in ALL_DATE_FORMATS:
        n_read = int((~np.isnat(read_dates(sample, candidate))).sum())
        if n_read > most:
            best, most = candidate, n_read
            if n_read == len(sample):
                break
    twin = None if best is None else swapped_format(best)
    if best is None or twin is None:
        return best
    # Day and month swapped, where all texts together show it though the sample did not.
    n_best, n_twin = ((~np.isnat(read_dates(texts.levels, one))).sum() for one in (best, twin))
    return twin if n_twin > n_best else best


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


PERCENT = "%"
CURRENCIES = "$€£¥₹₩₽₺₫₪฿₴₦₱₡₲₵₸"
_MARK = rf"(?:[A-Z]{{2}})?[{CURRENCIES}]|{PERCENT}"  # also US$ and the like
# Directly behind a number only what is known to be a unit, because `12A` is a code; behind a space any word or two.
_KNOWN_UNITS = (
    "k?g|mg|lbs?|oz|k?m|cm|mm|mi|ft|in|yd|sq ?ft|sqm|m[²³23]|ha|l|ml|h|hrs?|min|s|secs?|ms|d|days?|yrs?|k?wh?|v|hp|bhp"
    "|cc|[kmgt]b|[kmg]?hz|km/h|mph|rpm|°[cf]?"
)
_UNIT = rf"(?i:{_KNOWN_UNITS})|(?<=\s)(?!(?i:[ap]\.?m\b))[^\W\d_]{{1,15}}[²³]?\.?(?:[ /][^\W\d_]{{1,15}}[²³]?\.?)?"
MOSTLY = 0.8  # proportion of values that must carry a unit: `5 or more` among levels is none
_MARKED = re.compile(
    rf"(?P<open>\(\s*)?(?P<sign>[+\-\u2212]?)\s*(?P<before>{_MARK})?\s*(?P<inner>[+\-\u2212]?)\s*"
    rf"(?P<number>[\d.,][\d.,'\s\u2019]*(?:[eE][+-]?\d+)?)\s*(?P<after>{_MARK}|{_UNIT})?(?P<close>\s*\))?"
)


def find_mark(texts: Texts) -> str | None:
    """The currency or percent sign, or the unit, that most values of a column carry; None if none does."""
    counts: Counter[str] = Counter()
    for level, n in zip(texts.levels, texts.counts, strict=True):
        found = _split(level)
        if found is not None:
            counts[found[1]] += int(n)
    for mark, n in counts.most_common(1):
        return mark if not is_unit(mark) or n >= MOSTLY * texts.n_values else None
    return None


def is_unit(mark: str) -> bool:
    """Whether a mark is a unit rather than a currency or percent sign."""
    return mark != PERCENT and mark[-1] not in CURRENCIES


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
    return minus + found["number"].strip(), found["before"] or " ".join(found["after"].lower().split())
