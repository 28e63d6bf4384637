"""Free text into numbers: TF-IDF of its frequent terms and a truncated SVD, learned on all rows, labeled or not.

The rule is plain data (terms, weights, and the directions of the SVD as bytes in base 64), so that it is saved with the
model as JSON and nothing in it can run.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from tabcast.files._values import Texts, find_texts

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
