"""How a column becomes a feature: one rule per column, learned once, the same for every later file.

A rule is plain data: it is saved with the model as JSON, and nothing in it can run. What it could not use becomes
missing, and is counted.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from tabcast.files._values import (
    NOT_NUMBERS,
    Texts,
    find_texts,
    is_text,
    plain_dates,
    plain_number,
    read_dates,
    read_numbers,
    remove_marks,
    split_plain,
)
from tabcast.files._words import Problem
from tabcast.wording import show_value

MOST_TERMS = 3_000
MOST_FEATURES = 20
MOST_TEXTS = 50_000  # that the directions are learned from
FEWEST_TEXTS = 20
RARE, COMMON = 2, 0.9  # a term must be in so many different texts, and in this proportion of them at most
ANALYZERS: dict[str, dict[str, Any]] = {
    "words": {"analyzer": "word", "token_pattern": r"(?u)\b\w+\b"},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 3)},
}


@dataclass(frozen=True)
class TextRule:
    """A column of text, as a few numbers per row.

    Parameters
    ----------
    name : str
        The column.
    analyzer : {"words", "characters"}
        What terms are: words, or three characters in a row.
    terms : tuple of str
        The terms that count; none before the rule is learned.
    weights : tuple of float
        The inverse document frequency of each.
    directions : str
        Float32 matrix of shape (n_features, n_terms), its bytes (little endian) in base 64.
    outputs : tuple of str
        Names of the features.
    """

    kind: ClassVar[str] = "text"
    name: str
    analyzer: str = "words"
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    directions: str = ""
    outputs: tuple[str, ...] = ()

    def convert_text(self, values: pd.Series[Any]) -> pd.DataFrame:
        """The features, missing where there is no text; a text without a known term is all zeros."""
        texts, matrix = find_texts(values), self._matrix
        by_level = self._weigh(texts.levels) @ matrix.T if len(texts.levels) else np.empty((0, len(matrix)))
        spread = np.vstack([by_level, np.full((1, len(self.outputs)), np.nan)])[texts.codes]
        return pd.DataFrame(spread, index=values.index, columns=list(self.outputs))

    def learn(self, texts: Texts, taken: Iterable[str]) -> TextRule | None:
        """The rule with terms and directions of these texts; None if they have too few terms in common.

        `taken` are names that the features must not have.
        """
        levels = np.random.default_rng(0).permutation(texts.levels)[:MOST_TEXTS]
        if len(levels) < FEWEST_TEXTS:
            return None
        try:
            counter = CountVectorizer(
                **ANALYZERS[self.analyzer], min_df=RARE, max_df=COMMON, max_features=MOST_TERMS, binary=True
            )
            present = counter.fit_transform(levels)
        except ValueError:  # no term is left
            return None
        terms = tuple(str(term) for term in counter.get_feature_names_out())
        n_features = min(MOST_FEATURES, len(terms) // 2, len(levels) // 4)
        if n_features < 1:
            return None
        n_texts = np.asarray(present.sum(axis=0)).ravel()
        weights = np.log((1 + len(levels)) / (1 + n_texts)) + 1
        learned = replace(self, terms=terms, weights=tuple(weights.tolist()))
        svd = TruncatedSVD(n_features, random_state=0).fit(learned._weigh(levels))
        directions = base64.b64encode(np.ascontiguousarray(svd.components_, dtype="<f4").tobytes()).decode()
        return replace(learned, directions=directions, outputs=_name_features(self.name, n_features, set(taken)))

    def _weigh(self, levels: NDArray[np.object_]) -> Any:
        """TF-IDF of texts, a sparse matrix: 1 + log of the count, times the weight of the term, rows of length one."""
        counter = CountVectorizer(**ANALYZERS[self.analyzer], vocabulary=list(self.terms))
        counts = counter.transform(levels).astype(np.float64)
        counts.data = 1 + np.log(counts.data)
        return normalize(counts.multiply(np.array(self.weights)).tocsr())

    @property
    def _matrix(self) -> NDArray[np.float64]:
        """The directions; an error if the rule does not hold together, as in a file that was changed by hand."""
        flat = np.frombuffer(base64.b64decode(self.directions, validate=True), dtype="<f4").astype(np.float64)
        is_whole = len(self.weights) == len(self.terms) == len(set(self.terms)) and self.analyzer in ANALYZERS
        if not is_whole or not np.isfinite([*self.weights, *flat]).all():
            raise ValueError(f"the rule of text column {self.name!r} does not hold together")
        return flat.reshape(len(self.outputs), len(self.terms))


def _name_features(name: str, n: int, taken: set[str]) -> tuple[str, ...]:
    """`review text 1`, `review text 2`, ..., with an underscore where a column is called so."""
    middle = " text "
    while any(f"{name}{middle}{number}" in taken for number in range(1, n + 1)):
        middle = f" {middle.strip()}_ "
    return tuple(f"{name}{middle}{number}" for number in range(1, n + 1))


LARGEST = 1e38  # forests and boosting count in 32 bits, where 3.4e38 is the end
DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")


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
