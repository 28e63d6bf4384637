"""What a column is, decided from its values and its name, never from the labels; and the rule that makes it a feature.

A rule is learned once and the same for every later file. It is plain data: it is saved with the model as JSON, and
nothing in it can run. What it could not use becomes missing, and is counted.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from tabcast.files._values import (
    BOOLEAN_WORDS,
    EXACT,
    MOSTLY,
    NOT_NUMBERS,
    ORDERS,
    PERCENT,
    PLAIN,
    Tally,
    Texts,
    agree,
    find_mark,
    find_texts,
    has_leading_zeros,
    plain_number,
    read_levels,
    read_typed,
)
from tabcast.wording import shorten, show_value

LARGEST = 1e38  # forests and boosting count in 32 bits, where 3.4e38 is the end
MOST_TERMS = 3_000
MOST_FEATURES = 20
MOST_TEXTS = 50_000  # that the directions are learned from
FEWEST_TEXTS = 20
RARE, COMMON = 2, 0.9  # a term must be in so many different texts, and in this proportion of them at most
ANALYZERS: dict[str, dict[str, Any]] = {
    "words": {"analyzer": "word", "token_pattern": r"(?u)\b\w+\b"},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 3)},
}
Features = dict[str, "pd.Series[Any]"]
MOST_LEVELS = 200  # gradient boosting of scikit-learn takes 255
SHOWN_LEVELS = 3
FEW_LEVELS = 20  # numbers and words mixed: up to here they are levels such as 1, 2, 3, "4 or more"
NEARLY_ALL = 0.9  # proportion of different values that makes an identifier
OFTEN_DIFFERENT = 0.3  # proportion of different words from which they may be names of rows
FEWEST_FOR_KEY = 20  # rows below which 1, 2, 3, ... may well be a measurement
FEWEST_FOR_UNIQUE = 5
PROSE_WORDS, PROSE_LENGTH, PROSE_SHARE = 4.0, 50.0, 0.2
ID_NAME = re.compile(
    r"(?i:(?:^|[\W_])(?:id|ids|uid|uuid|guid|key|pk|index|idx|row|rowid|row_?(?:nr|no|num|number)|nr|no|unnamed: 0)$)"
    r"|(?<=[a-z])(?:Id|ID|Key|Nr|No)$",
)
INDEX = re.compile(r"Unnamed: 0(?:\.\d+)*")  # the index of a DataFrame, written to a file and read back
WRITTEN = {
    "decimal_comma": ", written with a decimal comma",
    "thousands_comma": ", written with thousands commas",
    "clock": ", times of day in minutes since midnight",
}


@dataclass(frozen=True)
class Problem:
    """Cells of a column that a rule could not use as they are: what is wrong, how many, and one of them in quotes."""

    column: str
    what: str
    n: int
    example: str

    def say(self) -> str:
        """The problem as a sentence."""
        became = "cut to 1e38" if self.what == "too large" else "counted as missing"
        values = "value" if self.n == 1 else "values"
        return f"Column {self.column!r}: {self.n:,} {values} {became}: {self.what} (for example {self.example})."


@dataclass(frozen=True)
class Rule:
    """How the column `name` becomes features; `kind` is what it is."""

    name: str
    kind: str

    @property
    def outputs(self) -> list[str]:
        """Names of the features."""
        return [self.name]

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[Features, list[Problem]]:
        """The features, and what could not be used; `notation` is how the file writes numbers or dates."""
        raise NotImplementedError


@dataclass(frozen=True)
class NumberRule(Rule):
    """A column of numbers, or of dates in days, as floats.

    Parameters
    ----------
    notation : str or None
        The notation in a text file, see `tabcast.files._values`; None if the column was never seen as text.
    mark : str or None
        The currency or percent sign or the unit beside the numbers. None: any is read.
    origin : float
        The earliest day of training, which becomes day 0, in days since 1970.
    """

    notation: str | None = None
    mark: str | None = None
    origin: float = 0.0

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[Features, list[Problem]]:
        """Floats, missing where a cell is no number or no date."""
        numbers, problems = read_typed(values, self.kind), []
        if numbers is None:
            texts = find_texts(values).without(NOT_NUMBERS)
            levels = read_levels(texts.levels, self.kind, notation or self.notation, self.mark)
            numbers = texts.spread(levels)
            problems = _find_lost(self.name, f"not a {self.kind}", texts, np.isnan(levels))
        problems += bound_numbers(self.name, numbers)
        return {self.name: pd.Series(numbers - self.origin, index=values.index)}, problems


@dataclass(frozen=True)
class CategoryRule(Rule):
    """A column of levels, as a pandas category of texts.

    Parameters
    ----------
    levels : list of str
        The texts, in sorted order, `other` last if there is one.
    other : str or None
        The level that stands for all that have none of their own; None: those become missing.
    """

    levels: list[str] = field(default_factory=list)
    other: str | None = None

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[Features, list[Problem]]:
        """Levels as a category column; those that were not there in training become `other` or missing."""
        texts = find_texts(values)
        position = {level: code for code, level in enumerate(self.levels) if level != self.other}
        is_truth = BOOLEAN_WORDS.issuperset(self.levels)
        found = [level.casefold() if is_truth else level for level in texts.levels]
        # `1.0` is `1` where only that is a level.
        found = [level if level in position else plain_number(level) for level in found]
        codes = np.array([position.get(level, -1) for level in found], dtype=np.intp)
        # Grouped levels were there in training as well: only a column that groups none can tell what is new.
        problems = _find_lost(self.name, "unseen level", texts, codes < 0) if self.other is None else []
        codes[codes < 0] = -1 if self.other is None else len(self.levels) - 1
        category = pd.Categorical.from_codes(texts.spread(codes, -1), dtype=pd.CategoricalDtype(self.levels))
        return {self.name: pd.Series(category, index=values.index)}, problems


@dataclass(frozen=True)
class TextRule(Rule):
    """A column of text, as a few numbers per row: TF-IDF of its terms, reduced by a truncated SVD.

    Parameters
    ----------
    analyzer : {"words", "characters"}
        What terms are: words, or three characters in a row.
    terms : list of str
        The terms that count; none before the rule is learned.
    weights : list of float
        The inverse document frequency of each.
    directions : str
        Float32 matrix of shape (n_features, n_terms), its bytes (little endian) in base 64.
    features : list of str
        Names of the features.
    """

    analyzer: str = "words"
    terms: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    directions: str = ""
    features: list[str] = field(default_factory=list)

    @property
    def outputs(self) -> list[str]:
        """Names of the features."""
        return self.features

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[Features, list[Problem]]:
        """The features, missing where there is no text; a text without a known term is all zeros."""
        texts, shape = find_texts(values), (len(self.features), len(self.terms))
        vectorizer = TfidfVectorizer(**ANALYZERS[self.analyzer], sublinear_tf=True, vocabulary=self.terms)
        vectorizer.idf_ = np.array(self.weights)
        directions = np.frombuffer(base64.b64decode(self.directions, validate=True), dtype="<f4").reshape(shape)
        weighed = vectorizer.transform(texts.levels) if len(texts.levels) else np.empty((0, shape[1]))
        spread = texts.spread(weighed @ directions.T.astype(float), np.full(shape[0], np.nan))
        return {name: pd.Series(spread[:, n], index=values.index) for n, name in enumerate(self.features)}, []


def learn_text(name: str, analyzer: str, texts: Texts, taken: Iterable[str]) -> TextRule | None:
    """The rule of a column of text; None if the texts have too few terms in common.

    `taken` are names that the features must not have.
    """
    levels = np.random.default_rng(0).permutation(np.sort(texts.levels))[:MOST_TEXTS]
    if len(levels) < FEWEST_TEXTS:
        return None
    vectorizer = TfidfVectorizer(
        **ANALYZERS[analyzer], sublinear_tf=True, min_df=RARE, max_df=COMMON, max_features=MOST_TERMS
    )
    try:
        weighed = vectorizer.fit_transform(levels)
    except ValueError:  # no term is left
        return None
    n_features = min(MOST_FEATURES, weighed.shape[1] // 2, len(levels) // 4)
    if n_features < 1:
        return None
    svd = TruncatedSVD(n_features, random_state=0).fit(weighed)
    directions = base64.b64encode(svd.components_.astype("<f4").tobytes()).decode()
    features, names = [f"{name} text {number}" for number in range(1, n_features + 1)], set(taken)
    while names.intersection(features):
        features = [f"{feature}_" for feature in features]
    terms = vectorizer.get_feature_names_out().tolist()
    return TextRule(name, "text", analyzer, terms, vectorizer.idf_.tolist(), directions, features)


RULES = {"number": NumberRule, "date": NumberRule, "category": CategoryRule, "text": TextRule}


def bound_numbers(name: str, numbers: NDArray[np.float64]) -> list[Problem]:
    """Make infinite numbers missing and cut huge ones, in place; count them."""
    problems = []
    for what, found in (("infinite", np.isinf(numbers)), ("too large", np.abs(numbers) > LARGEST)):
        found &= ~np.isnan(numbers)
        if found.any():
            problems.append(Problem(name, what, int(found.sum()), show_value(numbers[found][0])))
            numbers[found] = np.nan if what == "infinite" else np.sign(numbers[found]) * LARGEST
    return problems


def _find_lost(name: str, what: str, texts: Texts, lost: NDArray[np.bool_]) -> list[Problem]:
    """The problem of the rows whose level is lost, with the most frequent such level; none if there are none."""
    counts = np.where(lost, texts.counts, 0)
    if not counts.any():
        return []
    return [Problem(name, what, int(counts.sum()), show_value(texts.levels[int(np.argmax(counts))]))]


# ---- Decisions


@dataclass(frozen=True)
class Column:
    """How a column was interpreted.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "category", "date", "text", "identifier", "constant", "empty", "mixed"}
        What the column is.
    used : bool
        Whether it is a feature.
    why : str
        Why, a phrase without a period.
    rule : Rule or None
        How it becomes a feature, also where it is left out but could be used; None if it cannot.
    is_altered : bool
        Whether it is used, but some of its values not as they are in the table, so that the user should be told.
    decisive : str or None
        The notation of numbers or dates that its values speak for or, where these can be read in both, the other
        columns of numbers; None if they do not tell either.
    leak : str or None
        Why it may leak the label.
    """

    name: str
    kind: str
    used: bool
    why: str
    rule: Rule | None = None
    is_altered: bool = False
    decisive: str | None = None
    leak: str | None = None


def decide_columns(frame: pd.DataFrame, names: Iterable[str], categories: Iterable[str] = ()) -> dict[str, Column]:
    """Decide what the columns of a table are, those that leave the meaning of a comma open by what the others say."""
    columns = {name: decide(name, frame[name], is_category=name in categories) for name in names}
    numbers = [one for one in columns.values() if isinstance(one.rule, NumberRule) and one.rule.kind == "number"]
    comma = agree(one.decisive for one in numbers)
    for one in (one for one in numbers if comma is not None and one.decisive is None):
        is_open = one.kind == "mixed" or comma == "decimal_comma"
        columns[one.name] = replace(decide(one.name, frame[one.name], comma) if is_open else one, decisive=comma)
    return columns


def decide(name: str, values: pd.Series[Any], comma: str | None = None, *, is_category: bool = False) -> Column:
    """Decide what a column is; `comma` is its meaning in other columns, for texts such as `1,234`."""
    if values.isna().all():
        return Column(name, "empty", False, "no value in any row")
    example = values.dropna().iloc[0]
    if isinstance(example, (list, tuple, dict, set, bytes, np.ndarray)):
        return Column(name, "mixed", False, f"holds values of type {type(example).__name__}, which are no table cells")
    if is_category:
        texts = find_texts(values)  # where `1` and `1.0` are the same, unless there are codes with leading zeros
        texts = texts if has_leading_zeros(texts) else texts.relabel(plain_number)
        return _decide_levels(name, texts, requested=True)
    for kind in ("number", "date"):
        numbers = read_typed(values, kind)
        if numbers is not None:
            detail = ", durations in seconds" if pd.api.types.is_timedelta64_dtype(values.dtype) else ""
            return _decide_numbers(NumberRule(name, kind), numbers, int(values.nunique()), detail)
    texts = find_texts(values)
    is_levels = isinstance(values.dtype, pd.CategoricalDtype)
    return _decide_levels(name, texts) if is_levels else _decide_text(name, texts, comma)


def _decide_text(name: str, texts: Texts, comma: str | None) -> Column:
    """A column of text: numbers, times of day, dates or levels written down."""
    if has_leading_zeros(texts):
        return _decide_levels(name, texts, " (digits with leading zeros are codes)")
    cells = texts.without(NOT_NUMBERS)
    is_few = len(texts.levels) <= min(FEW_LEVELS, texts.n_values / 2)
    enough = max(1, (1.0 if is_few else MOSTLY) * cells.n_values)
    if cells.count(~np.isnan(read_levels(cells.levels, "number", "clock"))) >= enough:
        return _decide_read(NumberRule(name, "number", "clock"), cells)
    mark = find_mark(cells)
    numbers, dates = Tally("number", mark or ""), Tally("date")
    numbers.add(cells)
    if max(numbers.n_read) >= enough:
        # No decimals in some values and three in all others are thousands, whatever the other columns say.
        notation = numbers.choose("thousands_comma" if numbers.n_alike and "," in numbers.unclear else comma)
        if notation is None:
            why = f"{shorten(numbers.unclear)!r} may mean thousands or a decimal comma"
            return Column(name, "mixed", False, why, NumberRule(name, "number", "thousands_comma", mark))
        if notation == "thousands_comma" and not any("," in level for level in cells.levels):
            notation = PLAIN
        detail = f", written with {mark!r}{' (7.5% is 7.5)' if mark == PERCENT else ''}" if mark else ""
        column = _decide_read(NumberRule(name, "number", notation, mark), cells, detail)
        return replace(column, decisive=numbers.decisive)
    dates.add(cells)
    if max(dates.n_read) >= enough:
        notation, detail = dates.choose(None), ""
        if notation is None:
            notation = dates.guess()
            detail = f" (no date tells whether day or month comes first: read as {ORDERS[notation]})"
        column = _decide_read(NumberRule(name, "date", notation), cells, detail)
        return replace(column, decisive=dates.decisive)
    return _decide_levels(name, texts)


def _decide_read(rule: NumberRule, texts: Texts, detail: str = "") -> Column:
    """A column of numbers or dates as text, once it is known how they are written."""
    levels = read_levels(texts.levels, rule.kind, rule.notation, rule.mark)
    detail = WRITTEN.get(rule.notation or "", "") + detail
    for lost in _find_lost(rule.name, "no number", texts, np.isnan(levels)):
        detail += f"; {lost.n:,} other {'value' if lost.n == 1 else 'values'} as missing, for example {lost.example}"
    return _decide_numbers(rule, texts.spread(levels), len(texts.levels), detail)


def _decide_numbers(rule: NumberRule, numbers: NDArray[np.float64], n_different: int, detail: str) -> Column:
    """A column of numbers or dates; `detail` is how they are written."""
    for problem in bound_numbers(rule.name, numbers):
        detail += f"; {problem.n:,} {'infinite as missing' if problem.what == 'infinite' else 'cut to 1e38'}"
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return Column(rule.name, "empty", False, "only infinite values")
    is_date, is_whole = rule.kind == "date", bool((present == np.round(present)).all())
    low, high, end = float(present.min()), float(present.max()), ", as days" if is_date else ""
    if is_whole and rule.mark is None and not is_date:
        key = _find_key(rule.name, present, n_different, len(numbers))
        if key:
            return Column(rule.name, "identifier", False, key, rule)
    if is_date:
        rule = replace(rule, origin=math.floor(low))
    shown = [_show(one, rule.kind) for one in (low, high)]
    if low == high and len(present) == len(numbers):
        return Column(rule.name, "constant", False, f"the same value in every row, {shown[0]}", rule)
    why = f"{rule.kind}s from {shown[0]} to {shown[1]}{end}" if low < high else f"the {rule.kind} {shown[0]} or missing"
    return Column(rule.name, rule.kind, True, why + detail, rule, bool(detail))


def _find_key(name: str, present: NDArray[np.float64], n_different: int, n_rows: int) -> str:
    """Why a column of integers is a key and not a measurement; nothing if it is not."""
    n, is_unique = len(present), n_different == len(present)
    if INDEX.fullmatch(name.strip()) and 2 * n_different >= n:  # twice where two files became one table
        return "row numbers, like an index that pandas writes"
    if is_unique and FEWEST_FOR_KEY <= n == n_rows and present.max() - present.min() == n - 1:
        return "consecutive integers, a different one in every row, like row numbers"
    if is_unique and n >= FEWEST_FOR_KEY and np.abs(present).max() > EXACT:
        return "a different integer in every row, too long for a measurement"
    if ID_NAME.search(name.strip()) and n_different >= NEARLY_ALL * n and n >= FEWEST_FOR_UNIQUE:
        return "named like a key, with a different integer in (nearly) every row"
    return ""


def _decide_levels(name: str, texts: Texts, detail: str = "", *, requested: bool = False) -> Column:
    """A column of words: levels, free text or an identifier; levels in any case where the user requested it."""
    n, n_levels = texts.n_values, len(texts.levels)
    if not n:
        return Column(name, "empty", False, 'no value in any row (only words such as "NA")')
    rule, why = _find_levels(name, texts)
    is_altered = rule.other is not None
    if n_levels == 1 and n == len(texts.codes):
        return Column(name, "constant", False, f"the same value in every row, {shorten(texts.levels[0])!r}", rule)
    if requested:
        return Column(name, "category", True, f"{why}, as requested", rule, is_altered)
    sample = texts.levels[:: max(1, n_levels // 1_000)]
    n_words, length = np.mean([len(text.split()) for text in sample]), np.mean([len(text) for text in sample])
    if n_levels > max(FEW_LEVELS, PROSE_SHARE * n) and (n_words >= PROSE_WORDS or length >= PROSE_LENGTH):
        analyzer = "words" if n_words >= PROSE_WORDS else "characters"
        why = f"free text, {n_levels:,} different values in {n:,} rows"
        return Column(name, "text", True, why, TextRule(name, "text", analyzer))
    if n >= FEWEST_FOR_UNIQUE and n_levels >= NEARLY_ALL * n:
        where = "every row" if n_levels == n else f"{math.floor(100 * n_levels / n)}% of the rows"
        return Column(name, "identifier", False, f"a different value in {where}{detail}", rule)
    if ID_NAME.search(name.strip()) and n_levels > n / 2 and n >= FEWEST_FOR_UNIQUE:
        why = f"named like a key, {n_levels:,} different values in {n:,} rows"
        return Column(name, "identifier", False, why, rule)
    if n_levels > FEW_LEVELS and n_levels >= OFTEN_DIFFERENT * n:
        detail, is_altered = f"{detail}, in {n:,} rows: perhaps names or keys", True
    return Column(name, "category", True, why + detail, rule, is_altered)


def _find_levels(name: str, texts: Texts) -> tuple[CategoryRule, str]:
    """The rule of a column of levels, MOST_LEVELS of them at most, and which levels there are, in words."""
    levels, other, n = sorted(texts.levels), None, len(texts.levels)
    folded = {level.casefold() for level in levels}
    if folded <= BOOLEAN_WORDS:
        levels, n = sorted(folded), len(folded)
    shown = ", ".join(repr(shorten(level)) for level in levels[:SHOWN_LEVELS])
    why = f"{n} level{'' if n == 1 else 's'}: {shown}{', ...' if n > SHOWN_LEVELS else ''}"
    if n > MOST_LEVELS:
        frequent = sorted(range(n), key=lambda code: (-texts.counts[code], texts.levels[code]))[: MOST_LEVELS - 1]
        share = texts.counts[frequent].sum() / texts.n_values
        why = f"{n:,} levels, the {len(frequent)} most frequent kept ({share:.0%} of the rows), the rest grouped"
        other = "(other)"
        while other in levels:
            other = f"({other})"
        levels = [*sorted(texts.levels[frequent]), other]
    return CategoryRule(name, "category", levels, other), why


def decide_prose(column: Column, values: pd.Series[Any], taken: Iterable[str]) -> Column:
    """A column of free text with its rule learned; left out if the texts have too few terms in common."""
    if not isinstance(column.rule, TextRule):
        return column
    texts = find_texts(values)
    rule = learn_text(column.name, column.rule.analyzer, texts, taken)
    if rule is None:
        why = f"{column.why}, with too few words in common"
        return replace(column, used=False, why=why, rule=_find_levels(column.name, texts)[0])
    terms = "words" if rule.analyzer == "words" else "groups of three characters"
    why = f"{column.why}, as {len(rule.outputs)} features of {len(rule.terms):,} {terms}"
    return replace(column, why=why, rule=rule, is_altered=True)


def _show(number: float, kind: str) -> str:
    if kind == "date":
        return str(np.datetime64(math.floor(number), "D"))
    return f"{number:,.0f}" if number == round(number) and abs(number) < 1e12 else f"{number:.4g}"
