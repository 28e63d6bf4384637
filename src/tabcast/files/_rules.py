"""How a column becomes a feature: one rule per column, learned once, the same for every later file.

A rule is plain data (it is saved with the model as JSON) and has one verb, `convert`. What it could not use becomes
missing, and is counted. A rule of text gives several features (`convert_text`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.files._errors import show_value
from tabcast.files._marks import remove_marks
from tabcast.files._text_rule import TextRule
from tabcast.files._values import (
    NOT_NUMBERS,
    Texts,
    find_texts,
    is_text,
    plain_dates,
    plain_number,
    read_dates,
    read_numbers,
    split_plain,
)
from tabcast.files._words import word_problem

LARGEST = 1e38  # forests and boosting count in 32 bits, where 3.4e38 is the end
DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")


@dataclass(frozen=True)
class Problem:
    """Cells of a column that a rule could not use as they are.

    Parameters
    ----------
    column : str
        The column.
    what : {"not a number", "not a date", "infinite", "too large", "unseen level"}
        What is wrong with the cells.
    n : int
        How many cells.
    example : str
        One of them, in quotes.

    See Also
    --------
    understand : Interprets a table.
    """

    column: str
    what: str
    n: int
    example: str

    def say(self) -> str:
        """Word the problem.

        Returns
        -------
        str
            A sentence.
        """
        return word_problem(self)


@dataclass(frozen=True)
class NumberRule:
    """A column of numbers, as floats.

    Parameters
    ----------
    name : str
        The column.
    format : str or None
        The notation of the numbers in a text file, see `tabcast.files._values`; None if it was never seen as text.
    mark : str or None
        The currency or percent sign beside them. None: any is read.
    """

    kind: ClassVar[str] = "number"
    name: str
    format: str | None = None
    mark: str | None = None

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[pd.Series[Any], list[Problem]]:
        """Numbers as floats; `notation` is how the file writes them, None where no value is text."""
        if is_number(values.dtype):
            numbers, unreadable, example = values.to_numpy(dtype=float, na_value=np.nan, copy=True), 0, ""
        elif pd.api.types.is_timedelta64_dtype(values.dtype):
            numbers, unreadable, example = values.dt.total_seconds().to_numpy(dtype=float, copy=True), 0, ""
        else:
            numbers, unreadable, example = self._read(values, notation or self.format or "plain")
        problems = [Problem(self.name, "not a number", unreadable, example)] if unreadable else []
        problems += bound_numbers(self.name, numbers)
        return pd.Series(numbers, index=values.index, name=self.name), problems

    def _read(self, values: pd.Series[Any], notation: str) -> tuple[NDArray[np.float64], int, str]:
        """A column that is not one of numbers by type: the numbers, how many are unreadable, and one of them."""
        if notation != "decimal_comma" and is_text(values):
            numbers, rest = split_plain(values)
            if not rest.n_values:
                return numbers, 0, ""
        texts = find_texts(values).without(NOT_NUMBERS)
        levels = read_numbers(remove_marks(texts, self.mark).levels, notation)
        return texts.spread(levels), *_count_lost(texts, np.isnan(levels))


@dataclass(frozen=True)
class CategoryRule:
    """A column of levels, as a pandas category of texts.

    Parameters
    ----------
    name : str
        The column.
    levels : tuple of str
        The texts, in sorted order, `other` last if there is one.
    other : str or None
        The level that stands for all that have none of their own; None: those become missing.
    is_truth : bool
        Whether the levels are booleans, so that `True`, `TRUE` and `true` are the same.
    """

    kind: ClassVar[str] = "category"
    name: str
    levels: tuple[str, ...] = field(default=())
    other: str | None = None
    is_truth: bool = False

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[pd.Series[Any], list[Problem]]:
        """Levels as a category column; those that were not there in training become `other` or missing."""
        texts = find_texts(values)
        position = {level: code for code, level in enumerate(self.levels) if level != self.other}
        codes = np.array([self._find(level, position) for level in texts.levels], dtype=np.intp)
        n_lost, example = _count_lost(texts, codes < 0)
        if self.other is not None:
            codes[codes < 0] = len(self.levels) - 1
        category = pd.Categorical.from_codes(np.append(codes, -1)[texts.codes], dtype=self.dtype)
        # Grouped levels were there in training as well: only a column that groups none can tell what is new.
        problems = [Problem(self.name, "unseen level", n_lost, example)] if n_lost and self.other is None else []
        return pd.Series(category, index=values.index, name=self.name), problems

    @property
    def dtype(self) -> pd.CategoricalDtype:
        """The type of the column, the same for every file."""
        return pd.CategoricalDtype(list(self.levels))

    def _find(self, level: str, position: dict[str, int]) -> int:
        """The code of a level, -1 if it has none. `1.0` is `1` where only that is a level."""
        if self.is_truth:
            level = level.casefold()
        return position[level] if level in position else position.get(plain_number(level), -1)


@dataclass(frozen=True)
class DateRule:
    """A column of dates, as days since an origin.

    Parameters
    ----------
    name : str
        The column.
    format : str or None
        The notation in a text file; None if the column was never seen as text.
    origin : str
        The earliest day of training, day 0, in ISO notation.
    """

    kind: ClassVar[str] = "date"
    name: str
    format: str | None = None
    origin: str = "1970-01-01"

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[pd.Series[Any], list[Problem]]:
        """Dates as days (with a fraction where there is a time of day), written as `notation` has it."""
        problems = []
        if pd.api.types.is_datetime64_any_dtype(values.dtype):
            dates = plain_dates(values)
        else:
            texts = find_texts(values)
            levels = read_dates(texts.levels, notation or self.format or "ISO8601")
            dates = np.append(levels, np.array("NaT", dtype=levels.dtype))[texts.codes]
            n_lost, example = _count_lost(texts, np.isnat(levels))
            problems = [Problem(self.name, "not a date", n_lost, example)] if n_lost else []
        days = (dates - np.datetime64(self.origin, "us")).astype(float) / DAY
        days[np.isnat(dates)] = np.nan
        return pd.Series(days, index=values.index, name=self.name), problems


Rule = NumberRule | CategoryRule | DateRule | TextRule
RULES: dict[str, type[Rule]] = {rule.kind: rule for rule in (NumberRule, CategoryRule, DateRule, TextRule)}


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """A rule as plain JSON."""
    plain = asdict(rule)
    return {"kind": rule.kind} | {
        key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()
    }


def rule_from_dict(plain: dict[str, Any]) -> Rule:
    """A rule back from :func:`rule_to_dict`."""
    settings: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in plain.items() if key != "kind"
    }
    return RULES[plain["kind"]](**settings)


def is_number(dtype: Any) -> bool:
    """Whether a column's type is numeric (booleans are not)."""
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def bound_numbers(name: str, numbers: NDArray[np.float64]) -> list[Problem]:
    """Make infinite numbers missing and cut huge ones, in place; count them."""
    problems = []
    infinite = np.isinf(numbers)
    if infinite.any():
        example = show_value(numbers[infinite][0])
        problems.append(Problem(name, "infinite", int(infinite.sum()), example))
        numbers[infinite] = np.nan
    huge = np.abs(numbers) > LARGEST
    if huge.any():
        problems.append(Problem(name, "too large", int(huge.sum()), show_value(numbers[huge][0])))
        numbers[huge] = np.sign(numbers[huge]) * LARGEST
    return problems


def _count_lost(texts: Texts, lost: NDArray[np.bool_]) -> tuple[int, str]:
    """Rows whose level is lost, and the most frequent such level."""
    counts = np.where(lost, texts.counts, 0)
    if not counts.any():
        return 0, ""
    return int(counts.sum()), show_value(texts.levels[int(np.argmax(counts))])
