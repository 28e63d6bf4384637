"""How a column becomes a feature: one rule per column, learned once, the same for every later file.

A rule is plain data: it is saved with the model as JSON, and nothing in it can run. What it could not use becomes
missing, and is counted.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from tabcast.files._values import (
    BOOLEAN_WORDS,
    NOT_NUMBERS,
    Texts,
    find_texts,
    plain_number,
    read_levels,
    read_typed,
)
from tabcast.wording import show_value

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
    def outputs(self) -> tuple[str, ...]:
        """Names of the features."""
        return (self.name,)

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
    levels : tuple of str
        The texts, in sorted order, `other` last if there is one.
    other : str or None
        The level that stands for all that have none of their own; None: those become missing.
    """

    levels: tuple[str, ...] = ()
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
        problems = []
        if self.other is not None:
            codes[codes < 0] = len(self.levels) - 1
        else:  # grouped levels were there in training as well: only a column that groups none can tell what is new
            problems = _find_lost(self.name, "unseen level", texts, codes < 0)
        category = pd.Categorical.from_codes(texts.spread(codes, -1), dtype=pd.CategoricalDtype(list(self.levels)))
        return {self.name: pd.Series(category, index=values.index)}, problems


@dataclass(frozen=True)
class TextRule(Rule):
    """A column of text, as a few numbers per row: TF-IDF of its terms, reduced by a truncated SVD.

    Parameters
    ----------
    analyzer : {"words", "characters"}
        What terms are: words, or three characters in a row.
    terms : tuple of str
        The terms that count; none before the rule is learned.
    weights : tuple of float
        The inverse document frequency of each.
    directions : str
        Float32 matrix of shape (n_features, n_terms), its bytes (little endian) in base 64.
    features : tuple of str
        Names of the features.
    """

    analyzer: str = "words"
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    directions: str = ""
    features: tuple[str, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.features

    def convert(self, values: pd.Series[Any], notation: str | None = None) -> tuple[Features, list[Problem]]:
        """The features, missing where there is no text; a text without a known term is all zeros."""
        texts, shape = find_texts(values), (len(self.features), len(self.terms))
        vectorizer = TfidfVectorizer(**ANALYZERS[self.analyzer], sublinear_tf=True, vocabulary=list(self.terms))
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
    terms = tuple(map(str, vectorizer.get_feature_names_out()))
    return TextRule(name, "text", analyzer, terms, tuple(vectorizer.idf_.tolist()), directions, tuple(features))


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
