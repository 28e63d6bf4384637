"""Text into values: what counts as missing, as a number, as a time of day, as a date, and in which notation.

Everything works on the distinct texts of a column (:class:`Texts`), so that a million rows with ten levels cost ten.
Numbers and dates are both floats (dates: days since 1970), and both have two notations that may contradict each other:
what a comma means, and whether day or month comes first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
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
EXACT = 2**53  # the largest integer up to which floats hold every one
MOSTLY = 0.8  # proportion of values that decides what a column is

NOTATIONS = {"number": ("thousands_comma", "decimal_comma"), "date": ("month_first", "day_first")}
ORDERS = {"month_first": "month/day", "day_first": "day/month"}
PLAIN = "plain"  # the notation of a column that both of its two notations read alike
_SWAPPED = str.maketrans(",.", ".,")
_SEPARATORS = ", '\u00a0\u202f\u2019"
_GROUPED = re.compile(rf"[+-]?[1-9]\d{{0,2}}([{_SEPARATORS}])\d{{3}}(?:\1\d{{3}})*(?:\.\d*)?(?:[eE][+-]?\d+)?")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?:\s*([AaPp])\.?[Mm]\.?)?")
_WORD = r"[^\W\d_]{3,9}"
_DATE = re.compile(
    rf"(?P<first>\d{{1,4}}|{_WORD})\.?(?P<mark>[-/. ])\s?(?P<second>\d{{1,2}}|{_WORD})"
    r"(?:[.,]? ?[-/. ,]\s?(?P<third>\d{4}|\d{1,2}))?(?:[T ,]\s?(?P<time>\d.+))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTES = 1_440  # of a day

PERCENT = "%"
CURRENCIES = "$€£¥₹₩₽₺₫₪฿₴₦₱₡₲₵₸"
_MARK = rf"(?:[A-Z]{{2}})?[{CURRENCIES}]|{PERCENT}"  # also US$ and the like
# Directly behind a number only what is known to be a unit, because `12A` is a code; behind a space any word or two.
_KNOWN_UNITS = (
    "k?g|mg|lbs?|oz|k?m[²³23]?|cm|mm|mi|ft|in|yd|sq ?ft|sqm|ha|l|ml|h|hrs?|min|s|secs?|ms|d|days?|yrs?|k?wh?|v|hp|bhp"
    "|cc|[kmgt]b|[kmg]?hz|km/h|mph|rpm|°[cf]?"
)
_UNIT = rf"(?i:{_KNOWN_UNITS})|(?<=\s)(?!(?i:[ap]\.?m\b))[^\W\d_]{{1,15}}[²³]?\.?(?:[ /][^\W\d_]{{1,15}}[²³]?\.?)?"
_MARKED = re.compile(
    rf"(?P<open>\(\s*)?(?P<sign>[+\-\u2212]?)\s*(?P<before>{_MARK})?\s*(?P<inner>[+\-\u2212]?)\s*"
    rf"(?P<number>[\d.,][\d.,'\s\u2019]*(?:[eE][+-]?\d+)?)\s*(?P<after>{_MARK}|{_UNIT})?(?P<close>\s*\))?"
)


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

    def spread(self, values: NDArray[Any], missing: Any = np.nan) -> NDArray[Any]:
        """A value per level to a value per row."""
        return np.append(values, [missing], axis=0)[self.codes]

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Rows whose level is chosen."""
        return int(self.counts[chosen].sum())

    def keep(self, kept: Iterable[bool]) -> Texts:
        """The same column with the other levels missing; the very same object if there are none."""
        mask = np.fromiter(kept, dtype=bool, count=len(self.levels))
        if mask.all():
            return self
        return Texts(self.spread(np.where(mask, np.cumsum(mask) - 1, -1), -1), self.levels[mask])

    def relabel(self, change: Callable[[Any], str]) -> Texts:
        """The same column with its levels changed; those that have become the same are one."""
        position: dict[str, int] = {}
        renumber = [position.setdefault(change(level), len(position)) for level in self.levels]
        return Texts(
            self.spread(np.array(renumber, dtype=np.intp), -1), np.fromiter(position, dtype=object, count=len(position))
        )

    def without(self, words: frozenset[str]) -> Texts:
        """The same column with more words that mean "missing"."""
        return self.keep(level.casefold() not in words for level in self.levels)


def find_texts(values: pd.Series[Any]) -> Texts:
    """A column of any type as its distinct texts."""
    try:
        codes, raw = pd.factorize(values, use_na_sentinel=True)
    except TypeError:  # lists and the like
        codes, raw = pd.factorize(values.map(str, na_action="ignore"), use_na_sentinel=True)
    return (
        Texts(codes, np.asarray(raw, dtype=object)).relabel(lambda value: text_of(value).strip()).without(MISSING_WORDS)
    )


def text_of(value: Any) -> str:
    """A value as the text that a CSV of it would hold, the same for every type that can hold it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (float, np.floating, Decimal)):  # without a needless `.0`
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < EXACT else repr(number)
    return str(value)


def plain_number(text: str) -> str:
    """A number's text without a needless `.0`; any other text as it is."""
    number = _to_number(text)
    return text_of(number) if math.isfinite(number) and not _GROUPED.fullmatch(text) else text


def has_leading_zeros(texts: Texts) -> bool:
    """Whether digits begin with a zero somewhere, and nothing is ever written after a point: then they are codes."""
    levels = [level.removeprefix("-") for level in texts.without(NOT_NUMBERS).levels]
    return all(level.isdecimal() for level in levels) and any(len(one) > 1 and one[0] == "0" for one in levels)


# ---- Numbers and dates


def read_levels(levels: Iterable[str], kind: str, notation: str | None, mark: str | None = None) -> NDArray[np.float64]:
    """Texts as numbers, or as dates in days since 1970; NaN where a text is none in that notation.

    `mark` is the sign or unit that numbers may carry, None: any.
    """
    if kind == "date":
        read = [_read_date(level, day_first=notation == "day_first") for level in levels]
    elif notation == "clock":
        read = [read_clock(level) for level in levels]
    else:
        read = [_read_number(level, mark, has_swapped=notation == "decimal_comma") for level in levels]
    return np.array(read, dtype=float)


def _read_number(text: str, mark: str | None, *, has_swapped: bool) -> float:
    """A number, perhaps with its mark (None: with any), perhaps with the point and the comma swapped."""
    number = _to_number(text.translate(_SWAPPED) if has_swapped else text)
    found = _split(text) if math.isnan(number) else None
    if found is None or mark not in (None, found[1]):
        return number
    return _to_number(found[0].translate(_SWAPPED) if has_swapped else found[0])


def _to_number(text: str) -> float:
    """A number with a decimal point, and perhaps with separated thousands; NaN if it is none."""
    found = _GROUPED.fullmatch(text)
    text = text.replace(found[1], "") if found else text
    try:
        return math.nan if "," in text or "_" in text else float(text)
    except ValueError:
        return math.nan


def read_clock(text: str) -> float:
    """A time of day in minutes since midnight; NaN if it is none."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return math.nan
    hour, half = int(found[1]), (found[4] or "").lower()
    if hour > 23 or (half and not 1 <= hour <= 12):
        return math.nan
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return 60 * hour + int(found[2]) + float(found[3] or 0) / 60


def _read_date(text: str, *, day_first: bool) -> float:
    """A date in days since 1970; NaN if it is none. Only slashes and dashes leave the order of day and month open."""
    if text[4:5] == "-":
        try:
            moment = datetime.fromisoformat(text)
            return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) / timedelta(days=1)
        except ValueError:
            pass  # a year and a month, for example
    found = _DATE.fullmatch(text)
    if found is None:
        return math.nan
    first, second, third = found["first"], found["second"], found["third"] or ""
    if len(first) == 4 and first.isdecimal():
        year, month, day = first, second, third or "1"
    elif first.isdecimal() and (day_first or found["mark"] == "." or not second.isdecimal()):
        day, month, year = first, second, third
    else:
        month, day, year = first, second, third
    if len(year) not in (2, 4):
        return math.nan
    try:
        month_number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].casefold()) + 1
        full_year = int(year) + (0 if len(year) == 4 else 2000 if int(year) < 69 else 1900)
        days = date(full_year, month_number, int(day)).toordinal() - _EPOCH.toordinal()
    except ValueError:
        return math.nan
    return days + (read_clock(found["time"]) / MINUTES if found["time"] else 0)


def read_typed(values: pd.Series[Any], kind: str) -> NDArray[np.float64] | None:
    """A column that is one of numbers or dates by its type, as floats; None if it is not."""
    dtype = values.dtype
    if kind == "date":
        if not pd.api.types.is_datetime64_any_dtype(dtype):
            return None
        dates = values.dt.tz_convert("UTC").dt.tz_localize(None) if values.dt.tz is not None else values
        return (dates.to_numpy(dtype="datetime64[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return values.dt.total_seconds().to_numpy(dtype=float, copy=True)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return values.to_numpy(dtype=float, na_value=np.nan, copy=True)
    return None


@dataclass
class Tally:
    """How many rows of a column each of its two notations reads, and both alike; a text that they read differently."""

    kind: str
    mark: str | None = None
    n_values: int = 0
    n_percent: int = 0
    n_read: list[int] = field(default_factory=lambda: [0, 0])
    n_alike: int = 0
    unclear: str = ""

    def add(self, texts: Texts) -> None:
        """Count more rows."""
        first, second = (read_levels(texts.levels, self.kind, one, self.mark) for one in NOTATIONS[self.kind])
        self.n_values += texts.n_values
        self.n_percent += texts.count(np.array([level.endswith(PERCENT) for level in texts.levels], dtype=bool))
        self.n_read[0] += texts.count(~np.isnan(first))
        self.n_read[1] += texts.count(~np.isnan(second))
        self.n_alike += texts.count((first == second) & (first != 0))
        for text in texts.levels[np.abs(first - second) > 0]:
            if not self.unclear or ("," in text and "," not in self.unclear):
                self.unclear = text

    @property
    def decisive(self) -> str | None:
        """The notation that reads more rows than the other."""
        first, second = self.n_read
        return None if first == second else NOTATIONS[self.kind][first < second]

    def choose(self, *preferred: str | None) -> str | None:
        """The notation that reads more rows, of equals the first one preferred; None if that does not tell either."""
        if self.decisive is not None or not self.unclear:
            return self.decisive or PLAIN
        if self.mark and self.mark != PERCENT and "," in self.unclear:
            # Three digits after the comma of an amount are thousands: prices have no third decimal.
            preferred = (*(preferred if is_unit(self.mark) else ()), "thousands_comma")
        last = None if self.kind == "date" or "," in self.unclear else PLAIN  # 1.234 is a number as it stands
        return next((one for one in preferred if one in NOTATIONS[self.kind]), last)

    def guess(self) -> str:
        """The order of day and month that is usual with this separator."""
        return "month_first" if "/" in self.unclear else "day_first"


def agree(notations: Iterable[str | None]) -> str | None:
    """The one notation that is spoken for; None if there is none, or two."""
    found = set(notations) - {None}
    return found.pop() if len(found) == 1 else None


# ---- Currency and percent signs, and units


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
    return mark[-1] not in PERCENT + CURRENCIES


def _split(text: str) -> tuple[str, str] | None:
    """A marked number as the number and its mark; None if it is none, or has two marks or none."""
    found = _MARKED.fullmatch(text) if text.strip("0123456789+-., ") else None  # most numbers are plain
    if found is None or (found["before"] is None) == (found["after"] is None):
        return None
    signs = found["sign"] + found["inner"]
    if len(signs) > 1 or (found["open"] is None) != (found["close"] is None) or (found["open"] and signs):
        return None
    minus = "-" if found["open"] or signs in ("-", "\u2212") else ""  # bookkeepers write (12) for -12
    return minus + found["number"].strip(), found["before"] or " ".join(found["after"].lower().split())
