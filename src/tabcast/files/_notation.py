"""How a file writes numbers and dates: settled once per file from all its rows, whatever batches it is read in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files._rules import DateRule, NumberRule, Rule, is_number
from tabcast.files._values import (
    ALL_DATE_FORMATS,
    DATE_SAMPLE,
    NOT_NUMBERS,
    NUMBER_FORMATS,
    PERCENT,
    Texts,
    best_number_format,
    count_percent,
    count_plain,
    decisive_format,
    find_texts,
    is_text,
    is_unit,
    read_dates,
    read_numbers,
    remove_marks,
    split_plain,
    swapped_format,
)
from tabcast.wording import TableFileError, show_value

ROWS_AT_A_TIME = 10_000  # fixed: what is found must not depend on the caller's batches
FITS = 0.8  # proportion of values that a notation of dates must read


@dataclass(frozen=True)
class Notation:
    """The notation of each column of numbers or dates that a file has as text.

    Parameters
    ----------
    formats : dict of str to str
        The notation by column, one of `NUMBER_FORMATS` or a format of dates.
    notes : tuple of str, default=()
        What could not be settled by the file or the training table, as sentences.

    See Also
    --------
    understand : Interprets a table.
    """

    formats: dict[str, str]
    notes: tuple[str, ...] = ()


@dataclass
class _NumberCount:
    """How many values of a column each notation of numbers reads."""

    mark: str | None = None
    n_values: int = 0
    n_percent: int = 0
    n_read: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NUMBER_FORMATS, 0))
    has_point: bool = False
    with_comma: str | None = None  # the first value with a comma

    def add(self, values: pd.Series[Any]) -> None:
        """Count more rows."""
        if is_text(values):
            values = values.dropna()
            if not split_plain(values)[1].n_values:
                n_plain, n_without_point, n_commas = count_plain(values)
                self.has_point |= n_without_point < n_plain
                self._count(n_plain, {"plain": n_plain, "thousands_comma": n_plain, "decimal_comma": n_commas})
                return
        texts = find_texts(values).without(NOT_NUMBERS)
        self.n_percent += count_percent(texts)
        texts = remove_marks(texts, self.mark)
        self.has_point |= any("." in text for text in texts.levels)
        self.with_comma = self.with_comma or next((text for text in texts.levels if "," in text), None)
        read = {name: ~np.isnan(read_numbers(texts.levels, name)) for name in NUMBER_FORMATS}
        self._count(texts.n_values, {name: int(texts.counts[known].sum()) for name, known in read.items()})

    def _count(self, n_values: int, n_read: dict[str, int]) -> None:
        self.n_values += n_values
        self.n_read = {name: n + n_read[name] for name, n in self.n_read.items()}

    @property
    def decisive(self) -> str | None:
        """The one notation that reads more values than the others do."""
        return decisive_format(self.n_read) if self.has_point or self.with_comma else None

    def compare_marks(self, column: str) -> tuple[str, ...]:
        """A note where percent signs are here and not in training, or there and not here."""
        if not self.n_values or (self.n_percent > 0) == (self.mark == PERCENT):
            return ()
        return (_say_percent(column, is_here=self.n_percent > 0),)

    def choose(self, column: str, preferred: str | None, comma: str | None) -> str:
        """The notation that reads most values, the preferred one among equals, else what a comma means elsewhere."""
        if self.n_read["plain"] == self.n_values and preferred != "decimal_comma":
            return "plain"
        if self.with_comma and self.mark not in (None, PERCENT) and not is_unit(self.mark):
            preferred = "thousands_comma"  # prices have no third decimal
        chosen = best_number_format(self.n_read, preferred) or comma
        if chosen is None:
            raise TableFileError(
                f"Column {column!r}: {show_value(self.with_comma)} may mean thousands or a decimal comma, and neither "
                "its file nor the training table tells which; write the numbers with a decimal point and without "
                "separators of thousands."
            )
        return chosen


@dataclass
class _DateCount:
    """How many values of a column each notation of dates reads, of those that the first values leave possible."""

    preferred: str | None
    n_values: int = 0
    n_read: dict[str, int] = field(default_factory=dict)

    def add(self, values: pd.Series[Any]) -> None:
        """Count more rows."""
        texts = find_texts(values)
        self.n_values += texts.n_values
        for name in self.n_read or self._possible(texts):
            known = ~np.isnat(read_dates(texts.levels, name))
            self.n_read[name] = self.n_read.get(name, 0) + int(texts.counts[known].sum())

    def _possible(self, texts: Texts) -> list[str]:
        """The notations that read about as many texts of a sample as the best one, in the order of preference."""
        sample = texts.levels[:: max(1, len(texts.levels) // DATE_SAMPLE)]
        names = dict.fromkeys([*([] if self.preferred is None else [self.preferred]), *ALL_DATE_FORMATS])
        read = {name: int((~np.isnat(read_dates(sample, name))).sum()) for name in names}
        most = max(read.values())
        found = {name for name in names if most and (2 * read[name] >= most or name == self.preferred)}
        found |= {twin for twin in map(swapped_format, found) if twin is not None}
        return [*(name for name in names if name in found), *sorted(found - set(names))]

    def choose(self, column: str) -> tuple[str | None, tuple[str, ...]]:
        """The notation that reads most values, that of training among equals; and a note if neither settles it."""
        best = max(self.n_read, key=lambda name: self.n_read[name], default=None)  # the first of equals
        if best is None or self.n_read[best] < FITS * self.n_values:
            return self.preferred, ()
        twin = swapped_format(best)
        if best == self.preferred or twin is None or self.n_read[twin] < self.n_read[best]:
            return best, ()
        if self.preferred is not None and swapped_format(self.preferred) is not None:  # the order of training
            return (best if best[:2] == self.preferred[:2] else twin), ()
        order = "month/day" if best.startswith("%m") else "day/month"
        return best, (
            f"Column {column!r}: no date tells whether day or month comes first, and the training table does not "
            f"either; read as {order}. Write the dates as YYYY-MM-DD to be sure.",
        )


def settle_notation(rules: Iterable[Rule], frames: Iterable[pd.DataFrame]) -> Notation:
    """Find the notation of a file, given as frames, for the columns that become numbers and dates."""
    wanted = {rule.name: rule for rule in rules if isinstance(rule, NumberRule | DateRule) and rule.format != "clock"}
    counts: dict[str, _NumberCount | _DateCount] = {
        name: _NumberCount(rule.mark) if isinstance(rule, NumberRule) else _DateCount(rule.format)
        for name, rule in wanted.items()
    }
    notes: tuple[str, ...] = ()
    for frame in frames:
        for start in range(0, len(frame), ROWS_AT_A_TIME):
            rows = frame.iloc[start : start + ROWS_AT_A_TIME]
            for name in [name for name in counts if _has_type(frame[name].dtype)]:
                del counts[name]  # a file has one type per column
                rule = wanted[name]
                if isinstance(rule, NumberRule) and rule.mark == PERCENT:
                    notes += (_say_percent(name, is_here=False),)
            for name, count in counts.items():
                count.add(rows[name])
        if not counts:
            break
    numbers = {name: count for name, count in counts.items() if isinstance(count, _NumberCount)}
    trained = [rule.format for rule in wanted.values() if isinstance(rule, NumberRule)]
    is_open = "decimal_comma" in trained or any(count.with_comma for count in numbers.values())
    hint = agree({count.decisive for count in numbers.values()}) if is_open else None
    # Beside a decimal point a comma separates thousands; else it means what it means in the training table.
    comma = "thousands_comma" if hint == "plain" else agree({one for one in trained if one != "plain"})
    formats = {name: count.choose(name, hint or wanted[name].format, comma) for name, count in numbers.items()}
    for name, number in numbers.items():
        notes += number.compare_marks(name)
    for name, count in counts.items():
        if isinstance(count, _DateCount):
            found, more = count.choose(name)
            notes += more
            if found is not None:
                formats[name] = found
    return Notation(formats, notes)


def find_hint(columns: Iterable[pd.Series[Any]]) -> str | None:
    """How the text columns of a table write numbers, if they agree; None if nothing tells."""
    counts = []
    for values in columns:
        if is_text(values):
            counts.append(_NumberCount())
            counts[-1].add(values)
    return agree({count.decisive for count in counts})


def _say_percent(column: str, *, is_here: bool) -> str:
    """That only one of two files writes a column with percent signs, and what was done."""
    if is_here:
        which = "written with % here and without it in the training table; 7.5% is read as 7.5"
    else:
        which = "written with % in the training table and without it here; 7.5 is read as 7.5%"
    return f"Column {column!r} is {which}. Check that both mean the same."


def agree(found: set[str | None]) -> str | None:
    """The notation of numbers that the columns of a table speak for, if they do not contradict each other."""
    if "decimal_comma" in found:
        return "decimal_comma" if "thousands_comma" not in found else None
    return "thousands_comma" if "thousands_comma" in found else ("plain" if "plain" in found else None)


def _has_type(dtype: Any) -> bool:
    """Whether a column is one of numbers, dates or durations by its type, and its notation no question."""
    kinds = (is_number, pd.api.types.is_datetime64_any_dtype, pd.api.types.is_timedelta64_dtype)
    return any(kind(dtype) for kind in kinds)
